//===- Shares.h - What a process may have of a device -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of a divided device has its figures. Besides, the variables of
// NVIDIA's MPS limit a process: CUDA_MPS_ACTIVE_THREAD_PERCENTAGE to some of
// the cores, CUDA_MPS_PINNED_DEVICE_MEM_LIMIT to some of the memory.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_DEVICES_SHARES_H
#define HEDDLE_LIB_CUDA_DEVICES_SHARES_H

#include "heddle/DeviceService/Client.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/Fabric/Machine.h"

namespace heddle::cuda {

/// Changes the figures of a device to what the process may have of it, whose
/// number for it is \p Ordinal; an error if a variable says nothing that can be
/// done.
llvm::Error limitToShare(emu::EmulatorOptions &Options,
                         const fabric::MachineDevice &Device, unsigned Ordinal);

/// What those variables, and CUDA_MPS_CLIENT_PRIORITY, ask of a service that
/// shares devices out.
llvm::Expected<deviced::Wishes> wishesOfProcess();

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_DEVICES_SHARES_H
