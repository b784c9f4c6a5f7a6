//===- WarpCondition.h - Conditions of all lanes at once --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A condition as breakpoints test it time and again: what names mean and where
// variables are is found out once for a place in the code, and then all lanes
// of a warp are looked at together.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEBUGGER_WARPCONDITION_H
#define HEDDLE_LIB_DEBUGGER_WARPCONDITION_H

#include "Expressions/Expression.h"
#include "Module.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace heddle::debug {

class ThreadScope;

class WarpCondition {
public:
  /// For threads of a grid that stand at \p PC, as that of \p S does. Null if
  /// there is something in it that only Expression knows.
  static std::unique_ptr<WarpCondition> create(const Expression &E,
                                               ThreadScope &S,
                                               const Module &Code,
                                               TypePool &Types, uint32_t PC);

  /// The lanes of \p Lanes for which it holds. None if it is an error for one
  /// of them; Expression knows which one.
  std::optional<uint32_t> test(emu::DebuggedGrid &Grid, emu::WarpPlace W,
                               uint32_t Lanes);

private:
  friend class ConditionCompiler;

  enum class StepKind : uint8_t {
    Constant,
    Thread,   ///< A component of threadIdx.
    Block,    ///< A component of blockIdx.
    Lane,     ///< laneid.
    Warp,     ///< warpid.
    Register, ///< Bits from registers, one behind the other.
    Address,  ///< Of a variable in memory.
    Load,     ///< What stands at the address A.
    Convert,  ///< A as another type.
    Not,
    Negate,
    Invert,
    And, ///< && and ||: of B nothing counts where A decides.
    Or,
    Choice,
    Element, ///< The address A and B times Number.
    Apply,   ///< Symbol on A and B.
  };
  struct Step {
    StepKind Kind;
    const Type *Of = nullptr;     ///< Of the result.
    const Type *From = nullptr;   ///< Of the operands, if it matters.
    unsigned A = 0, B = 0, C = 0; ///< Steps that have the operands.
    uint64_t Number = 0;
    std::string Symbol = {};
    std::vector<VariablePart> Parts = {}; ///< Of a Register.
    const SourceVariable *Variable = nullptr;
    std::optional<DebugRegister> Base = {}; ///< An Address counts from it.
    /// The last address that was found, for this value of Base.
    std::optional<uint32_t> KnownBase = {};
    uint64_t KnownAddress = 0;
  };
  /// What a step gives: integers and pointers as Value::integer has them, and
  /// the bits of a double for a float.
  struct Slot {
    std::array<uint64_t, 32> Lanes;
    uint32_t Wrong; ///< Lanes for which it is an error.
  };

  struct Where {
    emu::DebuggedGrid &Grid;
    emu::WarpPlace Warp;
    uint32_t Lanes;
  };
  void run(Step &S, Slot &To, const Where &W);
  void readRegisters(const Step &S, Slot &To, const Where &W) const;
  void findAddresses(Step &S, Slot &To, const Where &W) const;
  void load(const Step &S, Slot &To, const Where &W) const;
  void convert(const Step &S, Slot &To) const;
  void apply(const Step &S, Slot &To) const;
  void decide(const Step &S, Slot &To) const;
  uint32_t truth(unsigned Of) const;

  const Module *Code = nullptr;
  uint32_t PC = 0;
  std::vector<Step> Steps;
  std::vector<Slot> Slots;
};

} // namespace heddle::debug

#endif // HEDDLE_LIB_DEBUGGER_WARPCONDITION_H
