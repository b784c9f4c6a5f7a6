//===- InstView.h - Operands and modifiers of ptx.inst ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ptx.inst as its row in the PTX table describes it, for the lowerings that
// are registered by opcode (LoweringTable::addInst).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_INSTVIEW_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_INSTVIEW_H

#include "heddle/Dialect/PTX/Instruction.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle::lowering {

class InstView {
public:
  InstView(ptxir::InstOp Op, const ptx::Mnemonic &Mn);

  ptxir::InstOp getOp() const { return Op; }

  // The mnemonic.
  template <typename EnumT> EnumT get() const {
    return EnumT(Mn.Mods[unsigned(ptx::ModKindOf<EnumT>::Value)]);
  }
  template <typename EnumT> bool has() const {
    return get<EnumT>() != EnumT::None;
  }
  bool has(ptx::ModKind Kind) const { return Mn.Mods[unsigned(Kind)] != 0; }
  /// The spelling of a modifier that the mnemonic has.
  llvm::StringRef spelling(ptx::ModKind Kind) const {
    return ptx::getModifierName(Kind, Mn.Mods[unsigned(Kind)]);
  }
  ptx::Type type(unsigned N = 0) const { return Mn.Types[N]; }
  /// The dialect's name of a type suffix; none if it has no name for it.
  std::optional<ptxir::ScalarType> scalarType(unsigned N = 0) const {
    return ptxir::symbolizeScalarType(ptx::getTypeName(type(N)));
  }

  // The operands of the row, by number, results included.
  unsigned size() const { return Operands.size(); }
  bool isThere(unsigned N) const;
  /// The operand with that name in the table; none if it is left out.
  std::optional<unsigned> find(llvm::StringRef Name) const;
  /// Places of results, `_` included.
  unsigned numResults() const { return HasResult.size(); }
  /// A source; the registers of one that is a vector. Null for a sink.
  mlir::Value value(unsigned N) const { return Operands[N].Values.front(); }
  llvm::ArrayRef<mlir::Value> values(unsigned N) const {
    return Operands[N].Values;
  }
  /// `[base + offset]`.
  std::pair<mlir::Value, int64_t> address(unsigned N) const {
    return {value(N), Operands[N].Constant};
  }
  int64_t immediate(unsigned N) const { return Operands[N].Constant; }

  /// Gives the results, which may be null where `_` drops one, in the
  /// order of the text; \p All has an element for each place of a result.
  llvm::SmallVector<mlir::Value>
  resultsOf(llvm::ArrayRef<mlir::Value> All) const;

private:
  struct Operand {
    ptxir::OperandKind Kind;
    int64_t Constant = 0;
    llvm::SmallVector<mlir::Value, 4> Values;
  };
  void visit(ptxir::OperandAttr Form, Operand &O);

  ptxir::InstOp Op;
  ptx::Mnemonic Mn;
  llvm::SmallVector<Operand, 6> Operands;
  /// For each place of a result, whether a register stands there.
  llvm::SmallVector<bool, 8> HasResult;
  unsigned NextArg = 0;
};

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_INSTVIEW_H
