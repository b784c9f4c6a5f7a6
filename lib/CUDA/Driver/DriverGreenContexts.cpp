//===- DriverGreenContexts.cpp - Parts of the device ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cores that contexts are given, and events of all streams of a context. A
// kernel runs on any core, whatever its context was given: CUDA lets it run on
// more than that.
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "PerThread.h"
#include "Runtime/Runtime.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

namespace {

/// CUdevResource. What CUDA calls padding says where it comes from, so that one
/// that no call has made is refused.
struct DeviceResource {
  int Type;
  uint32_t Mark;
  uint32_t Split; ///< The split that it is a part of; 0: none.
  uint32_t Part;
  unsigned char Unused[80];
  unsigned Cores, LeastCores, CoreAlignment;
  unsigned char Oversize[36];
};
static_assert(sizeof(DeviceResource) == 144 &&
              offsetof(DeviceResource, Cores) == 96);

constexpr int NoResource = 0, CoreResource = 1; // of CUdevResourceType
constexpr uint32_t OurMark = 0x48444C52;

/// What a green context is made of.
struct ResourceDescription {
  unsigned Cores;
};

using CUdevResourceDesc = ResourceDescription *;

} // namespace

/// Programs never give them back.
static HandleSet<ResourceDescription> &descriptions() {
  static auto *Made = new HandleSet<ResourceDescription>; // see Process.h
  return *Made;
}

/// Cores that are started together: what parts of a device of compute
/// capability 9.0 are multiples of, where its chip has so many.
static unsigned coreAlignment(unsigned Cores) {
  constexpr unsigned Largest = 8;
  return std::min<unsigned>(Largest, Cores & -Cores);
}

static DeviceResource makeResource(unsigned Cores, unsigned Alignment,
                                   uint32_t Split, uint32_t Part) {
  DeviceResource R = {};
  R.Type = Cores ? CoreResource : NoResource;
  R.Mark = OurMark;
  R.Split = Split;
  R.Part = Part;
  R.Cores = Cores;
  R.LeastCores = R.CoreAlignment = Alignment;
  return R;
}

static bool isResource(const DeviceResource &R) {
  return R.Mark == OurMark && R.Type == CoreResource;
}

static unsigned allCores(CUdevice Device) {
  return Process::get().device(Device)->properties().Cores;
}

static CUresult getResource(unsigned Cores, DeviceResource *R, int Type) {
  if (!R)
    return cudaErrorInvalidValue;
  if (Type != CoreResource)
    return cudaErrorInvalidResourceType;
  *R = makeResource(Cores, coreAlignment(Cores), 0, 0);
  return cudaSuccess;
}

/// Runs something that needs the device but no context.
template <typename Fn> static CUresult initialised(Fn Function) {
  DriverCall Call;
  if (CUresult Code = Call.initialised(); Code != cudaSuccess)
    return Code;
  return driverCode(Function());
}

static bool isGreen(CUcontext Context) {
  return isContext(Context) && Context->isGreen();
}

/// Parts are alike, and multiples of what the flags make the alignment.
static CUresult split(DeviceResource *Parts, unsigned *Count,
                      const DeviceResource &Input, DeviceResource *Rest,
                      unsigned Flags, unsigned Least) {
  constexpr unsigned EachCoreAlone = 1, LargeClusters = 2;
  if (Flags & ~(EachCoreAlone | LargeClusters) || Least > Input.Cores)
    return cudaErrorInvalidValue;
  if (Input.Split) // A part has to become a context's first.
    return cudaErrorInvalidResourceConfiguration;
  unsigned Alignment = Flags & EachCoreAlone ? 1 : Input.CoreAlignment;
  unsigned Size = std::max<unsigned>(alignTo(Least, Alignment), Alignment);
  unsigned Possible = Input.Cores / Size;
  if (!Possible)
    return cudaErrorInvalidResourceConfiguration;
  if (!Parts) {
    *Count = Possible;
    return cudaSuccess;
  }
  static std::atomic<uint32_t> NumSplits{0};
  uint32_t Split = ++NumSplits;
  *Count = std::min(*Count, Possible);
  for (unsigned I = 0; I != *Count; ++I)
    Parts[I] = makeResource(Size, Alignment, Split, I);
  if (Rest)
    *Rest = makeResource(Input.Cores - *Count * Size, Alignment, Split, *Count);
  return cudaSuccess;
}

