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

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <vector>

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
  std::map<std::pair<const Domain *, std::string>, std::unique_ptr<RangeName>>
      RangeNames;

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
  /// Null: there are many already, or it is long.
  const RangeName *rangeName(const Domain *Of, StringRef Text) {
    constexpr size_t MostNames = 1 << 12, LongestName = 1 << 10;
    if (Text.size() > LongestName)
      return nullptr;
    std::lock_guard Lock(Mutex);
    auto It = RangeNames.find({Of, Text.str()});
    if (It != RangeNames.end())
      return It->second.get();
    if (RangeNames.size() == MostNames)
      return nullptr;
    auto Number = static_cast<unsigned>(RangeNames.size());
    return RangeNames
        .emplace(std::pair(Of, Text.str()),
                 std::make_unique<RangeName>(RangeName{Of, Text.str(), Number}))
        .first->second.get();
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
/// The ranges of a domain that a thread is in. Most have a text and nothing
/// else; such a one is recorded when it ends. One in which another one begins
/// is recorded before that, so that it comes first in the file.
class ThreadRanges {
public:
  explicit ThreadRanges(const Domain *Of) : Of(Of), Thread(currentThread()) {}

  const Domain *domain() const { return Of; }
  /// Returns how many there were.
  int push(StringRef Text, uint64_t Begin);
  int push(const Annotation &A);
  /// Returns how many are left.
  int pop();
  /// Records the begin of the innermost one, if it is not recorded.
  void recordLast() {
    if (Open.empty() || !Open.back().first)
      return;
    auto [Name, Begin] = Open.back();
    Recorder::get().begin(PlainRange{Name, Thread}, Begin, now());
    Open.back().first = nullptr;
  }

private:
  const RangeName *nameOf(StringRef Text);

  const Domain *Of;
  const uint32_t Thread;
  /// The name and the begin of each, the innermost last; no name: the begin is
  /// recorded.
  std::vector<std::pair<const RangeName *, uint64_t>> Open;
  static constexpr size_t NumLatest = 64;
  std::array<const RangeName *, NumLatest> Latest = {}; ///< Texts.
};

/// Those of a thread.
struct AllRanges : std::vector<std::unique_ptr<ThreadRanges>> {
  AllRanges() = default;
  ~AllRanges();
};
} // namespace

/// Of the domain of the latest range, of which most are.
static constinit thread_local ThreadRanges *Here = nullptr;

AllRanges::~AllRanges() {
  for (const std::unique_ptr<ThreadRanges> &R : *this)
    R->recordLast();
  Here = nullptr;
}

void trace::recordOpenRanges() {
  for (const std::unique_ptr<ThreadRanges> &R : threadValue<AllRanges>())
    R->recordLast();
}

static ThreadRanges &findRanges(const Domain *Of) {
  auto &All = threadValue<AllRanges>();
  auto It = find_if(All, [Of](const auto &R) { return R->domain() == Of; });
  if (It == All.end())
    It = All.insert(It, std::make_unique<ThreadRanges>(Of));
  return *(Here = It->get());
}

static ThreadRanges &rangesIn(const Domain *Of) {
  ThreadRanges *Mine = Here;
  return Mine && Mine->domain() == Of ? *Mine : findRanges(Of);
}

/// Null: the text is long, or texts are many. Most are among the latest, by
/// their ends.
const RangeName *ThreadRanges::nameOf(StringRef Text) {
  size_t Place = 0;
  if (!Text.empty())
    Place = (static_cast<unsigned char>(Text.front()) +
             7U * static_cast<unsigned char>(Text.back()) + 31 * Text.size()) %
            NumLatest;
  const RangeName *&Last = Latest[Place];
  if (!Last || StringRef(Last->Text) != Text)
    Last = Registry::get().rangeName(Of, Text);
  return Last;
}

int ThreadRanges::push(StringRef Text, uint64_t Begin) {
  recordLast();
  const RangeName *Name = nameOf(Text);
  if (!Name) {
    Annotation A;
    A.Of = Of;
    A.Text = Text;
    A.Thread = Thread;
    A.Begin = A.End = Begin;
    Recorder::get().begin(A);
  }
  Open.emplace_back(Name, Begin);
  return static_cast<int>(Open.size() - 1);
}

int ThreadRanges::push(const Annotation &A) {
  if (A.isPlain())
    return push(A.Text, A.Begin);
  recordLast();
  Recorder::get().begin(A);
  Open.emplace_back(nullptr, A.Begin);
  return static_cast<int>(Open.size() - 1);
}

int ThreadRanges::pop() {
  if (Open.empty())
    return NoTracking;
  auto [Name, Begin] = Open.back();
  Open.pop_back();
  if (Name)
    Recorder::get().add(PlainRange{Name, Thread}, Begin, now());
  else
    Recorder::get().end({Of, Thread, 0}, now());
  return static_cast<int>(Open.size());
}

static int push(const Annotation &A) { return rangesIn(A.Of).push(A); }

static int push(StringRef Text) {
  return rangesIn(defaultDomain()).push(Text, now());
}

static int pop(const Domain *Of) {
  return rangesIn(Of ? Of : defaultDomain()).pop();
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
