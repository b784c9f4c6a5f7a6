//===- ParseDecl.cpp - Variables and functions ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of registers, variables with their initializers, and functions
// with their parameters and directives.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace heddle::ptx {

/// Most registers of a function, and most bytes of a variable: far above what
/// any GPU has, and low enough for 32 and 64 bit arithmetic.
static constexpr uint64_t MaxRegisters = 1u << 28;
static constexpr uint64_t MaxVariableSize = uint64_t(1) << 48;
/// Most bytes of a variable of which the initializer gives less than a
/// sixteenth.
static constexpr uint64_t MaxInitializedSize = uint64_t(1) << 28;
/// Most bytes of alignment that PTX allows is not stated; this is generous.
static constexpr uint64_t MaxAlign = 1u << 16;

/// Most dimensions of an array; initializers are read recursively.
static constexpr unsigned MaxDims = 64;
/// Each of them is a declaration of its own.
static constexpr uint64_t MaxVariablesOfName = 1u << 16;

//===----------------------------------------------------------------------===//
// Specifiers
//===----------------------------------------------------------------------===//

Linkage Parser::parseLinkage() {
  if (!Tok.is(TokenKind::Dotted))
    return Linkage::None;
  Linkage Link = StringSwitch<Linkage>(getText())
                     .Case(".extern", Linkage::Extern)
                     .Case(".visible", Linkage::Visible)
                     .Case(".weak", Linkage::Weak)
                     .Case(".common", Linkage::Common)
                     .Default(Linkage::None);
  if (Link != Linkage::None)
    advance();
  return Link;
}

/// `.reg`, `.global`, ...; false, without a report, when there is none.
bool Parser::parseSpace(DeclSpec &Spec) {
  if (!Tok.is(TokenKind::Dotted))
    return false;
  Spec.Where = Spec.SpaceWhere = Tok.getRange();
  Spec.IsRegister = getText() == ".reg";
  Spec.Space = StringSwitch<StateSpace>(getText())
                   .Case(".const", StateSpace::Const)
                   .Case(".global", StateSpace::Global)
                   .Case(".local", StateSpace::Local)
                   .Case(".param", StateSpace::Param)
                   .Case(".shared", StateSpace::Shared)
                   .Default(StateSpace::None);
  if (!Spec.IsRegister && Spec.Space == StateSpace::None)
    return false;
  advance();
  return true;
}

bool Parser::parseAlign(uint32_t &Align) {
  SourceRange Where = Tok.getRange();
  uint64_t Value;
  if (!parseUnsigned(Value, MaxAlign, "an alignment"))
    return false;
  if (!isPowerOf2_64(Value))
    return failAt(Where, "an alignment must be a power of two");
  Align = Value;
  return true;
}

/// `(lo, hi)` behind `.unified`
bool Parser::parseUnifiedId(std::optional<UnifiedId> &Id) {
  if (!requireFeature(Tok.getRange(), "'.unified'", 80, 90))
    return false;
  Id.emplace();
  return expect('(', "after .unified") &&
         parseUnsigned((*Id)[0], UINT64_MAX, "an identifier") &&
         expect(',', "in .unified") &&
         parseUnsigned((*Id)[1], UINT64_MAX, "an identifier") &&
         expect(')', "after .unified");
}

/// `(.managed)` or `(.unified(lo, hi))`
bool Parser::parseAttribute(DeclSpec &Spec) {
  if (!expect('(', "after .attribute"))
    return false;
  do {
    if (consumeDotted(".managed")) {
      Spec.Managed = true;
    } else if (consumeDotted(".unified")) {
      if (!parseUnifiedId(Spec.Unified))
        return false;
    } else {
      return expected(".managed or .unified");
    }
  } while (consume(','));
  return expect(')', "after .attribute");
}

/// `.ptr .global .align 16` or `.ptr .texref` of a kernel parameter, after
/// `.ptr`.
bool Parser::parsePtr(DeclSpec &Spec) {
  Spec.IsPtr = true;
  if (Tok.is(TokenKind::Dotted)) {
    Spec.PtrSpace = StringSwitch<StateSpace>(getText())
                        .Case(".const", StateSpace::Const)
                        .Case(".global", StateSpace::Global)
                        .Case(".local", StateSpace::Local)
                        .Case(".shared", StateSpace::Shared)
                        .Default(StateSpace::None);
    Type Object;
    if (findType(getText().drop_front(), Object) &&
        getTypeClass(Object) == TypeClass::Opaque) {
      if (!requireFeature(Tok.getRange(), "'.ptr " + getText() + "'", 43, 0))
        return false;
      Spec.PtrObject = Object;
    }
    if (Spec.PtrSpace != StateSpace::None || Spec.PtrObject)
      advance();
  }
  return !consumeDotted(".align") || parseAlign(Spec.PtrAlign);
}

