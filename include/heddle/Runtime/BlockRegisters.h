//===- BlockRegisters.h - Registers of large blocks -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose directives name no block may have more registers than the
// block that it is launched with leaves it. Then it can be compiled again with
// fewer.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_BLOCKREGISTERS_H
#define HEDDLE_RUNTIME_BLOCKREGISTERS_H

#include "heddle/Runtime/Device.h"

#include <string>

namespace heddle::rt {

/// The registers of a thread that leave room for one CTA of \p Threads threads,
/// or a few more: a limit for code that CTAs of about this size can be launched
/// with. 0 if there are no such CTAs.
uint32_t registersForBlock(const DeviceProperties &Device, uint64_t Threads);

/// Whether a core has too few registers for one CTA of \p Threads threads.
bool hasTooManyRegisters(const DeviceProperties &Device,
                         const KernelInfo &Kernel, uint64_t Threads);

/// Whether that is so, and code with fewer could be launched: neither the
/// kernel's directives nor the compiler's options limit the threads or the
/// registers.
bool needsFewerRegisters(const DeviceProperties &Device,
                         const KernelInfo &Kernel, uint64_t Threads);

/// Why the device cannot run a CTA of \p Threads threads of a kernel that has
/// too many registers, and what helps; for people.
std::string explainRegisters(const DeviceProperties &Device,
                             const KernelInfo &Kernel, uint64_t Threads);

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_BLOCKREGISTERS_H
