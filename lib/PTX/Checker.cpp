//===- Checker.cpp - Operands against the table -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of the PTX manual's chapter 9 on operands: a register must have
// the width of the instruction's type and an agreeing kind, where .b types
// agree with all and signedness does not matter; loads, stores and conversions
// take wider registers.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "heddle/PTX/Forms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace heddle::ptx {

SourceRange Checker::getRange(SourceLoc Loc) const {
  StringRef Rest = Text.drop_front(std::min<size_t>(Loc.Offset, Text.size()));
  if (Rest.empty())
    return {Loc, 1};
  auto IsPart = [](char C) {
    return isAlnum(C) || C == '_' || C == '$' || C == '.' || C == '%';
  };
  size_t Length;
  if (Rest[0] == '[' || Rest[0] == '{' || Rest[0] == '(')
    Length = Rest.find_first_of("]});\n") + 1;
  else
    Length = Rest.take_while(IsPart).size();
  if (Length == 0)
    Length = 1;
  return {Loc, uint32_t(std::min(Length, Rest.size()))};
}

bool Checker::fail(const Operand &O, const Twine &Message,
                   const Decl *Declared) {
  Diagnostic &D = Diags.error(getRange(O.getLoc()), Message);
  if (Declared)
    D.noteDeclaration(Declared);
  return false;
}

/// The same for an address of the wrong size, whose cause may be that the file
/// does not say what is right.
bool Checker::failSize(const Operand &O, const Twine &Message,
                       const Decl *Declared) {
  Diagnostic &D = Diags.error(getRange(O.getLoc()), Message);
  if (!M->HasAddressSize)
    D.note({}, "without an .address_size directive, addresses have 64 bits");
  D.noteDeclaration(Declared);
  return false;
}

std::string Checker::quoted(Type Ty) {
  return ("'." + getTypeName(Ty) + "'").str();
}

bool Checker::agrees(Type Inst, Type Reg) {
  TypeClass A = getTypeClass(Inst), B = getTypeClass(Reg);
  if (A == TypeClass::Pred || B == TypeClass::Pred)
    return A == B;
  if (A == TypeClass::Bits || B == TypeClass::Bits)
    return true;
  // ptxas takes a pair of halves for any 32 bits that are not one number in
  // floating point.
  if (Reg == Type::F16x2 && A != TypeClass::Float)
    return true;
  if (A == TypeClass::Float || B == TypeClass::Float || A == TypeClass::Packed)
    return Inst == Reg;
  return true;
}

/// `{%r1}` stands for `%r1` where a vector could stand: Triton writes it so.
static const Operand &unwrap(const Mnemonic &Mn, const OperandSpec &S,
                             const Operand &O) {
  bool Single = O.is(Operand::Kind::Vector) && O.getElements().size() == 1;
  bool OneValue = S.VecModifier
                      ? Vec(Mn.Mods[unsigned(ModKind::Vec)]) == Vec::None
                      : bool(S.Packable);
  return Single && OneValue ? O.getElements().front() : O;
}

/// Whether an operand must be written: one of a modifier is settled by it.
static bool isRequired(const Mnemonic &Mn, const OperandSpec &S) {
  return S.WithKind == NoModKind ? !S.Optional : Mn.Mods[S.WithKind] != 0;
}

/// A member of a group as its place wants it: `[a]` and `[a, b]` are parsed
/// before it is known what their members are.
static Operand convertMember(const OperandSpec &S, const Operand &O) {
  bool IsAddress = O.is(Operand::Kind::Address);
  if (S.Role == OperandRole::Address && !IsAddress &&
      (O.is(Operand::Kind::Register) || O.is(Operand::Kind::Symbol)))
    return Operand::makeAddress(O.getLoc(), O, 0);
  if (S.Role == OperandRole::Address || !IsAddress || O.getOffset() != 0)
    return O;
  if (O.getAddressBase() == Operand::Base::Register)
    return Operand::makeRegister(O.getLoc(), O.getRegister(),
                                 O.getRegisterIndex());
  if (O.getAddressBase() == Operand::Base::Symbol)
    return Operand::makeSymbol(O.getLoc(), O.getSymbol(), 0);
  return O;
}

/// Whether the address may be an element of an array, without brackets.
static bool takesElement(const Mnemonic &Mn, const OperandSpec &S) {
  return S.Role == OperandRole::Address &&
         is_contained({Opcode::Ld, Opcode::Ldu, Opcode::St}, Mn.Op);
}

/// Puts \p Written into the places of \p Specs, none of which is a group.
static bool arrangeFlat(const Mnemonic &Mn, ArrayRef<OperandSpec> Specs,
                        ArrayRef<Operand> Written, SourceLoc End, bool IsGroup,
                        SmallVectorImpl<Operand> &Arranged) {
  size_t Required =
      count_if(Specs, [&](const OperandSpec &S) { return isRequired(Mn, S); });
  if (Written.size() < Required)
    return false;
  size_t Surplus = Written.size() - Required, Next = 0;
  for (const OperandSpec &S : Specs) {
    bool Take = isRequired(Mn, S);
    // A scalar is not the vector that may be left out before it.
    bool Fits = S.VectorWidth == 0 || (Next < Written.size() &&
                                       Written[Next].is(Operand::Kind::Vector));
    if (!Take && S.WithKind == NoModKind && Surplus != 0 && Fits) {
      Take = true;
      --Surplus;
    }
    if (!Take) {
      Arranged.push_back(Operand::makeNone(End));
      continue;
    }
    const Operand &O = unwrap(Mn, S, Written[Next++]);
    if (O.is(Operand::Kind::Symbol) && O.isElement() && takesElement(Mn, S))
      Arranged.push_back(Operand::makeAddress(O.getLoc(), O, O.getOffset()));
    else
      Arranged.push_back(IsGroup ? convertMember(S, O) : O);
  }
  return Next == Written.size();
}