/// One dotted word of a declaration. Sets \p Done at what is none.
bool Parser::parseDeclSpecPart(DeclSpec &Spec, bool &Done) {
  Done = false;
  StringRef Text = getText().drop_front();
  Type Ty;
  if (findType(Text, Ty)) {
    if (Spec.HasType)
      return fail("a declaration has only one type");
    Spec.HasType = true;
    Spec.Ty = Ty;
    Spec.Where = Tok.getRange();
    advance();
    return true;
  }
  if (Text == "ptr") {
    advance();
    return parsePtr(Spec);
  }
  if (Spec.HasType && (Text == "align" || Text == "attribute" || Text == "v2" ||
                       Text == "v4" || Text == "v8"))
    return fail("'." + Text + "' must stand before the type");
  if (Text == "v2" || Text == "v4" || Text == "v8") {
    Spec.VectorWidth = Text[1] - '0';
    advance();
    return true;
  }
  if (Text == "align") {
    advance();
    return parseAlign(Spec.Align);
  }
  if (Text == "attribute") {
    advance();
    return parseAttribute(Spec);
  }
  Done = true;
  return true;
}

bool Parser::parseDeclSpec(DeclSpec &Spec) {
  if (Tok.is('[') && !parseConstBank(Spec))
    return false;
  bool Done = false;
  while (Tok.is(TokenKind::Dotted) && !Done)
    if (!parseDeclSpecPart(Spec, Done))
      return false;
  if (Tok.is(TokenKind::Dotted)) {
    SmallVector<StringRef> Types;
    for (unsigned I = 0; I != NumTypes; ++I)
      Types.push_back(getTypeName(Type(I)));
    SourceRange Where = Tok.getRange();
    return failNear({{Where.Loc.Offset + 1}, Where.Length - 1},
                    "unknown type '" + getText() + "'",
                    findNearest(getText().drop_front(), Types), ".");
  }
  return checkDeclSpec(Spec);
}

/// `[2]` of `.const[2]`: the banks 1 to 10 that PTX had before 2.2.
bool Parser::parseConstBank(DeclSpec &Spec) {
  SourceRange Where = Tok.getRange();
  if (Spec.Space != StateSpace::Const)
    return expected("a type such as .u32");
  if (SawVersion && M->PTXVersion.getCode() >= 22)
    return failAt(Where, "constant banks have no numbers since .version 2.2");
  advance();
  uint64_t Bank;
  if (!parseUnsigned(Bank, 10, "the number of a bank") ||
      !expect(']', "after the number of a bank"))
    return false;
  Spec.ConstBank = Bank;
  return true;
}

bool Parser::checkOpaqueSpace(const DeclSpec &Spec) {
  if (Spec.Space != StateSpace::Global && Spec.Space != StateSpace::Param)
    return failAt(Spec.SpaceWhere,
                  "textures, samplers and surfaces must be in .global");
  if (Spec.Ty == Type::SamplerRef && !M->TextureModeIndependent)
    return failAt(Spec.Where, "samplers need .target to have "
                              "texmode_independent");
  return true;
}

bool Parser::checkDeclSpec(const DeclSpec &Spec) {
  if (!Spec.HasType)
    return expected("a type such as .u32");
  if (Spec.Managed && Spec.Space != StateSpace::Global)
    return failAt(Spec.SpaceWhere, "only .global variables can be .managed");
  if (Spec.Unified && Spec.Space != StateSpace::Global)
    return failAt(Spec.SpaceWhere, "only .global variables can be .unified");
  if (Spec.Link == Linkage::Common && Spec.Space != StateSpace::Global)
    return failAt(Spec.SpaceWhere, "only .global variables can be .common");
  if (!CurFunction && !Spec.IsRegister &&
      (Spec.Space == StateSpace::Local || Spec.Space == StateSpace::Param))
    return failAt(Spec.SpaceWhere,
                  "variables of the module cannot be in this state space");
  unsigned Bits = getTypeBits(Spec.Ty);
  bool IsPred = getTypeClass(Spec.Ty) == TypeClass::Pred;
  bool IsFundamental =
      is_contained({Type::S8, Type::S16, Type::S32, Type::S64, Type::U8,
                    Type::U16, Type::U32, Type::U64, Type::B8, Type::B16,
                    Type::B32, Type::B64, Type::B128, Type::F16, Type::F16x2,
                    Type::F32, Type::F64, Type::Pred},
                   Spec.Ty) ||
      getTypeClass(Spec.Ty) == TypeClass::Opaque;
  if (!IsFundamental)
    return failAt(Spec.Where, "nothing can be declared with type '." +
                                  getTypeName(Spec.Ty) +
                                  "'; use a .b type of its size");
  if (IsPred && !Spec.IsRegister)
    return failAt(Spec.Where, "only registers can have type '.pred'");
  if (IsPred && Spec.VectorWidth != 1)
    return failAt(Spec.Where, "there are no vectors of predicates");
  if (Bits * Spec.VectorWidth > 128 && Spec.VectorWidth != 1)
    return failAt(Spec.Where, "a vector may have at most 128 bits");
  if (Spec.Ty == Type::B128 &&
      !requireFeature(Spec.Where, "type '.b128'", 83, 70))
    return false;
  if ((Spec.Ty == Type::F16 || Spec.Ty == Type::F16x2) &&
      !requireFeature(Spec.Where, "type '." + getTypeName(Spec.Ty) + "'", 42,
                      Spec.Ty == Type::F16x2 ? 53 : 0))
    return false;
  if (getTypeClass(Spec.Ty) != TypeClass::Opaque)
    return true;
  if (Spec.IsRegister)
    return failAt(Spec.Where, "a register cannot have type '." +
                                  getTypeName(Spec.Ty) + "'");
  return checkOpaqueSpace(Spec);
}

