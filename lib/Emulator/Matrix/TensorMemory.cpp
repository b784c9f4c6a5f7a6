//===- TensorMemory.cpp - A CTA's memory for matrices -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocation takes the first gap that is large enough.
//
//===----------------------------------------------------------------------===//

#include "Matrix/TensorMemory.h"

#include <algorithm>

namespace heddle::emu {

std::optional<uint32_t> TensorMemory::findFree(uint32_t Columns,
                                               uint32_t From) const {
  if (hasExclusive())
    return std::nullopt;
  uint32_t First = From;
  for (const auto &[Taken, A] : Allocations) {
    if (Taken + A.Columns <= First)
      continue;
    if (Taken >= First + Columns)
      break;
    First = Taken + A.Columns;
  }
  if (First + Columns > tensor::Columns)
    return std::nullopt;
  return First;
}

std::optional<uint32_t> TensorMemory::findAllFree() const {
  return Allocations.empty() ? std::optional(0u) : std::nullopt;
}

void TensorMemory::allocate(uint32_t First, uint32_t Columns, uint32_t PC,
                            bool IsExclusive) {
  Allocations[First] = {Columns, PC, IsExclusive};
  if (!IsExclusive)
    LastColumns = Columns;
  for (uint32_t Lane = 0; Lane < tensor::Lanes; ++Lane)
    std::fill_n(&cell(Lane, First), Columns, Undefined);
}

bool TensorMemory::release(uint32_t First, uint32_t Columns, bool IsExclusive) {
  auto It = Allocations.find(First);
  if (It == Allocations.end() || It->second.Columns != Columns ||
      It->second.IsExclusive != IsExclusive)
    return false;
  Allocations.erase(It);
  return true;
}

bool TensorMemory::hasExclusive() const {
  return !Allocations.empty() && Allocations.begin()->second.IsExclusive;
}

bool TensorMemory::isAllocated(uint32_t Column) const {
  auto It = Allocations.upper_bound(Column);
  if (It == Allocations.begin())
    return false;
  --It;
  return Column < It->first + It->second.Columns;
}

std::optional<uint32_t> TensorMemory::pendingAllocation() const {
  if (Allocations.empty())
    return std::nullopt;
  return Allocations.begin()->second.PC;
}

void TensorMemory::performStores(unsigned Warp) {
  for (const Store &S : Stores[Warp])
    cell(S.Lane, S.Column) = S.Value;
  Stores.erase(Warp);
}

} // namespace heddle::emu
