//===- Forms.h - Mnemonics and the rows they come from ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way back from modifiers and types to the text of a mnemonic, for whoever
// writes PTX or names an instruction without its text.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PTX_FORMS_H
#define HEDDLE_PTX_FORMS_H

#include "heddle/PTX/AST.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle::ptx {

/// Spellings, without dots, of what follows the opcode in a mnemonic.
using MnemonicParts = llvm::SmallVector<llvm::StringRef, 10>;

/// The rows of an opcode as the table writes it (`bar.warp.sync`).
llvm::SmallVector<const FormRow *> findFormsOf(llvm::StringRef Opcode);

/// Spells the modifiers and types of \p Mn in the order of the row \p Row.
/// False when the row lacks one of them or requires another.
bool spellParts(const FormRow &Row, const Mnemonic &Mn, MnemonicParts &Parts);

/// The text of a mnemonic whose parts spellParts gave: a modifier that has the
/// first place stands before the later parts of the opcode (`bar.cta.sync`).
std::string spellMnemonic(const Mnemonic &Mn,
                          llvm::ArrayRef<llvm::StringRef> Parts);

/// The mnemonics that an opcode and parts in the order of a row can mean, one
/// for each row that they fit, in the order of the table.
llvm::SmallVector<Mnemonic, 2>
findMnemonics(llvm::StringRef Opcode, llvm::ArrayRef<llvm::StringRef> Parts);

/// The type of an operand of \p Mn; none where any type will do.
std::optional<Type> getOperandType(const Mnemonic &Mn, const OperandSpec &Spec);

/// The space that an address operand of \p Mn is in; None: a generic address.
StateSpace getAddressSpace(const Mnemonic &Mn, const OperandSpec &Spec);

/// Whether an instruction reads the destination that it writes: the accumulator
/// of wgmma.
bool readsDestination(const FormRow &Form, const OperandSpec &Spec);

/// The number of elements of the vector that an operand of \p Mn is, 0 when it
/// is none.
unsigned getVectorWidth(const Mnemonic &Mn, const OperandSpec &Spec);

/// Whether a target meets one of several requirements, or there are none.
bool isMetBy(llvm::ArrayRef<Target> Alternatives, Target GPU);

/// Whether a form has been taken from such targets by that version.
bool isGone(const FormRow &Form, unsigned Version, Target GPU);

/// Whether a module of this version (Major * 10 + Minor) and target has the
/// row of a mnemonic and its modifiers.
bool isAvailable(const Mnemonic &Mn, unsigned Version, Target GPU);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_FORMS_H
