//===- HeddleAsmMatcher.cpp - Matches statements to instructions *- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the pieces of a template along the elements of a statement. No piece
// needs to look ahead, so that there is no backtracking.
//
//===----------------------------------------------------------------------===//

#include "HeddleAsmMatcher.h"

#include "HeddleMCTargetDesc.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::Heddle;
namespace isa = heddle::isa;

namespace {

using CandidateMap = StringMap<SmallVector<const isa::InstInfo *, 5>>;

const CandidateMap &getCandidateMap() {
  static const CandidateMap Map = [] {
    CandidateMap M;
    for (const isa::InstInfo &Info : isa::instructions())
      M[StringRef(Info.Mnemonic)].push_back(&Info);
    return M;
  }();
  return Map;
}

StringRef describeRegister(isa::OperandKind Kind) {
  switch (Kind) {
  case isa::OperandKind::GPR32:
    return "a register R0 to R254 or RZ";
  case isa::OperandKind::GPR64:
    return "an even register, first of two, or RZ";
  case isa::OperandKind::GPR128:
    return "a register divisible by 4, first of four, or RZ";
  case isa::OperandKind::UGPR32:
    return "a uniform register UR0 to UR62 or URZ";
  case isa::OperandKind::UGPR64:
    return "an even uniform register, first of two, or URZ";
  case isa::OperandKind::UGPR128:
    return "a uniform register divisible by 4, first of four";
  case isa::OperandKind::PR:
    return "a predicate P0 to P6 or PT";
  case isa::OperandKind::UPR:
    return "a uniform predicate UP0 to UP6 or UPT";
  default:
    return "a convergence register B0 to B15";
  }
}

StringRef describeImmediate(const isa::OperandInfo &O) {
  if (O.Kind == isa::OperandKind::Target)
    return "a label or a distance";
  switch (O.Spelling) {
  case isa::Spelling::Float32:
    return "a decimal fraction or 32 bits in hexadecimal";
  case isa::Spelling::Special:
    return "a special register (SR_tid.x, ...) or its number";
  default:
    return "a number";
  }
}

/// The value as the disassembler gives it: of its width and signedness.
int64_t normalize(int64_t Value, const isa::OperandInfo &O) {
  if (O.Width >= 64)
    return Value;
  return O.Signed ? SignExtend64(Value, O.Width)
                  : Value & maskTrailingOnes<uint64_t>(O.Width);
}

bool mayBeWritten(int64_t Value, const isa::OperandInfo &O) {
  if (O.Width >= 64)
    return true;
  // 32 bits and sets of bits may be written with or without a sign.
  if (O.Width == 32 || O.Spelling == isa::Spelling::Bits)
    return isIntN(O.Width, Value) || isUIntN(O.Width, Value);
  return O.Signed ? isIntN(O.Width, Value) : isUIntN(O.Width, Value);
}

std::string listModifiers(const isa::OperandInfo &O) {
  std::string List;
  for (StringRef Name : isa::modifiers()[O.Modifier].Values)
    if (!Name.empty())
      List += (List.empty() ? "one of ." : ", .") + Name.str();
  return List;
}

} // namespace

ArrayRef<const isa::InstInfo *> Heddle::getCandidates(StringRef Mnemonic) {
  auto It = getCandidateMap().find(Mnemonic);
  if (It == getCandidateMap().end())
    return {};
  return It->second;
}

StringRef Heddle::suggestMnemonic(StringRef Wrong) {
  std::string Upper = Wrong.upper();
  StringRef Best;
  // Names that differ in more than a third of their letters are no helpful
  // suggestion.
  unsigned BestDistance = Upper.size() / 3 + 1;
  for (const isa::InstInfo &Info : isa::instructions()) {
    StringRef Mnemonic = Info.Mnemonic;
    unsigned Distance = Mnemonic.edit_distance(Upper, true, BestDistance);
    if (Distance < BestDistance || (Distance == BestDistance && Best.empty())) {
      Best = Mnemonic;
      BestDistance = Distance;
    }
  }
  return Best;
}

