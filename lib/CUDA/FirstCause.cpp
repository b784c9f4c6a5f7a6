//===- FirstCause.cpp - Why the device takes no more calls ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The call at work is found on the stack: of the library's functions, only
// those of CUDA's interfaces have names that a dynamic linker knows.
//
//===----------------------------------------------------------------------===//

#include "FirstCause.h"
#include "ErrorLog.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <execinfo.h>

using namespace llvm;

namespace heddle::cuda {

FirstCause &FirstCause::get() {
  static auto *Made = new FirstCause; // see Process.h
  return *Made;
}

/// The test that pytest runs; empty: none. Other processes than Python's do not
/// pay for the look at the environment.
static std::string currentTest() {
  static const bool IsPython = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
  const char *Test = IsPython ? std::getenv("PYTEST_CURRENT_TEST") : nullptr;
  return Test ? Test : "";
}

/// The function of CUDA that the program called; empty if it is not known.
static std::string currentCall() {
  Dl_info Library;
  if (!dladdr(reinterpret_cast<void *>(&currentCall), &Library))
    return "";
  void *Frames[64];
  int Count = backtrace(Frames, std::size(Frames));
  std::string Name;
  for (int I = 0; I != Count; ++I) {
    // A return address may be behind the last instruction of its function.
    Dl_info Frame;
    if (!dladdr(static_cast<char *>(Frames[I]) - 1, &Frame) ||
        Frame.dli_fbase != Library.dli_fbase)
      continue;
    if (Frame.dli_sname)
      Name = Frame.dli_sname;
  }
  return Name;
}

static std::string inTest(const std::string &Test) {
  return Test.empty() ? "" : " in " + Test;
}

uint32_t FirstCause::countLaunch() {
  uint32_t Number = ++Launches;
  std::string Test = currentTest();
  if (Test.empty())
    return Number;
  std::lock_guard Lock(Mutex);
  if (Tests.empty() || Tests.back().second != Test)
    Tests.push_back({Number, std::move(Test)});
  return Number;
}

/// The test that a launch belongs to. Mutex is locked.
std::string FirstCause::testOf(uint32_t Launch) const {
  std::string Test;
  for (const auto &[First, Name] : Tests)
    if (First <= Launch)
      Test = Name;
  return Test;
}

/// What happened, and what to do if a GPU would not have noticed.
static std::string describe(const rt::QueueFailure &Failure) {
  bool IsInPage = Failure.Fault && Failure.Fault->IsInPage;
  return Failure.Message +
         (IsInPage ? "; GPUs let it pass, since the block's page goes on "
                     "there, and so does ptx-env --bounds=page"
                   : "");
}

void FirstCause::report(const rt::QueueFailure &Failure) {
  std::string Call = currentCall(), Test = currentTest();
  uint32_t Launch = Failure.Fault ? Failure.Fault->Launch : 0;
  std::string Which =
      Launch ? "launch " + std::to_string(Launch) : "earlier work";
  std::string Message;
  bool IsTold = false;
  {
    std::lock_guard Lock(Mutex);
    Which += inTest(testOf(Launch));
    if (!IsReported) {
      Message = describe(Failure) + "\n" + Which + " failed so;" +
                inTest(Test) + " " + (Call.empty() ? "a call" : Call) +
                " is the first to return the error, as all do until "
                "cudaDeviceReset";
      IsTold = true;
    } else {
      Message = (Call.empty() ? "a call" : Call) + inTest(Test) +
                " returns the error of " + Which;
      IsTold = Test != RefusedTest;
    }
    IsReported = true;
    RefusedTest = Test;
  }
  if (IsTold)
    for (StringRef Line : llvm::split(Message, '\n'))
      std::fprintf(stderr, "heddle: %s\n", Line.str().c_str());
  ErrorLog::get().add(std::move(Message));
}

void FirstCause::forget() {
  std::lock_guard Lock(Mutex);
  IsReported = false;
  RefusedTest.clear();
}

} // namespace heddle::cuda