bool Checker::arrange(const Mnemonic &Mn, ArrayRef<Operand> Written,
                      SmallVectorImpl<Operand> &Arranged) {
  ArrayRef<OperandSpec> Specs = Mn.Form->getOperands();
  Arranged.clear();
  SourceLoc End = Written.empty() ? SourceLoc() : Written.back().getLoc();
  if (none_of(Specs, [](const OperandSpec &S) { return S.GroupSize != 0; }))
    return arrangeFlat(Mn, Specs, Written, End, false, Arranged);
  // What stands before, in and after the group. Only what comes after it may
  // be left out.
  size_t Before =
      find_if(Specs, [](const OperandSpec &S) { return S.GroupSize != 0; }) -
      Specs.begin();
  if (Written.size() <= Before)
    return false;
  const Operand &Group = Written[Before];
  ArrayRef<Operand> Members =
      Group.is(Operand::Kind::Group) ? Group.getElements() : ArrayRef(Group);
  if (!Group.is(Operand::Kind::Group) && !Group.is(Operand::Kind::Address))
    return false;
  size_t Size = Specs[Before].GroupSize;
  return arrangeFlat(Mn, Specs.take_front(Before), Written.take_front(Before),
                     End, false, Arranged) &&
         arrangeFlat(Mn, Specs.slice(Before, Size), Members, Group.getLoc(),
                     true, Arranged) &&
         arrangeFlat(Mn, Specs.drop_front(Before + Size),
                     Written.drop_front(Before + 1), End, false, Arranged);
}

/// Whether ptxas takes a vector of words, however many, for four narrow
/// numbers.
static bool takesWords(const Mnemonic &Mn, Type Ty) {
  return is_contained({"add", "sub", "mul", "fma"}, getOpcodeName(Mn.Op)) &&
         is_contained({Type::E4M3x4, Type::E5M2x4, Type::E3M2x4, Type::E2M3x4,
                       Type::E2M1P4x4},
                      Ty);
}

bool Checker::fitsKinds(const Mnemonic &Mn, ArrayRef<Operand> Operands) {
  return all_of(zip(Mn.Form->getOperands(), Operands), [&](auto Both) {
    const auto &[S, O] = Both;
    if (O.is(Operand::Kind::None))
      return true;
    if (S.PairRequired || O.is(Operand::Kind::Pair))
      return O.is(Operand::Kind::Pair) && bool(S.PairPredicate);
    if (S.Rule == OperandTypeRule::Sink)
      return O.is(Operand::Kind::Sink);
    if (S.Role == OperandRole::Immediate && S.NumValues != 0)
      return O.is(Operand::Kind::IntImm) &&
             is_contained(S.getAllowedValues(), int64_t(O.getInt()));
    if ((S.Role == OperandRole::Address) != O.is(Operand::Kind::Address))
      return bool(S.Unchecked);
    // An integer constant is none of a floating-point type.
    std::optional<Type> Ty = getOperandType(Mn, S);
    if (O.is(Operand::Kind::IntImm) && Ty &&
        getTypeClass(*Ty) == TypeClass::Float)
      return false;
    bool IsVector = O.is(Operand::Kind::Vector) ||
                    (O.is(Operand::Kind::Register) && O.getComponent() < 0 &&
                     O.getRegister()->getVectorWidth() != 1);
    if (O.is(Operand::Kind::Vector) && Ty && takesWords(Mn, *Ty))
      return true;
    bool IsPred = O.is(Operand::Kind::Register) &&
                  getTypeClass(O.getRegister()->getType()) == TypeClass::Pred;
    if (Ty && S.Role == OperandRole::Source && !S.Unchecked &&
        IsPred != (getTypeClass(*Ty) == TypeClass::Pred) &&
        O.is(Operand::Kind::Register))
      return false;
    unsigned Width = getVectorWidth(Mn, S);
    if (S.Unchecked && !S.Braces)
      return true;
    bool IsScalar = !IsVector && !O.is(Operand::Kind::SpecialReg);
    if (IsScalar)
      return Width == 0 || (Width == 1 && !S.Braces);
    return !IsVector || Width != 0 || S.Packable;
  });
}

bool Checker::checkGuard(const Guard &G, SourceRange Where) {
  if (getTypeClass(G.Register->getType()) == TypeClass::Pred)
    return true;
  Diags
      .error(Where, "a guard must be a predicate, and '" +
                        StringRef(Text.substr(Where.Loc.Offset, Where.Length)) +
                        "' has type " + quoted(G.Register->getType()))
      .noteDeclaration(G.Register);
  return false;
}

bool Checker::checkOperands(const Mnemonic &Mn,
                            MutableArrayRef<Operand> Operands,
                            bool &HasMeaning) {
  bool Ok = true;
  Tolerated = false;
  for (auto [Spec, O] : zip(Mn.Form->getOperands(), Operands)) {
    if (O.is(Operand::Kind::None)) {
      if (Spec.Role == OperandRole::Object &&
          Type(Spec.Value) == Type::SamplerRef && M->TextureModeIndependent)
        Ok = fail(O, "'" + Mn.Spelling +
                         "' needs a sampler, since .target has "
                         "texmode_independent");
      continue;
    }
    if (Spec.Role == OperandRole::Object && Spec.Optional &&
        !M->TextureModeIndependent && M->PTXVersion.getCode() < 43)
      Ok = fail(O, "a sampler needs .target to have texmode_independent, or "
                   ".version 4.3");
    else if (Spec.Independent && !M->TextureModeIndependent)
      Ok = fail(O, "with '" + Mn.Spelling +
                       "' a sampler needs .target to have "
                       "texmode_independent");
    Context C{Mn,    Spec, Type::B32, false, getVectorWidth(Mn, Spec),
              false, false};
    switch (Spec.Rule) {
    case OperandTypeRule::Fixed:
      C.Ty = Type(Spec.Value);
      break;
    case OperandTypeRule::Suffix:
      C.Ty = Mn.Types[Spec.Value];
      break;
    case OperandTypeRule::Wide: {
      // u16 and s16 become u32 and s32, these u64 and s64.
      Type Narrow = Mn.Types[Spec.Value];
      bool Signed = getTypeClass(Narrow) == TypeClass::SInt;
      C.Ty = getTypeBits(Narrow) == 16 ? (Signed ? Type::S32 : Type::U32)
                                       : (Signed ? Type::S64 : Type::U64);
      break;
    }
    case OperandTypeRule::Any:
      C.AnyType = true;
      break;
    case OperandTypeRule::Sink:
      break;
    }
    Ok &= checkOne(C, O) && checkSelector(C, O);
  }
  HasMeaning &= !Tolerated;
  return checkRepacking(Mn, Operands) && Ok;
}

