//===- Signatures.h - Runtimes without names --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognises NVIDIA's runtime in a stripped file.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_STATICRUNTIME_SIGNATURES_H
#define HEDDLE_LIB_CUDA_STATICRUNTIME_SIGNATURES_H

#include "StaticRuntime/ElfFile.h"
#include "StaticRuntime/EntryPoints.h"

namespace heddle::cuda {

/// The functions of the interface, with the names that they have in the version
/// that the file has in it: each function that programs call has a number in
/// its code. None if not every function of a version is found.
EntryPoints findBySignature(const ElfFile &File);

/// The version that has all functions which were found, as "12.4" or
/// "12.5 or 12.6"; null if it is not known. Takes milliseconds.
const char *findVersion(const EntryPoints &Found);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_STATICRUNTIME_SIGNATURES_H
