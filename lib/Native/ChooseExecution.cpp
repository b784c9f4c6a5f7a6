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
#include "heddle-cache/Cache.h"
#include "heddle/Driver/CompilerLoader.h"
#include "heddle/Native/NativeInterface.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

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

Expected<emu::Execution> executionOfEnvironment(emu::Execution Else) {
  const char *Name = std::getenv("HEDDLE_EXECUTION");
  if (!Name || !*Name)
    return Else;
  auto Mode = parseExecution(Name);
  if (Mode)
    return Mode;
  return createStringError("HEDDLE_EXECUTION: " + toString(Mode.takeError()));
}

namespace {

/// The cache of the process, in which an object of the host's code is machine
/// code of a part of an input.
class CachedObjects : public ObjectStore {
public:
  CachedObjects(const cache::Settings &Settings, const std::string &Build)
      : Cache(Settings) {
    Fields.add("schema", "heddle-native-1").add("build", Build);
  }

  std::optional<std::string> find(std::string_view Key) override {
    cache::Outcome O = Cache.lookup(keyOf(Key));
    Cache.counters().add(O.Value ? cache::Counter::HitFunction
                                 : cache::Counter::MissFunction);
    if (!O.Value)
      return std::nullopt;
    return O.Value->Code;
  }
  void insert(std::string_view Key, std::string Object) override {
    Cache.insert(keyOf(Key), std::make_shared<cache::Entry>(
                                 cache::Entry{{}, {}, std::move(Object)}));
  }

private:
  cache::Key keyOf(std::string_view Key) const {
    return {cache::EntryKind::Function, Fields, Key};
  }
  cache::Cache Cache;
  cache::KeyFields Fields;
};

} // namespace

/// Null where the user wants no cache, or the library does not say what it is.
static std::shared_ptr<ObjectStore> openStore(const std::string &Library) {
  std::vector<std::string> Complaints; // Who compiles, prints them.
  cache::Settings Settings =
      cache::Settings::load(cache::processEnvironment(), Complaints);
  std::string Build = readCompilerIdentity(Library).Build;
  if (Settings.mode() == cache::Mode::Off || Build.empty())
    return nullptr;
  return std::make_shared<CachedObjects>(Settings, Build);
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
  const char *Processor = std::getenv("HEDDLE_NATIVE_CPU");
  return std::shared_ptr<emu::Translator>(Interface()->Create(
      emu::warpLayout(), Processor ? Processor : "", openStore(Path), Message));
}

/// The same, loaded once.
static std::shared_ptr<emu::Translator>
translatorOfProcess(std::string &Message) {
  static std::mutex Mutex;
  // Who translates while the process ends has a share of its own.
  static std::shared_ptr<emu::Translator> Loaded;
  std::lock_guard Lock(Mutex);
  if (!Loaded)
    Loaded = loadTranslator(Message);
  return Loaded;
}

namespace {

/// Loads the translator when a kernel has run for long enough to need it, since
/// most programs have none that does.
class LateTranslator : public emu::Translator {
  std::shared_ptr<const emu::TranslatedCode>
  translate(const emu::CodeImage &Image, uint32_t Entry) override {
    std::string Message;
    if (auto Translator = translatorOfProcess(Message))
      return Translator->translate(Image, Entry);
    std::call_once(Told, [&] {
      errs() << "heddle: kernels are emulated: " << Message << "\n";
    });
    return nullptr;
  }
  std::once_flag Told;
};

} // namespace

Error chooseExecution(emu::EmulatorOptions &Options, emu::Execution Mode) {
  bool IsLate = Mode == emu::Execution::Auto;
  if (IsLate && !sys::fs::exists(nativeLibraryPath()))
    Mode = emu::Execution::Emulate;
  Options.Mode = Mode;
  if (Mode == emu::Execution::Emulate)
    return Error::success();
  if (IsLate) {
    Options.HostCode = std::make_shared<LateTranslator>();
    return Error::success();
  }
  std::string Message;
  Options.HostCode = translatorOfProcess(Message);
  if (!Options.HostCode)
    return createStringError("nothing can be translated: " + Message);
  return Error::success();
}

} // namespace heddle::native
