//===- Knobs.h - Decisions worth searching ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of Knobs.def, and how a pass asks for a decision.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TUNING_KNOBS_H
#define HEDDLE_TUNING_KNOBS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace llvm {
class Function;
class Loop;
} // namespace llvm

namespace heddle::tuning {

enum class Knob : uint8_t {
#define HEDDLE_KNOB(Id, ...) Id,
#include "heddle/Tuning/Knobs.def"
};

enum class KnobScope : uint8_t { Function, Launch, Loop, Instruction };

/// One row of the table.
struct KnobInfo {
  Knob Id;
  llvm::StringLiteral Name;
  llvm::StringLiteral Attribute; ///< Of functions.
  llvm::StringLiteral Metadata;  ///< Of loops.
  KnobScope Scope;
  int64_t Default;
  llvm::ArrayRef<int64_t> Domain; ///< Increasing.
  llvm::StringLiteral Help;

  bool accepts(int64_t Value) const {
    return Domain.front() <= Value && Value <= Domain.back();
  }
};

/// The table, by Knob.
llvm::ArrayRef<KnobInfo> knobTable();

inline const KnobInfo &knobInfo(Knob K) {
  return knobTable()[static_cast<size_t>(K)];
}

/// The row with that name; null if there is none.
const KnobInfo *findKnob(llvm::StringRef Name);

/// What is decided for a function: by its attribute "heddle-tune-NAME", or the
/// default. Of a knob for loops, the greatest value that one of them has: so a
/// pass knows whether it need look at them.
int64_t knobOf(const llvm::Function &F, Knob K);

/// Sets that attribute.
void setKnob(llvm::Function &F, Knob K, int64_t Value);

/// What is decided for a loop: by its metadata "heddle.tune.NAME", or the
/// default. The knob's scope must be Loop.
int64_t loopKnobOf(const llvm::Loop &L, Knob K);

/// Sets that metadata.
void setLoopKnob(llvm::Loop &L, Knob K, int64_t Value);

/// What is decided for one instruction of a function.
struct InstructionChoice {
  unsigned Number = 0;
  int64_t Value = 0;

  auto operator<=>(const InstructionChoice &) const = default;
};

/// The choices for instructions of a function, by their numbers: from an
/// attribute of the same name, "NUMBER:VALUE,...". The knob's scope must be
/// Instruction.
llvm::SmallVector<InstructionChoice> instructionKnobOf(const llvm::Function &F,
                                                       Knob K);
void setInstructionKnob(llvm::Function &F, Knob K,
                        llvm::ArrayRef<InstructionChoice> Choices);

} // namespace heddle::tuning

#endif // HEDDLE_TUNING_KNOBS_H
