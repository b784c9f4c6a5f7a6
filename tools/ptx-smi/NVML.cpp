//===- NVML.cpp - Loads the management library ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library is never unloaded: it hands out functions of others.
//
//===----------------------------------------------------------------------===//

#include "NVML.h"

#include <dlfcn.h>

using namespace llvm;

namespace heddle::smi {

Expected<NVML> NVML::load(const std::string &Path) {
  void *Library = ::dlopen(Path.c_str(), RTLD_NOW | RTLD_NODELETE);
  if (!Library)
    return createStringError(Twine("cannot load the management library: ") +
                             ::dlerror());
  NVML Loaded(Library);
  if (Error E = Loaded.call("nvmlInit_v2")) {
    Loaded.Library = nullptr;
    return std::move(E);
  }
  return Loaded;
}

NVML::~NVML() {
  if (Library)
    consumeError(call("nvmlShutdown"));
}

void *NVML::find(const char *Name) const { return ::dlsym(Library, Name); }

Error NVML::failure(const char *Name, int Code) const {
  auto *Explain =
      reinterpret_cast<const char *(*)(int)>(find("nvmlErrorString"));
  return createStringError(Twine(Name) + ": " +
                           (Code < 0  ? "there is no such function"
                            : Explain ? Explain(Code)
                                      : "an error"));
}

} // namespace heddle::smi
