//===- NVTX.cpp - Ranges and marks of programs ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA's tools extension: what libnvToolsExt exports, and what the headers of
// version 3 call when our library is injected. Names are NVTX's, so that they
// can be looked up in its documentation.
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "ThreadValue.h"
#include "Trace/Recorder.h"
#include "Trace/Timeline.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ConvertUTF.h"

#include <cstring>
#include <map>
#include <set>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;
using namespace heddle::cuda::trace;

//===----------------------------------------------------------------------===//
// The binary interface
//===----------------------------------------------------------------------===//

// NOLINTBEGIN(readability-identifier-naming)
using nvtxDomainHandle_t = const Domain *;
using nvtxStringHandle_t = const std::string *;
using nvtxRangeId_t = uint64_t;

namespace {
struct nvtxEventAttributes_t {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  union {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  union {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
  } message;
};
static_assert(sizeof(nvtxEventAttributes_t) == 48);
} // namespace
// NOLINTEND(readability-identifier-naming)

/// nvtxColorType_t, nvtxMessageType_t and nvtxPayloadType_t.
enum : int32_t { ColorARGB = 1 };
enum : int32_t { MessageASCII = 1, MessageUnicode = 2, MessageRegistered = 3 };
enum : int32_t {
  PayloadUnsigned64 = 1,
  PayloadInt64 = 2,
  PayloadDouble = 3,
  PayloadUnsigned32 = 4,
  PayloadInt32 = 5,
  PayloadFloat = 6
};
/// A range was neither pushed nor popped.
constexpr int NoTracking = -2;

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

namespace {
/// Domains, categories and strings of the process, which stay for good.
struct Registry {
  std::mutex Mutex; ///< Of everything below.
  std::map<std::string, std::unique_ptr<Domain>> Domains;
  std::map<std::pair<const Domain *, uint32_t>, const std::string *> Categories;
  std::set<std::string> Strings;

  static Registry &get() {
    static auto *TheRegistry = new Registry; // see Process.h
    return *TheRegistry;
  }