/// `mov.b64` packs or unpacks, and does not do both.
bool Checker::checkRepacking(const Mnemonic &Mn, ArrayRef<Operand> Operands) {
  const Operand *Packed = nullptr;
  for (auto [Spec, O] : zip(Mn.Form->getOperands(), Operands)) {
    if (!Spec.Packable || !O.is(Operand::Kind::Vector) ||
        getVectorWidth(Mn, Spec) != 0)
      continue;
    if (Packed)
      return fail(O, "'" + Mn.Spelling +
                         "' takes a vector as one operand, not as both");
    Packed = &O;
  }
  return true;
}

/// Accepts what the manual does not allow and ptxas does not check. Its
/// meaning is not known.
bool Checker::tolerate(const Operand &O, const Twine &Message,
                       const Decl *Declared) {
  Diagnostic &D =
      Diags.warning(WarningId::UncheckedOperand, getRange(O.getLoc()), Message);
  if (Declared)
    D.noteDeclaration(Declared);
  Tolerated = true;
  return true;
}

/// Whether a vector has registers of 32 bits in it, and nothing else.
static bool hasWords(const Operand &O) {
  return all_of(O.getElements(), [](const Operand &Part) {
    return Part.is(Operand::Kind::Register) &&
           getTypeBits(Part.getRegister()->getType()) == 32;
  });
}

/// Whether the operand, which should be an address in brackets, is the name of
/// a variable that could stand in them.
bool Checker::isBarePlace(const Context &C, const Operand &O) {
  auto *V =
      O.is(Operand::Kind::Symbol) ? dyn_cast<Variable>(O.getSymbol()) : nullptr;
  return V && V->Space == getMainSpace(getAddressSpace(C.Mn, C.Spec));
}

/// The verdict on an operand of which ptxas checks little, or none when it is
/// what the row says.
std::optional<bool> Checker::checkUnchecked(const Context &C,
                                            const Operand &O) {
  StringRef Name = C.Spec.getName();
  if (C.Spec.Role == OperandRole::Address) {
    if (!O.is(Operand::Kind::Register) && !O.is(Operand::Kind::FloatImm) &&
        !isBarePlace(C, O))
      return std::nullopt;
    return tolerate(O, "operand '" + Name + "' of '" + C.Mn.Spelling +
                           "' should be an address in brackets");
  }
  bool IsVector = O.is(Operand::Kind::Vector) ||
                  (O.is(Operand::Kind::Register) && O.getComponent() < 0 &&
                   O.getRegister()->getVectorWidth() != 1) ||
                  (O.is(Operand::Kind::SpecialReg) && O.getComponent() < 0 &&
                   getSpecialRegInfo(O.getSpecialReg()).VectorWidth != 1);
  // Braces around one register, as CUTLASS writes metadata and scales.
  if (C.Width == 0 && O.is(Operand::Kind::Vector) &&
      O.getElements().size() == 1)
    return checkOne(C, O.getElements().front());
  if (C.Width != 0 && !IsVector && !C.Spec.Braces &&
      !O.is(Operand::Kind::Pair) && !O.is(Operand::Kind::Symbol)) {
    Context Scalar = C;
    Scalar.Width = 0;
    return checkScalar(Scalar, O) &&
           tolerate(O, "operand '" + Name + "' of '" + C.Mn.Spelling +
                           "' should be a vector of " + Twine(C.Width));
  }
  // `$` marks the metadata of sparse matrices and the scales of blocks.
  bool IsPred = O.is(Operand::Kind::Register) &&
                getTypeClass(O.getRegister()->getType()) == TypeClass::Pred;
  bool IsSingle = O.is(Operand::Kind::FloatImm) && O.isSingle();
  bool IsOther = C.Spec.NoConstant
                     ? IsPred || IsSingle || (IsVector && hasWords(O))
                     : IsVector;
  if (C.Width != 0 || !IsOther)
    return std::nullopt;
  if (!C.Spec.NoConstant && O.is(Operand::Kind::Vector) && !checkParts(C, O))
    return false;
  return tolerate(O, "operand '" + Name + "' of '" + C.Mn.Spelling +
                         "' should be one register of type " + quoted(C.Ty));
}

/// Whether the elements of a vector that stands for a scalar are of its type.
/// One untyped register makes the vector untyped.
bool Checker::checkParts(const Context &C, const Operand &O) {
  Context Element = C;
  Element.InVector = true;
  Element.IsBits = any_of(O.getElements(), [](const Operand &Part) {
    return Part.is(Operand::Kind::Register) &&
           getTypeClass(Part.getRegister()->getType()) == TypeClass::Bits;
  });
  return all_of(O.getElements(), [&](const Operand &Part) {
    return checkScalar(Element, Part);
  });
}