namespace {

/// CU_DEV_SM_RESOURCE_GROUP_PARAMS.
struct GroupParams {
  unsigned Cores;          ///< 0: as many as there are, which is filled in.
  unsigned TogetherCores;  ///< What Cores is a multiple of; 0: as usual.
  unsigned PreferredCores; ///< A hint.
  unsigned Flags;
  unsigned LocalityDomain; ///< There is one, number 0.
  unsigned Reserved[11];
};
static_assert(sizeof(GroupParams) == 64);

/// Its flags.
enum : unsigned { Backfill = 1, InLocalityDomain = 2, SupplementalCores = 4 };

} // namespace

/// How many of Rest cores a group gets.
static CUresult coresOf(const GroupParams &P, unsigned Alignment, unsigned Rest,
                        unsigned &Cores) {
  constexpr unsigned AnyDomain = ~0u, MostTogether = 32;
  unsigned Together = P.TogetherCores ? P.TogetherCores : Alignment;
  bool IsHint = P.Flags & Backfill;
  if (P.Flags & ~(Backfill | InLocalityDomain | SupplementalCores) ||
      (P.Flags & InLocalityDomain && P.LocalityDomain &&
       P.LocalityDomain != AnyDomain) ||
      Together > MostTogether || Together % 2 || P.Cores % 2 ||
      (P.Cores % Together && !IsHint))
    return cudaErrorInvalidValue;
  Cores = P.Cores ? P.Cores : alignDown(Rest, IsHint ? 2 : Together);
  return Cores <= Rest ? cudaSuccess : cudaErrorInvalidResourceConfiguration;
}

/// Groups of different sizes, one after the other.
static CUresult splitInGroups(DeviceResource *Groups, unsigned Count,
                              const DeviceResource &Input, DeviceResource *Rest,
                              GroupParams *Params) {
  if (Input.Split) // A part has to become a context's first.
    return cudaErrorInvalidResourceConfiguration;
  static std::atomic<uint32_t> NumSplits{0};
  // Apart from those of equal parts.
  uint32_t Split = 0x80000000u | ++NumSplits;
  unsigned Left = Input.Cores;
  std::vector<unsigned> Sizes(Count);
  for (unsigned I = 0; I != Count; ++I) {
    if (CUresult Code = coresOf(Params[I], Input.CoreAlignment, Left, Sizes[I]);
        Code != cudaSuccess)
      return Code;
    if (Groups && !Sizes[I])
      return cudaErrorInvalidResourceConfiguration;
    Left -= Sizes[I];
  }
  for (unsigned I = 0; I != Count; ++I) {
    Params[I].Cores = Sizes[I];
    unsigned Together = Params[I].TogetherCores;
    if (Groups)
      Groups[I] = makeResource(
          Sizes[I], Together ? Together : Input.CoreAlignment, Split, I);
  }
  if (Rest)
    *Rest = makeResource(Left, 1, Split, Count);
  return cudaSuccess;
}

/// Parts of one split, each at most once.
static CUresult describe(const DeviceResource *Parts, unsigned Count,
                         unsigned &Cores) {
  for (unsigned I = 0; I != Count; ++I) {
    if (!isResource(Parts[I]))
      return cudaErrorInvalidResourceType;
    for (unsigned J = 0; J != I; ++J)
      if (Parts[J].Split != Parts[I].Split || Parts[J].Part == Parts[I].Part)
        return cudaErrorInvalidResourceConfiguration;
    Cores += Parts[I].Cores;
  }
  return cudaSuccess;
}

