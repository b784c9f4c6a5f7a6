//===- Compilers.h - Compilers that run in a program ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA's NVRTC and NVVM give programs PTX in place of other forms.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_STATICRUNTIME_COMPILERS_H
#define HEDDLE_LIB_CUDA_STATICRUNTIME_COMPILERS_H

#include <link.h>

namespace heddle::cuda {

/// Which compiler an object is, by all names that are replaced in it.
enum class CompilerKind { None, NVRTC, NVVM };

/// What an object is that ld.so has mapped.
CompilerKind compilerIn(const link_map &Map);

/// Has a compiler's interface give PTX. Nothing of the object may be bound yet,
/// and nothing may run in it. Returns whether all of it does so now; the
/// compiler is as it was otherwise, or gives PTX for some of the forms.
bool givePTX(const link_map &Map, CompilerKind Kind);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_STATICRUNTIME_COMPILERS_H
