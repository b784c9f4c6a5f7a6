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

/// A field of a compact form: Width bits from Lsb on stand for the field of the
/// 128-bit form from To on, which has ToWidth bits, the lowest Shift of them
/// zero.
struct CompactField {
  std::string Role;
  unsigned Lsb, Width;
  unsigned To, ToWidth;
  unsigned Shift;
  bool Signed;
  bool IsOperand; ///< not the guard or a part of the control field
};

/// A compact form of an instruction.
struct CompactForm {
  const llvm::Record *Inst;
  unsigned Code;
  std::vector<CompactField> Fields; ///< with guard and control
  /// Values of operands that have no bits and are not zero.
  std::vector<std::pair<Operand, uint64_t>> Fixed;
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
      LatencyClasses, Swaps, Flows, Spaces, Insts, Chips;
  std::vector<const llvm::Record *> TexelFormats; ///< by code
  std::vector<CompactForm> CompactForms;          ///< by code
  /// The integer fields of class Chip, in the order of declaration.
  std::vector<llvm::StringRef> ChipFields;

private:
  Operand makeOperand(const llvm::Record *Inst, llvm::StringRef Role,
                      const llvm::Record *Type, bool IsDef) const;
  void placeOperands(const llvm::Record *Inst);
  void check(const llvm::Record *Inst) const;
  CompactForm makeCompactForm(const llvm::Record *R) const;
  void addCompactItem(CompactForm &Form, llvm::StringRef Item, unsigned &Next,
                      const llvm::Record *R) const;
  unsigned slot(const llvm::Record *Inst, llvm::StringRef Role) const;

  const llvm::RecordKeeper &Records;
  llvm::DenseMap<const llvm::Record *, std::vector<Operand>> OperandsOf;
};

/// S as a C++ string literal.
std::string quoted(llvm::StringRef S);

} // namespace heddle::tblgen

#endif // HEDDLE_TBLGEN_ISARECORDS_H