extern "C" {

CUresult cuDeviceGetDevResource(CUdevice Device, DeviceResource *R, int Type) {
  return initialised([=] {
    return isDevice(Device) ? getResource(allCores(Device), R, Type)
                            : cudaErrorInvalidDevice;
  });
}

CUresult cuCtxGetDevResource(CUcontext Context, DeviceResource *R, int Type) {
  return initialised([=] {
    if (!isContext(Context))
      return cudaErrorDeviceUninitialized;
    unsigned Cores =
        Context->isGreen() ? Context->Cores : allCores(Context->Device);
    return getResource(Cores, R, Type);
  });
}

CUresult cuGreenCtxGetDevResource(CUcontext Context, DeviceResource *R,
                                  int Type) {
  return initialised([=] {
    return isGreen(Context) ? getResource(Context->Cores, R, Type)
                            : cudaErrorDeviceUninitialized;
  });
}

CUresult cuDevSmResourceSplitByCount(DeviceResource *Parts, unsigned *Count,
                                     const DeviceResource *Input,
                                     DeviceResource *Rest, unsigned Flags,
                                     unsigned Least) {
  return initialised([=] {
    if (!Count || !Input)
      return cudaErrorInvalidValue;
    return isResource(*Input) ? split(Parts, Count, *Input, Rest, Flags, Least)
                              : cudaErrorInvalidResourceType;
  });
}

CUresult cuDevSmResourceSplit(DeviceResource *Groups, unsigned Count,
                              const DeviceResource *Input, DeviceResource *Rest,
                              unsigned Flags, GroupParams *Params) {
  return initialised([=] {
    if (!Count || !Input || !Params || Flags)
      return cudaErrorInvalidValue;
    return isResource(*Input)
               ? splitInGroups(Groups, Count, *Input, Rest, Params)
               : cudaErrorInvalidResourceType;
  });
}

CUresult cuStreamGetDevResource(cudaStream_t Stream, DeviceResource *R,
                                int Type) {
  return initialised([=] {
    CUcontext Context = nullptr;
    if (CUresult Code = cuStreamGetCtx(Stream, &Context); Code != cudaSuccess)
      return Code;
    unsigned Cores =
        Context->isGreen() ? Context->Cores : allCores(Context->Device);
    return getResource(Cores, R, Type);
  });
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *Description,
                                   const DeviceResource *Parts,
                                   unsigned Count) {
  return initialised([=] {
    if (!Description || !Parts || !Count)
      return cudaErrorInvalidValue;
    unsigned Cores = 0;
    if (CUresult Code = describe(Parts, Count, Cores); Code != cudaSuccess)
      return Code;
    *Description = descriptions().add(
        std::unique_ptr<ResourceDescription>(new ResourceDescription{Cores}));
    return cudaSuccess;
  });
}

//===----------------------------------------------------------------------===//
// Green contexts
//===----------------------------------------------------------------------===//

CUresult cuGreenCtxCreate(CUcontext *Context, CUdevResourceDesc Description,
                          CUdevice Device, unsigned Flags) {
  constexpr unsigned WithDefaultStream = 1; // which has to be
  return initialised([=] {
    if (!isDevice(Device))
      return cudaErrorInvalidDevice;
    if (!Context || !descriptions().contains(Description) ||
        Flags != WithDefaultStream)
      return cudaErrorInvalidValue;
    ++primaryContext(Device)->Retained;
    *Context = addContext(Device, 0, Description->Cores);
    return cudaSuccess;
  });
}

CUresult cuGreenCtxDestroy(CUcontext Context) {
  return initialised([=] {
    if (!isGreen(Context))
      return cudaErrorDeviceUninitialized;
    unsigned Device = Context->Device;
    if (!endContext(Context))
      return cudaErrorDeviceUninitialized;
    --primaryContext(Device)->Retained;
    return cudaSuccess;
  });
}

/// It is a context itself.
CUresult cuCtxFromGreenCtx(CUcontext *Context, CUcontext Green) {
  return initialised([=] {
    if (!Context)
      return cudaErrorInvalidValue;
    if (!isGreen(Green))
      return cudaErrorDeviceUninitialized;
    *Context = Green;
    return cudaSuccess;
  });
}

CUresult cuGreenCtxStreamCreate(cudaStream_t *Stream, CUcontext Context,
                                unsigned Flags, int) {
  return initialised([=] {
    if (!isGreen(Context))
      return cudaErrorDeviceUninitialized;
    if (!Stream || Flags != cudaStreamNonBlocking)
      return cudaErrorInvalidValue;
    Expected<rt::Context &> C = Process::get().context(Context->Device);
    if (!C)
      return convert(C.takeError(), cudaErrorNoDevice);
    *Stream = Process::get().addStream(
        C->createStream(rt::Stream::Kind::NonBlocking, Context->Group), Flags);
    return cudaSuccess;
  });
}

CUresult cuGreenCtxGetId(CUcontext Context, unsigned long long *Id) {
  return initialised([=] {
    CUcontext Green = Context ? Context : currentContext();
    if (!isGreen(Green))
      return cudaErrorDeviceUninitialized;
    return cuCtxGetId(Green, Id);
  });
}

} // extern "C"

