//===- ExecuteTensor.h - What operations on tensor memory share -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses, and the CTAs that an operation is of.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_EXECUTETENSOR_H
#define HEDDLE_LIB_EMULATOR_EXECUTETENSOR_H

#include "Cluster.h"
#include "Execute/ExecuteMemory.h"
#include "Matrix/SharedMatrix.h"
#include "Matrix/TensorMemory.h"

#include <array>
#include <optional>

namespace heddle::emu {

inline TensorMemory &tensorMemoryOf(CTA &C) {
  if (!C.Tensor)
    C.Tensor = std::make_unique<TensorMemory>();
  return *C.Tensor;
}

/// A lane and a column.
struct TensorAddress {
  explicit TensorAddress(uint32_t Bits)
      : Lane(Bits >> 16), Column(Bits & 0xFFFF) {}
  uint32_t Lane, Column;
};

/// The cell, or null after a fault: it must be there and allocated.
uint32_t *findTensorCell(Warp &W, CTA &C, uint32_t Lane, uint32_t Column);

/// The CTAs that an operation is of: the warp's, or its pair by rank.
struct TensorGroup {
  std::array<CTA *, 2> CTAs;
  std::array<uint32_t, 2> Ranks;
  unsigned Count = 0;
};
/// None after a fault: there is no other CTA.
std::optional<TensorGroup> findTensorGroup(Warp &W, bool Pair);

/// Bits of an element of a matrix in the shared memory of the CTA with that
/// rank; none after a fault.
std::optional<uint32_t> readShared(Warp &W, uint32_t Rank,
                                   const SharedMatrix &M, unsigned Outer,
                                   unsigned K, unsigned Bits);

/// What is in order with other work on tensor memory.
inline AsyncTraffic onTensorMemory(uint64_t Products) {
  AsyncTraffic T;
  T.Products = Products;
  T.IsTensor = true;
  return T;
}

/// Begins a product: isa-defs/HeddleInstrTensor.td.
void multiplyTensors(Warp &W, Inst I, LaneMask Exec);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_EXECUTETENSOR_H