//===----------------------------------------------------------------------===//
// Declarators
//===----------------------------------------------------------------------===//

bool Parser::declare(Decl *D) {
  if (D->getName() == "_" || D->getName() == "WARP_SZ")
    return failAt({D->getLoc(), uint32_t(D->getName().size())},
                  "'" + D->getName() + "' cannot be declared");
  const Decl *Outer =
      Diags.isEnabled(WarningId::Shadow) ? Symbols.findMeaning(D) : nullptr;
  Decl *Previous = Symbols.declare(D);
  if (!Previous && Outer)
    Diags
        .warning(WarningId::Shadow, getNameRange(D),
                 "'" + D->getName() + "' hides a name of an outer scope")
        .noteDeclaration(Outer);
  if (!Previous)
    return true;
  Diags
      .error({D->getLoc(), uint32_t(D->getName().size())},
             "'" + D->getName() + "' is declared already in this scope")
      .noteDeclaration(Previous);
  return false;
}

/// Gives the registers of a declaration their numbers.
bool Parser::numberRegister(RegisterDecl *R) {
  if (NumRegisters + uint64_t(R->getCount()) > MaxRegisters)
    return failAt({R->getLoc(), uint32_t(R->getName().size())},
                  "too many registers in one function");
  R->setFirstNumber(NumRegisters);
  NumRegisters += R->getCount();
  return true;
}

bool Parser::declareRegister(RegisterDecl *R) {
  return numberRegister(R) && declare(R);
}

/// A variable of the module may be declared .extern any number of times and
/// defined once.
bool Parser::redeclareGlobal(Variable *Old, Variable *New) {
  bool OldIsDecl = Old->Link == Linkage::Extern;
  bool NewIsDecl = New->Link == Linkage::Extern;
  SourceRange Where{New->getLoc(), uint32_t(New->getName().size())};
  bool Hidden = OldIsDecl && !NewIsDecl && New->Link == Linkage::None;
  if ((!OldIsDecl && !NewIsDecl) || Hidden || Old->Space != New->Space ||
      Old->Ty != New->Ty || Old->VectorWidth != New->VectorWidth) {
    Diags
        .error(Where, "'" + New->getName() + "' is declared already" +
                          (Hidden                   ? " as .extern"
                           : OldIsDecl || NewIsDecl ? " in another way"
                                                    : ""))
        .noteDeclaration(Old);
    return false;
  }
  // References to the old declaration are to mean the definition.
  if (!NewIsDecl)
    *Old = *New;
  return true;
}

bool Parser::declareVariable(Variable *V) {
  if (CurFunction) {
    V->setParent(CurFunction);
    return declare(V);
  }
  if (auto *Old = dyn_cast_or_null<Variable>(Symbols.lookup(V->getName()).D))
    return redeclareGlobal(Old, V);
  if (!declare(V))
    return false;
  Globals.push_back(V);
  return true;
}

/// A register's name, and `<100>` of a range.
bool Parser::parseRegister(const DeclSpec &Spec, RegisterDecl *&Result) {
  StringRef Name;
  SourceRange Where;
  if (!parseWord(Name, Where, "the name of a register"))
    return false;
  uint64_t Count = 1;
  bool IsRange = consume('<');
  if (IsRange &&
      (!parseUnsigned(Count, MaxRegisters, "a number of registers") ||
       !expect('>', "after the number of registers")))
    return false;
  Result = create<RegisterDecl>(Name, Where.Loc, Spec.Ty, Spec.VectorWidth,
                                IsRange, Count);
  return true;
}

/// `[2][3]` or `[]`
bool Parser::parseDims(Variable &V) {
  SmallVector<uint64_t, 4> Dims;
  uint64_t Size = V.getElementSize();
  while (Tok.is('[')) {
    SourceRange Where = Tok.getRange();
    advance();
    int64_t Extent = 0;
    if (Tok.is(']')) {
      if (!Dims.empty())
        return failAt(Where, "only the first extent may be left out");
    } else {
      if (!parseIntConstant(Extent, "an extent"))
        return false;
      if (Extent <= 0)
        return failAt(Where, "an extent must be greater than 0");
      if (uint64_t(Extent) > MaxVariableSize / Size)
        return failAt(Where, "the array is too large");
      Size *= Extent;
    }
    if (!expect(']', "after an extent"))
      return false;
    if (Dims.size() == MaxDims)
      return failAt(Where, "an array may have at most " + Twine(MaxDims) +
                               " dimensions");
    Dims.push_back(Extent);
  }
  V.IsArray = !Dims.empty();
  V.Dims = save(Dims);
  return true;
}

