//===- Operands.h - Operands of a ptx.inst in order -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operands of an instruction as its row has them, one after the other:
// registers, constants, addresses with their offsets, vectors.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_INTERPRETER_OPERANDS_H
#define HEDDLE_LIB_INTERPRETER_OPERANDS_H

#include "Machine.h"

namespace heddle::interp {

class OperandReader {
public:
  /// From the operand \p First of the row on; results come before it.
  OperandReader(Thread &T, const Instruction &I, unsigned First = 0)
      : T(T), I(I), R(llvm::cast<ptxir::InstOp>(I.Op)), Number(First) {}

  /// The values of the next operand that is not left out.
  llvm::SmallVector<Bits, 8> list() {
    ptxir::OperandAttr Form = R.form(Number++);
    while (Form.getKind() == ptxir::OperandKind::None)
      Form = R.form(Number++);
    llvm::SmallVector<Bits, 8> Values;
    visit(Form, Values);
    return Values;
  }
  /// The only one.
  uint64_t next() { return uint64_t(list().front()); }

private:
  void visit(ptxir::OperandAttr Form, llvm::SmallVectorImpl<Bits> &Values) {
    switch (Form.getKind()) {
    case ptxir::OperandKind::Value:
      Values.push_back(T.operand(I, Register++));
      return;
    case ptxir::OperandKind::Immediate:
      Values.push_back(Bits(Form.getValue()));
      return;
    default:
      for (unsigned N = 0; N != Form.getParts().size(); ++N)
        visit(Form.getPart(N), Values);
    }
    if (Form.getKind() == ptxir::OperandKind::Address)
      Values.back() += Bits(Form.getValue());
  }

  Thread &T;
  const Instruction &I;
  ptxir::InstReader R;
  unsigned Number, Register = 0;
};

} // namespace heddle::interp

#endif // HEDDLE_LIB_INTERPRETER_OPERANDS_H
