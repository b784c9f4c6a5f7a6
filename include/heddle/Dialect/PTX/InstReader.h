//===- InstReader.h - Reading ptx.inst --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an instruction without an operation of its own says, for code that
// needs the words rather than the row in the PTX table.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_PTX_INSTREADER_H
#define HEDDLE_DIALECT_PTX_INSTREADER_H

#include "heddle/Dialect/PTX/PTX.h"

namespace heddle::ptxir {

/// The modifiers and types of an instruction by their spelling. An operand is
/// found by its number among the registers that it reads.
class InstReader {
public:
  explicit InstReader(InstOp Op) : Op(Op) {
    for (llvm::StringRef Part :
         Op.getModifiers().getAsValueRange<mlir::StringAttr>())
      Parts.push_back(Part);
  }

  bool has(llvm::StringRef Part) const {
    return llvm::is_contained(Parts, Part);
  }
  /// The last part but \p N: types stand at the end.
  llvm::StringRef fromEnd(unsigned N) const {
    return N < Parts.size() ? Parts[Parts.size() - 1 - N] : "";
  }
  /// None where no rounding modifier is written.
  Rounding rounding() const {
    for (llvm::StringRef Part : Parts)
      if (auto R = symbolizeRounding(Part))
        return *R;
    return Rounding::None;
  }

  /// The parts in their order.
  llvm::ArrayRef<llvm::StringRef> parts() const { return Parts; }
  /// The form of operand \p N of the row, results included.
  OperandAttr form(unsigned N) const {
    return llvm::cast<OperandAttr>(Op.getForms()[N]);
  }
  InstOp getOp() const { return Op; }

private:
  mutable InstOp Op;
  llvm::SmallVector<llvm::StringRef, 8> Parts;
};

} // namespace heddle::ptxir

#endif // HEDDLE_DIALECT_PTX_INSTREADER_H