Variable *Parser::createVariable(const DeclSpec &Spec, StringRef Name,
                                 SourceRange Where) {
  auto *V = create<Variable>(Name, Where.Loc, Spec.Space, Spec.Ty);
  V->VectorWidth = Spec.VectorWidth;
  V->Link = Spec.Link;
  V->Managed = Spec.Managed;
  V->Unified = Spec.Unified;
  V->ExplicitAlign = Spec.Align;
  V->IsPtr = Spec.IsPtr;
  V->PtrSpace = Spec.PtrSpace;
  V->PtrObject = Spec.PtrObject;
  V->PtrAlign = Spec.PtrAlign;
  V->ConstBank = Spec.ConstBank;
  return V;
}

bool Parser::parseVariable(const DeclSpec &Spec, Variable *&Result) {
  StringRef Name;
  SourceRange Where;
  if (!parseWord(Name, Where, "the name of a variable"))
    return false;
  Result = createVariable(Spec, Name, Where);
  return parseDims(*Result) && checkVariableSpace(*Result, Where);
}

/// A variable, or the scalars `v0` and `v1` of `v<2>`. The manual has such
/// names for registers only; ptxas takes them in all state spaces, and GCC
/// writes them in .param.
bool Parser::parseVariables(const DeclSpec &Spec,
                            SmallVectorImpl<Variable *> &Result,
                            bool &IsRange) {
  Variable *First = nullptr;
  if (!parseVariable(Spec, First))
    return false;
  IsRange = !First->IsArray && consume('<');
  if (!IsRange) {
    Result.push_back(First);
    return true;
  }
  uint64_t Count = 0;
  if (!parseUnsigned(Count, MaxVariablesOfName, "a number of variables") ||
      !expect('>', "after the number of variables"))
    return false;
  for (uint64_t I = 0; I < Count; ++I) {
    SmallString<32> Name = First->getName();
    Name += utostr(I);
    Result.push_back(createVariable(Spec, Name.str().copy(M->getArena()),
                                    getNameRange(First)));
  }
  return true;
}

/// What is in .param is a scalar or an array; ptxas wants pairs only in arrays.
bool Parser::checkVariableSpace(const Variable &V, SourceRange Where) {
  if (V.Space != StateSpace::Param)
    return true;
  if (V.VectorWidth != 1)
    return failAt(Where, "a variable in .param cannot be a vector");
  if (V.Ty == Type::F16x2 && !V.IsArray)
    return failAt(Where, "a variable in .param cannot be of type '.f16x2'; use "
                         "'.b32'");
  return true;
}

bool Parser::parseInitialized(Variable *V) {
  if (Tok.is('=') && !parseInitializer(*V)) {
    // Uses of the variable are no errors of their own.
    declareVariable(V);
    return false;
  }
  bool MayBeUnsized = V->Link == Linkage::Extern;
  if (V->isUnsized() && !MayBeUnsized)
    return failAt(getNameRange(V), "the size of '" + V->getName() +
                                       "' is not known: only an .extern array "
                                       "may leave it out");
  return true;
}

/// A register, a variable with or without an initializer, or a range of either.
/// A second declaration is an error of its own; what follows is not.
bool Parser::parseDeclarator(const DeclSpec &Spec,
                             SmallVectorImpl<Decl *> &Result) {
  if (Spec.IsRegister) {
    RegisterDecl *R;
    if (!parseRegister(Spec, R))
      return false;
    declareRegister(R);
    Result.push_back(R);
    return true;
  }
  SmallVector<Variable *, 1> Variables;
  bool IsRange = false;
  if (!parseVariables(Spec, Variables, IsRange) ||
      (!IsRange && !parseInitialized(Variables.front())))
    return false;
  for (Variable *V : Variables) {
    declareVariable(V);
    Result.push_back(V);
  }
  return true;
}

bool Parser::parseDeclarators(const DeclSpec &Spec,
                              SmallVectorImpl<const Statement *> *Body) {
  do {
    SmallVector<Decl *, 1> Declared;
    if (!parseDeclarator(Spec, Declared))
      return false;
    if (Body)
      for (Decl *D : Declared)
        Body->push_back(create<VariableStatement>(D->getLoc(), D));
  } while (consume(','));
  return true;
}

//===----------------------------------------------------------------------===//
// Initializers
//===----------------------------------------------------------------------===//

/// The elements so far, and the extents they fill; a vector is one more extent.
struct Parser::InitState {
  Variable &V;
  SmallVector<uint64_t, 4> Dims;
  SmallVector<InitElement, 0> Elements;
  uint64_t NumWritten = 0;

  /// Number of scalars below one element of extent \p Level.
  uint64_t getStride(unsigned Level) const {
    uint64_t N = 1;
    for (uint64_t D : ArrayRef(Dims).drop_front(Level + 1))
      N *= D;
    return N;
  }
};

