//===- Registers.h - Functions and their registers -------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many registers a function may use, how many values it had to spill with
// them, and what it goes without to need fewer.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_REGISTERS_H
#define HEDDLE_TARGET_REGISTERS_H

#include "heddle/Support/Attributes.h"

#include "llvm/IR/Function.h"
#include <optional>

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

inline RegisterPressureLevel pressureLevelOf(const llvm::Function &F) {
  return static_cast<RegisterPressureLevel>(
      F.getFnAttributeAsParsedInteger(attr::PressureLevel, 0));
}

inline void setPressureLevel(llvm::Function &F, RegisterPressureLevel Value) {
  F.addFnAttr(attr::PressureLevel,
              std::to_string(static_cast<unsigned>(Value)));
}

/// How many instructions are scheduled together, at most, before registers are
/// given to values.
constexpr unsigned regionLengthOf(RegisterPressureLevel Value) {
  constexpr unsigned All = 1024, Long = 64, Short = 24;
  return Value < RegisterPressureLevel::LongRegions ? All
         : Value < RegisterPressureLevel::Regions   ? Long
         : Value < RegisterPressureLevel::Order     ? Short
                                                    : All;
}

/// The registers that a thread has where nothing limits them.
inline constexpr unsigned MostRegisters = 255;

/// What code generation finds of a kernel and the warps that a core holds of
/// it.
struct Occupancy {
  unsigned Registers = 0, Warps = 0;
  /// The most registers with which there would be more warps; 0: there is no
  /// such number.
  unsigned NextRegisters = 0;
  /// By estimate, cycles from the end of a warp to the end of the next one on a
  /// scheduler, times 1024; and what the same code would take with the warps
  /// that there are with NextRegisters.
  uint64_t Cycles = 0, NextCycles = 0;
  /// What one warp takes where no other is, times 1024.
  uint64_t Alone = 0;
};

std::optional<Occupancy> occupancyOf(const llvm::Function &F);
void setOccupancy(llvm::Function &F, const Occupancy &O);

inline unsigned occupancyLimitOf(const llvm::Function &F) {
  return static_cast<unsigned>(
      F.getFnAttributeAsParsedInteger(attr::OccupancyLimit, 0));
}

/// The attributes that say how a function is compiled which was compiled more
/// than once.
inline constexpr const char *RegisterChoiceAttributes[] = {
    attr::PressureLevel, attr::Occupancy, attr::OccupancyLimit};

/// The registers that a thread may use in F on a chip of that name, by what F's
/// attributes say.
unsigned registerLimitOf(const llvm::Function &F, llvm::StringRef Chip);

/// Gives each function of M the least limit of the kernels of M that reach it
/// by calls, of which those through pointers reach all functions whose address
/// is taken. Whether there are any functions but kernels.
bool limitCallees(llvm::Module &M, llvm::StringRef Chip);

} // namespace heddle

#endif // HEDDLE_TARGET_REGISTERS_H