bool Checker::checkOne(const Context &C, const Operand &O) {
  if (C.Spec.Unchecked)
    if (std::optional<bool> Verdict = checkUnchecked(C, O))
      return *Verdict;
  switch (C.Spec.Role) {
  case OperandRole::Label:
    return true;
  case OperandRole::Targets:
    if (O.is(Operand::Kind::Symbol) && isa<BranchTargetsDecl>(O.getSymbol()))
      return true;
    return fail(O, "expected the label of a .branchtargets");
  case OperandRole::Returns:
  case OperandRole::Callee:
  case OperandRole::Arguments:
  case OperandRole::Prototype:
    return true; // checkCall looks at them together.
  case OperandRole::Address:
    return checkAddress(C, O);
  case OperandRole::Object:
    return checkObject(C, O);
  case OperandRole::Immediate:
    return checkConstant(C, O);
  case OperandRole::Dest:
  case OperandRole::Source:
    break;
  }
  if (C.Spec.Rule == OperandTypeRule::Sink)
    return O.is(Operand::Kind::Sink) ||
           fail(O, "'" + C.Mn.Spelling + "' gives no '" + C.Spec.getName() +
                       "'; write '_'");
  if (O.is(Operand::Kind::Pair))
    return checkPair(C, O);
  if (C.Spec.PairRequired)
    return fail(O, "'" + C.Mn.Spelling +
                       "' needs a predicate as second destination: 'd|p'");
  if (C.Width != 0)
    return checkVector(C, O);
  if (O.is(Operand::Kind::Vector) && C.Spec.Packable)
    return checkPacked(C, O);
  if (O.is(Operand::Kind::Sink)) {
    if (C.Spec.Sink)
      return true;
    return fail(O, "'" + C.Mn.Spelling + "' does not allow '_' here");
  }
  return checkScalar(C, O);
}

/// An operand that must be an integer constant, perhaps one of a few.
bool Checker::checkConstant(const Context &C, const Operand &O) {
  if (!O.is(Operand::Kind::IntImm))
    return fail(O, "operand '" + C.Spec.getName() + "' of '" + C.Mn.Spelling +
                       "' must be an integer constant");
  return checkValue(C, O);
}

/// Whether an integer constant is one of those that the row allows.
bool Checker::checkValue(const Context &C, const Operand &O) {
  if (int64_t(O.getInt()) % C.Spec.Multiple != 0)
    return fail(O, "operand '" + C.Spec.getName() + "' of '" + C.Mn.Spelling +
                       "' must be a multiple of " +
                       Twine(unsigned(C.Spec.Multiple)));
  ArrayRef<int64_t> Allowed = C.Spec.getAllowedValues();
  if (Allowed.empty() || is_contained(Allowed, int64_t(O.getInt())))
    return true;
  std::string List;
  for (int64_t Value : Allowed)
    List += (List.empty() ? "" : ", ") + std::to_string(Value);
  return fail(O, "operand '" + C.Spec.getName() + "' of '" + C.Mn.Spelling +
                     "' must be " + (Allowed.size() > 1 ? "one of " : "") +
                     List);
}

/// A variable of the type, or a register with a 64-bit handle.
bool Checker::checkObject(const Context &C, const Operand &O) {
  if (O.is(Operand::Kind::Register)) {
    const RegisterDecl *R = O.getRegister();
    TypeClass Class = getTypeClass(R->getType());
    if (R->getVectorWidth() == 1 && getTypeBits(R->getType()) == 64 &&
        Class != TypeClass::Float)
      return true;
    return fail(O,
                "the handle of an object is a 64-bit integer, and '" +
                    getName(O) + "' has type " + quoted(R->getType()),
                R);
  }
  auto *V =
      O.is(Operand::Kind::Symbol) ? dyn_cast<Variable>(O.getSymbol()) : nullptr;
  // In unified mode what a sampler is asked for is an attribute of the texture.
  bool IsQuery = C.Spec.GroupSize == 1;
  Type Need = C.Ty == Type::SamplerRef && IsQuery && !M->TextureModeIndependent
                  ? Type::TexRef
                  : C.Ty;
  if (V && V->Ty == Need && O.getOffset() == 0)
    return true;
  return fail(O,
              "operand '" + C.Spec.getName() + "' of '" + C.Mn.Spelling +
                  "' must be a variable of type " + quoted(Need) +
                  " or a register with its handle",
              V);
}

//===----------------------------------------------------------------------===//
// Selectors of video instructions
//===----------------------------------------------------------------------===//

/// Reads the digits of `.b3210` or `.h10`, the last one as lane 0. False when
/// their number or one of them is too large.
static bool readLanes(StringRef Digits, unsigned Count, unsigned Limit,
                      unsigned &Lanes) {
  Lanes = 0;
  for (char C : Digits) {
    if (unsigned(C - '0') >= Limit)
      return false;
    Lanes = Lanes << 4 | unsigned(C - '0');
  }
  return Digits.size() == Count;
}

/// The lanes of a mask stand in descending order.
static bool readMask(StringRef Digits, unsigned Limit, unsigned &Mask) {
  Mask = 0;
  char Last = '0' + Limit;
  for (char C : Digits) {
    if (C >= Last)
      return false;
    Last = C;
    Mask |= 1u << (C - '0');
  }
  return true;
}

