//===- HeddleAsmTemplate.cpp - Instruction templates ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts the templates of the ISA table into pieces, once.
//
//===----------------------------------------------------------------------===//

#include "HeddleAsmTemplate.h"

#include "heddle/Support/Check.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <vector>

using namespace llvm;
using namespace llvm::Heddle;
namespace isa = heddle::isa;

namespace {

using PieceList = std::vector<AsmPiece>;

int findOperandNamed(const isa::InstInfo &Info, StringRef Role) {
  for (auto [Index, O] : enumerate(Info.Operands))
    if (StringRef(isa::roleName(O.R)) == Role)
      return Index;
  HEDDLE_UNREACHABLE("an assembly template names a role that is not there");
}

/// The source modifier of the source with the role: `m` or `n` and a letter.
int findSourceModifier(const isa::InstInfo &Info, StringRef Suffix) {
  int Index = findOperandNamed(Info, Suffix);
  HEDDLE_CHECK(Info.Operands[Index].Kind == isa::OperandKind::SourceModifier,
               "what follows '~' in an assembly template is no modifier");
  return Index;
}

StringRef takeName(StringRef &Rest) {
  StringRef Name = Rest.take_while([](char C) { return isAlnum(C); });
  Rest = Rest.drop_front(Name.size());
  return Name;
}

/// A literal ' + ' before an immediate becomes part of the Offset piece.
void addImmediate(PieceList &Pieces, AsmPiece Piece) {
  if (!Pieces.empty() && Pieces.back().Kind == AsmPiece::Literal &&
      Pieces.back().Text.consume_back(" + ")) {
    if (Pieces.back().Text.empty())
      Pieces.pop_back();
    Piece.Kind = AsmPiece::Offset;
  }
  Pieces.push_back(Piece);
}

PieceList cutTemplate(const isa::InstInfo &Info) {
  PieceList Pieces;
  StringRef Rest = Info.Asm;
  while (!Rest.empty()) {
    StringRef Text = Rest.take_until([](char C) { return C == '$'; });
    Rest = Rest.drop_front(Text.size());
    if (!Text.empty())
      Pieces.push_back({AsmPiece::Literal, -1, -1, Text});
    if (!Rest.consume_front("$"))
      break;
    AsmPiece Piece{AsmPiece::Value};
    Piece.Operand = findOperandNamed(Info, takeName(Rest));
    if (Rest.consume_front("~"))
      Piece.SourceModifier = findSourceModifier(Info, takeName(Rest));
    const isa::OperandInfo &O = Info.Operands[Piece.Operand];
    if (O.Kind == isa::OperandKind::Modifier)
      Piece.Kind = AsmPiece::Modifier;
    if (O.Kind == isa::OperandKind::Imm)
      addImmediate(Pieces, Piece);
    else
      Pieces.push_back(Piece);
  }
  return Pieces;
}

std::vector<PieceList> cutAllTemplates() {
  std::vector<PieceList> All;
  for (const isa::InstInfo &Info : isa::instructions())
    All.push_back(cutTemplate(Info));
  return All;
}

} // namespace

ArrayRef<AsmPiece> Heddle::getAsmPieces(const isa::InstInfo &Info) {
  static const std::vector<PieceList> All = cutAllTemplates();
  return All[&Info - isa::instructions().data()];
}

int Heddle::findOperand(const isa::InstInfo &Info, isa::Role R) {
  for (auto [Index, O] : enumerate(Info.Operands))
    if (O.R == R)
      return Index;
  return -1;
}

bool Heddle::isScopeOptional(int64_t Order) {
  // The first two orders are weak and CONST.
  return Order < 2;
}

StringRef Heddle::getSpecialRegisterName(int64_t Number) {
  for (const isa::SpecialRegisterInfo &S : isa::specialRegisters())
    if (S.Number == Number)
      return S.Name;
  return "";
}

std::optional<unsigned> Heddle::findSpecialRegister(StringRef Name) {
  if (Name.consume_front(SpecialRegisterPrefix))
    for (const isa::SpecialRegisterInfo &S : isa::specialRegisters())
      if (StringRef(S.Name) == Name)
        return S.Number;
  return std::nullopt;
}
