//===- RowCases.cpp - Instructions made from the table ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks over the choices that a row leaves, and spells each instruction.
//
//===----------------------------------------------------------------------===//

#include "RowCases.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::ptx {

namespace {

/// What is chosen of a row: for each element the index of its choice, or -1 to
/// leave it out; and which optional operands are written.
struct Selection {
  SmallVector<int, 16> Choices;
  SmallVector<bool, 12> Operands;
};

/// Spells one selection of a row.
class CaseWriter {
public:
  CaseWriter(const FormRow &Row, const Selection &S) : Row(Row), S(S) {}
  RowCase write();

private:
  void writeMnemonic();
  void require(ModKind Kind, unsigned Value);
  void writeOperands();
  bool isWritten(unsigned Operand) const;
  std::string operand(const OperandSpec &Spec);
  std::string scalar(const OperandSpec &Spec, Type Ty);
  std::string address(const OperandSpec &Spec);
  unsigned getWidth(const OperandSpec &Spec) const;
  Type getType(const OperandSpec &Spec) const;
  unsigned getMod(unsigned Kind) const { return Mods[Kind]; }

  const FormRow &Row;
  const Selection &S;
  RowCase Result{};
  uint8_t Mods[NumModKinds] = {};
  SmallVector<Type> Types;
  unsigned MinSm = 0;
  SmallVector<ArrayRef<Target>> Needs;
  unsigned NextRegister = 1;
};

void CaseWriter::require(ModKind Kind, unsigned Value) {
  Mods[unsigned(Kind)] = Value;
  Result.Version = std::max(Result.Version, getModifierMinVersion(Kind, Value));
  MinSm = std::max(MinSm, getModifierMinSm(Kind, Value));
  if (auto More = getModifierTargets(Kind, Value); !More.empty())
    Needs.push_back(More);
}

void CaseWriter::writeMnemonic() {
  ArrayRef<FormElement> Elements = Row.getElements();
  std::string Front, Rest;
  for (auto [I, E] : enumerate(Elements)) {
    if (S.Choices[I] < 0)
      continue;
    const FormChoice &C = getChoices(E)[S.Choices[I]];
    std::string Part = ("." + getSpelling(C.Spelling)).str();
    bool IsOpcode = C.Kind == NoModKind && !E.IsType;
    // An element of the first place stands before the parts of the opcode.
    if (E.Position == 0 && !IsOpcode)
      Front = Part + Front;
    else
      (IsOpcode ? Front : Rest) += Part;
    if (E.IsType) {
      Types.push_back(Type(C.Value));
      Result.Types += Part;
    } else if (!IsOpcode) {
      require(ModKind(C.Kind), C.Value);
    }
  }
  Result.Text = getOpcodeName(Row.Op).split('.').first.str() + Front + Rest;
}

bool CaseWriter::isWritten(unsigned Operand) const {
  const OperandSpec &Spec = Row.getOperands()[Operand];
  if (Spec.WithKind != NoModKind)
    return getMod(Spec.WithKind) != 0;
  return !Spec.Optional || S.Operands[Operand];
}

unsigned CaseWriter::getWidth(const OperandSpec &Spec) const {
  if (Spec.WidthKind != NoModKind)
    return divideCeil(getModifierNumber(ModKind(Spec.WidthKind),
                                        getMod(Spec.WidthKind)) *
                          Spec.WidthTimes,
                      Spec.WidthOver) -
           Spec.WidthLess;
  unsigned Log = getMod(unsigned(ModKind::Vec));
  return Spec.VecModifier && Log ? 1u << Log : Spec.VectorWidth;
}

Type CaseWriter::getType(const OperandSpec &Spec) const {
  switch (Spec.Rule) {
  case OperandTypeRule::Fixed:
    return Type(Spec.Value);
  case OperandTypeRule::Suffix:
    return Types[Spec.Value];
  case OperandTypeRule::Wide:
    return getTypeBits(Types[Spec.Value]) == 16 ? Type::U32 : Type::U64;
  case OperandTypeRule::Any:
  case OperandTypeRule::Sink:
    break;
  }
  return Type::B32;
}

std::string CaseWriter::scalar(const OperandSpec &Spec, Type Ty) {
  unsigned Bits = getTypeBits(Ty);
  StringRef Bank = Ty == Type::F32   ? "%f"
                   : Ty == Type::F64 ? "%fd"
                   : Bits == 1       ? "%p"
                   : Bits <= 8       ? (Spec.Wider ? "%h" : "%c")
                   : Bits == 16      ? "%h"
                   : Bits == 32      ? "%r"
                   : Bits == 64      ? "%rd"
                                     : "%q";
  if (Ty == Type::B1)
    Bank = "%r";
  // A thread's registers of 128 bits are few.
  unsigned N =
      Bits == 128 || Bits == 1 ? 1 + NextRegister++ % 3 : NextRegister++;
  return (Bank + Twine(N)).str();
}

std::string CaseWriter::address(const OperandSpec &Spec) {
  StateSpace Space = StateSpace(Spec.Value);
  if (Spec.SpaceKind != NoModKind)
    Space = StateSpace(getMod(Spec.SpaceKind));
  switch (Space) {
  case StateSpace::Param:
    return Spec.Role == OperandRole::Address && Spec.getName() == "a" &&
                   Row.Op == Opcode::St
               ? "[argument]"
               : "[parameter]";
  case StateSpace::ParamEntry:
    return "[parameter]";
  case StateSpace::ParamFunc:
    return "[argument]";
  case StateSpace::Tmem:
    return "[%r" + std::to_string(NextRegister++) + "]";
  default:
    return "[%rd" + std::to_string(NextRegister++) + "]";
  }
}

std::string CaseWriter::operand(const OperandSpec &Spec) {
  switch (Spec.Role) {
  case OperandRole::Address:
    return address(Spec);
  case OperandRole::Object:
    return "%rd" + std::to_string(NextRegister++);
  case OperandRole::Immediate:
    return Spec.NumValues ? std::to_string(Spec.getAllowedValues().back())
                          : "1";
  case OperandRole::Label:
    return "L";
  case OperandRole::Targets:
    return "targets";
  case OperandRole::Callee:
    return "function";
  case OperandRole::Returns:
  case OperandRole::Arguments:
  case OperandRole::Prototype:
    return "";
  case OperandRole::Dest:
  case OperandRole::Source:
    break;
  }
  if (Spec.Rule == OperandTypeRule::Sink)
    return "_";
  Type Ty = getType(Spec);
  unsigned Width = getWidth(Spec);
  std::string Text;
  for (unsigned I = 0; I != std::max(Width, 1u); ++I)
    Text += (I ? ", " : "") +
            scalar(Spec, Spec.FirstIndex && I == 0 ? Type::U32 : Ty);
  if (Width != 0)
    Text = "{" + Text + "}";
  if (Spec.PairRequired)
    Text += "|%p1";
  return Text;
}

void CaseWriter::writeOperands() {
  std::string List;
  unsigned GroupEnd = 0;
  ArrayRef<OperandSpec> Specs = Row.getOperands();
  for (auto [I, Spec] : enumerate(Specs)) {
    std::string Text;
    if (isWritten(I))
      Text = operand(Spec);
    if (!Text.empty())
      List += List.empty() || StringRef(List).ends_with("[") ? "" : ", ";
    if (Spec.GroupSize) {
      GroupEnd = I + Spec.GroupSize;
      List += "[";
    }
    // Brackets are around the whole group.
    if (I < GroupEnd && StringRef(Text).starts_with("["))
      Text = StringRef(Text).drop_front().drop_back().str();
    List += Text;
    if (I + 1 == GroupEnd)
      List += "]";
  }
  Result.Text += (List.empty() ? "" : " ") + List + ";";
}

/// The first target of the list that no other requirement excludes.
Target chooseTarget(ArrayRef<ArrayRef<Target>> Needs, unsigned MinSm) {
  Target Least{uint16_t(std::max(MinSm, 10u)), 0};
  SmallVector<Target> Candidates;
  for (ArrayRef<Target> List : Needs)
    append_range(Candidates, List);
  for (const KnownTarget &K : getKnownTargets())
    Candidates.push_back(K.GPU);
  for (Target T : Candidates)
    if (T.Sm >= Least.Sm && all_of(Needs, [&](ArrayRef<Target> List) {
          return any_of(List, [&](Target Need) { return T.meets(Need); });
        }))
      return T;
  return Least;
}

RowCase CaseWriter::write() {
  Result.Row = &Row;
  Result.Version = Row.MinVersion;
  if (Row.NumTargets)
    Needs.push_back(Row.getTargets());
  writeMnemonic();
  writeOperands();
  Result.GPU = chooseTarget(Needs, MinSm);
  for (const KnownTarget &K : getKnownTargets())
    if (K.GPU == Result.GPU)
      Result.Version = std::max<unsigned>(Result.Version, K.MinVersion);
  return Result;
}

/// Calls \p Use with a selection for each combination of types.
void forEachType(const FormRow &Row, const Selection &Base,
                 function_ref<void(const Selection &)> Use) {
  Selection S = Base;
  ArrayRef<FormElement> Elements = Row.getElements();
  while (true) {
    Use(S);
    // Counts up, the last type fastest.
    unsigned I = Elements.size();
    while (I-- != 0) {
      if (!Elements[I].IsType)
        continue;
      if (++S.Choices[I] != Elements[I].NumChoices)
        break;
      S.Choices[I] = 0;
    }
    if (I == ~0u)
      return;
  }
}

} // namespace

void makeRowCases(RowVariants Variants,
                  function_ref<void(const RowCase &)> Use) {
  for (const FormRow &Row : getAllForms()) {
    if (Row.Meaningless)
      continue;
    Selection Base;
    for (const FormElement &E : Row.getElements())
      Base.Choices.push_back(E.Optional ? -1 : 0);
    Base.Operands.assign(Row.NumOperands, false);
    auto Emit = [&](const Selection &S) { Use(CaseWriter(Row, S).write()); };
    if (Variants == RowVariants::Base) {
      Emit(Base);
      continue;
    }
    forEachType(Row, Base, Emit);
    if (Variants == RowVariants::Types)
      continue;
    for (auto [I, E] : enumerate(Row.getElements()))
      for (int C = E.Optional ? 0 : 1; C < E.NumChoices && !E.IsType; ++C) {
        Selection S = Base;
        S.Choices[I] = C;
        Emit(S);
      }
    for (auto [I, Spec] : enumerate(Row.getOperands()))
      // The kernels of the cases are in unified mode.
      if (Spec.Optional && Spec.WithKind == NoModKind && !Spec.Independent) {
        Selection S = Base;
        S.Operands[I] = true;
        Emit(S);
      }
  }
}

} // namespace heddle::ptx
