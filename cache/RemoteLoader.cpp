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

std::vector<std::unique_ptr<RemoteTier>>
loadRemotes(const Settings &S, const std::string &Library,
            std::vector<std::string> &Complaints) {
  std::vector<std::unique_ptr<RemoteTier>> Tiers;
  if (S.text(SettingId::Remotes).empty() || S.mode() == Mode::Off)
    return Tiers;
  // It stays loaded, since the tiers' code is in it.
  void *Handle = ::dlopen(Library.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto *Open = Handle ? reinterpret_cast<decltype(&heddleCacheOpenRemotes)>(
                            ::dlsym(Handle, "heddleCacheOpenRemotes"))
                      : nullptr;
  if (Open)
    Open(S, Tiers, Complaints);
  else
    Complaints.push_back(std::string("remotes cannot be used: ") + ::dlerror());
  return Tiers;
}

} // namespace heddle::cache
