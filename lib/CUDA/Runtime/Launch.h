//===- Launch.h - Launches of kernels ---------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is common to all ways to launch a kernel: the runtime's calls, the
// driver's, and nodes of graphs.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_LAUNCH_H
#define HEDDLE_LIB_CUDA_LAUNCH_H

#include "ABI.h"
#include "Images.h"
#include "heddle/Runtime/Operation.h"
#include "heddle/Runtime/Stream.h"
#include "llvm/ADT/ArrayRef.h"

namespace heddle::cuda {

inline rt::Dim3 extentsOf(const dim3 &D) { return {D.x, D.y, D.z}; }

/// Takes over what the attributes of a launch say; unknown ones are hints about
/// scheduling.
void applyAttributes(llvm::ArrayRef<cudaLaunchAttribute> Attributes,
                     rt::LaunchShape &Shape);

/// Whether the device can run a launch at all: what CUDA reports at the launch
/// and not afterwards.
cudaError_t checkLaunch(const rt::LaunchShape &Shape,
                        const rt::KernelInfo &Info);

/// Checks a launch as CUDA does before it returns, and makes the operation.
/// Arguments has an address for each parameter.
cudaError_t prepareLaunch(KernelHandle *Kernel, const rt::LaunchShape &Shape,
                          void **Arguments, rt::KernelOp &Op);

/// How many clusters of a launch the device has room for at a time. Without a
/// kernel: of one that uses nothing, as cuBLASLt asks of drivers since 13.1.
cudaError_t countActiveClusters(int *Clusters, const KernelHandle *Kernel,
                                const cudaLaunchConfig_t *Config);

/// Launches into a stream, unless launches are skipped. What is not timed takes
/// no virtual time, on the device or on the host. A node of a graph that this
/// makes keeps the attributes.
cudaError_t launchKernel(KernelHandle *Kernel, const rt::LaunchShape &Shape,
                         void **Arguments, cudaStream_t Stream,
                         bool IsTimed = true,
                         llvm::ArrayRef<cudaLaunchAttribute> Attributes = {});

/// What the program has set on a stream that launches have as well.
std::vector<cudaLaunchAttribute> launchAttributesOf(const rt::Stream &S);

/// Gives the node that a stream has captured last what the program has set on
/// the stream and for the launch.
void keepAttributes(rt::Stream &S,
                    llvm::ArrayRef<cudaLaunchAttribute> OfLaunch);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_LAUNCH_H
