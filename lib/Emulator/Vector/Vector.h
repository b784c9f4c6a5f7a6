//===- Vector.h - Instructions as host vector code --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Common operations over the 32 lanes of a warp as vectors, for the best
// instruction set that the host has. They do exactly what the functions of
// executorOf do, which remain for everything else and as their oracle; one that
// meets a case that it does not have calls DecodedInst::General.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_VECTOR_VECTOR_H
#define HEDDLE_LIB_EMULATOR_VECTOR_VECTOR_H

#include "../Decoder.h"
#include "../LaneArrays.h"
#include "heddle/Emulator/Emulator.h"

namespace heddle::emu {

/// What HostVectors::Best is on this host.
HostVectors bestVectors();

/// The vector code for \p I, whose fields are decoded; null if there is none.
ExecFn vectorExecutor(HostVectors V, const DecodedInst &I);

// Of each instruction set (VectorKernels.inc).
namespace portable {
ExecFn executorFor(const DecodedInst &I);
extern const LaneFunctions Lanes;
} // namespace portable
namespace avx2 {
ExecFn executorFor(const DecodedInst &I);
extern const LaneFunctions Lanes;
} // namespace avx2
namespace avx512 {
ExecFn executorFor(const DecodedInst &I);
extern const LaneFunctions Lanes;
} // namespace avx512

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_VECTOR_VECTOR_H
