//===- OwnLibraries.h - Libraries that ours stand for -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that is linked with one of NVIDIA's libraries, or opens it by name,
// finds ours, which is loaded already. One that opens the library by its path,
// as Python's packages do with what they bring along, is given ours here where
// NVIDIA's has no PTX for what it does: cuFFT ignores that none of its kernels
// could be loaded, and gives results that nobody has computed.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_STATICRUNTIME_OWNLIBRARIES_H
#define HEDDLE_LIB_CUDA_STATICRUNTIME_OWNLIBRARIES_H

namespace heddle::cuda {

/// Notes in which folder our libraries are: that of the library Path.
void noteFolder(const char *Path);

/// The path of our library that stands for the one at Path. Null where none
/// does, where Path is no path but a name, or where the folder is not known.
const char *findOwn(const char *Path);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_STATICRUNTIME_OWNLIBRARIES_H
