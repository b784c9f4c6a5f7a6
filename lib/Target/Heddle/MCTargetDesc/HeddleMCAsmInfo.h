//===- HeddleMCAsmInfo.h - Assembly of the target ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conventions of assembly files: directives, comments, expressions.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_MCTARGETDESC_HEDDLEMCASMINFO_H
#define HEDDLE_TARGET_MCTARGETDESC_HEDDLEMCASMINFO_H

#include "llvm/MC/MCAsmInfoELF.h"

namespace llvm {

namespace Heddle {

/// What an expression stands for other than an address: written
/// `%const(symbol)` and held by an MCSpecifierExpr.
enum Specifier : uint16_t {
  S_None = 0,
  S_Const,  ///< the symbol's offset in constant bank 3
  S_Shared, ///< the symbol's offset in shared memory
};

/// The word between `%` and `(`; empty for none.
StringRef getSpecifierName(uint16_t Specifier);
/// S_None if no specifier has that name.
uint16_t parseSpecifierName(StringRef Name);

/// Whether assembly could read \p Name as a register, so that a symbol of that
/// name must be quoted.
bool isReservedName(StringRef Name);

} // namespace Heddle

class HeddleMCAsmInfo : public MCAsmInfoELF {
public:
  HeddleMCAsmInfo();

  /// None: nothing of the host executes the object.
  MCSection *getStackSection(MCContext &, bool) const override {
    return nullptr;
  }
  bool isValidUnquotedName(StringRef Name) const override;
  void printSpecifierExpr(raw_ostream &OS,
                          const MCSpecifierExpr &Expr) const override;
};

} // namespace llvm

#endif // HEDDLE_TARGET_MCTARGETDESC_HEDDLEMCASMINFO_H