/// The selector \p Text (`b0`; empty: none) as OperandSelector says.
static bool readSelector(OperandSelector Kind, StringRef Text,
                         unsigned &Result) {
  Result = 0;
  StringRef Digits = Text.drop_front(Text.empty() ? 0 : 1);
  bool IsHalf = Text.starts_with("h");
  auto Lanes = [&](bool Halves, unsigned Count, unsigned Limit,
                   unsigned Default) {
    Result = Default;
    return Text.empty() ||
           (IsHalf == Halves && readLanes(Digits, Count, Limit, Result));
  };
  auto Mask = [&](bool Halves, unsigned Limit) {
    Result = (1u << Limit) - 1;
    return Text.empty() ||
           (IsHalf == Halves && readMask(Digits, Limit, Result));
  };
  switch (Kind) {
  case OperandSelector::None:
    return Text.empty();
  case OperandSelector::Part:
    if (Text.empty())
      return true;
    if (!readLanes(Digits, 1, IsHalf ? 2 : 4, Result))
      return false;
    Result += IsHalf ? 5 : 1;
    return true;
  case OperandSelector::Mask2:
    return Mask(true, 2);
  case OperandSelector::Mask4:
    return Mask(false, 4);
  case OperandSelector::Lanes2A:
    return Lanes(true, 2, 4, 0x10);
  case OperandSelector::Lanes2B:
    return Lanes(true, 2, 4, 0x32);
  case OperandSelector::Lanes4A:
    return Lanes(false, 4, 8, 0x3210);
  case OperandSelector::Lanes4B:
    return Lanes(false, 4, 8, 0x7654);
  }
  return false;
}

/// Replaces the mark that a selector was written by what it means.
bool Checker::checkSelector(const Context &C, Operand &O) {
  if (!O.is(Operand::Kind::Register))
    return true;
  StringRef Written;
  if (O.getSelector() != 0)
    Written = Text.drop_front(getRange(O.getLoc()).Loc.Offset)
                  .drop_front(getName(O).size())
                  .ltrim()
                  .drop_front()
                  .take_while([](char C) { return isAlnum(C); });
  unsigned Meaning;
  if (!readSelector(C.Spec.Selector, Written, Meaning))
    return fail(O, "'." + Written + "' cannot be selected of operand '" +
                       C.Spec.getName() + "' of '" + C.Mn.Spelling + "'");
  O.setSelector(Meaning);
  return true;
}

/// `d|p`: the second is a predicate.
bool Checker::checkPair(const Context &C, const Operand &O) {
  if (!C.Spec.PairPredicate)
    return fail(O, "'" + C.Mn.Spelling + "' has only one destination");
  ArrayRef<Operand> Parts = O.getElements();
  bool Ok = Parts[0].is(Operand::Kind::Sink) && C.Spec.Sink ? true
            : C.Width != 0 ? checkVector(C, Parts[0])
                           : checkScalar(C, Parts[0]);
  if (Parts[1].is(Operand::Kind::Sink) && C.Spec.Sink)
    return Ok;
  Context Second = C;
  Second.Width = 0;
  Second.Ty = Type::Pred;
  return checkScalar(Second, Parts[1]) && Ok;
}

/// Whether a vector has integer registers of 32 bits in it, and as a source
/// perhaps constants beside them.
bool Checker::isOfWords(const Context &C, const Operand &O) {
  bool AnyWord = false;
  for (const Operand &Part : O.getElements()) {
    bool IsWord =
        Part.is(Operand::Kind::Register) &&
        agrees(Type::B32, Part.getRegister()->getType()) &&
        getTypeClass(Part.getRegister()->getType()) != TypeClass::Float &&
        getTypeBits(Part.getRegister()->getType()) == 32;
    bool IsConstant =
        Part.is(Operand::Kind::IntImm) && C.Spec.Role != OperandRole::Dest;
    if (!IsWord && !IsConstant)
      return false;
    AnyWord |= IsWord;
  }
  return AnyWord;
}

bool Checker::checkScalar(const Context &C, const Operand &O) {
  bool IsDest = C.Spec.Role == OperandRole::Dest;
  switch (O.getKind()) {
  case Operand::Kind::Register:
    return checkRegister(C, O);
  case Operand::Kind::IntImm:
  case Operand::Kind::FloatImm:
    if (!IsDest)
      return checkImmediate(C, O);
    break;
  case Operand::Kind::SpecialReg:
    if (!IsDest)
      return checkSpecial(C, O);
    if (C.InVector && C.Ty != Type::F16x2 &&
        getTypeBits(getSpecialRegInfo(O.getSpecialReg()).Ty) ==
            getTypeBits(C.Ty))
      return tolerate(O, "a special register cannot be written");
    break;
  case Operand::Kind::Symbol:
    if (!IsDest)
      return checkSymbol(C, O);
    break;
  case Operand::Kind::Sink:
    return fail(O, "'" + C.Mn.Spelling + "' does not allow '_' here");
  case Operand::Kind::Vector:
    if (takesWords(C.Mn, C.Ty) && isOfWords(C, O))
      return tolerate(O, "operand '" + C.Spec.getName() + "' of '" +
                             C.Mn.Spelling + "' should be one register");
    return fail(O, "'" + C.Mn.Spelling + "' takes no vector here");
  case Operand::Kind::Address:
  case Operand::Kind::Group:
    return fail(O, "'" + C.Mn.Spelling + "' takes no address here");
  default:
    break;
  }
  return fail(O, "operand '" + C.Spec.getName() + "' of '" + C.Mn.Spelling +
                     "' must be a register");
}

/// The name of a register operand as written, without its component.
StringRef Checker::getName(const Operand &O) const {
  return Text.substr(O.getLoc().Offset).take_while([](char C) {
    return isAlnum(C) || C == '_' || C == '$' || C == '%';
  });
}