  const Domain *domain(const std::string &Name) {
    std::lock_guard Lock(Mutex);
    std::unique_ptr<Domain> &D = Domains[Name];
    if (!D)
      D = std::make_unique<Domain>(
          Domain{Name, static_cast<unsigned>(Domains.size() - 1)});
    return D.get();
  }
  const std::string *keep(std::string Text) {
    std::lock_guard Lock(Mutex);
    return &*Strings.insert(std::move(Text)).first;
  }
};
} // namespace

static const Domain *defaultDomain() {
  static const Domain *const Default = Registry::get().domain("");
  return Default;
}

static std::string textOf(const char *Text) { return Text ? Text : ""; }
static std::string textOf(const wchar_t *Text) {
  std::string Result;
  if (Text)
    convertWideToUTF8(Text, Result);
  return Result;
}

static decltype(Annotation::Payload) payloadOf(const nvtxEventAttributes_t &E) {
  switch (E.payloadType) {
  case PayloadUnsigned64:
    return E.payload.ullValue;
  case PayloadInt64:
    return E.payload.llValue;
  case PayloadDouble:
    return E.payload.dValue;
  case PayloadUnsigned32:
    return E.payload.uiValue;
  case PayloadInt32:
    return E.payload.iValue;
  case PayloadFloat:
    return E.payload.fValue;
  default:
    return std::monostate();
  }
}

/// The text of an event; \p Converted holds it where it is none of the
/// program's.
static StringRef messageOf(const nvtxEventAttributes_t &E,
                           std::string &Converted) {
  switch (E.messageType) {
  case MessageASCII:
    return E.message.ascii;
  case MessageUnicode:
    return Converted = textOf(E.message.unicode);
  case MessageRegistered:
    return E.message.registered ? StringRef(*E.message.registered) : "";
  default:
    return "";
  }
}

/// What begins now.
static Annotation annotate(const Domain *Of, StringRef Text) {
  Annotation A;
  A.Of = Of ? Of : defaultDomain();
  A.Text = Text;
  A.Thread = currentThread();
  A.Begin = A.End = now();
  return A;
}

static Annotation annotate(const Domain *Of, const nvtxEventAttributes_t *E,
                           std::string &Converted) {
  if (!E || E->size < sizeof(*E))
    return annotate(Of, "");
  Annotation A = annotate(Of, messageOf(*E, Converted));
  A.Payload = payloadOf(*E);
  A.Color = E->colorType == ColorARGB ? E->color : 0;
  A.CategoryNumber = E->category;
  if (!E->category)
    return A;
  Registry &R = Registry::get();
  std::lock_guard Lock(R.Mutex);
  if (auto It = R.Categories.find({A.Of, E->category});
      It != R.Categories.end())
    A.Category = *It->second;
  return A;
}

//===----------------------------------------------------------------------===//
// Marks and ranges
//===----------------------------------------------------------------------===//

/// Whether somebody wants to know; the file is opened by the first call.
static bool isWanted() {
  if (Recorder::get().hasFile())
    return true;
  openTimeline();
  return Recorder::get().hasFile();
}

namespace {
/// In how many ranges of each domain a thread is.
struct RangeDepths : SmallVector<std::pair<const Domain *, int>, 4> {
  RangeDepths() = default;
  ~RangeDepths();
};

/// What ranges need of their thread, in one place. Most are of the domain of
/// the one before.
struct RangeThread {
  const Domain *Of = nullptr;
  int *Depth = nullptr; ///< Of that domain.
  uint32_t Number = 0;
};
} // namespace

static constinit thread_local RangeThread Here;

RangeDepths::~RangeDepths() { Here = {}; }

static RangeThread &findDepth(const Domain *Of) {
  auto &Depths = threadValue<RangeDepths>();
  auto *It = find_if(Depths, [Of](const auto &D) { return D.first == Of; });
  if (It == Depths.end()) {
    Depths.emplace_back(Of, 0);
    It = std::prev(Depths.end());
  }
  return Here = {Of, &It->second, currentThread()};
}

/// This thread, with the depth of that domain.
static RangeThread &threadIn(const Domain *Of) {
  RangeThread &Mine = Here;
  return Mine.Of == Of ? Mine : findDepth(Of);
}

static int push(const Annotation &A) {
  if (!A.isPlain())
    Recorder::get().begin(A);
  else
    Recorder::get().begin(
        {A.Of, A.Thread, static_cast<uint32_t>(A.Text.size())}, A.Begin,
        A.Text);
  return (*threadIn(A.Of).Depth)++;
}

static int push(StringRef Text) {
  const Domain *Of = defaultDomain();
  RangeThread &On = threadIn(Of);
  Recorder::get().begin({Of, On.Number, static_cast<uint32_t>(Text.size())},
                        now(), Text);
  return (*On.Depth)++;
}

static int pop(const Domain *Of) {
  if (!Of)
    Of = defaultDomain();
  RangeThread &On = threadIn(Of);
  if (!*On.Depth)
    return NoTracking;
  Recorder::get().end({Of, On.Number, 0}, now());
  return --*On.Depth;
}

static nvtxRangeId_t start(Annotation A) {
  static std::atomic<nvtxRangeId_t> Last{0};
  A.Id = ++Last;
  Recorder::get().begin(A);
  return A.Id;
}

static void stop(nvtxRangeId_t Id) {
  if (Id)
    Recorder::get().end({nullptr, currentThread(), Id}, now());
}

extern "C" {

void nvtxDomainMarkEx(nvtxDomainHandle_t Of, const nvtxEventAttributes_t *E) {
  std::string Converted;
  if (isWanted())
    Recorder::get().mark(annotate(Of, E, Converted));
}
void nvtxMarkEx(const nvtxEventAttributes_t *E) {
  nvtxDomainMarkEx(nullptr, E);
}
void nvtxMarkA(const char *Text) {
  if (isWanted())
    Recorder::get().mark(annotate(nullptr, StringRef(Text)));
}
void nvtxMarkW(const wchar_t *Text) {
  if (isWanted())
    Recorder::get().mark(annotate(nullptr, textOf(Text)));
}

nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t Of,
                                     const nvtxEventAttributes_t *E) {
  std::string Converted;
  return isWanted() ? start(annotate(Of, E, Converted)) : 0;
}
nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *E) {
  return nvtxDomainRangeStartEx(nullptr, E);
}
nvtxRangeId_t nvtxRangeStartA(const char *Text) {
  return isWanted() ? start(annotate(nullptr, StringRef(Text))) : 0;
}
nvtxRangeId_t nvtxRangeStartW(const wchar_t *Text) {
  return isWanted() ? start(annotate(nullptr, textOf(Text))) : 0;
}
void nvtxDomainRangeEnd(nvtxDomainHandle_t, nvtxRangeId_t Id) { stop(Id); }
void nvtxRangeEnd(nvtxRangeId_t Id) { stop(Id); }

