//===- ControlFlow.h - Basic blocks of a PTX function -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts the statements of a function into basic blocks. A guarded instruction
// that must not be executed when its guard is false gets a block of its own.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXIMPORT_CONTROLFLOW_H
#define HEDDLE_LIB_CONVERSION_PTXIMPORT_CONTROLFLOW_H

#include "heddle/PTX/AST.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace heddle::import {

/// An instruction and the `.loc` that holds for it, if any.
struct Step {
  const ptx::Instruction *Inst;
  const ptx::LocStatement *Loc;
  /// The guard is the block's condition, not the instruction's.
  bool GuardDone = false;
};

/// How a block ends.
enum class Ending : uint8_t {
  Jump,        ///< To the one successor.
  Conditional, ///< To Succs[0] when the guard of Last holds, else Succs[1].
  Indexed,     ///< Last is brx.idx; Succs are its targets.
  Return,      ///< From the function.
  Exit,        ///< Of the thread.
};

/// A label, a `.pragma` or a `.loc_intermediate`, and how many steps of its
/// block stand before it.
struct Marker {
  unsigned Position;
  const ptx::Statement *Statement;
};

struct BasicBlock {
  BasicBlock() = default;
  // Else a vector of blocks copies them when it grows.
  BasicBlock(BasicBlock &&) noexcept = default;
  BasicBlock &operator=(BasicBlock &&) noexcept = default;

  std::vector<Step> Steps;
  llvm::SmallVector<Marker, 1> Markers;
  Ending End = Ending::Return;
  /// The instruction that ends the block; the instruction behind its guard
  /// when that is what ends it; null when control falls through.
  Step Last = {nullptr, nullptr};
  llvm::SmallVector<unsigned, 2> Succs;
};

/// The blocks of \p F in the order of the text. Block 0 is the entry and no
/// branch leads to it.
std::vector<BasicBlock> splitIntoBlocks(const ptx::Function &F);

/// Whether an instruction can be executed although its guard is false, when
/// its result is then thrown away: no effect on memory or other threads, and
/// not costly.
bool isSpeculatable(ptx::Opcode Op);

} // namespace heddle::import

#endif // HEDDLE_LIB_CONVERSION_PTXIMPORT_CONTROLFLOW_H