bool Checker::checkRegister(const Context &C, const Operand &O) {
  const RegisterDecl *R = O.getRegister();
  Type Ty = R->getType();
  if (R->getVectorWidth() != 1 && O.getComponent() < 0)
    return fail(O,
                "'" + getName(O) + "' is a vector; '" + C.Mn.Spelling +
                    "' needs one of its components here",
                R);
  if (O.isNegated() && !C.Spec.Minus &&
      (!C.Spec.Negatable || getTypeClass(Ty) != TypeClass::Pred))
    return fail(O, "'" + getName(O) + "' cannot be negated here");
  if (C.AnyType)
    return true;
  unsigned Need = getTypeBits(C.Ty), Have = getTypeBits(Ty);
  bool WidthFits = C.Spec.fits(Have, Need);
  if (WidthFits &&
      (C.IsBits ? getTypeClass(Ty) != TypeClass::Pred : agrees(C.Ty, Ty)))
    return true;
  // ptxas looks at the least width only.
  if (getOpcodeName(C.Mn.Op) == "sured.b" && Have > Need && agrees(C.Ty, Ty))
    return tolerate(O, "a reduction of 32 bits reads no register of 64", R);
  return fail(O,
              "'" + getName(O) + "' has type " + quoted(Ty) +
                  ", but operand '" + C.Spec.getName() + "' of '" +
                  C.Mn.Spelling + "' needs " +
                  (WidthFits || !C.Spec.Wider ? "a register for "
                   : C.Spec.Twice ? "the width, or twice the width, of "
                                  : "at least the width of ") +
                  quoted(C.Ty),
              R);
}

/// The share of the accesses that a policy is for: more than 0, and at most 1.
bool Checker::checkFraction(const Context &C, const Operand &O) {
  float Value = O.isSingle() ? bit_cast<float>(O.getFloatBits32())
                             : float(bit_cast<double>(O.getDoubleBits()));
  return (Value > 0 && Value <= 1) ||
         fail(O, "operand '" + C.Spec.getName() + "' of '" + C.Mn.Spelling +
                     "' must be more than 0 and at most 1");
}

bool Checker::checkImmediate(const Context &C, const Operand &O) {
  if (C.Spec.NoConstant)
    return fail(O, "operand '" + C.Spec.getName() + "' of '" + C.Mn.Spelling +
                       "' must be a register");
  if (C.AnyType)
    return true;
  if (!hasConstants(C.Ty))
    return fail(O, "operand '" + C.Spec.getName() + "' has type " +
                       quoted(C.Ty) + " and cannot be a constant");
  TypeClass Class = getTypeClass(C.Ty);
  unsigned Bits = getTypeBits(C.Ty);
  if (O.is(Operand::Kind::IntImm)) {
    if (!checkValue(C, O))
      return false;
    if (Class != TypeClass::Float) {
      checkRange(C.Ty, O.getInt(), O.isUnsigned(), getRange(O.getLoc()));
      return true;
    }
    return fail(O, "operand '" + C.Spec.getName() + "' has type " +
                       quoted(C.Ty) + " and needs a floating-point constant");
  }
  if (C.Mn.Op == Opcode::CreatepolicyFractional)
    return checkFraction(C, O);
  if (C.Ty == Type::F32 || C.Ty == Type::F64)
    return true;
  // The hexadecimal forms are also bits of their own width.
  if (Class == TypeClass::Bits && Bits == (O.isSingle() ? 32u : 64u))
    return true;
  return fail(O, "operand '" + C.Spec.getName() + "' has type " + quoted(C.Ty) +
                     " and cannot be a floating-point constant");
}

void Checker::checkRange(Type Ty, uint64_t Value, bool Unsigned,
                         SourceRange Where) {
  unsigned Bits = getTypeBits(Ty);
  // .pred has two values, which any number stands for.
  if (Bits >= 64 || Bits == 1)
    return;
  bool Fits = isUIntN(Bits, Value) || (!Unsigned && isIntN(Bits, Value));
  if (!Fits)
    Diags.warning(WarningId::ConstantRange, Where,
                  "constant does not fit in type " + quoted(Ty) +
                      " and becomes 0x" +
                      utohexstr(Value & maskTrailingOnes<uint64_t>(Bits)));
}

bool Checker::checkSpecial(const Context &C, const Operand &O) {
  const SpecialRegInfo &Info = getSpecialRegInfo(O.getSpecialReg());
  if (!C.Spec.Special && (!C.InVector || C.Spec.NoConstant))
    return fail(O, "'" + C.Mn.Spelling + "' cannot read special register '" +
                       Info.Name + "'; move it to a register first");
  if (Info.VectorWidth != 1 && O.getComponent() < 0)
    return fail(O, "'" + Info.Name + "' is a vector; write '" + Info.Name +
                       ".x', '.y' or '.z'");
  unsigned Need = getTypeBits(C.Ty), Have = getTypeBits(Info.Ty);
  bool WidthFits =
      C.Spec.fits(Have, Need) || (Need >= Info.LeastWidth && Need < Have);
  bool IsFloat = getTypeClass(C.Ty) == TypeClass::Float;
  if (WidthFits && (C.InVector || (!IsFloat && agrees(C.Ty, Info.Ty))))
    return true;
  return fail(O, "special register '" + Info.Name + "' has type " +
                     quoted(Info.Ty) + ", not " + quoted(C.Ty));
}

StateSpace Checker::getMainSpace(StateSpace S) {
  switch (S) {
  case StateSpace::SharedCta:
  case StateSpace::SharedCluster:
    return StateSpace::Shared;
  case StateSpace::ParamEntry:
  case StateSpace::ParamFunc:
    return StateSpace::Param;
  case StateSpace::Generic:
    return StateSpace::None;
  default:
    return S;
  }
}

std::string Checker::spellSpace(StateSpace Space) {
  return ("." + getModifierName(ModKind::StateSpace, unsigned(Space))).str();
}

bool Checker::failSpace(const Context &C, const Operand &O, const Variable &V,
                        StateSpace Need) {
  return fail(O,
              "'" + V.getName() + "' is in " + spellSpace(V.Space) + ", but '" +
                  C.Mn.Spelling + "' accesses " + spellSpace(Need),
              &V);
}

