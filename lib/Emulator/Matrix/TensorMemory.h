//===- TensorMemory.h - A CTA's memory for matrices -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cells of 32 bits in lanes and columns, the owners of columns, and
// stores that are on their way.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TENSORMEMORY_H
#define HEDDLE_LIB_EMULATOR_TENSORMEMORY_H

#include "heddle/ISA/TensorMemory.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace heddle::emu {

class TensorMemory {
public:
  TensorMemory()
      : Cells(size_t(tensor::Lanes) * tensor::ExclusiveColumns, Undefined) {}

  //===--------------------------------------------------------------------===//
  // Allocation
  //===--------------------------------------------------------------------===//

  /// The first of so many free columns from \p From on; none if there are not
  /// as many.
  std::optional<uint32_t> findFree(uint32_t Columns, uint32_t From = 0) const;
  /// The same for an allocation that is to be the only one.
  std::optional<uint32_t> findAllFree() const;
  /// \p PC is that of the instruction, for reports.
  void allocate(uint32_t First, uint32_t Columns, uint32_t PC,
                bool IsExclusive);
  /// False if this is no allocation.
  bool release(uint32_t First, uint32_t Columns, bool IsExclusive);
  bool isAllocated(uint32_t Column) const;
  struct Allocation {
    uint32_t Columns, PC;
    bool IsExclusive;
  };
  /// By the first column.
  const std::map<uint32_t, Allocation> &allocations() const {
    return Allocations;
  }
  /// The PC of the oldest allocation that is left.
  std::optional<uint32_t> pendingAllocation() const;

  /// Of the last allocation; later ones may not be larger.
  uint32_t LastColumns = tensor::Columns;
  bool GaveUp = false; ///< The right to allocate.

  /// What a warp waits for together with one of the other CTA of a pair.
  struct Request {
    unsigned Warp;
    bool Allocates;
    uint32_t First, Columns; ///< First: of those that are released.
    bool IsExclusive;
  };
  std::optional<Request> Wanted;
  /// The other CTA has done it for Wanted; the first column.
  std::optional<uint32_t> Answer;

  //===--------------------------------------------------------------------===//
  // Cells
  //===--------------------------------------------------------------------===//

  uint32_t &cell(uint32_t Lane, uint32_t Column) {
    return Cells[Lane * tensor::ExclusiveColumns + Column];
  }

  struct Store {
    uint32_t Lane, Column, Value;
  };
  /// Stores of a warp that are on their way.
  void addStore(unsigned Warp, Store S) { Stores[Warp].push_back(S); }
  void performStores(unsigned Warp);

private:
  /// What cells hold before they are written: a NaN of every type.
  static constexpr uint32_t Undefined = 0xFFFFFFFF;

  bool hasExclusive() const;

  std::vector<uint32_t> Cells;
  std::map<uint32_t, Allocation> Allocations;
  std::map<unsigned, std::vector<Store>> Stores;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TENSORMEMORY_H