int nvtxDomainRangePushEx(nvtxDomainHandle_t Of,
                          const nvtxEventAttributes_t *E) {
  std::string Converted;
  return isWanted() ? push(annotate(Of, E, Converted)) : NoTracking;
}
int nvtxRangePushEx(const nvtxEventAttributes_t *E) {
  return nvtxDomainRangePushEx(nullptr, E);
}
int nvtxRangePushA(const char *Text) {
  return isWanted() ? push(StringRef(Text)) : NoTracking;
}
int nvtxRangePushW(const wchar_t *Text) {
  return isWanted() ? push(textOf(Text)) : NoTracking;
}
int nvtxDomainRangePop(nvtxDomainHandle_t Of) { return pop(Of); }
int nvtxRangePop() { return pop(nullptr); }

} // extern "C"

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static void nameCategory(const Domain *Of, uint32_t Number, std::string Name) {
  Registry &R = Registry::get();
  const std::string *Kept = R.keep(std::move(Name));
  std::lock_guard Lock(R.Mutex);
  R.Categories[{Of ? Of : defaultDomain(), Number}] = Kept;
}

static void nameThread(uint32_t Thread, const std::string &Name) {
  if (isWanted())
    Recorder::get().nameThread(Thread, Name);
}

static void nameStream(cudaStream_t Handle, const std::string &Name) {
  rt::Stream *Stream = isWanted() ? Process::get().stream(Handle) : nullptr;
  if (Stream)
    Recorder::get().nameStream(Stream->id(), Name);
}

extern "C" {

void nvtxInitialize(const void *) { isWanted(); }

nvtxDomainHandle_t nvtxDomainCreateA(const char *Name) {
  return Registry::get().domain(textOf(Name));
}
nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t *Name) {
  return Registry::get().domain(textOf(Name));
}
void nvtxDomainDestroy(nvtxDomainHandle_t) {}

nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t,
                                             const char *Text) {
  return Registry::get().keep(textOf(Text));
}
nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t,
                                             const wchar_t *Text) {
  return Registry::get().keep(textOf(Text));
}

