//===- Runtime.cpp - CUDA's device runtime ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels call that launch kernels: cuda_device_runtime_api.h. Each
// function has its name of CUDA 11, and the one that the header gives it since
// CUDA 12. Pointers are numbers, as in PTX, and structures are addresses of
// local memory. Work that a grid enqueues is carried out in the order in which
// it was enqueued, so that streams and events order nothing else.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"
#include "heddle/ISA/DeviceWork.h"
#include "heddle/Support/CUDAVersion.h"

namespace isa = heddle::isa;
using isa::DeviceError;
using isa::DeviceQuery;
using isa::DeviceWorkKind;

using U32 = unsigned;
using U64 = unsigned long long;
using Words = const __attribute__((address_space(5))) U32 *;
using Longs = const __attribute__((address_space(5))) U64 *;
using GlobalWork = __attribute__((address_space(1))) isa::DeviceWork;

extern "C" {
U64 __heddle_device_query(U32 What, U64 A, U64 B, U64 C);
U32 __heddle_device_enqueue(U64 Work);
U64 malloc(U64 Size);
void free(U64 Address);
}

#define HEDDLE_INNER static inline __attribute__((always_inline))

HEDDLE_INNER U64 query(DeviceQuery What, U64 A = 0, U64 B = 0, U64 C = 0) {
  return __heddle_device_query(static_cast<U32>(What), A, B, C);
}

/// Notes an error as the thread's last one.
HEDDLE_INNER U32 finish(DeviceError Code) {
  if (Code != DeviceError::None)
    query(DeviceQuery::SwapError, static_cast<U64>(Code));
  return static_cast<U32>(Code);
}

HEDDLE_INNER void storeWord(U64 Address, U32 Value) {
  *reinterpret_cast<U32 *>(Address) = Value;
}
HEDDLE_INNER void storeLong(U64 Address, U64 Value) {
  *reinterpret_cast<U64 *>(Address) = Value;
}
HEDDLE_INNER U64 loadLong(U64 Address) {
  return *reinterpret_cast<const U64 *>(Address);
}

