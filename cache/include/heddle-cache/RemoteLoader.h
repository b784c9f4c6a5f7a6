//===- RemoteLoader.h - Opens the remotes of the settings -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HTTP and Redis need libraries that take longer to load than a local hit to
// serve. They are in libheddle-cache-remote.so, which is loaded only if the
// settings name a remote.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_REMOTELOADER_H
#define HEDDLE_CACHE_REMOTELOADER_H

#include "heddle-cache/Remote.h"
#include "heddle-cache/Service.h"
#include "heddle-cache/Settings.h"

#include <vector>

namespace heddle::cache {

/// The tiers that the settings name, in their order. Library is the path of
/// libheddle-cache-remote.so. What cannot be used is left out and described in
/// Complaints.
std::vector<std::unique_ptr<RemoteTier>>
loadRemotes(const Settings &S, const std::string &Library,
            std::vector<std::string> &Complaints);

/// The service at an address, http://HOST:PORT, https://HOST:PORT or unix:PATH.
/// Null with Error set if it cannot be used. Library is as above.
std::unique_ptr<Service> loadService(const ServiceAddress &Address,
                                     const std::string &Library,
                                     std::string &Error);

} // namespace heddle::cache

/// The symbols of the library; the parameters are those of the functions above.
extern "C" void heddleCacheOpenRemotes(
    const heddle::cache::Settings &S,
    std::vector<std::unique_ptr<heddle::cache::RemoteTier>> &Tiers,
    std::vector<std::string> &Complaints);
extern "C" void
heddleCacheOpenService(const heddle::cache::ServiceAddress &Address,
                       std::unique_ptr<heddle::cache::Service> &Opened,
                       std::string &Error);

#endif // HEDDLE_CACHE_REMOTELOADER_H
