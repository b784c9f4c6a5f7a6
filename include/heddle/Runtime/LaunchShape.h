//===- LaunchShape.h - What a launch asks for and may ask for ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which grids, blocks and clusters a kernel can be launched with, the same on
// every device.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_LAUNCHSHAPE_H
#define HEDDLE_RUNTIME_LAUNCHSHAPE_H

#include "heddle/Runtime/Device.h"

namespace heddle::rt {

/// CTAs in a cluster; what CUDA allows at most.
inline constexpr uint64_t MaxClusterCTAs = 16;

/// The extents of a grid and of a block; what CUDA allows at most.
inline constexpr Dim3 MaxGrid = {0x7FFFFFFF, 65535, 65535},
                      MaxBlock = {1024, 1024, 64};

/// Whether each extent is at least one and at most that of \p Max.
bool isWithin(const Dim3 &D, const Dim3 &Max);

/// "(X, Y, Z)".
std::string toString(const Dim3 &D);

/// An error that says what is wrong where no kernel, or \p Kernel, takes the
/// cluster of \p Shape.
llvm::Error checkCluster(const KernelInfo &Kernel, const LaunchShape &Shape);

/// An error that says what is wrong where \p Config has a grid, a block, a
/// cluster or a size of the parameters which \p Kernel does not take, or which
/// no kernel can have on a device with CTAs of at most \p MaxThreadsPerCTA
/// threads. The limits are those of CUDA; they keep all products of a launch's
/// extents in 64 bits.
llvm::Error checkLaunchShape(const KernelInfo &Kernel,
                             const LaunchConfig &Config,
                             uint64_t MaxThreadsPerCTA);

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_LAUNCHSHAPE_H