/// Stores a number where the caller wants it.
HEDDLE_INNER U32 giveWord(U64 Address, U32 Value) {
  if (!Address)
    return finish(DeviceError::InvalidValue);
  storeWord(Address, Value);
  return 0;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

HEDDLE_INNER U32 doGetLastError() {
  return static_cast<U32>(query(DeviceQuery::SwapError));
}

HEDDLE_INNER U32 doPeekAtLastError() {
  U64 Code = query(DeviceQuery::SwapError);
  query(DeviceQuery::SwapError, Code);
  return static_cast<U32>(Code);
}

HEDDLE_INNER U64 doGetErrorName(U32 Code) {
  const char *Text;
  switch (Code) {
#define HEDDLE_CUDA_ERROR(Name, Value, Description)                            \
  case Value:                                                                  \
    Text = #Name;                                                              \
    break;
#include "heddle/Runtime/CudaErrors.def"
  default:
    Text = "unrecognized error code";
  }
  return reinterpret_cast<U64>(Text);
}

HEDDLE_INNER U64 doGetErrorString(U32 Code) {
  const char *Text;
  switch (Code) {
#define HEDDLE_CUDA_ERROR(Name, Value, Description)                            \
  case Value:                                                                  \
    Text = Description;                                                        \
    break;
#include "heddle/Runtime/CudaErrors.def"
  default:
    Text = "unrecognized error code";
  }
  return reinterpret_cast<U64>(Text);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

/// A handle of something that needs no memory.
HEDDLE_INNER U32 giveHandle(U64 Address) {
  if (!Address)
    return finish(DeviceError::InvalidValue);
  storeLong(Address, query(DeviceQuery::NewHandle));
  return 0;
}

HEDDLE_INNER U32 takeHandle(U64 Handle) {
  return Handle ? 0 : finish(DeviceError::InvalidHandle);
}

/// Streams of device code do not wait for the one that the host works in.
HEDDLE_INNER U32 doStreamCreateWithFlags(U64 Stream, U32 Flags) {
  constexpr U32 NonBlocking = 1;
  return Flags == NonBlocking ? giveHandle(Stream)
                              : finish(DeviceError::InvalidValue);
}

/// Events of device code have no time.
HEDDLE_INNER U32 doEventCreateWithFlags(U64 Event, U32 Flags) {
  constexpr U32 DisableTiming = 2;
  return Flags == DisableTiming ? giveHandle(Event)
                                : finish(DeviceError::InvalidValue);
}

HEDDLE_INNER U32 doStreamDestroy(U64 Stream) { return takeHandle(Stream); }
HEDDLE_INNER U32 doEventDestroy(U64 Event) { return takeHandle(Event); }
HEDDLE_INNER U32 doEventRecord(U64 Event, U64) { return takeHandle(Event); }
HEDDLE_INNER U32 doEventRecordWithFlags(U64 Event, U64, U32) {
  return takeHandle(Event);
}
HEDDLE_INNER U32 doStreamWaitEvent(U64, U64 Event, U32) {
  return takeHandle(Event);
}

/// Work that runs when a stream comes to it.
HEDDLE_INNER isa::DeviceStream orderOf(U64 Stream) {
  constexpr U64 TailLaunch = 3;
  return Stream == TailLaunch ? isa::DeviceStream::End
                              : isa::DeviceStream::Ordered;
}

HEDDLE_INNER U32 enqueue(GlobalWork *Work, U64 Stream) {
  Work->Stream = orderOf(Stream);
  return finish(static_cast<DeviceError>(
      __heddle_device_enqueue(reinterpret_cast<U64>(Work))));
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

HEDDLE_INNER GlobalWork *makeWork(DeviceWorkKind Kind, U64 ExtraBytes = 0) {
  auto *Work = reinterpret_cast<GlobalWork *>(
      malloc(sizeof(isa::DeviceWork) + ExtraBytes));
  if (Work)
    Work->Kind = Kind;
  else
    finish(DeviceError::OutOfMemory);
  return Work;
}

/// The parameters are behind the description of the work.
HEDDLE_INNER U64 paramsOf(GlobalWork *Work) {
  return reinterpret_cast<U64>(Work) + sizeof(isa::DeviceWork);
}
HEDDLE_INNER GlobalWork *workOf(U64 Params) {
  return reinterpret_cast<GlobalWork *>(Params - sizeof(isa::DeviceWork));
}

HEDDLE_INNER void describe(GlobalWork *Work, U64 Function, Words Grid,
                           Words Block, U32 Shared) {
  for (int I = 0; I != 3; ++I) {
    Work->Grid[I] = Grid[I];
    Work->Block[I] = Block[I];
  }
  Work->DynamicSharedBytes = Shared;
  Work->Function = Function;
}

/// The alignment is that of malloc, which is enough for all parameters.
HEDDLE_INNER U64 doGetParameterBuffer(U64, U64 Size) {
  GlobalWork *Work = makeWork(DeviceWorkKind::Grid, Size);
  return Work ? paramsOf(Work) : 0;
}

HEDDLE_INNER U64 doGetParameterBufferV2(U64 Function, Words Grid, Words Block,
                                        U32 Shared) {
  U64 Size = query(DeviceQuery::ParamBytes, Function);
  if (Size == ~U64(0)) {
    finish(DeviceError::InvalidFunction);
    return 0;
  }
  GlobalWork *Work = makeWork(DeviceWorkKind::Grid, Size);
  if (!Work)
    return 0;
  describe(Work, Function, Grid, Block, Shared);
  return paramsOf(Work);
}

HEDDLE_INNER U32 doLaunchDeviceV2(U64 Params, U64 Stream) {
  return Params ? enqueue(workOf(Params), Stream)
                : finish(DeviceError::InvalidValue);
}

/// A kernel without parameters has no buffer.
HEDDLE_INNER U32 doLaunchDevice(U64 Function, U64 Params, Words Grid,
                                Words Block, U32 Shared, U64 Stream) {
  GlobalWork *Work = Params ? workOf(Params) : makeWork(DeviceWorkKind::Grid);
  if (!Work)
    return static_cast<U32>(DeviceError::OutOfMemory);
  describe(Work, Function, Grid, Block, Shared);
  return enqueue(Work, Stream);
}

HEDDLE_INNER U32 doDeviceSynchronize() {
  query(DeviceQuery::Synchronize);
  return 0;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

HEDDLE_INNER U32 doMalloc(U64 Address, U64 Size) {
  if (!Address)
    return finish(DeviceError::InvalidValue);
  U64 Made = Size ? malloc(Size) : 0;
  storeLong(Address, Made);
  return Size && !Made ? finish(DeviceError::OutOfMemory) : 0;
}

HEDDLE_INNER U32 doFree(U64 Address) {
  free(Address);
  return 0;
}

struct Rows {
  U64 Address, Pitch;
};

HEDDLE_INNER U32 copyRows(Rows To, Rows From, U64 Bytes, U64 Count,
                          U64 Stream) {
  if (!Bytes || !Count)
    return 0;
  GlobalWork *Work = makeWork(DeviceWorkKind::Copy);
  if (!Work)
    return static_cast<U32>(DeviceError::OutOfMemory);
  Work->To = To.Address;
  Work->ToPitch = To.Pitch;
  Work->From = From.Address;
  Work->FromPitch = From.Pitch;
  Work->RowBytes = Bytes;
  Work->Rows = Count;
  return enqueue(Work, Stream);
}

HEDDLE_INNER U32 fillRows(Rows To, U32 Value, U64 Bytes, U64 Count,
                          U64 Stream) {
  if (!Bytes || !Count)
    return 0;
  GlobalWork *Work = makeWork(DeviceWorkKind::Fill);
  if (!Work)
    return static_cast<U32>(DeviceError::OutOfMemory);
  Work->To = To.Address;
  Work->ToPitch = To.Pitch;
  Work->Value = Value;
  Work->RowBytes = Bytes;
  Work->Rows = Count;
  return enqueue(Work, Stream);
}

HEDDLE_INNER U32 doMemcpyAsync(U64 To, U64 From, U64 Bytes, U32, U64 Stream) {
  return copyRows({To, Bytes}, {From, Bytes}, Bytes, 1, Stream);
}

HEDDLE_INNER U32 doMemcpy2DAsync(U64 To, U64 ToPitch, U64 From, U64 FromPitch,
                                 U64 Bytes, U64 Count, U32, U64 Stream) {
  return copyRows({To, ToPitch}, {From, FromPitch}, Bytes, Count, Stream);
}

/// cudaMemcpy3DParms in words of 64 bits; each array, position, pointer and
/// extent of its own.
HEDDLE_INNER U32 doMemcpy3DAsync(U64 Params, U64 Stream) {
  enum { FromArray, FromX, FromY, FromZ, From, FromPitch, FromYSize = 7 };
  enum { ToArray = 8, ToX, ToY, ToZ, To, ToPitch, ToYSize = 15 };
  enum { Width = 16, Height, Depth };
  if (!Params)
    return finish(DeviceError::InvalidValue);
  auto Field = [=](U64 I) { return loadLong(Params + 8 * I); };
  if (Field(FromArray) || Field(ToArray))
    return finish(DeviceError::NotSupported);
  for (U64 Z = 0; Z != Field(Depth); ++Z) {
    U64 FromRow = (Field(FromZ) + Z) * Field(FromYSize) + Field(FromY);
    U64 ToRow = (Field(ToZ) + Z) * Field(ToYSize) + Field(ToY);
    U64 FromAt = Field(From) + FromRow * Field(FromPitch) + Field(FromX);
    U64 ToAt = Field(To) + ToRow * Field(ToPitch) + Field(ToX);
    if (U32 Code = copyRows({ToAt, Field(ToPitch)}, {FromAt, Field(FromPitch)},
                            Field(Width), Field(Height), Stream))
      return Code;
  }
  return 0;
}

HEDDLE_INNER U32 doMemsetAsync(U64 To, U32 Value, U64 Bytes, U64 Stream) {
  return fillRows({To, Bytes}, Value, Bytes, 1, Stream);
}

HEDDLE_INNER U32 doMemset2DAsync(U64 To, U64 Pitch, U32 Value, U64 Bytes,
                                 U64 Count, U64 Stream) {
  return fillRows({To, Pitch}, Value, Bytes, Count, Stream);
}

/// cudaPitchedPtr: address, pitch, width and height; cudaExtent: width, height
/// and depth.
HEDDLE_INNER U32 doMemset3DAsync(Longs To, U32 Value, Longs Extent,
                                 U64 Stream) {
  for (U64 Z = 0; Z != Extent[2]; ++Z)
    if (U32 Code = fillRows({To[0] + Z * To[3] * To[1], To[1]}, Value,
                            Extent[0], Extent[1], Stream))
      return Code;
  return 0;
}

//===----------------------------------------------------------------------===//
// What kernels ask of the device
//===----------------------------------------------------------------------===//

HEDDLE_INNER U32 doGetDevice(U64 Device) { return giveWord(Device, 0); }
HEDDLE_INNER U32 doRuntimeGetVersion(U64 Version) {
  return giveWord(Version, heddle::CUDAVersion);
}
HEDDLE_INNER U32 doGetDeviceCount(U64 Count) { return giveWord(Count, 1); }
HEDDLE_INNER U32 doDeviceGetCacheConfig(U64 Config) {
  return giveWord(Config, 0);
}
HEDDLE_INNER U32 doDeviceGetSharedMemConfig(U64 Config) {
  return giveWord(Config, 0);
}

HEDDLE_INNER U32 doDeviceGetAttribute(U64 Value, U32 Attribute, U32 Device) {
  if (Device)
    return finish(DeviceError::InvalidValue);
  auto Ask = [=](DeviceQuery What) {
    return giveWord(Value, static_cast<U32>(query(What)));
  };
  switch (Attribute) {
  case 1: // MaxThreadsPerBlock
  case 2: // MaxBlockDimX
  case 3: // MaxBlockDimY
    return Ask(DeviceQuery::ThreadsPerCTA);
  case 4: // MaxBlockDimZ
    return giveWord(Value, 64);
  case 5: // MaxGridDimX
    return giveWord(Value, 0x7fffffff);
  case 6: // MaxGridDimY
  case 7: // MaxGridDimZ
    return giveWord(Value, 65535);
  case 8: // MaxSharedMemoryPerBlock, without opting in
    return giveWord(Value, 48 * 1024);
  case 10: // WarpSize
    return giveWord(Value, 32);
  case 12: // MaxRegistersPerBlock
  case 82: // MaxRegistersPerMultiprocessor
    return Ask(DeviceQuery::RegistersPerCore);
  case 13: // ClockRate
    return Ask(DeviceQuery::ClockKHz);
  case 16: // MultiProcessorCount
    return Ask(DeviceQuery::Cores);
  case 39: // MaxThreadsPerMultiProcessor
    return Ask(DeviceQuery::ThreadsPerCore);
  case 81: // MaxSharedMemoryPerMultiprocessor
    return Ask(DeviceQuery::SharedBytesPerCore);
  case 97: // MaxSharedMemoryPerBlockOptin
    return Ask(DeviceQuery::SharedBytesPerCTA);
  default:
    return finish(DeviceError::NotSupported);
  }
}

/// The host's settings are not known here.
HEDDLE_INNER U32 doDeviceGetLimit(U64, U32) {
  return finish(DeviceError::NotSupported);
}

HEDDLE_INNER bool isKernel(U64 Function) {
  return query(DeviceQuery::ParamBytes, Function) != ~U64(0);
}

/// cudaFuncAttributes.
HEDDLE_INNER U32 doFuncGetAttributes(U64 To, U64 Function) {
  enum { Shared = 0, Constant = 8, Local = 16, Threads = 24, Registers = 28 };
  enum { Last = 44, Bytes = 136 };
  if (!To)
    return finish(DeviceError::InvalidValue);
  if (!isKernel(Function))
    return finish(DeviceError::InvalidFunction);
  auto Ask = [=](DeviceQuery What) { return query(What, Function); };
  storeLong(To + Shared, Ask(DeviceQuery::SharedBytes));
  storeLong(To + Constant, Ask(DeviceQuery::ConstantBytes));
  storeLong(To + Local, Ask(DeviceQuery::LocalBytes));
  storeWord(To + Threads, static_cast<U32>(Ask(DeviceQuery::BlockLimit)));
  storeWord(To + Registers, static_cast<U32>(Ask(DeviceQuery::Registers)));
  return 0;
}

HEDDLE_INNER U32 doOccupancyMaxActiveBlocksPerMultiprocessor(U64 Blocks,
                                                             U64 Function,
                                                             U32 Threads,
                                                             U64 Shared) {
  if (!isKernel(Function))
    return finish(DeviceError::InvalidFunction);
  return giveWord(Blocks, static_cast<U32>(query(DeviceQuery::ResidentCTAs,
                                                 Function, Threads, Shared)));
}

HEDDLE_INNER U32 doOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    U64 Blocks, U64 Function, U32 Threads, U64 Shared, U32) {
  return doOccupancyMaxActiveBlocksPerMultiprocessor(Blocks, Function, Threads,
                                                     Shared);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

#define HEDDLE_NAMED(Result, Full, Name, Parameters, Arguments)                \
  HEDDLE_DEVICE_CALLED Result Full Parameters { return do##Name Arguments; }

/// A function with both names.
#define HEDDLE_RUNTIME(Result, Name, Parameters, Arguments)                    \
  HEDDLE_NAMED(Result, cuda##Name, Name, Parameters, Arguments)                \
  HEDDLE_NAMED(Result, __cudaCDP2##Name, Name, Parameters, Arguments)

/// One that has a form for the thread's own default stream, too.
#define HEDDLE_RUNTIME_STREAM(Name, Parameters, Arguments)                     \
  HEDDLE_RUNTIME(U32, Name, Parameters, Arguments)                             \
  HEDDLE_NAMED(U32, cuda##Name##_ptsz, Name, Parameters, Arguments)            \
  HEDDLE_NAMED(U32, __cudaCDP2##Name##_ptsz, Name, Parameters, Arguments)

HEDDLE_RUNTIME(U32, GetLastError, (), ())
HEDDLE_RUNTIME(U32, PeekAtLastError, (), ())
HEDDLE_RUNTIME(U64, GetErrorName, (U32 Code), (Code))
HEDDLE_RUNTIME(U64, GetErrorString, (U32 Code), (Code))
HEDDLE_RUNTIME(U32, StreamCreateWithFlags, (U64 Stream, U32 Flags),
               (Stream, Flags))
HEDDLE_RUNTIME(U32, StreamDestroy, (U64 Stream), (Stream))
HEDDLE_RUNTIME_STREAM(StreamWaitEvent, (U64 Stream, U64 Event, U32 Flags),
                      (Stream, Event, Flags))
HEDDLE_RUNTIME(U32, EventCreateWithFlags, (U64 Event, U32 Flags),
               (Event, Flags))
HEDDLE_RUNTIME_STREAM(EventRecord, (U64 Event, U64 Stream), (Event, Stream))
HEDDLE_RUNTIME_STREAM(EventRecordWithFlags, (U64 Event, U64 Stream, U32 Flags),
                      (Event, Stream, Flags))
HEDDLE_RUNTIME(U32, EventDestroy, (U64 Event), (Event))
HEDDLE_RUNTIME(U64, GetParameterBuffer, (U64 Align, U64 Size), (Align, Size))
HEDDLE_RUNTIME(U64, GetParameterBufferV2,
               (U64 Function, Words Grid, Words Block, U32 Shared),
               (Function, Grid, Block, Shared))
HEDDLE_RUNTIME_STREAM(LaunchDevice,
                      (U64 Function, U64 Params, Words Grid, Words Block,
                       U32 Shared, U64 Stream),
                      (Function, Params, Grid, Block, Shared, Stream))
HEDDLE_RUNTIME_STREAM(LaunchDeviceV2, (U64 Params, U64 Stream),
                      (Params, Stream))
HEDDLE_NAMED(U32, cudaDeviceSynchronize, DeviceSynchronize, (), ())
HEDDLE_NAMED(U32, __cudaDeviceSynchronizeDeprecationAvoidance,
             DeviceSynchronize, (), ())
HEDDLE_RUNTIME(U32, Malloc, (U64 Address, U64 Size), (Address, Size))
HEDDLE_RUNTIME(U32, Free, (U64 Address), (Address))
HEDDLE_RUNTIME_STREAM(MemcpyAsync,
                      (U64 To, U64 From, U64 Bytes, U32 Kind, U64 Stream),
                      (To, From, Bytes, Kind, Stream))
HEDDLE_RUNTIME_STREAM(Memcpy2DAsync,
                      (U64 To, U64 ToPitch, U64 From, U64 FromPitch, U64 Bytes,
                       U64 Count, U32 Kind, U64 Stream),
                      (To, ToPitch, From, FromPitch, Bytes, Count, Kind,
                       Stream))
HEDDLE_RUNTIME_STREAM(Memcpy3DAsync, (U64 Params, U64 Stream), (Params, Stream))
HEDDLE_RUNTIME_STREAM(MemsetAsync, (U64 To, U32 Value, U64 Bytes, U64 Stream),
                      (To, Value, Bytes, Stream))
HEDDLE_RUNTIME_STREAM(Memset2DAsync,
                      (U64 To, U64 Pitch, U32 Value, U64 Bytes, U64 Count,
                       U64 Stream),
                      (To, Pitch, Value, Bytes, Count, Stream))
HEDDLE_RUNTIME_STREAM(Memset3DAsync,
                      (Longs To, U32 Value, Longs Extent, U64 Stream),
                      (To, Value, Extent, Stream))
HEDDLE_RUNTIME(U32, GetDevice, (U64 Device), (Device))
HEDDLE_RUNTIME(U32, RuntimeGetVersion, (U64 Version), (Version))
HEDDLE_RUNTIME(U32, GetDeviceCount, (U64 Count), (Count))
HEDDLE_RUNTIME(U32, DeviceGetCacheConfig, (U64 Config), (Config))
HEDDLE_RUNTIME(U32, DeviceGetSharedMemConfig, (U64 Config), (Config))
HEDDLE_RUNTIME(U32, DeviceGetAttribute, (U64 Value, U32 Attribute, U32 Device),
               (Value, Attribute, Device))
HEDDLE_RUNTIME(U32, DeviceGetLimit, (U64 Value, U32 Limit), (Value, Limit))
HEDDLE_RUNTIME(U32, FuncGetAttributes, (U64 To, U64 Function), (To, Function))
HEDDLE_RUNTIME(U32, OccupancyMaxActiveBlocksPerMultiprocessor,
               (U64 Blocks, U64 Function, U32 Threads, U64 Shared),
               (Blocks, Function, Threads, Shared))
HEDDLE_RUNTIME(U32, OccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
               (U64 Blocks, U64 Function, U32 Threads, U64 Shared, U32 Flags),
               (Blocks, Function, Threads, Shared, Flags))
