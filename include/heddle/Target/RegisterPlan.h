//===- RegisterPlan.h - What is decided of registers ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is decided of the registers of each function of a module before the
// module is compiled, and of the order of its instructions and their pipes, and
// what code generation finds of them. lib/Compiler
// decides; passes over LLVM IR ask RegisterPlanAnalysis
// (heddle/Target/TargetAnalyses.h), and those over machine code
// HeddleMachineFunctionInfo.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_REGISTERPLAN_H
#define HEDDLE_TARGET_REGISTERPLAN_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"

#include <optional>

namespace llvm {
class TargetMachine;
}

namespace heddle {

/// What is left out of a function's compilation. Each step includes those
/// before it.
enum class RegisterPressureLevel : unsigned {
  /// Nothing.
  None,
  /// Orders in which an instruction is far from its place in the PTX.
  LongRegions,
  /// Instructions that move between blocks, come more often or wait for
  /// nothing in front of a loop, and values of loops besides the PTX's own.
  Motion,
  /// Orders in which an instruction is not near its place in the PTX.
  Regions,
  /// Orders of a block's instructions for anything but few registers, and
  /// values that take more registers in front of a loop than in it.
  Order,
  /// Giving registers to the values of a block from its start on, which finds
  /// the same register for copies more often.
  FromStart,
  /// Passes over IR that -O1 does without.
  Passes,
};

/// How many instructions are scheduled together, at most, before registers are
/// given to values.
constexpr unsigned regionLengthOf(RegisterPressureLevel Value) {
  constexpr unsigned All = 1024, Long = 64, Short = 24;
  return Value < RegisterPressureLevel::LongRegions ? All
         : Value < RegisterPressureLevel::Regions   ? Long
         : Value < RegisterPressureLevel::Order     ? Short
                                                    : All;
}

/// The least level at which passes over LLVM IR leave out as much as at \p
/// Value; they know no other levels.
constexpr RegisterPressureLevel levelOfPasses(RegisterPressureLevel Value) {
  using enum RegisterPressureLevel;
  return Value < Motion   ? None
         : Value < Order  ? Motion
         : Value < Passes ? Order
                          : Passes;
}

/// What code generation finds of a kernel and the warps that a core holds of
/// it.
struct Occupancy {
  unsigned Registers = 0, Warps = 0;
  /// The most registers with which there would be more warps; 0: there is no
  /// such number.
  unsigned NextRegisters = 0;
  /// The limit that leads to them: the allocator does not give out the stack
  /// pointer, which a kernel without a frame has for other values in the end.
  unsigned NextLimit = 0;
  /// By estimate, cycles from the end of a warp to the end of the next one on a
  /// scheduler, times 1024; and what the same code would take with the warps
  /// that there are with NextRegisters.
  uint64_t Cycles = 0, NextCycles = 0;
  /// What one warp takes where no other is, times 1024.
  uint64_t Alone = 0;

  bool operator==(const Occupancy &) const = default;
};

/// What is decided of a function.
struct RegisterPlan {
  /// What the function goes without to need fewer registers.
  RegisterPressureLevel Level = RegisterPressureLevel::None;
  /// The registers that a thread may have, for a core to hold more warps; 0:
  /// as many as the function's attributes leave.
  unsigned Limit = 0;
  /// What the code without Limit has, which a remark tells.
  std::optional<Occupancy> Unlimited = std::nullopt;
  /// Whether values take registers in turn: fewer instructions wait until
  /// others have read what they overwrite.
  bool SpreadsRegisters = false;
  /// Whether the pipe of multiplications has its part of other integer work.
  bool BalancesPipes = false;
  /// Whether loads are as early as hides what memory takes that no cache has.
  bool HidesMemory = false;

  /// Whether values are computed again rather than being kept.
  bool recomputesValues() const {
    return Level != RegisterPressureLevel::None || Limit != 0;
  }
  bool operator==(const RegisterPlan &) const = default;
};

/// What code generation found of a function.
struct RegisterUse {
  /// What the code stores and loads in spills.
  uint64_t SpillBytes = 0;
  /// Of kernels that spill nothing, at -O3, where more warps are thinkable.
  std::optional<heddle::Occupancy> Occupancy;
  /// Of kernels whose launches a profile has, at -O3: what the warps that a
  /// scheduler has of one take together, by estimate, times 1024.
  std::optional<uint64_t> LaunchCycles;
};

/// The decisions of a module, by the names of its functions.
class RegisterPlans {
public:
  RegisterPlans() = default;
  /// \p Others: of functions that are not named.
  explicit RegisterPlans(RegisterPlan Others) : Others(Others) {}

  const RegisterPlan &of(const llvm::Function &F) const {
    auto Found = Named.empty() ? Named.end() : Named.find(F.getName());
    return Found == Named.end() ? Others : Found->second;
  }
  const RegisterPlan &ofOthers() const { return Others; }
  const llvm::StringMap<RegisterPlan> &named() const { return Named; }
  void set(const llvm::Function &F, RegisterPlan Plan) {
    set(F.getName(), Plan);
  }
  void set(llvm::StringRef Function, RegisterPlan Plan) {
    Named[Function] = Plan;
  }
  /// What passes over LLVM IR know of the plans.
  RegisterPlans ofPasses() const {
    RegisterPlans Plans(ofPasses(Others));
    for (const auto &Entry : Named)
      if (RegisterPlan Plan = ofPasses(Entry.second); Plan != Plans.Others)
        Plans.Named[Entry.first()] = Plan;
    return Plans;
  }

  bool operator==(const RegisterPlans &) const = default;

private:
  static RegisterPlan ofPasses(const RegisterPlan &Plan) {
    return {.Level = levelOfPasses(Plan.Level)};
  }

  llvm::StringMap<RegisterPlan> Named;
  RegisterPlan Others;
};

/// What was found of a module, by the names of its functions; nothing of those
/// that neither spill nor have an occupancy.
using RegisterUses = llvm::StringMap<RegisterUse>;

/// Has \p TM, a target machine of Heddle, generate code by \p Plans from now
/// on. What code generation found before is forgotten.
void setRegisterPlans(llvm::TargetMachine &TM, RegisterPlans Plans);

/// What the code generator of \p TM found since the plans were set, which it
/// forgets together with them.
RegisterUses takeRegisterUses(llvm::TargetMachine &TM);

} // namespace heddle

#endif // HEDDLE_TARGET_REGISTERPLAN_H
