//===- Convention.h - Where arguments and results are -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calling convention of HeddleCallingConv.td: arguments and results one
// after another, in registers as long as there are any.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_CONVENTION_H
#define HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_CONVENTION_H

#include "heddle/ISA/ISA.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstrTypes.h"

#include <optional>

namespace heddle::singlepass {

/// A part of an argument or a result: a group of registers, or memory behind
/// the caller's stack pointer.
struct Place {
  unsigned Count = 0;  ///< registers that the part is of
  unsigned Offset = 0; ///< of the part among the value's registers
  std::optional<unsigned> Register;
  int64_t Stack = 0;  ///< where there is no register
  uint64_t ByVal = 0; ///< bytes of memory that is passed, and not its address
};

/// Gives out places.
class Convention {
public:
  /// The places of a value of type \p T, behind \p Places; false where the
  /// convention knows no such type.
  bool add(const llvm::DataLayout &DL, llvm::Type *T,
           llvm::SmallVectorImpl<Place> &Places);
  /// The place of memory that is passed.
  Place addMemory(uint64_t Bytes, uint64_t Align);
  /// What the places in memory take.
  uint64_t stackBytes() const {
    return llvm::alignTo(Stack, isa::abi::StackAlign);
  }
  /// Whether all places are registers.
  bool isInRegisters() const { return Stack == 0; }

private:
  Place addPart(unsigned Count, unsigned Offset);

  unsigned Taken = 0; ///< a mask of registers
  uint64_t Stack = 0;
};

/// The places of a call's arguments; none where one is of a type that the
/// convention does not know. \p Counts says how many places each has.
struct ArgumentPlaces {
  llvm::SmallVector<Place, 12> Places;
  llvm::SmallVector<unsigned, 12> Counts;
  uint64_t StackBytes = 0;
};
std::optional<ArgumentPlaces> placesOf(const llvm::DataLayout &DL,
                                       const llvm::CallBase &Call);
std::optional<ArgumentPlaces> placesOf(const llvm::DataLayout &DL,
                                       const llvm::Function &F);

/// The places of a result of type \p T; none where it would not be in
/// registers.
std::optional<llvm::SmallVector<Place, 4>>
resultPlaces(const llvm::DataLayout &DL, llvm::Type *T);

} // namespace heddle::singlepass

#endif // HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_CONVENTION_H
