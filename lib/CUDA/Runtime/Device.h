//===- Device.h - What the device is in CUDA's terms ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime API, the driver API and NVML say of the device.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_DEVICE_H
#define HEDDLE_LIB_CUDA_DEVICE_H

#include "Process.h"

namespace heddle::cuda {

cudaDeviceProp propertiesOf(const DeviceDescription &Device);

/// Whether a text, `domain:bus:device.function` in hexadecimal digits, names
/// the device's place on the bus. The domain and the function may be left out.
bool isPCIBusIdOf(const cudaDeviceProp &Properties, llvm::StringRef Id);

/// Whether some thread has used the runtime's interface, which initialises the
/// driver's for all.
bool runtimeIsInUse();

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_DEVICE_H
