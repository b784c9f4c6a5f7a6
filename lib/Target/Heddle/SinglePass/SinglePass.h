//===- SinglePass.h - LLVM IR to instructions in one pass -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code generator of -O0: one walk over a function selects instructions,
// gives values their registers, places convergence barriers and fills in the
// control fields. docs/decisions/0013-one-pass-at-o0.md says why it is made
// as it is.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_SINGLEPASS_H
#define HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_SINGLEPASS_H

#include "heddle/ISA/ISA.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class DbgVariableRecord;
class DIExpression;
class DILocation;
class Function;
class GlobalValue;
class Value;
} // namespace llvm

namespace heddle::singlepass {

/// An operand of an instruction.
struct Operand {
  enum Kind : uint8_t {
    Value,       ///< a register's number, an immediate, a modifier's value
    Label,       ///< the place of the label with the number
    Symbol,      ///< the address of Global, Number bytes on
    BehindFrame, ///< Number and the frame's size, which becomes a value
  };
  int64_t Number = 0;
  const llvm::GlobalValue *Global = nullptr;
  Kind K = Value;

  Operand(int64_t Number) : Number(Number) {}
  template <typename EnumT>
    requires std::is_enum_v<EnumT>
  Operand(EnumT V) : Number(static_cast<int64_t>(V)) {}
  static Operand label(unsigned Number) {
    Operand O(Number);
    O.K = Label;
    return O;
  }
  static Operand behindFrame(int64_t Number) {
    Operand O(Number);
    O.K = BehindFrame;
    return O;
  }
  static Operand symbol(const llvm::GlobalValue &Global, int64_t Offset) {
    Operand O(Offset);
    O.Global = &Global;
    O.K = Symbol;
    return O;
  }
};

/// An instruction, or a label in front of the next one.
struct Item {
  unsigned Opcode;      ///< of LLVM's tables; 0: a label
  unsigned First;       ///< index of the first operand; the label's number
  unsigned NumOperands; ///< with guard and control field
};

/// The place in the source that items from First on are for, null: none.
struct Line {
  unsigned First;
  const llvm::DILocation *Location;
};

/// Where a variable of the source is from an item on.
struct VariablePlace {
  enum Kind : uint8_t {
    Nowhere,
    Frame,     ///< Offset bytes behind what the register has
    Registers, ///< Count of them
    Predicate,
    Constant,
  };
  unsigned First = 0;
  const llvm::DbgVariableRecord *Variable = nullptr; ///< any of its records
  const llvm::DIExpression *Expression = nullptr;
  Kind K = Nowhere;
  bool IsAddress = false; ///< the expression has the variable's address
  uint8_t Number = 0, Count = 0;
  Operand Offset = 0;
  const llvm::Value *Of = nullptr; ///< in registers, or the constant

  bool isInRegistersOf(const llvm::Value &V) const {
    return (K == Registers || K == Predicate) && Of == &V;
  }
  /// Whether it is the same place.
  bool saysSame(const VariablePlace &P) const {
    if (K == Nowhere || P.K == Nowhere)
      return K == P.K;
    return K == P.K && Expression == P.Expression && Number == P.Number &&
           Offset.Number == P.Offset.Number && Of == P.Of;
  }
};

/// The code of a function.
struct Code {
  std::vector<Item> Items;
  std::vector<Line> Lines;              ///< in their order
  std::vector<VariablePlace> Variables; ///< likewise
  unsigned PrologueItems = 0;
  llvm::SmallVector<Operand, 0> Operands;
  unsigned NumLabels = 0;
  unsigned Registers = 0; ///< one more than the highest in use
  unsigned Barriers = 0;  ///< of the CTA, likewise
  uint64_t StackBytes = 0;
  /// What is stored and loaded since registers are too few.
  uint64_t SpillStoreBytes = 0, SpillLoadBytes = 0;
  std::vector<const llvm::Function *> Callees; ///< that have code here
  bool CallsUnknown = false; ///< through a pointer, or an outside function
  bool CallsPointers = false;
  bool VariableStack = false; ///< memory of a size known at run time
};

/// What became of a function: code, or the reason why it has none.
struct Result {
  std::unique_ptr<Code> Generated;
  std::string Reason;
};

/// Generates the code of \p F for \p Chip, if \p F has nothing but what this
/// code generator can do with \p RegisterLimit registers.
Result generate(const llvm::Function &F, const isa::ChipInfo &Chip,
                unsigned RegisterLimit);

} // namespace heddle::singlepass

#endif // HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_SINGLEPASS_H
