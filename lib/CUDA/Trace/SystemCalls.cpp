//===- SystemCalls.cpp - Calls of the C library -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call that code of this library makes is never told of: it may hold a lock
// of the recorder.
//
//===----------------------------------------------------------------------===//

#include "Trace/SystemCalls.h"
#include "Preload/SystemCalls.h"
#include "Trace/Calls.h"
#include "Trace/Recorder.h"

#include <dlfcn.h>
#include <link.h>

namespace heddle::cuda::trace {

namespace {
/// Where this library's code is.
struct CodeRange {
  uintptr_t Begin = 0, End = 0;
};
} // namespace

static CodeRange findOwnCode() {
  CodeRange Own;
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Into) {
        auto Self = reinterpret_cast<uintptr_t>(&watchSystemCalls);
        for (unsigned N = 0; N < Info->dlpi_phnum; ++N) {
          const auto &Header = Info->dlpi_phdr[N];
          uintptr_t Begin = Info->dlpi_addr + Header.p_vaddr;
          uintptr_t End = Begin + Header.p_memsz;
          if (Header.p_type == PT_LOAD && Begin <= Self && Self < End)
            *static_cast<CodeRange *>(Into) = {Begin, End};
        }
        return 0;
      },
      &Own);
  return Own;
}

static uint64_t beginCall(const void *Caller) {
  static const CodeRange Own = findOwnCode();
  auto At = reinterpret_cast<uintptr_t>(Caller);
  bool IsOwn = Own.Begin <= At && At < Own.End;
  return IsOwn || isInCall() ? 0 : now();
}

static void endCall(const char *Name, uint64_t Begin, int64_t Result) {
  constexpr uint64_t Shortest = 1000;
  uint64_t End = now();
  if (End >= Begin + Shortest)
    Recorder::get().add(SystemCall{Name, currentThread(), Begin, End, Result});
}

static void tell(const SystemCallSink *Whom) {
  using Place = std::atomic<const SystemCallSink *>;
  if (void *Found = dlsym(RTLD_DEFAULT, "heddleSystemCallSink"))
    static_cast<Place *>(Found)->store(Whom, std::memory_order_release);
}

void watchSystemCalls() {
  static constexpr SystemCallSink ToRecorder = {beginCall, endCall};
  tell(&ToRecorder);
}

void forgetSystemCalls() { tell(nullptr); }

} // namespace heddle::cuda::trace
