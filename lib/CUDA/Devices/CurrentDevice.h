//===- CurrentDevice.h - The device of a thread -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What cudaSetDevice and the contexts of the driver API decide for a thread.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_DEVICES_CURRENTDEVICE_H
#define HEDDLE_LIB_CUDA_DEVICES_CURRENTDEVICE_H

namespace heddle::cuda {

/// The program's number for the thread's device: that of its current context;
/// 0 without one.
unsigned currentDevice();

/// Makes the primary context of a device the thread's current one, in place of
/// another.
void makePrimaryCurrent(unsigned Device);

/// The streams that a thread creates are of this group of the device's streams:
/// that of its current context.
unsigned currentStreamGroup();

/// While one lives, another device is the thread's.
class DeviceScope {
public:
  explicit DeviceScope(unsigned Device);
  ~DeviceScope();
  DeviceScope(const DeviceScope &) = delete;
  DeviceScope &operator=(const DeviceScope &) = delete;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_DEVICES_CURRENTDEVICE_H
