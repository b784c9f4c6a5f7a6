//===- HalfProducts.h - Half precision in NVIDIA's cuBLAS -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of matrices in half precision or bfloat16 that are summed in single
// precision are CUDA Tile IR in cuBLAS and cuBLASLt, for GPUs that these do not
// know. The same products are PTX where a program asks for pedantic arithmetic,
// which rounds no more than the other; so they are asked for as such.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_STATICRUNTIME_HALFPRODUCTS_H
#define HEDDLE_LIB_CUDA_STATICRUNTIME_HALFPRODUCTS_H

#include <link.h>

namespace heddle::cuda {

/// Has cuBLAS or cuBLASLt, if it is what ld.so has mapped, compute such
/// products by PTX. Nothing of the object may be bound yet. Returns whether it
/// does so now.
bool computeHalvesByPTX(const link_map &Map);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_STATICRUNTIME_HALFPRODUCTS_H