/// Whether the address of \p V may be taken by an instruction that is about
/// addresses in a space: the written one, or else one that the row allows.
bool Checker::checkSymbolSpace(const Context &C, const Operand &O,
                               const Variable &V) {
  StateSpace Only = StateSpace::None;
  for (const FormElement &E : C.Mn.Form->getElements()) {
    if (E.IsType)
      continue;
    for (const FormChoice &Choice : getChoices(E)) {
      if (Choice.Kind != uint8_t(ModKind::StateSpace))
        continue;
      uint8_t Written = C.Mn.Mods[Choice.Kind];
      Only = getMainSpace(StateSpace(Written ? Written : Choice.Value));
      if (V.Space == Only)
        return true;
    }
  }
  return Only == StateSpace::None || failSpace(C, O, V, Only);
}

/// Whether ptxas takes the name of a function there, for a value of any type.
/// It does where it looks at the type of the instruction only.
bool Checker::takesFunctionName(const Context &C) {
  static constexpr StringLiteral Others[] = {
      "applypriority", "bar",   "clmad",    "cp.",      "createpolicy",
      "discard",       "elect", "isspacep", "mbarrier", "multimem.cp",
      "nanosleep",     "redux", "st.bulk",  "tcgen05",  "tex",
      "tld4",          "vote",  "wgmma"};
  StringRef Op = getOpcodeName(C.Mn.Op);
  bool IsSuffix = C.Spec.Rule == OperandTypeRule::Suffix;
  if (C.InVector || C.Spec.WithKind == uint8_t(ModKind::L2Hint) ||
      any_of(Others, [&](StringRef Head) { return Op.starts_with(Head); }) ||
      (is_contained({"mapa", "shl", "shr"}, Op) && !IsSuffix))
    return false;
  if (getTypeClass(C.Ty) == TypeClass::Pred)
    return IsSuffix;
  return !C.Spec.NoConstant ||
         (IsSuffix && is_contained({Type::F16x2, Type::BF16x2, Type::U16x2,
                                    Type::S16x2, Type::U8x4, Type::S8x4},
                                   C.Ty));
}

bool Checker::checkSymbol(const Context &C, const Operand &O) {
  const Decl *D = O.getSymbol();
  auto *V = dyn_cast<Variable>(D);
  if (!V && !isa<Function>(D))
    return fail(O, "'" + D->getName() + "' is not a value", D);
  if (!C.Spec.AddressOf && !V && takesFunctionName(C))
    return tolerate(O,
                    "the address of '" + D->getName() +
                        "' has to be moved to a register first",
                    D);
  if (!C.Spec.AddressOf)
    return fail(O,
                "operand '" + C.Spec.getName() + "' of '" + C.Mn.Spelling +
                    "' must be a register or a constant; the address of '" +
                    D->getName() + "' has to be moved to one first",
                D);
  TypeClass Class = getTypeClass(C.Ty);
  // Addresses in these spaces fit in 32 bits.
  bool MayBeShort = V && is_contained({StateSpace::Shared, StateSpace::Local,
                                       StateSpace::Param, StateSpace::Const},
                                      V->Space);
  unsigned Bits = getTypeBits(C.Ty);
  bool WidthFits = Bits == M->AddressSize || (Bits == 32 && MayBeShort);
  if (Class == TypeClass::Float || Class == TypeClass::Pred || !WidthFits)
    return failSize(O,
                    "the address of '" + D->getName() + "' has " +
                        Twine(M->AddressSize) + " bits and no type " +
                        quoted(C.Ty),
                    D);
  return !V || checkSymbolSpace(C, O, *V);
}

/// A predicate that is not negated.
static bool isPlainPredicate(const Operand &O) {
  return O.is(Operand::Kind::Register) && !O.isNegated() &&
         getTypeClass(O.getRegister()->getType()) == TypeClass::Pred;
}

/// The registers of a vector have one width, also where that may be more than
/// the type's.
bool Checker::checkElements(const Context &C, const Operand &O) {
  std::optional<Type> First;
  for (const Operand &Part : O.getElements()) {
    bool IsSpecial = Part.is(Operand::Kind::SpecialReg);
    // checkVector has an eye on predicates.
    if ((!IsSpecial && !Part.is(Operand::Kind::Register)) ||
        isPlainPredicate(Part))
      continue;
    Type Ty = IsSpecial ? getSpecialRegInfo(Part.getSpecialReg()).Ty
                        : Part.getRegister()->getType();
    if (First && getTypeBits(Ty) != getTypeBits(*First))
      return fail(Part,
                  "'" + getName(Part) + "' has type " + quoted(Ty) +
                      ", and another element of the vector " + quoted(*First),
                  IsSpecial ? nullptr : Part.getRegister());
    First = Ty;
  }
  return true;
}

/// A register that is itself a vector as wide as the row says.
bool Checker::isVectorRegister(const Context &C, const Operand &O) const {
  if (O.getComponent() >= 0)
    return false;
  if (O.is(Operand::Kind::SpecialReg))
    return C.Spec.Special &&
           getSpecialRegInfo(O.getSpecialReg()).VectorWidth == C.Width &&
           getTypeBits(C.Ty) == 32;
  if (C.Width <= 1 || !O.is(Operand::Kind::Register) ||
      O.getRegister()->getVectorWidth() != C.Width)
    return false;
  Type Ty = O.getRegister()->getType();
  return agrees(C.Ty, Ty) && getTypeBits(Ty) == getTypeBits(C.Ty);
}

/// Whether ptxas takes a constant of any kind there, among registers without a
/// type.
bool Checker::takesAnyConstant(const Context &C, const Operand &Part) {
  if (!C.IsBits || C.Spec.Role == OperandRole::Dest)
    return false;
  if (Part.is(Operand::Kind::IntImm))
    return C.Spec.NoConstant;
  if (!Part.is(Operand::Kind::FloatImm))
    return false;
  StringRef Op = getOpcodeName(C.Mn.Op);
  if (C.Spec.NoConstant)
    return !Op.starts_with("tcgen05.st") && Op != "spdecompress";
  // checkImmediate takes what has a meaning.
  bool IsBitPattern = getTypeClass(C.Ty) == TypeClass::Bits &&
                      getTypeBits(C.Ty) == (Part.isSingle() ? 32u : 64u);
  return !IsBitPattern && C.Ty != Type::F32 && C.Ty != Type::F64;
}