/// `= 1`, `= {1, 2, 3}`, `= {{1, 2}, {3, 4}}`
bool Parser::parseInitializer(Variable &V) {
  SourceRange Where = Tok.getRange();
  advance();
  if (V.Space != StateSpace::Global && V.Space != StateSpace::Const)
    return failAt(Where, "only .global and .const variables can have an "
                         "initializer");
  if (V.Link == Linkage::Extern)
    return failAt(Where, "an .extern variable cannot have an initializer");
  if (getTypeClass(V.Ty) == TypeClass::Opaque)
    return parseOpaqueInit(V);
  V.HasInit = true;
  InitState S{V, SmallVector<uint64_t, 4>(V.Dims), {}, 0};
  if (V.VectorWidth != 1)
    S.Dims.push_back(V.VectorWidth);
  if (S.Dims.empty()) {
    InitElement E;
    if (!parseInitElement(V, E))
      return false;
    S.Elements.push_back(E);
  } else if (!Tok.is('{')) {
    return expected("'{' at the start of an array's initializer");
  } else if (!parseInitLevel(S, 0)) {
    return false;
  }
  if (V.IsArray && V.Dims[0] == 0) {
    SmallVector<uint64_t, 4> Dims(V.Dims);
    uint64_t Stride = S.getStride(0);
    Dims[0] = (S.Elements.size() + Stride - 1) / Stride;
    V.Dims = save(Dims);
  }
  V.Init = ArrayRef<InitElement>(S.Elements).copy(M->getArena());
  // All of it stands in the object, zeros included.
  if (V.getSize() > MaxInitializedSize &&
      V.getSize() / 16 > S.NumWritten * V.getElementSize())
    return failAt(Where, "sparse initializers of this size are not supported");
  return true;
}

/// The elements of one pair of braces, which fill extent \p Level. Each row of
/// an inner extent is in braces of its own.
bool Parser::parseInitLevel(InitState &S, unsigned Level) {
  SourceRange Open = Tok.getRange();
  advance();
  uint64_t Base = S.Elements.size(), Stride = S.getStride(Level);
  uint64_t Limit =
      S.Dims[Level] == 0 ? UINT64_MAX : S.Dims[Level] * Stride; // 0: open.
  while (!Tok.is('}')) {
    uint64_t Used = S.Elements.size() - Base;
    if (Used >= Limit)
      return fail("too many elements in the initializer of '" + S.V.getName() +
                  "'");
    if (Level + 1 != S.Dims.size()) {
      if (!Tok.is('{'))
        return expected("'{' at the start of a row");
      if (!parseInitLevel(S, Level + 1))
        return false;
      uint64_t End = Base + Used + Stride;
      // The rest of a row is zero. Huge holes are no use to anyone.
      if (End > (1u << 20) + 16 * S.NumWritten)
        return failAt(Open, "sparse initializers of this size are not "
                            "supported");
      S.Elements.resize(End);
    } else {
      InitElement E;
      if (!parseInitElement(S.V, E))
        return false;
      S.Elements.push_back(E);
      ++S.NumWritten;
    }
    if (!consume(','))
      break;
    if (Tok.is('}'))
      return expected("an element");
  }
  return expect('}', "at the end of the initializer");
}

/// A constant, or the address of a variable or function.
bool Parser::parseInitElement(const Variable &V, InitElement &E) {
  E.Loc = Tok.getLoc();
  if (Tok.is(TokenKind::Word) && getText() != "WARP_SZ")
    return parseInitSymbol(V, E);
  Constant C;
  if (!parseConstant(C))
    return false;
  // `0xFF00(sym)`: the mask operator.
  if (C.isInt() && consume('(')) {
    E.Mask = C.Bits;
    unsigned Bits = getTypeBits(V.Ty);
    if (E.Mask == 0)
      return failAt(C.Range, "a mask must not be 0");
    uint64_t Field = E.Mask >> countr_zero(E.Mask);
    if (Bits < 64 && (Field >> Bits) != 0)
      return failAt(C.Range, "the mask is wider than the element");
    return parseInitSymbol(V, E) && expect(')', "after the mask operator");
  }
  return convertInit(V, C, E);
}

/// `sym`, `sym+4`, `generic(sym)+4`
bool Parser::parseInitSymbol(const Variable &V, InitElement &E) {
  SourceRange Where;
  StringRef Name;
  if (!parseWord(Name, Where, "the name of a variable or function"))
    return false;
  E.K = InitElement::Kind::Symbol;
  if (Name == "generic" && consume('(')) {
    E.Generic = true;
    if (!parseWord(Name, Where, "the name of a variable") ||
        !expect(')', "after generic"))
      return false;
  }
  E.Symbol = Symbols.lookup(Name).D;
  if (!E.Symbol)
    return reportUnknown(Where, Name);
  auto *Var = dyn_cast<Variable>(E.Symbol);
  if (!isa<Function>(E.Symbol) &&
      !(Var &&
        is_contained({StateSpace::Global, StateSpace::Const}, Var->Space)))
    return failAt(Where, "'" + Name + "' has no address that is known here");
  if (!is_contained({Type::U32, Type::U64}, V.Ty) &&
      !(E.Mask != 0 && V.Ty == Type::U8))
    return failAt(Where, "an element of type '." + getTypeName(V.Ty) +
                             "' cannot hold an address");
  if (isa<Function>(E.Symbol) && Tok.is('+'))
    return fail("the address of a function takes no offset");
  if (consume('+'))
    return parseIntConstant(E.Addend, "the offset");
  return true;
}

