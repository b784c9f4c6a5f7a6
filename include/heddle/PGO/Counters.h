//===- Counters.h - What loaded code has counted ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the counters of -fprofile-generate where they are: in variables of a
// module in device memory.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PGO_COUNTERS_H
#define HEDDLE_PGO_COUNTERS_H

#include "heddle/PGO/ProfileData.h"
#include "heddle/Runtime/Device.h"

namespace heddle::pgo {

/// What the functions of a code object count; empty if they count nothing. The
/// object is not trusted.
llvm::Expected<std::vector<FunctionShape>>
readShapes(llvm::ArrayRef<uint8_t> CodeObject);

/// What the functions of \p M, which \p D loaded, have counted in memory so
/// far. Launches that still run are counted in part.
llvm::Expected<ProfileData> readCounters(rt::Device &D, const rt::Module &M,
                                         llvm::ArrayRef<FunctionShape> Shapes);

/// Counts the scalar arguments of a launch for its kernel, if that has a shape.
void countArguments(llvm::ArrayRef<FunctionShape> Shapes,
                    const rt::KernelInfo &Kernel,
                    llvm::ArrayRef<uint8_t> Params, ProfileData &To);

} // namespace heddle::pgo

#endif // HEDDLE_PGO_COUNTERS_H