/// Which constants ptxas does not take in a fragment of a matrix: in words
/// nothing but constants, among numbers an integer beside registers.
bool Checker::checkFragment(const Context &C, const Operand &O) {
  if (!C.Spec.Unchecked || !C.Spec.Braces)
    return true;
  ArrayRef<Operand> Parts = O.getElements();
  auto IsConstant = [&](const Operand &Part) {
    return Part.is(Operand::Kind::IntImm) ||
           (Part.is(Operand::Kind::FloatImm) &&
            (!Part.isSingle() || Parts.size() == 1));
  };
  if (getTypeClass(C.Ty) != TypeClass::Float)
    return !all_of(Parts, IsConstant) ||
           fail(O, "operand '" + C.Spec.getName() + "' of '" + C.Mn.Spelling +
                       "' cannot be of constants alone");
  bool HasInteger = any_of(
      Parts, [](const Operand &P) { return P.is(Operand::Kind::IntImm); });
  bool HasRegister = any_of(
      Parts, [](const Operand &P) { return P.is(Operand::Kind::Register); });
  return !HasInteger || !HasRegister ||
         fail(O, "operand '" + C.Spec.getName() + "' of '" + C.Mn.Spelling +
                     "' cannot have integers beside registers");
}

/// A vector as wide as .v2, .v4 or the row says, in braces or in a register.
bool Checker::checkVector(const Context &C, const Operand &O) {
  Context Element = C;
  Element.Width = 0;
  // One element may stand without braces.
  if (C.Width == 1 && !C.Spec.Braces && !O.is(Operand::Kind::Vector) &&
      !O.is(Operand::Kind::Symbol))
    return checkScalar(Element, O);
  if (isVectorRegister(C, O))
    return true;
  if (!O.is(Operand::Kind::Vector))
    return fail(O, "operand '" + C.Spec.getName() + "' of '" + C.Mn.Spelling +
                       "' must be a vector of " + Twine(C.Width));
  if (!checkElements(C, O))
    return false;
  size_t Count = O.getElements().size();
  bool CountFits = Count == C.Width || (C.Spec.Longer && Count > C.Width &&
                                        (Count == 2 || Count == 4));
  if (!CountFits)
    return fail(O, "operand '" + C.Spec.getName() + "' of '" + C.Mn.Spelling +
                       "' must have " + Twine(C.Width) +
                       " elements; there are " + Twine(Count));
  if (C.Mn.Op == Opcode::Mma && !checkFragment(C, O))
    return false;
  // One untyped register makes the vector untyped.
  Element.InVector = true;
  Element.IsBits =
      getTypeClass(C.Ty) != TypeClass::Pred &&
      any_of(O.getElements(), [](const Operand &Part) {
        return Part.is(Operand::Kind::Register) &&
               getTypeClass(Part.getRegister()->getType()) == TypeClass::Bits;
      });
  bool Ok = true;
  bool HasWords = any_of(O.getElements(), [](const Operand &Part) {
    return Part.is(Operand::Kind::Register) &&
           getTypeBits(Part.getRegister()->getType()) == 32;
  });
  for (auto [I, Part] : enumerate(O.getElements())) {
    Element.Ty = C.Spec.FirstIndex && I == 0 ? Type::U32 : C.Ty;
    bool MayDrop = C.Spec.Sink || (C.Spec.Role == OperandRole::Dest &&
                                   Count > 1 && !C.Spec.NoConstant &&
                                   !readsDestination(*C.Mn.Form, C.Spec));
    bool IsOtherConstant = getTypeClass(C.Ty) == TypeClass::Float
                               ? Part.is(Operand::Kind::IntImm) &&
                                     C.Ty == Type::F64 && !C.Spec.NoConstant
                               : Part.is(Operand::Kind::FloatImm);
    if (takesAnyConstant(Element, Part))
      tolerate(Part, "a constant cannot be an element of this vector");
    else if (isPlainPredicate(Part) && Element.IsBits && HasWords &&
             C.Ty != Type::F16x2)
      tolerate(Part, "a predicate cannot be an element of this vector",
               Part.getRegister());
    else if (C.Spec.Unchecked && C.Spec.Braces && IsOtherConstant)
      tolerate(Part, "a constant of another kind cannot be an element of this "
                     "vector");
    else if (!(Part.is(Operand::Kind::Sink) && MayDrop))
      Ok &= checkScalar(Element, Part);
  }
  return Ok;
}

/// `mov.b64 d, {a, b}`: equal parts that make up the type.
bool Checker::checkPacked(const Context &C, const Operand &O) {
  unsigned Bits = getTypeBits(C.Ty), N = O.getElements().size();
  if (getTypeClass(C.Ty) != TypeClass::Bits)
    return fail(O, "'" + C.Mn.Spelling + "' takes no vector; use type '.b" +
                       Twine(Bits) + "' to pack or unpack");
  if ((N != 2 && N != 4) || Bits / N < 8)
    return fail(O, "a vector of " + Twine(N) + " elements does not make up " +
                       quoted(C.Ty));
  if (all_of(O.getElements(),
             [](const Operand &P) { return P.is(Operand::Kind::Sink); }))
    return fail(O, "a vector of nothing but '_' has no types");
  Context Element = C;
  Element.Ty = Bits / N == 8    ? Type::B8
               : Bits / N == 16 ? Type::B16
               : Bits / N == 32 ? Type::B32
                                : Type::B64;
  bool Ok = true;
  for (const Operand &Part : O.getElements())
    if (!(Part.is(Operand::Kind::Sink) && C.Spec.Role == OperandRole::Dest))
      Ok &= checkScalar(Element, Part);
  return Ok;
}

} // namespace heddle::ptx