//===----------------------------------------------------------------------===//
// Events of contexts
//===----------------------------------------------------------------------===//

/// The groups of a context's streams; the primary one has those of green
/// contexts too.
static rt::Context::GroupSet groupsOf(CUcontext Context) {
  return [Own = Context->Group, IsPrimary = Context->IsPrimary](unsigned G) {
    if (G == Own)
      return true;
    CUcontext Other = IsPrimary ? contextOfGroup(G) : nullptr;
    return Other && Other->isGreen();
  };
}

/// Calls one of the device's functions for an event and a context's streams.
template <typename Fn>
static CUresult withEvent(CUcontext Context, cudaEvent_t Event, Fn Function) {
  EventHandle *E = Process::get().event(Event);
  if (!E)
    return cudaErrorInvalidResourceHandle;
  Expected<rt::Context &> C = Process::get().context(Context->Device);
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  return convert(Function(*C, E->Event, groupsOf(Context)),
                 cudaErrorStreamCaptureUnsupported);
}

static CUresult recordIn(CUcontext Context, cudaEvent_t Event) {
  return withEvent(Context, Event,
                   [](rt::Context &C, auto &E, const auto &Groups) {
                     return C.record(E, Groups);
                   });
}

static CUresult waitIn(CUcontext Context, cudaEvent_t Event) {
  return withEvent(Context, Event, [](rt::Context &C, auto &E, auto Groups) {
    return C.wait(E, std::move(Groups));
  });
}

extern "C" {

CUresult cuCtxRecordEvent(CUcontext Context, cudaEvent_t Event) {
  return initialised([=] {
    return isContext(Context) ? recordIn(Context, Event)
                              : cudaErrorDeviceUninitialized;
  });
}

CUresult cuCtxWaitEvent(CUcontext Context, cudaEvent_t Event) {
  return initialised([=] {
    return isContext(Context) ? waitIn(Context, Event)
                              : cudaErrorDeviceUninitialized;
  });
}

CUresult cuGreenCtxRecordEvent(CUcontext Context, cudaEvent_t Event) {
  return initialised([=] {
    return isGreen(Context) ? recordIn(Context, Event)
                            : cudaErrorDeviceUninitialized;
  });
}

CUresult cuGreenCtxWaitEvent(CUcontext Context, cudaEvent_t Event) {
  return initialised([=] {
    return isGreen(Context) ? waitIn(Context, Event)
                            : cudaErrorDeviceUninitialized;
  });
}

} // extern "C"

HEDDLE_PER_THREAD(cuStreamGetDevResource, _ptsz)