void nvtxNameCategoryA(uint32_t Number, const char *Name) {
  nameCategory(nullptr, Number, textOf(Name));
}
void nvtxNameCategoryW(uint32_t Number, const wchar_t *Name) {
  nameCategory(nullptr, Number, textOf(Name));
}
void nvtxDomainNameCategoryA(nvtxDomainHandle_t Of, uint32_t Number,
                             const char *Name) {
  nameCategory(Of, Number, textOf(Name));
}
void nvtxDomainNameCategoryW(nvtxDomainHandle_t Of, uint32_t Number,
                             const wchar_t *Name) {
  nameCategory(Of, Number, textOf(Name));
}
void nvtxNameOsThreadA(uint32_t Thread, const char *Name) {
  nameThread(Thread, textOf(Name));
}
void nvtxNameOsThreadW(uint32_t Thread, const wchar_t *Name) {
  nameThread(Thread, textOf(Name));
}
void nvtxNameCudaStreamA(cudaStream_t Stream, const char *Name) {
  nameStream(Stream, textOf(Name));
}
void nvtxNameCudaStreamW(cudaStream_t Stream, const wchar_t *Name) {
  nameStream(Stream, textOf(Name));
}
void nvtxNameCuStreamA(cudaStream_t Stream, const char *Name) {
  nameStream(Stream, textOf(Name));
}
void nvtxNameCuStreamW(cudaStream_t Stream, const wchar_t *Name) {
  nameStream(Stream, textOf(Name));
}

// Nothing is shown of these: names of devices, contexts and events, resources,
// and locks of the program's own.
void nvtxNameCuDeviceA(int, const char *) {}
void nvtxNameCuDeviceW(int, const wchar_t *) {}
void nvtxNameCudaDeviceA(int, const char *) {}
void nvtxNameCudaDeviceW(int, const wchar_t *) {}
void nvtxNameCuContextA(void *, const char *) {}
void nvtxNameCuContextW(void *, const wchar_t *) {}
void nvtxNameCuEventA(void *, const char *) {}
void nvtxNameCuEventW(void *, const wchar_t *) {}
void nvtxNameCudaEventA(void *, const char *) {}
void nvtxNameCudaEventW(void *, const wchar_t *) {}
void *nvtxDomainResourceCreate(nvtxDomainHandle_t, void *) { return nullptr; }
void nvtxDomainResourceDestroy(void *) {}
void *nvtxDomainSyncUserCreate(nvtxDomainHandle_t, const void *) {
  return nullptr;
}
void nvtxDomainSyncUserDestroy(void *) {}
void nvtxDomainSyncUserAcquireStart(void *) {}
void nvtxDomainSyncUserAcquireFailed(void *) {}
void nvtxDomainSyncUserAcquireSuccess(void *) {}
void nvtxDomainSyncUserReleasing(void *) {}

} // extern "C"

//===----------------------------------------------------------------------===//
// Injection
//===----------------------------------------------------------------------===//

namespace {
using AnyFunction = void (*)();

/// NvtxExportTableCallbacks: tells where a module's functions have their slots.
struct CallbackTable {
  size_t Size;
  int (*GetModuleFunctionTable)(int Module, AnyFunction ***Slots,
                                unsigned *NumSlots);
};

struct InjectedFunction {
  int Module;
  unsigned Number;
  AnyFunction Function;
};
} // namespace

static const InjectedFunction Injected[] = {
#define HEDDLE_NVTX(Module, Number, Name)                                      \
  {Module, Number, reinterpret_cast<AnyFunction>(Name)},
#include "Trace/NVTX.def"
};

/// The headers call it when they find the library that NVTX_INJECTION64_PATH
/// names. Returns 1 for success; then empty slots are functions that do
/// nothing.
// NOLINTBEGIN(readability-identifier-naming): NVTX's headers ask for it.
extern "C" int
InitializeInjectionNvtx2(const void *(*GetExportTable)(uint32_t Id)) {
  // NOLINTEND(readability-identifier-naming)
  constexpr uint32_t Callbacks = 1;
  const auto *Table =
      static_cast<const CallbackTable *>(GetExportTable(Callbacks));
  if (!Table || Table->Size < sizeof(CallbackTable))
    return 0;
  openTimeline();
  for (const InjectedFunction &F : Injected) {
    AnyFunction **Slots = nullptr;
    unsigned NumSlots = 0;
    // Older headers have fewer modules.
    if (Table->GetModuleFunctionTable(F.Module, &Slots, &NumSlots) &&
        F.Number < NumSlots && Slots[F.Number])
      *Slots[F.Number] = F.Function;
  }
  return 1;
}
