//===- PTXGenerator.cpp - Makes PTX from a string of choices ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules, instructions and mutations, chosen by bytes.
//
//===----------------------------------------------------------------------===//

#include "PTXGenerator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::ptx {

uint32_t Choices::pick(uint32_t N) {
  uint32_t Value = 0;
  for (uint32_t Range = 1; Range < N && !Bytes.empty(); Range *= 256) {
    Value = Value << 8 | Bytes.front();
    Bytes = Bytes.drop_front();
    if (Range > UINT32_MAX / 256)
      break;
  }
  return Value % N;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

std::string PTXGenerator::makeLiteral() {
  static constexpr StringLiteral Literals[] = {"1",
                                               "0",
                                               "-1",
                                               "31",
                                               "0x80000000",
                                               "4294967295U",
                                               "-9223372036854775808",
                                               "18446744073709551615U",
                                               "0f3F800000",
                                               "0f7FA00001",
                                               "0d3FF0000000000000",
                                               "1.5",
                                               ".5",
                                               "1e400",
                                               "017",
                                               "0b101",
                                               "WARP_SZ",
                                               "0xFFFFFFFFFFFFFFFFFF"};
  return C.of(Literals).str();
}

/// A constant expression of a depth of at most \p Depth.
std::string PTXGenerator::makeConstant(unsigned Depth) {
  static constexpr StringLiteral Operators[] = {
      "+", "-", "*", "/",  "%",  "<<", ">>", "<",  ">",
      "&", "|", "^", "<=", ">=", "==", "!=", "&&", "||"};
  if (Depth == 0 || !C.oneIn(4))
    return makeLiteral();
  // The order of the choices must not depend on the compiler's order of
  // evaluation, so each makes a statement of its own.
  std::string Text;
  switch (C.pick(4)) {
  case 0:
    return "(" + makeConstant(Depth - 1) + ")";
  case 1: {
    static constexpr StringLiteral Unary[] = {"-", "~", "!", "(.u64)"};
    Text = C.of(Unary);
    return Text += makeConstant(Depth - 1);
  }
  case 2:
    Text = makeConstant(Depth - 1) + "?";
    Text += makeConstant(Depth - 1) + ":";
    return Text += makeConstant(Depth - 1);
  default:
    Text = makeConstant(Depth - 1);
    Text += C.of(Operators);
    return Text += makeConstant(Depth - 1);
  }
}

/// The prefix of the registers of a width, as nvcc names them.
static StringRef getPrefix(Type Ty) {
  if (getTypeClass(Ty) == TypeClass::Pred)
    return "%p";
  bool IsFloat = getTypeClass(Ty) == TypeClass::Float;
  switch (getTypeBits(Ty)) {
  case 32:
    return IsFloat ? "%f" : "%r";
  case 64:
    return IsFloat ? "%fd" : "%rd";
  case 128:
    return "%rq";
  default:
    return "%rs";
  }
}

std::string PTXGenerator::makeRegister(Type Ty) {
  if (C.oneIn(24))
    Ty = Type(C.pick(NumTypes));
  return getPrefix(Ty).str() + std::to_string(1 + C.pick(3));
}

std::string PTXGenerator::makeAddress() {
  static constexpr StringLiteral Bases[] = {
      "%rd1", "%rd2", "%r1", "gvar", "svar", "cvar", "lvar", "param", "16"};
  std::string Text = ("[" + C.of(Bases)).str();
  if (C.oneIn(3))
    Text += "+" + makeConstant(1);
  return Text + "]";
}

std::string PTXGenerator::makeScalar(const OperandSpec &Spec, Type Ty) {
  bool IsSource = Spec.Role == OperandRole::Source;
  if (IsSource && C.oneIn(4))
    return makeConstant(2);
  if (IsSource && Spec.Special && C.oneIn(4)) {
    std::string Text = C.of(getAllSpecialRegs()).Name.str();
    return Text += C.oneIn(3) ? ".x" : "";
  }
  if (IsSource && Spec.AddressOf && C.oneIn(4))
    return "gvar+4";
  if (C.oneIn(32))
    return "_";
  std::string Text = Spec.Negatable && C.oneIn(3) ? "!" : "";
  return Text += makeRegister(Ty);
}

std::string PTXGenerator::makeValue(const OperandSpec &Spec, Type Ty) {
  unsigned Width = Spec.VecModifier ? VectorWidth : Spec.VectorWidth;
  if (C.oneIn(32))
    Width = C.pick(9);
  if (Width == 0) {
    std::string Text = makeScalar(Spec, Ty);
    bool Pair = Spec.PairRequired || (Spec.PairPredicate && C.oneIn(2));
    return Pair ? Text + "|" + makeRegister(Type::Pred) : Text;
  }
  std::string Text;
  for (unsigned I = 0; I != Width; ++I)
    Text += (I ? "," : "") + makeScalar(Spec, Ty);
  return "{" + Text + "}";
}

std::string PTXGenerator::makeOperand(const FormRow &Row,
                                      const OperandSpec &Spec) {
  switch (Spec.Role) {
  case OperandRole::Address:
    return makeAddress();
  case OperandRole::Label:
    return C.oneIn(2) ? "L1" : "L2";
  case OperandRole::Targets:
    return "targets";
  case OperandRole::Returns:
    return "(retval)";
  case OperandRole::Callee:
    return C.oneIn(3) ? "%rd1" : "callee";
  case OperandRole::Arguments:
    return "(arg," + makeRegister(Type::B32) + ")";
  case OperandRole::Prototype:
    return "prototype";
  case OperandRole::Object:
    return "%rd1"; // A handle; variables of opaque types the corpus has.
  case OperandRole::Immediate:
    if (!Spec.getAllowedValues().empty() && !C.oneIn(8))
      return std::to_string(C.of(Spec.getAllowedValues()));
    return makeConstant(2);
  case OperandRole::Dest:
  case OperandRole::Source:
    break;
  }
  Type Ty = Type::B32;
  if (Spec.Rule == OperandTypeRule::Fixed)
    Ty = Type(Spec.Value);
  else if (Spec.Value < Types.size())
    Ty = Types[Spec.Value];
  if (Spec.Rule == OperandTypeRule::Wide)
    Ty = getTypeBits(Ty) == 16 ? Type::U32 : Type::U64;
  return makeValue(Spec, Ty);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

std::string PTXGenerator::makeMnemonic(const FormRow &Row) {
  std::string Text = getOpcodeName(Row.Op).split('.').first.str();
  Types.clear();
  Kinds.clear();
  VectorWidth = 0;
  for (const FormElement &E : Row.getElements()) {
    if (E.Optional && !C.oneIn(4))
      continue;
    const FormChoice &Choice = C.of(getChoices(E));
    Text += ("." + getSpelling(Choice.Spelling)).str();
    if (E.IsType)
      Types.push_back(Type(Choice.Value));
    else
      Kinds.push_back(Choice.Kind);
    // v2, v4 and v8 are the values 1, 2 and 3.
    if (!E.IsType && Choice.Kind == unsigned(ModKind::Vec))
      VectorWidth = 1u << Choice.Value;
  }
  return Text;
}

std::string PTXGenerator::makeInstruction() {
  static constexpr StringLiteral Guards[] = {"@%p1 ", "@!%p2 ", "@%r1 "};
  const FormRow &Row = C.of(getAllForms());
  std::string Text = C.oneIn(8) ? C.of(Guards).str() : "";
  Text += makeMnemonic(Row);
  StringRef Separator = " ";
  for (const OperandSpec &Spec : Row.getOperands()) {
    bool Take = !Spec.Optional || C.oneIn(2);
    if (Spec.WithKind != NoModKind)
      Take = is_contained(Kinds, Spec.WithKind);
    if (!Take || C.oneIn(64))
      continue;
    Text += Separator;
    Text += makeOperand(Row, Spec);
    Separator = ", ";
  }
  return Text + ";";
}

std::string PTXGenerator::makeStatement() {
  static constexpr StringLiteral Others[] = {
      "{ .reg .b32 %x; mov.b32 %x, %r1; }",
      ".loc 1 3 5",
      ".loc 1 9 1, function_name name+4, inlined_at 1 3 5",
      ".pragma \"nounroll\";",
      "ret;",
      "bra.uni L2;",
      ".reg .v4 .f32 %v;",
      "{",
      "}",
      ".local .align 16 .b8 buffer[1<<20];"};
  return C.oneIn(12) ? C.of(Others).str() : makeInstruction();
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static constexpr StringLiteral Targets[] = {"sm_100a", "sm_90", "sm_90a",
                                            "sm_120",  "sm_80", "sm_52",
                                            "sm_10",   "sm_999"};
static constexpr StringLiteral Versions[] = {"9.1", "8.0", "7.0", "6.3",
                                             "4.1", "1.5", "10.9"};

static constexpr StringLiteral Variables = R"(
.file 1 "a.cu", 1, 2
.global .align 16 .b8 gvar[64] = {1, 2, 0xFF};
.const .f32 cvar[2][2] = {{1.0}, {0f3F800000, .5}};
.extern .shared .align 16 .b8 svar[];
.visible .global .u64 pointers[2] = {generic(gvar)+4, gvar};
.func (.param .b32 result) callee(.param .b64 a, .param .b32 b)
{ st.param.b32 [result], 1; ret; }
.visible .entry kernel(.param .u64 param, .param .align 8 .b8 s[16])
.maxntid 128, 1, 1
{
.reg .pred %p<5>; .reg .b16 %rs<5>; .reg .b32 %r<5>; .reg .b64 %rd<5>;
.reg .f32 %f<5>; .reg .f64 %fd<5>; .reg .b128 %rq<5>;
.local .align 8 .b8 lvar[32];
.param .b32 retval; .param .b64 arg;
prototype: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);
targets: .branchtargets L1, L2;
L1:
)";

static constexpr StringLiteral Sections = R"(
.section .debug_str { name: .b8 102,0 .b32 .debug_abbrev, L1-L2, name+4 }
)";

std::string PTXGenerator::makeHeader() {
  std::string Text = (".version " + C.of(Versions)).str();
  Text += ("\n.target " + C.of(Targets)).str();
  Text += C.oneIn(8) ? ", debug" : "";
  return Text += C.oneIn(8) ? "\n.address_size 32" : "\n.address_size 64";
}

std::string PTXGenerator::makeModule() {
  std::string Text = makeHeader() + Variables.str();
  do
    Text += makeStatement() + "\n";
  while (!C.isEmpty());
  return Text + "L2: ret;\n}\n" + Sections.str();
}

//===----------------------------------------------------------------------===//
// Mutations
//===----------------------------------------------------------------------===//

std::string PTXGenerator::makeWord() {
  static constexpr StringLiteral Words[] = {
      ".reg",    ".param",   ".global",  ".shared",  ".const", ".local",
      ".align",  ".entry",   ".func",    ".visible", ".weak",  ".extern",
      ".common", ".section", ".version", ".target",  ".file",  ".loc",
      "{",       "}",        "(",        ")",        "[",      "]",
      "<",       ">",        ";",        ",",        ":",      "=",
      "|",       "!",        "@",        "generic",  "%r",     "_"};
  switch (C.pick(4)) {
  case 0:
    return C.of(Words).str();
  case 1:
    return ("." + C.of(getAllSpellings())).str();
  case 2:
    return makeRegister(Type(C.pick(NumTypes)));
  default:
    return makeConstant(3);
  }
}

/// The offset of \p Text at which a part made of \p Separators begins, near
/// the chosen place.
static size_t findPart(StringRef Text, size_t Near, StringRef Separators) {
  size_t At = Text.find_first_of(Separators, Near);
  return At == StringRef::npos ? Text.size() : At + 1;
}

std::string PTXGenerator::mutate(StringRef Text) {
  size_t Near = C.pick(uint32_t(Text.size()) + 1);
  StringRef Separators = C.oneIn(2) ? " ,.;:()[]{}\n" : ";\n";
  size_t Begin = findPart(Text, Near, Separators);
  size_t End = findPart(Text, Begin, Separators);
  StringRef Part = Text.slice(Begin, End);
  std::string Middle;
  switch (C.pick(6)) {
  case 0: // Dropped.
    break;
  case 1: // Twice.
    Middle = Part.str() + Part.str();
    break;
  case 2: // Exchanged with the next.
    Begin = End;
    End = findPart(Text, Begin, Separators);
    Middle = (Text.slice(Begin, End) + Part).str();
    Begin -= Part.size();
    break;
  case 3:
    Middle = makeWord();
    break;
  case 4:
    Middle = makeInstruction() + Part.str();
    break;
  default:
    Middle = Part.str() + makeStatement();
    break;
  }
  return (Text.take_front(Begin) + Middle + Text.drop_front(End)).str();
}

} // namespace heddle::ptx
