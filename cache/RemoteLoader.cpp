//===- RemoteLoader.cpp - Opens the remotes of the settings -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads the library of the remotes.
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/RemoteLoader.h"

#include <dlfcn.h>

namespace heddle::cache {

/// A function of the library, which stays loaded, since the code of what the
/// function makes is in it. Null with Error set if there is none.
template <typename T>
static T findSymbol(const std::string &Library, const char *Name,
                    std::string &Error) {
  void *Handle = ::dlopen(Library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *Symbol = Handle ? ::dlsym(Handle, Name) : nullptr;
  if (!Symbol)
    Error = ::dlerror();
  return reinterpret_cast<T>(Symbol);
}

std::vector<std::unique_ptr<RemoteTier>>
loadRemotes(const Settings &S, const std::string &Library,
            std::vector<std::string> &Complaints) {
  std::vector<std::unique_ptr<RemoteTier>> Tiers;
  if (S.text(SettingId::Remotes).empty() || S.mode() == Mode::Off)
    return Tiers;
  std::string Error;
  if (auto *Open = findSymbol<decltype(&heddleCacheOpenRemotes)>(
          Library, "heddleCacheOpenRemotes", Error))
    Open(S, Tiers, Complaints);
  else
    Complaints.push_back("remotes cannot be used: " + Error);
  return Tiers;
}

std::unique_ptr<Service> loadService(const ServiceAddress &Address,
                                     const std::string &Library,
                                     std::string &Error) {
  std::unique_ptr<Service> Opened;
  if (auto *Open = findSymbol<decltype(&heddleCacheOpenService)>(
          Library, "heddleCacheOpenService", Error))
    Open(Address, Opened, Error);
  return Opened;
}

} // namespace heddle::cache
