//===- ProfilingDevice.h - A device that collects profiles ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands before any device and reads what the code that runs on it counts: the
// counters of -fprofile-generate from device memory, probes from what the
// device says of launches, arguments from the launches themselves.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PROFILEDATA_PROFILINGDEVICE_H
#define HEDDLE_PROFILEDATA_PROFILINGDEVICE_H

#include "heddle/ProfileData/ProbeCounts.h"
#include "heddle/ProfileData/ProfileData.h"
#include "heddle/Runtime/Device.h"

#include <memory>

namespace heddle::pgo {

class ProfilingDevice : public rt::Device {
public:
  /// The counts of all modules, the destroyed ones included. Reads
  /// device memory: launches that still run are counted in part.
  virtual llvm::Expected<ProfileData> collect() = 0;
  /// The same of one module that this device loaded.
  virtual llvm::Expected<ProfileData> collect(const rt::Module &M) = 0;
};

/// A profiling device before \p Inner, which must outlive it and which adds
/// what it counts at probes, if it does, to \p Probes.
std::unique_ptr<ProfilingDevice>
createProfilingDevice(rt::Device &Inner,
                      std::shared_ptr<const pgo::ProbeSink> Probes = nullptr);

} // namespace heddle::pgo

#endif // HEDDLE_PROFILEDATA_PROFILINGDEVICE_H
