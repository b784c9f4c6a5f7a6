//===- ISARecords.h - The records of isa-defs/ ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the generators over the ISA share: the records by kind, and the place
// of each operand in the encoding.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TBLGEN_ISARECORDS_H
#define HEDDLE_TBLGEN_ISARECORDS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/TableGen/Record.h"

#include <string>
#include <vector>

namespace heddle::tblgen {

/// An operand of an instruction and its field in the 128-bit form.
struct Operand {
  std::string Role;
  std::string Kind; ///< an enumerator of isa::OperandKind
  unsigned Lsb;
  unsigned Width;
  bool Signed;
  bool IsDef;
  int Modifier;         ///< index into ISARecords::Modifiers, or -1
  std::string Spelling; ///< an enumerator of isa::Spelling
  const llvm::Record *Type;
};

class ISARecords {
public:
  /// Collects the records and checks every instruction's encoding; a fault is
  /// fatal and names the definition.
  explicit ISARecords(const llvm::RecordKeeper &Records);

  /// Bits 11..0 of the encoding.
  unsigned opcode(const llvm::Record *Inst) const;
  /// Results, inputs, guard and control, in the order of the LLVM operands.
  const std::vector<Operand> &operands(const llvm::Record *Inst) const;
  /// The records' names without their first Drop characters.
  std::vector<std::string> names(llvm::ArrayRef<const llvm::Record *> List,
                                 unsigned Drop) const;

  std::vector<const llvm::Record *> Ops, Roles, Forms, Modifiers,
      LatencyClasses, Insts, Chips;
  std::vector<const llvm::Record *> TexelFormats; ///< by code
  /// The integer fields of class Chip, in the order of declaration.
  std::vector<llvm::StringRef> ChipFields;

private:
  Operand makeOperand(const llvm::Record *Inst, llvm::StringRef Role,
                      const llvm::Record *Type, bool IsDef) const;
  void placeOperands(const llvm::Record *Inst);
  void check(const llvm::Record *Inst) const;
  unsigned slot(const llvm::Record *Inst, llvm::StringRef Role) const;

  const llvm::RecordKeeper &Records;
  llvm::DenseMap<const llvm::Record *, std::vector<Operand>> OperandsOf;
};

/// S as a C++ string literal.
std::string quoted(llvm::StringRef S);

} // namespace heddle::tblgen

#endif // HEDDLE_TBLGEN_ISARECORDS_H
