//===- GenerateForms.cpp - Instructions from the table ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws a row of the PTX table, its modifiers and types, and operands. A row
// that is added to the table joins by itself, unless its result is not
// determined by its register operands.
//
//===----------------------------------------------------------------------===//

#include "GeneratorState.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace heddle::ptx;

namespace heddle::random {

/// Instructions without memory operands that are still not a function of their
/// operands, or that other parts of the generator make.
static bool isExcluded(StringRef Head) {
  static const StringSet<> Names = {
      // Control and what threads do together.
      "bra", "brx", "call", "ret", "exit", "trap", "brkpt", "bar", "barrier",
      "membar", "fence", "griddepcontrol", "nanosleep", "pmevent", "setmaxnreg",
      "elect", "vote", "match", "redux", "activemask", "shfl",
      // Memory, addresses and the stack.
      "cp", "mbarrier", "tensormap", "clusterlaunchcontrol", "cvta", "isspacep",
      "mapa", "getctarank", "createpolicy", "istypep", "txq", "suq", "alloca",
      "stacksave", "stackrestore", "multimem", "discard", "applypriority",
      // Matrices, whose operands are those of a whole warp.
      "mma", "wmma", "wgmma", "tcgen05", "ldmatrix", "stmatrix", "movmatrix",
      // Vectors whose length a modifier says.
      "spcompress", "spdecompress",
      // The carry flag: carryChain makes these.
      "addc", "subc", "madc",
      // Approximations: their bits are not determined.
      "sin", "cos", "lg2", "ex2", "tanh", "rsqrt"};
  return Names.contains(Head);
}

static bool hasUsableOperands(const FormRow &Row) {
  return all_of(Row.getOperands(), [](const OperandSpec &O) {
    return O.Role == OperandRole::Immediate ||
           ((O.Role == OperandRole::Dest || O.Role == OperandRole::Source) &&
            O.Rule != OperandTypeRule::Any);
  });
}

std::vector<std::vector<const FormRow *>> drawableForms(ptx::Target GPU) {
  std::map<Opcode, std::vector<const FormRow *>> ByOpcode;
  for (const FormRow &Row : getAllForms()) {
    if (isExcluded(getOpcodeName(Row.Op).split('.').first) ||
        !hasUsableOperands(Row))
      continue;
    if (Row.getTargets().empty() ||
        any_of(Row.getTargets(), [&](ptx::Target T) { return GPU.meets(T); }))
      ByOpcode[Row.Op].push_back(&Row);
  }
  std::vector<std::vector<const FormRow *>> Result;
  Result.reserve(ByOpcode.size());
  for (auto &[Op, Rows] : ByOpcode)
    Result.push_back(Rows);
  return Result;
}

//===----------------------------------------------------------------------===//
// Mnemonics
//===----------------------------------------------------------------------===//

/// Whether a rounding has to be written, lest add and mul become one fma.
static bool needsRounding(const FormRow &Row, const FormElement &E) {
  if (Row.Op != Opcode::Add && Row.Op != Opcode::Sub && Row.Op != Opcode::Mul)
    return false;
  return any_of(getChoices(E), [](const FormChoice &C) {
    return C.Kind == uint8_t(ModKind::Rounding);
  });
}

std::optional<ChosenForm> Generator::chooseForm() {
  ChosenForm F;
  F.Row = R.pick(R.pick(Opcodes));
  // A third of the opcodes are video instructions, which are much alike.
  if (getOpcodeName(F.Row->Op).starts_with("v") && R.percent(70))
    return std::nullopt;
  F.Mnemonic = getOpcodeName(F.Row->Op).split('.').first.str();
  for (const FormElement &E : F.Row->getElements()) {
    bool Forced = P.Shape.Contract && needsRounding(*F.Row, E);
    if (E.Optional && !Forced && !R.percent(35))
      continue;
    ArrayRef<FormChoice> Choices = getChoices(E);
    const FormChoice &C = R.pick(Choices);
    F.Mnemonic += ("." + getSpelling(C.Spelling)).str();
    if (E.IsType)
      F.Types.push_back(ptx::Type(C.Value));
    else if (C.Kind != NoModKind)
      F.Mods[C.Kind] = C.Value;
  }
  // The bits of approximations are not determined; vectors and carries are
  // made elsewhere.
  if (F.has(ModKind::Accuracy) || F.has(ModKind::Vec) ||
      F.has(ModKind::CarryOut))
    return std::nullopt;
  return F;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static bool isFloatType(ptx::Type Ty) {
  return getTypeClass(Ty) == TypeClass::Float || Ty == ptx::Type::F32x2;
}

/// The loose registers of a float type.
static Pool loosePool(ptx::Type Ty) {
  switch (Ty) {
  case ptx::Type::F16:
    return {"%lh", ".b16", 3};
  case ptx::Type::BF16:
    return {"%lb", ".b16", 3};
  case ptx::Type::F16x2:
    return {"%lx", ".b32", 3};
  case ptx::Type::BF16x2:
    return {"%lz", ".b32", 3};
  case ptx::Type::F32x2:
    return {"%ly", ".b64", 3};
  case ptx::Type::F64:
    return {"%lg", ".f64", 4};
  case ptx::Type::TF32:
    return {"%lt", ".b32", 2};
  default:
    return {"%lf", ".f32", 4};
  }
}

/// Whether the bits of a NaN that an instruction gives are determined. Those of
/// arithmetic are not (9.7.3: an unspecified NaN in single precision, payloads
/// in double); where the manual says "canonical NaN" they are.
static bool hasExactNaN(const ChosenForm &F, ptx::Type Ty) {
  if (Ty == ptx::Type::F64)
    return false;
  switch (F.Row->Op) {
  case Opcode::Set:
    return true; // 1.0 or 0.0.
  case Opcode::Min:
  case Opcode::Max:
    return F.has(ModKind::NanMode);
  case Opcode::Fma:
    return F.has(ModKind::Relu);
  case Opcode::Cvt:
    return F.has(ModKind::Relu) ||
           (F.Types.size() > 1 && !isFloatType(F.Types[1]));
  default:
    return false;
  }
}

std::string Generator::exactWriteable(unsigned Width) {
  switch (Width) {
  case 128:
    return reg("%q", 2);
  case 64:
    return reg("%d", 6);
  case 32:
    return reg("%r", 10);
  default:
    return reg("%h", 6);
  }
}

std::string Generator::exact(unsigned Width) {
  // Uniform values and the thread's number are only read.
  if (Width == 32 && R.percent(25))
    return R.percent(25) ? "%tid32" : reg("%u", 4);
  return exactWriteable(Width);
}

std::string Generator::predicate() { return reg("%p", 6); }

/// Edge values and random ones, in the range of the type.
std::string Generator::immediate(ptx::Type Ty) {
  unsigned Width = getTypeBits(Ty);
  uint64_t Word = interestingWord(R);
  if (Ty == ptx::Type::F32)
    return "0f" + utohexstr(Word >> 32, /*LowerCase=*/false, /*Width=*/8);
  if (Ty == ptx::Type::F64)
    return "0d" + utohexstr(Word, /*LowerCase=*/false, /*Width=*/16);
  if (R.percent(40))
    Word = R.below(uint64_t(2) * Width);
  bool Signed = getTypeClass(Ty) == TypeClass::SInt;
  if (Width == 64)
    return "0x" + utohexstr(Signed ? Word >> 1 : Word);
  if (Signed)
    return std::to_string(int64_t(Word << (64 - Width)) >> (64 - Width));
  return "0x" + utohexstr(Word & ((uint64_t(1) << Width) - 1));
}

/// Whether the sign or the payload of an operand matters even if it is a NaN;
/// .oob is about one NaN among them.
static bool readsBitsOfNaN(const ChosenForm &F) {
  return F.Row->Op == Opcode::Copysign || F.has(ModKind::XorSign) ||
         F.has(ModKind::Oob);
}

std::string Generator::source(ptx::Type Ty, bool Wider, bool ForProbe,
                              bool MayBeLoose, bool MayBeConstant) {
  if (Ty == ptx::Type::Pred)
    return predicate();
  if (Ty == ptx::Type::B8)
    return reg("%e", 3);
  unsigned Width = std::max(16u, getTypeBits(Ty));
  MayBeConstant &= !ForProbe && hasConstants(Ty) && Width <= 64;
  if (isFloatType(Ty)) {
    if (MayBeConstant && R.percent(12))
      return immediate(Ty);
    if (!MayBeLoose || R.percent(40))
      return exact(Width);
    Pool Loose = loosePool(Ty);
    return reg(Loose.Prefix, Loose.Count);
  }
  if (MayBeConstant && R.percent(20))
    return immediate(Ty);
  while (Wider && !ForProbe && Width < 64 && R.percent(35))
    Width *= 2;
  return exact(Width);
}

std::string Generator::destination(const ChosenForm &Form, ptx::Type Ty,
                                   bool Wider, bool ForProbe) {
  if (Ty == ptx::Type::Pred)
    return predicate();
  if (Ty == ptx::Type::B8)
    return reg("%e", 3);
  unsigned Width = std::max(16u, getTypeBits(Ty));
  if (isFloatType(Ty) && (!hasExactNaN(Form, Ty) || R.percent(30))) {
    Pool Loose = loosePool(Ty);
    return reg(Loose.Prefix, Loose.Count);
  }
  while (Wider && !ForProbe && !isFloatType(Ty) && Width < 64 && R.percent(35))
    Width *= 2;
  return exactWriteable(Width);
}

/// An integer type of twice the width; none for 64 bits.
static std::optional<ptx::Type> widened(ptx::Type Ty) {
  bool Signed = getTypeClass(Ty) == TypeClass::SInt;
  switch (getTypeBits(Ty)) {
  case 16:
    return Signed ? ptx::Type::S32 : ptx::Type::U32;
  case 32:
    return Signed ? ptx::Type::S64 : ptx::Type::U64;
  default:
    return std::nullopt;
  }
}

/// The type of an operand; none if the generator has no register for it.
static std::optional<ptx::Type> typeOf(const ChosenForm &F,
                                       const OperandSpec &O) {
  ptx::Type Ty = ptx::Type(O.Value);
  if (O.Rule != OperandTypeRule::Fixed) {
    if (O.Value >= F.Types.size())
      return std::nullopt;
    Ty = F.Types[O.Value];
  }
  if (getTypeClass(Ty) == TypeClass::Opaque || getTypeBits(Ty) > 128)
    return std::nullopt;
  return O.Rule == OperandTypeRule::Wide ? widened(Ty) : Ty;
}

/// `a|b` with another register where both are the same.
static std::string pairOf(const std::string &First, const std::string &Second) {
  if (First != Second)
    return First + "|" + Second;
  return First + "|" + (First == "%p0" ? "%p1" : "%p0");
}

/// What a video instruction selects of an operand; often nothing.
std::string Generator::selector(OperandSelector Kind) {
  static constexpr const char *Parts[] = {".b0", ".b1", ".b2",
                                          ".b3", ".h0", ".h1"};
  unsigned Lanes = Kind == OperandSelector::Mask2 ||
                           Kind == OperandSelector::Lanes2A ||
                           Kind == OperandSelector::Lanes2B
                       ? 2
                       : 4;
  if (Kind == OperandSelector::None || R.percent(40))
    return "";
  if (Kind == OperandSelector::Part)
    return R.pick(Parts);
  std::string Text = Lanes == 2 ? ".h" : ".b";
  if (Kind == OperandSelector::Mask2 || Kind == OperandSelector::Mask4) {
    uint64_t Mask = R.from(1, (1u << Lanes) - 1);
    for (unsigned Lane = Lanes; Lane-- != 0;)
      if (Mask >> Lane & 1)
        Text += std::to_string(Lane);
    return Text;
  }
  for (unsigned Lane = 0; Lane != Lanes; ++Lane)
    Text += std::to_string(R.below(uint64_t(2) * Lanes));
  return Text;
}

std::optional<std::string> Generator::operandText(const ChosenForm &Form,
                                                  const OperandSpec &O,
                                                  bool ForProbe) {
  if (O.Role == OperandRole::Immediate) {
    ArrayRef Values = O.getAllowedValues();
    return std::to_string(Values.empty() ? R.below(256) : R.pick(Values));
  }
  // fns is undefined for a base beyond 31.
  if (Form.Row->Op == Opcode::Fns && O.Name.get() == "base")
    return std::to_string(R.below(32));
  std::optional<ptx::Type> Ty = typeOf(Form, O);
  bool IsDest = O.Role == OperandRole::Dest;
  // Two elements of a destination vector must not be the same register.
  if (!Ty || (IsDest && O.VectorWidth))
    return std::nullopt;
  if (IsDest) {
    std::string Text = destination(Form, *Ty, O.Wider, ForProbe);
    bool IsPair = O.PairPredicate && (O.PairRequired || R.percent(40));
    Text = IsPair ? pairOf(Text, predicate()) : Text;
    return ForProbe ? Text : Text + selector(O.Selector);
  }
  if (O.VectorWidth) {
    std::string Text = "{";
    for (unsigned N = 0; N != O.VectorWidth; ++N)
      Text += (N ? ", " : "") +
              source(*Ty, O.Wider, ForProbe, !readsBitsOfNaN(Form));
    return Text + "}";
  }
  bool Negated = O.Negatable && *Ty == ptx::Type::Pred && R.percent(30);
  std::string Selected = ForProbe ? "" : selector(O.Selector);
  // Constants have no parts.
  return (Negated ? "!" : "") +
         source(*Ty, O.Wider, ForProbe, !readsBitsOfNaN(Form),
                !O.NoConstant && Selected.empty()) +
         Selected;
}

std::optional<std::string> Generator::instruction(const ChosenForm &Form,
                                                  bool ForProbe) {
  std::string Text = Form.Mnemonic;
  bool First = true;
  for (const OperandSpec &O : Form.Row->getOperands()) {
    bool Present = true;
    if (O.WithKind != NoModKind)
      Present = Form.Mods[O.WithKind] != 0;
    else if (O.Optional)
      Present = !ForProbe && R.percent(50);
    if (!Present)
      continue;
    std::optional<std::string> Operand = operandText(Form, O, ForProbe);
    if (!Operand)
      return std::nullopt;
    Text += (First ? " " : ", ") + *Operand;
    First = false;
  }
  return Text + ";";
}

/// A random instruction that compiler and interpreter know, perhaps guarded.
std::optional<std::string> Generator::randomInstruction() {
  for (unsigned Try = 0; Try != 20; ++Try) {
    std::optional<ChosenForm> Form = chooseForm();
    if (!Form)
      continue;
    std::optional<std::string> Probe = instruction(*Form, /*ForProbe=*/true);
    if (!Probe || !mayUse(Form->Mnemonic, *Probe))
      continue;
    std::optional<std::string> Text = instruction(*Form, /*ForProbe=*/false);
    if (!Text)
      continue;
    if (R.percent(12))
      return (R.percent(30) ? "@!" : "@") + predicate() + " " + *Text;
    return Text;
  }
  return std::nullopt;
}

} // namespace heddle::random
