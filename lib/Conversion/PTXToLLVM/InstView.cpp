//===- InstView.cpp - Operands and modifiers of ptx.inst --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the forms of the operands apart.
//
//===----------------------------------------------------------------------===//

#include "InstView.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using ptxir::OperandKind;

InstView::InstView(ptxir::InstOp Op, const ptx::Mnemonic &Mn) : Op(Op), Mn(Mn) {
  for (auto Form : Op.getForms().getAsRange<ptxir::OperandAttr>()) {
    Operand &O = Operands.emplace_back();
    O.Kind = Form.getKind();
    O.Constant = Form.getValue();
    visit(Form, O);
  }
}

void InstView::visit(ptxir::OperandAttr Form, Operand &O) {
  bool IsDest = Mn.Form->getOperands()[Operands.size() - 1].Role ==
                ptx::OperandRole::Dest;
  switch (Form.getKind()) {
  case OperandKind::Sink:
    if (IsDest)
      HasResult.push_back(false);
    else
      O.Values.push_back(Value());
    return;
  case OperandKind::Result:
    HasResult.push_back(true);
    return;
  case OperandKind::Updated:
    HasResult.push_back(true);
    O.Values.push_back(Op.getArgs()[NextArg++]);
    return;
  case OperandKind::Value:
    O.Values.push_back(Op.getArgs()[NextArg++]);
    return;
  default:
    for (Attribute Part : Form.getParts())
      visit(cast<ptxir::OperandAttr>(Part), O);
  }
}

std::optional<unsigned> InstView::find(StringRef Name) const {
  for (auto [N, Spec] : llvm::enumerate(Mn.Form->getOperands()))
    if (Spec.getName() == Name && isThere(N))
      return N;
  return std::nullopt;
}

bool InstView::isThere(unsigned N) const {
  return N < Operands.size() && Operands[N].Kind != OperandKind::None;
}

SmallVector<Value> InstView::resultsOf(ArrayRef<Value> All) const {
  SmallVector<Value> Results;
  for (auto [V, Wanted] : llvm::zip(All, HasResult))
    if (Wanted)
      Results.push_back(V);
  return Results;
}
