//===- CUDAVersion.h - The CUDA that is spoken here -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The release of CUDA whose PTX, options and functions are known. Programs that
// were built for older ones work too.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_CUDAVERSION_H
#define HEDDLE_SUPPORT_CUDAVERSION_H

namespace heddle {

constexpr unsigned CUDAMajor = 13, CUDAMinor = 5;
/// As the functions of CUDA say it.
constexpr int CUDAVersion = CUDAMajor * 1000 + CUDAMinor * 10;
/// As ptxas says it: the release, and the build of it.
constexpr char CUDARelease[] = "13.5", CUDABuild[] = "13.5.37";
/// The PTX of that release, the newest that is known.
constexpr unsigned PTXMajor = 9, PTXMinor = 5;
/// That of NVIDIA's driver which came with it, as NVML says it.
constexpr char DriverRelease[] = "615.71";

} // namespace heddle

#endif // HEDDLE_SUPPORT_CUDAVERSION_H
