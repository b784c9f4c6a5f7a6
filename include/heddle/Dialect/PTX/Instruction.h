//===- Instruction.h - ptx.inst and the PTX table ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells which row of the PTX table a ptx.inst is.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_PTX_INSTRUCTION_H
#define HEDDLE_DIALECT_PTX_INSTRUCTION_H

#include "heddle/Dialect/PTX/PTX.h"
#include "heddle/PTX/Forms.h"

namespace heddle::ptxir {

/// The mnemonic with the row that the operands fit: the first such row. None
/// when there is none; \p Why then says what is wrong.
std::optional<ptx::Mnemonic> resolveMnemonic(InstOp Op, std::string &Why);
inline std::optional<ptx::Mnemonic> resolveMnemonic(InstOp Op) {
  std::string Why;
  return resolveMnemonic(Op, Why);
}

/// Calls \p Fn with every part of a form that has a register, from left to
/// right.
void forEachRegister(OperandAttr Form,
                     llvm::function_ref<void(OperandAttr)> Fn);

/// The operand that is updated to be a result of a ptx.inst; null for other
/// values.
mlir::Value getUpdatedOperand(mlir::Value Result);

} // namespace heddle::ptxir

#endif // HEDDLE_DIALECT_PTX_INSTRUCTION_H
