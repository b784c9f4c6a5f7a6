//===- CheckAddresses.cpp - Addresses in operands ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an operand in brackets may name: registers of the width that the state
// space has, variables of that space, offsets, coordinates.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "heddle/PTX/Forms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::ptx {

bool Checker::checkAddressRegister(const Context &C, StateSpace Space,
                                   const Operand &O) {
  const RegisterDecl *R = O.getRegister();
  Type Ty = R->getType();
  TypeClass Class = getTypeClass(Ty);
  unsigned Bits = getTypeBits(Ty);
  if (Space == StateSpace::Tmem) {
    if (Class != TypeClass::Float && Bits == 32)
      return true;
    return fail(O,
                "an address of tensor memory must be an integer register of "
                "32 bits, and '" +
                    R->getName() + "' has type " + quoted(Ty),
                R);
  }
  bool MayBeShort = is_contained({StateSpace::Shared, StateSpace::Local,
                                  StateSpace::Param, StateSpace::Const},
                                 Space);
  // A narrower one is extended with zeros; of 32 bits it is taken for a mistake
  // where no GPU has such addresses any more, and for a sign of an old file
  // where nothing says that addresses have 64.
  // Only instructions without code in the old ABI still have them.
  StringRef Op = getOpcodeName(C.Mn.Op);
  bool IsNew = Op.contains("async") || Op.starts_with("wmma.");
  bool IsOld = Bits == 32 && (M->GPU.Sm < 90 || IsNew) && M->HasAddressSize;
  if (Class != TypeClass::Float && Class != TypeClass::Pred &&
      R->getVectorWidth() == 1 &&
      (Bits == M->AddressSize || (Bits < 32 && !C.Spec.Exact) ||
       (MayBeShort && !(Bits < 32 && C.Spec.Exact)) || IsOld))
    return true;
  return failSize(O,
                  "an address must be an integer register of " +
                      Twine(M->AddressSize) + " bits, and '" + R->getName() +
                      "' has type " + quoted(Ty),
                  R);
}

bool Checker::checkAddressSpecial(const Context &C, StateSpace Space,
                                  const Operand &O) {
  const SpecialRegInfo &Info = getSpecialRegInfo(O.getSpecialReg());
  if (!C.Spec.NoConstant && Info.VectorWidth == 1 &&
      Space != StateSpace::Tmem && getTypeClass(Info.Ty) != TypeClass::Pred)
    return true;
  return fail(O, "special register '" + Info.Name +
                     "' cannot be an address here; move it to a register "
                     "first");
}

/// Warns of an access to a variable that cannot go well.
void Checker::checkPlace(const Context &C, const Operand &O,
                         const Variable &V) {
  // Of other instructions the first type does not tell how much is accessed.
  if (!is_contained({Opcode::Ld, Opcode::Ldu, Opcode::St, Opcode::Red},
                    C.Mn.Op) ||
      C.Mn.NumTypes != 1)
    return;
  // v2, v4 and v8 are the values 1, 2 and 3.
  uint64_t Size = uint64_t(getTypeBits(C.Mn.Types[0])) / 8
                  << C.Mn.Mods[unsigned(ModKind::Vec)];
  uint64_t Offset = O.getOffset();
  if (Size == 0)
    return;
  auto Warn = [&](WarningId Id, const Twine &Message) {
    if (Diags.isEnabled(Id))
      Diags.warning(Id, getRange(O.getLoc()), Message).noteDeclaration(&V);
  };
  // A negative offset is a large one.
  if (!V.isUnsized() && (Offset > V.getSize() || Size > V.getSize() - Offset))
    Warn(WarningId::OutOfBounds,
         "access to " + Twine(Size) + " bytes at offset " +
             Twine(O.getOffset()) + " of '" + V.getName() + "', which has " +
             Twine(V.getSize()));
  else if (V.getAlign() % Size == 0 && Offset % Size != 0)
    Warn(WarningId::Misaligned,
         "offset " + Twine(O.getOffset()) + " of '" + V.getName() +
             "' is not a multiple of the " + Twine(Size) + " bytes accessed");
}

/// `.unified` behind the address of something that several modules name alike.
bool Checker::checkUnified(const Context &C, const Operand &O) {
  StateSpace Space = getMainSpace(getAddressSpace(C.Mn, C.Spec));
  bool Reads = is_contained({Opcode::Ld, Opcode::Ldu, Opcode::Atom}, C.Mn.Op);
  if (!Reads || (Space != StateSpace::None && Space != StateSpace::Global))
    return fail(O, "'.unified' is only for addresses in .global that are read");
  if (O.getAddressBase() != Operand::Base::Symbol)
    return true;
  auto *V = dyn_cast<Variable>(O.getSymbol());
  return (V && V->Unified) ||
         fail(O,
              "'" + O.getSymbol()->getName() +
                  "' was declared without .attribute(.unified(...))",
              O.getSymbol());
}

/// A variable where the address is generic stands for its generic address,
/// which constants and parameters have only behind a cvta.
bool Checker::checkGenericPlace(const Context &C, const Operand &O,
                                const Variable &V) {
  auto Need = StateSpace(C.Spec.VariableSpace);
  if (Need != StateSpace::None)
    return V.Space == Need || failSpace(C, O, V, Need);
  if (V.Space != StateSpace::Const && V.Space != StateSpace::Param)
    return true;
  return fail(O,
              "'" + V.getName() + "' is in " + spellSpace(V.Space) + ", but '" +
                  C.Mn.Spelling + "' uses a generic address",
              &V);
}

bool Checker::checkAddress(const Context &C, const Operand &O) {
  if (!O.is(Operand::Kind::Address))
    return fail(O, "operand '" + C.Spec.getName() + "' of '" + C.Mn.Spelling +
                       "' must be an address in brackets");
  StateSpace Space = getMainSpace(getAddressSpace(C.Mn, C.Spec));
  if (O.isUnified() && !checkUnified(C, O))
    return false;
  switch (O.getAddressBase()) {
  case Operand::Base::Register:
    return checkAddressRegister(C, Space, O);
  case Operand::Base::Special:
    return checkAddressSpecial(C, Space, O);
  case Operand::Base::Absolute:
    if (Space == StateSpace::Local)
      return true;
    return fail(O, "a constant address is allowed only in .local");
  case Operand::Base::Symbol:
    break;
  }
  auto *V = dyn_cast<Variable>(O.getSymbol());
  if (!V)
    return fail(O, "'" + O.getSymbol()->getName() + "' is not a variable",
                O.getSymbol());
  bool Ok = Space == StateSpace::None
                ? checkGenericPlace(C, O, *V)
                : V->Space == Space || failSpace(C, O, *V, Space);
  if (Ok)
    checkPlace(C, O, *V);
  return Ok;
}

} // namespace heddle::ptx