/// Converts a constant to the bits of the variable's element type.
bool Parser::convertInit(const Variable &V, const Constant &C, InitElement &E) {
  unsigned Bits = getTypeBits(V.Ty);
  bool IsFloat = getTypeClass(V.Ty) == TypeClass::Float;
  if (C.isInt()) {
    if (IsFloat)
      return failAt(C.Range, "an element of type '." + getTypeName(V.Ty) +
                                 "' needs a floating-point constant");
    E.Value = Bits >= 64 ? C.Bits : C.Bits & ((uint64_t(1) << Bits) - 1);
    Check.checkRange(V.Ty, C.Bits, C.Unsigned, C.Range);
    return true;
  }
  if (V.Ty == Type::F16 || V.Ty == Type::F16x2)
    return failAt(C.Range, "a variable of type '." + getTypeName(V.Ty) +
                               "' cannot have an initializer; use a .b type");
  bool IsSingle = C.K == Constant::Kind::Single;
  if (V.Ty == Type::F32 || (V.Ty == Type::B32 && IsSingle)) {
    E.Value = IsSingle ? C.Bits : bit_cast<uint32_t>(float(C.toDouble()));
  } else if (V.Ty == Type::F64 || (V.Ty == Type::B64 && !IsSingle)) {
    E.Value = IsSingle ? bit_cast<uint64_t>(C.toDouble()) : C.Bits;
  } else {
    return failAt(C.Range, "an element of type '." + getTypeName(V.Ty) +
                               "' needs an integer constant");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// `.param .align 8 .b8 s[24]`, `.reg .b32 %a`
bool Parser::parseParam(bool IsEntry, bool AllowUnnamed,
                        SmallVectorImpl<Parameter> &Params) {
  DeclSpec Spec;
  if (!parseSpace(Spec) ||
      (Spec.Space != StateSpace::Param && (IsEntry || !Spec.IsRegister)))
    return expected(IsEntry ? ".param" : ".param or .reg");
  if (!parseDeclSpec(Spec))
    return false;
  if (Spec.IsPtr && !IsEntry)
    return failAt(Spec.Where, "'.ptr' is only for parameters of a kernel");
  Decl *D;
  if (Spec.IsRegister) {
    RegisterDecl *R;
    if (!parseRegister(Spec, R))
      return false;
    if (R->isRange())
      return failAt({R->getLoc(), uint32_t(R->getName().size())},
                    "a parameter cannot be a range of registers");
    if (!AllowUnnamed)
      declareRegister(R);
    D = R;
  } else {
    Variable *V;
    if (!parseVariable(Spec, V))
      return false;
    V->setParent(CurFunction);
    if (!AllowUnnamed)
      declareVariable(V);
    if (!checkParam(*V, IsEntry))
      return false;
    D = V;
  }
  Params.push_back(D);
  return true;
}

/// A parameter is a scalar or an array of one dimension.
bool Parser::checkParam(const Variable &V, bool IsEntry) {
  SourceRange Where{V.getLoc(), uint32_t(V.getName().size())};
  if (V.Dims.size() > 1)
    return failAt(Where, "a parameter has one dimension at most");
  return IsEntry || requireFeature(Where, "a .param of a .func", 20, 0);
}

/// `(.param .b32 a, ...)`; an unsized array may come last, where it takes
/// further arguments.
bool Parser::parseParamList(bool IsEntry, bool AllowUnnamed,
                            SmallVectorImpl<Parameter> &Params) {
  if (!expect('(', "before the parameters"))
    return false;
  while (!Tok.is(')')) {
    if (!Params.empty()) {
      auto *Last = dyn_cast<Variable>(Params.back());
      if (Last && Last->isUnsized())
        return fail("an unsized array must be the last parameter");
    }
    if (!parseParam(IsEntry, AllowUnnamed, Params))
      return false;
    if (!consume(','))
      break;
    if (Tok.is(')'))
      return expected("a parameter");
  }
  return expect(')', "after the parameters");
}

bool Parser::parseDirectiveNumbers(MutableArrayRef<uint32_t> Values) {
  for (unsigned I = 0; I != Values.size(); ++I) {
    if (I != 0 && !consume(','))
      return true;
    uint64_t N;
    if (!parseUnsigned(N, UINT32_MAX, "a number"))
      return false;
    Values[I] = N;
  }
  return true;
}

bool Parser::reportPerformance(StringRef Text) {
  static const StringRef Known[] = {
      ".maxntid",        ".reqntid",         ".reqnctapercluster",
      ".minnctapersm",   ".maxnctapersm",    ".maxnreg",
      ".maxclusterrank", ".explicitcluster", ".blocksareclusters",
      ".noreturn",       ".pragma"};
  return failNear(Tok.getRange(),
                  "unknown directive '" + Text + "' before the body",
                  findNearest(Text, Known));
}

/// Whether two parameters take the same values.
static bool isSameParameter(Parameter A, Parameter B) {
  auto *VA = dyn_cast<Variable>(A), *VB = dyn_cast<Variable>(B);
  if (VA && VB)
    return VA->Ty == VB->Ty && VA->getSize() == VB->getSize() &&
           VA->getAlign() == VB->getAlign();
  auto *RA = dyn_cast<RegisterDecl>(A), *RB = dyn_cast<RegisterDecl>(B);
  return RA && RB && RA->getType() == RB->getType() &&
         RA->getVectorWidth() == RB->getVectorWidth();
}

/// The parameters of a kernel are laid out one behind the other.
bool Parser::checkParamSpace(const Function &F, SourceRange Where) {
  uint64_t Size = 0;
  for (Parameter P : F.Params)
    if (auto *V = dyn_cast<Variable>(P))
      Size = alignTo(Size, V->getAlign()) + V->getSize();
  // Without a header there is nothing to compare with.
  bool IsLarge = !SawVersion || M->PTXVersion.getCode() >= 81;
  IsLarge &= M->GPU.Sm == 0 || M->GPU.Sm >= 70;
  uint64_t Most = IsLarge ? 32764 : 4352;
  if (Size <= Most)
    return true;
  Diagnostic &D = Diags.error(
      Where, "the parameters of '" + F.getName() + "' have " + Twine(Size) +
                 " bytes; a kernel may have " + Twine(Most));
  if (!IsLarge && Size <= 32764)
    D.note({}, "from .version 8.1 and sm_70 on it may have 32764");
  return false;
}

/// What holds between the parts of a signature.
bool Parser::checkSignature(const Function &F, SourceRange Where) {
  const PerformanceDirectives &D = F.Directives;
  if (F.Returns.size() > 1 && any_of(F.Returns, llvm::IsaPred<Variable>))
    return failAt(Where, "several return values must be .reg");
  if (D.MaxNTid && D.ReqNTid)
    return failAt(Where, ".maxntid and .reqntid exclude each other");
  if (D.MinNCtaPerSm && !D.MaxNTid && !D.ReqNTid)
    Diags.warning(WarningId::IgnoredDirective, Where,
                  ".minnctapersm has no effect without .maxntid or .reqntid");
  if (D.MaxClusterRank && D.ReqNCtaPerCluster)
    return failAt(Where,
                  ".maxclusterrank and .reqnctapercluster exclude each other");
  if (D.BlocksAreClusters && (!D.ReqNTid || !D.ReqNCtaPerCluster))
    return failAt(Where,
                  ".blocksareclusters needs .reqntid and .reqnctapercluster");
  if (D.NoReturn && !F.Returns.empty())
    return failAt(Where, "a function with return values cannot be .noreturn");
  if (F.Link == Linkage::Common)
    return failAt(Where, "a function cannot be .common");
  if (F.isEntry() && !checkParamSpace(F, Where))
    return false;
  if (F.isEntry() && F.Variadic)
    return failAt(Where, "a parameter of a kernel cannot be an unsized array");
  return true;
}

/// Takes a second mention of a function into its first.
bool Parser::mergePrototype(Function *Old, Function *New, SourceRange Where) {
  bool Same = Old->isEntry() == New->isEntry() &&
              Old->Params.size() == New->Params.size() &&
              Old->Returns.size() == New->Returns.size() &&
              all_of(zip(Old->Params, New->Params),
                     [](auto P) {
                       return isSameParameter(std::get<0>(P), std::get<1>(P));
                     }) &&
              all_of(zip(Old->Returns, New->Returns), [](auto P) {
                return isSameParameter(std::get<0>(P), std::get<1>(P));
              });
  if (!Same) {
    Diags.error(Where, "'" + New->getName() + "' differs from its declaration")
        .noteDeclaration(Old);
    return false;
  }
  if (Tok.is('{') && Old->isDefinition()) {
    Diags.error(Where, "'" + New->getName() + "' is defined already")
        .noteDeclaration(Old);
    return false;
  }
  // The definition's names, linkage and directives count. A linkage may also
  // stand only on the prototype.
  if (!Old->isDefinition()) {
    Old->Params = New->Params;
    Old->Returns = New->Returns;
    Old->Directives = New->Directives;
  }
  if (New->Link != Linkage::None &&
      (New->Link != Linkage::Extern || Old->Link == Linkage::None))
    Old->Link = New->Link;
  else if (Tok.is('{') && Old->Link == Linkage::Extern)
    Old->Link = New->Link;
  return true;
}

/// Makes the name of \p F known, or puts a declaration of that name in its
/// place.
bool Parser::declareFunction(Function *&F, SourceRange Where) {
  checkSignature(*F, Where);
  // The name itself belongs to the module.
  SymbolTable::Symbol S = Symbols.lookup(F->getName());
  if (auto *Old = dyn_cast_or_null<Function>(S.D)) {
    bool Ok = mergePrototype(Old, F, Where);
    F = Old;
    return Ok;
  }
  if (S.D && S.Depth == 0) {
    Diags.error(Where, "'" + F->getName() + "' is declared already")
        .noteDeclaration(S.D);
    return false;
  }
  Symbols.declareGlobal(F);
  Functions.push_back(F);
  return true;
}

/// A body or a `;` is to follow; ptxas needs none behind a declaration.
bool Parser::checkSignatureEnd(bool HasNoEnd, SourceRange Name) {
  if (HasNoEnd)
    Diags.warning(WarningId::Undocumented, Name,
                  "the manual ends the declaration of a function with ';'");
  else if (!Tok.is('{') && !Tok.is(';'))
    return expected("'{' or ';' after the signature");
  return true;
}

/// `(.unified(lo, hi))` behind `.attribute`.
bool Parser::parseFunctionAttribute(std::optional<UnifiedId> &Unified) {
  return expect('(', "after .attribute") &&
         (consumeDotted(".unified") || expected(".unified")) &&
         parseUnifiedId(Unified) && expect(')', "after .attribute");
}

/// `.entry name (params) directives { body }`, or `;` for a prototype.
bool Parser::parseFunction(Linkage Link) {
  bool IsEntry = isDotted(".entry");
  advance();
  NumRegisters = NumLabels = 0;
  SmallVector<Parameter> Returns, Params;
  StringRef Name;
  SourceRange Where;
  // The parameters are declared in the scope of the function. They stand
  // before and after its name, so the Function is made here and named later.
  auto *Unnamed = create<Function>("", Tok.getLoc(), IsEntry);
  CurFunction = Unnamed;
  Symbols.enterScope();
  bool Ok = true;
  std::optional<UnifiedId> Unified;
  if (!IsEntry && consumeDotted(".attribute"))
    Ok = parseFunctionAttribute(Unified);
  if (Ok && Tok.is('(')) {
    if (IsEntry)
      Ok = fail("a kernel has no return values");
    else
      Ok = parseParamList(false, false, Returns);
  }
  Ok = Ok && parseWord(Name, Where, "the name of a function");
  if (Ok && Tok.is('('))
    Ok = parseParamList(IsEntry, false, Params);
  PerformanceDirectives Directives;
  Ok = Ok && parsePerformance(Directives, IsEntry ? DirectiveUse::Entry
                                                  : DirectiveUse::Func);
  bool HasNoEnd = Ok && !IsEntry && endsDeclaration();
  Ok = Ok && checkSignatureEnd(HasNoEnd, Where);

  Function *F = nullptr;
  if (Ok) {
    F = create<Function>(Name, Where.Loc, IsEntry);
    F->Link = Link;
    F->Returns = save(Returns);
    F->Params = save(Params);
    F->Directives = Directives;
    F->Unified = Unified;
    auto *Last = Params.empty() ? nullptr : dyn_cast<Variable>(Params.back());
    F->Variadic = Last && Last->isUnsized();
    Ok = declareFunction(F, Where);
  }
  if (F)
    for (ArrayRef<Parameter> List : {F->Returns, F->Params})
      for (Parameter P : List)
        if (auto *V = dyn_cast<Variable>(P))
          const_cast<Variable *>(V)->setParent(F);
  CurFunction = F;
  // A body is parsed even after an error in the signature, for its own errors.
  if (Ok && (HasNoEnd || consume(';')))
    ;
  else if (Ok || (F && Tok.is('{')))
    Ok = parseBody(F) && Ok;
  Symbols.leaveScope();
  CurFunction = nullptr;
  return Ok;
}

bool Parser::parseBody(Function *F) {
  SourceRange Open = Tok.getRange();
  advance();
  if (F->Link == Linkage::Extern)
    failAt(Open, "an .extern function cannot have a body");
  UnmatchedBraces = OperandBraces = 0;
  Depth = 0;
  PendingLabels.clear();
  Meaningless.clear();
  // The body shares the scope of the parameters.
  SmallVector<const Statement *, 0> Body;
  parseStatements(Body);
  resolveLabels(0);
  F->Body = ArrayRef<const Statement *>(Body).copy(M->getArena());
  F->Meaningless = save(Meaningless);
  F->setDefined();
  F->setCounts(NumRegisters, NumLabels);
  if (consume('}'))
    return true;
  if (Diags.isFull())
    return false;
  Diags.error(Tok.getRange(), "expected '}' at the end of the function")
      .note(Open, "to match this '{'");
  return false;
}

} // namespace heddle::ptx
