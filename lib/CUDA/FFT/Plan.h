//===- Plan.h - A plan of cuFFT ---------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of a transform with what they need on the device: tables, the
// parameters of kernels, and a work area, which may be the program's.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_FFT_PLAN_H
#define HEDDLE_LIB_CUDA_FFT_PLAN_H

#include "FFT/Recipe.h"
#include "Handles.h"
#include "Runtime/Runtime.h"

namespace heddle::cuda::fft {

/// Memory on the device.
class DeviceBytes {
public:
  DeviceBytes() = default;
  DeviceBytes(const DeviceBytes &) = delete;
  DeviceBytes &operator=(const DeviceBytes &) = delete;
  ~DeviceBytes();

  /// Gets so many bytes in place of those that there are.
  Result allocate(size_t Count);
  char *data() const { return Data; }

private:
  char *Data = nullptr;
};

class Plan {
public:
  bool AllocatesWork = true;
  cudaStream_t Stream = nullptr;

  bool isMade() const { return IsMade; }
  const Request &request() const { return Wanted; }
  size_t workBytes() const { return WorkBytes; }
  void setWork(void *Area) { Work = static_cast<char *>(Area); }

  /// How large a work area is that a request needs.
  static Result measure(const Request &Wanted, size_t &Bytes);
  Result make(const Request &Wanted);
  Result run(const void *In, void *Out, bool IsInverse) const;

private:
  Result upload(const std::vector<Table> &Tables);

  Request Wanted;
  bool IsMade = false;
  Recipe Apart, InPlace; ///< For both ways to call a plan.
  DeviceBytes Data, OwnWork;
  char *Parameters =
      nullptr; ///< On the device, of Apart's and InPlace's steps.
  char *Work = nullptr;
  size_t WorkBytes = 0;
};

} // namespace heddle::cuda::fft

#endif // HEDDLE_LIB_CUDA_FFT_PLAN_H