bool AsmMatcher::expected(const Twine &What) {
  Failure = {Position, What.str(), false};
  if (next().Kind == AsmElement::Modifier) {
    Failure.Text = "'." + next().Text.str() + "' is not a modifier of " +
                   std::string(Info.Mnemonic) + " here";
    Failure.IsMessage = true;
  }
  return false;
}

bool AsmMatcher::fail(const Twine &Message) {
  Failure = {Position, Message.str(), true};
  return false;
}

bool AsmMatcher::match() {
  for (const AsmPiece &Piece : getAsmPieces(Info))
    if (!matchPiece(Piece))
      return false;
  return next().Kind == AsmElement::End || expected("the end of the statement");
}

bool AsmMatcher::matchPiece(const AsmPiece &Piece) {
  switch (Piece.Kind) {
  case AsmPiece::Literal:
    return matchLiteral(Piece.Text);
  case AsmPiece::Modifier:
    return matchModifier(Piece.Operand);
  case AsmPiece::Offset:
    return matchOffset(Piece.Operand);
  case AsmPiece::Value:
    return matchValue(Piece);
  }
  return false;
}

bool AsmMatcher::matchLiteral(StringRef Text) {
  for (char C : Text) {
    if (C == ' ')
      continue;
    if (!next().isMark(C))
      return expected("'" + Twine(C) + "'");
    ++Position;
  }
  return true;
}

/// How many elements spell the name of a modifier, which may have dots; 0 if
/// they do not.
size_t AsmMatcher::countModifierElements(StringRef Name) const {
  size_t Count = 0;
  while (!Name.empty()) {
    const AsmElement &E = Elements[Position + Count];
    StringRef Part;
    std::tie(Part, Name) = Name.split('.');
    if (E.Kind != AsmElement::Modifier || E.Text != Part)
      return 0;
    ++Count;
  }
  return Count;
}

bool AsmMatcher::matchModifier(unsigned Operand) {
  const isa::OperandInfo &O = Info.Operands[Operand];
  int Found = -1;
  size_t Count = 0;
  for (auto [Index, Name] : enumerate(isa::modifiers()[O.Modifier].Values)) {
    size_t N = countModifierElements(Name);
    if (N > Count || (Name.empty() && Found < 0)) {
      Found = Index;
      Count = N;
    }
  }
  if (Found < 0 && O.R == isa::Role::scope)
    if (int Order = findOperand(Info, isa::Role::order);
        Order >= 0 && isScopeOptional(Operands[Order].getImm()))
      Found = 0;
  if (Found < 0)
    return expected(listModifiers(O));
  Operands[Operand] = MCOperand::createImm(Found);
  Position += Count;
  return true;
}

bool AsmMatcher::matchOffset(unsigned Operand) {
  bool IsNegative = next().isMark('-');
  if (!IsNegative && !next().isMark('+')) {
    Operands[Operand] = MCOperand::createImm(0);
    return true;
  }
  ++Position;
  if (next().Kind != AsmElement::Number || next().Negated || next().Absolute)
    return expected("a number");
  return takeNumber(Operand, IsNegative ? -next().Value : next().Value);
}

bool AsmMatcher::matchValue(const AsmPiece &Piece) {
  return isRegisterKind(Info.Operands[Piece.Operand].Kind)
             ? matchRegister(Piece)
             : matchImmediate(Piece);
}

bool AsmMatcher::matchRegister(const AsmPiece &Piece) {
  const isa::OperandInfo &O = Info.Operands[Piece.Operand];
  const AsmElement &E = next();
  if (E.Kind != AsmElement::Register || E.Reg.File != getRegisterFile(O.Kind))
    return expected(describeRegister(O.Kind));
  MCRegister Reg = getRegister(O.Kind, E.Reg.Number);
  if (!Reg)
    return expected(describeRegister(O.Kind));
  if (!matchSigns(Piece))
    return false;
  Operands[Piece.Operand] = MCOperand::createReg(Reg);
  ++Position;
  return true;
}

