//===- ChooseExecution.cpp - Emulated or translated launches ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library is loaded once and stays, since code that it made may run.
//
//===----------------------------------------------------------------------===//

#include "heddle/Native/ChooseExecution.h"
#include "heddle/Driver/CompilerLoader.h"
#include "heddle/Native/NativeInterface.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace llvm;

namespace heddle::native {

Expected<emu::Execution> parseExecution(StringRef Name) {
  if (Name == "emulate")
    return emu::Execution::Emulate;
  if (Name == "translate")
    return emu::Execution::Translate;
  if (Name == "auto")
    return emu::Execution::Auto;
  if (Name == "compare")
    return emu::Execution::Compare;
  return createStringError("no way of execution is called '" + Name +
                           "'; there are emulate, translate, auto and compare");
}

Expected<emu::Execution> executionOfEnvironment() {
  const char *Name = std::getenv("HEDDLE_EXECUTION");
  if (!Name || !*Name)
    return emu::Execution::Emulate;
  auto Mode = parseExecution(Name);
  if (Mode)
    return Mode;
  return createStringError("HEDDLE_EXECUTION: " + toString(Mode.takeError()));
}

/// The translator of the process; null, with a message, if there is none.
static std::shared_ptr<emu::Translator> loadTranslator(std::string &Message) {
  std::string Path = nativeLibraryPath();
  void *Library = ::dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!Library) {
    Message = ::dlerror();
    return nullptr;
  }
  auto *Interface = reinterpret_cast<decltype(&heddleNativeInterface)>(
      ::dlsym(Library, "heddleNativeInterface"));
  if (!Interface) {
    Message = Path + " is no translator";
    return nullptr;
  }
  return std::shared_ptr<emu::Translator>(
      Interface()->Create(emu::warpLayout(), Message));
}

Error chooseExecution(emu::EmulatorOptions &Options, emu::Execution Mode) {
  Options.Mode = Mode;
  if (Mode == emu::Execution::Emulate)
    return Error::success();
  static std::mutex Mutex;
  static std::shared_ptr<emu::Translator> Loaded;
  std::lock_guard Lock(Mutex);
  std::string Message;
  if (!Loaded)
    Loaded = loadTranslator(Message);
  if (!Loaded)
    return createStringError("nothing can be translated: " + Message);
  Options.HostCode = Loaded;
  return Error::success();
}

} // namespace heddle::native
