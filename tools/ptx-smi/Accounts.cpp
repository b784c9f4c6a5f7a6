//===- Accounts.cpp - What devices keep of processes ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells the management library, device by device.
//
//===----------------------------------------------------------------------===//

#include "Accounts.h"

#include "Snapshot.h"

using namespace llvm;

namespace heddle::smi {

Error enableAccounts(const NVML &Library, ArrayRef<std::string> Wanted,
                     bool IsEnabled, raw_ostream &OS) {
  auto Devices = findDevices(Library, Wanted);
  if (!Devices)
    return Devices.takeError();
  for (const auto &[Index, Device] : *Devices) {
    if (Error E = Library.call("nvmlDeviceSetAccountingMode", Device,
                               unsigned(IsEnabled)))
      return E;
    OS << (IsEnabled ? "Enabled" : "Disabled") << " Accounting Mode for GPU "
       << Index << "\n";
  }
  return Error::success();
}

Error clearAccounts(const NVML &Library, ArrayRef<std::string> Wanted,
                    raw_ostream &OS) {
  auto Devices = findDevices(Library, Wanted);
  if (!Devices)
    return Devices.takeError();
  for (const auto &[Index, Device] : *Devices) {
    if (Error E = Library.call("nvmlDeviceClearAccountingPids", Device))
      return E;
    OS << "Cleared Accounted PIDs for GPU " << Index << "\n";
  }
  return Error::success();
}

} // namespace heddle::smi