/// Sets the source modifier, and refuses signs that the operand cannot have.
bool AsmMatcher::matchSigns(const AsmPiece &Piece) {
  const AsmElement &E = next();
  isa::OperandKind Kind = Info.Operands[Piece.Operand].Kind;
  bool IsPredicate =
      Kind == isa::OperandKind::PR || Kind == isa::OperandKind::UPR;
  unsigned Width =
      Piece.SourceModifier < 0 ? 0 : Info.Operands[Piece.SourceModifier].Width;
  if (E.Inverted && (!IsPredicate || Width == 0))
    return fail("'!' cannot stand before this operand");
  if (E.Negated && (IsPredicate || Width == 0))
    return fail("this operand cannot be negated");
  if (E.Absolute && Width < 2)
    return fail("this operand cannot be taken absolutely");
  if (Width)
    Operands[Piece.SourceModifier] =
        MCOperand::createImm((E.Negated || E.Inverted) | E.Absolute << 1);
  return true;
}

/// Only the immediates in bits 63..32 and 95..32 have relocations.
bool AsmMatcher::takesSymbol(const isa::OperandInfo &O) const {
  return O.Kind == isa::OperandKind::Target ||
         (O.Width >= 32 && O.Lsb == 32 && O.Spelling == isa::Spelling::Number);
}

bool AsmMatcher::matchImmediate(const AsmPiece &Piece) {
  const isa::OperandInfo &O = Info.Operands[Piece.Operand];
  const AsmElement &E = next();
  bool IsFloat = O.Spelling == isa::Spelling::Float32;
  bool IsNumber = E.Kind == AsmElement::Number;
  if (!IsNumber && !(E.Kind == AsmElement::Real && IsFloat) &&
      !(E.Kind == AsmElement::Symbolic && takesSymbol(O)) &&
      !(E.Kind == AsmElement::Special && O.Spelling == isa::Spelling::Special))
    return expected(describeImmediate(O));
  // An operand without a sign of its own reads -(5) as the number -5.
  bool Folds = Piece.SourceModifier < 0 && E.Negated && IsNumber && !E.Absolute;
  if (!Folds && !matchSigns(Piece))
    return false;
  if (E.Kind == AsmElement::Real)
    return takeReal(Piece.Operand);
  if (E.Kind != AsmElement::Symbolic)
    return takeNumber(Piece.Operand, Folds ? -E.Value : E.Value);
  Operands[Piece.Operand] = MCOperand::createExpr(E.Expr);
  ++Position;
  return true;
}

bool AsmMatcher::takeNumber(unsigned Operand, int64_t Value) {
  const isa::OperandInfo &O = Info.Operands[Operand];
  if (!mayBeWritten(Value, O))
    return fail(Twine(Value) + " does not fit " + Twine(unsigned(O.Width)) +
                (O.Signed ? " bits with a sign" : " bits"));
  // An integer before a floating operation is more likely a mistake than bits.
  bool IsHex = StringRef(next().Loc.getPointer(), 2).equals_insensitive("0x");
  if (O.Spelling == isa::Spelling::Float32 && !IsHex)
    return fail("a floating-point immediate needs a decimal point, or stands "
                "for its bits in hexadecimal");
  Operands[Operand] = MCOperand::createImm(normalize(Value, O));
  ++Position;
  return true;
}

bool AsmMatcher::takeReal(unsigned Operand) {
  APFloat Value(APFloat::IEEEsingle());
  auto Status =
      Value.convertFromString(next().Text, APFloat::rmNearestTiesToEven);
  if (!Status) {
    consumeError(Status.takeError());
    return fail("'" + next().Text + "' is not a number");
  }
  if (*Status & APFloat::opOverflow)
    return fail("'" + next().Text + "' is beyond single precision");
  if (next().IsNegative)
    Value.changeSign();
  Operands[Operand] =
      MCOperand::createImm(Value.bitcastToAPInt().getZExtValue());
  ++Position;
  return true;
}
