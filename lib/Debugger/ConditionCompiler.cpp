//===- ConditionCompiler.cpp - Makes conditions of all lanes ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names mean what ThreadScope says, types are those that Evaluate.cpp gives.
// Whatever this does not know is no error: such a condition is evaluated thread
// by thread.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::debug {

/// Makes steps of a condition's parts. None or false: it is not known how.
class ConditionCompiler {
public:
  using Step = WarpCondition::Step;
  using Kind = WarpCondition::StepKind;

  ConditionCompiler(WarpCondition &To, ThreadScope &S, TypePool &Types)
      : To(To), S(S), Types(Types) {}

  std::optional<unsigned> scalar(const Node &N);
  /// Whether threads may have what they have for several blocks.
  bool isMerged() const { return S.S.Grid->kernel().MergedCTAs > 1; }

private:
  /// Something in memory.
  struct Place {
    unsigned Address; ///< The step that has it.
    MemorySpace Space;
    const Type *Of;
  };

  std::optional<unsigned> add(Step S);
  std::optional<unsigned> constant(const Value &V);
  std::optional<unsigned> name(StringRef Name);
  std::optional<unsigned> component(const Node &N);
  std::optional<unsigned> registers(StringRef Name);
  std::optional<unsigned> unary(const Node &N);
  std::optional<unsigned> binary(const Node &N);
  std::optional<unsigned> withPointer(const Node &N, unsigned A, unsigned B);
  std::optional<unsigned> choice(const Node &N);
  std::optional<unsigned> converted(unsigned Of, const Type *T);
  std::optional<unsigned> value(const Place &P);
  std::optional<unsigned> held(const SourceVariable &V);
  std::optional<Place> place(const Node &N);
  std::optional<Place> placeOf(const SourceVariable &V);
  std::optional<Place> loaded(const SourceVariable &V, const Type *T);
  std::optional<Place> elementOf(const Node &N);
  std::optional<Place> memberOf(const Node &N);
  std::optional<Place> pointed(unsigned Pointer);
  const Type *typeOf(unsigned N) const { return To.Steps[N].Of; }

  WarpCondition &To;
  ThreadScope &S;
  TypePool &Types;
};

/// Whether steps have values of a type.
static bool isKnown(const Type &T) {
  bool IsFloat = T.Kind == Type::Float && (T.Size == 4 || T.Size == 8);
  bool IsInteger = T.Kind == Type::Integer || T.Kind == Type::Pointer;
  return IsFloat || (IsInteger && T.Size >= 1 && T.Size <= 8);
}

std::optional<unsigned> ConditionCompiler::add(Step S) {
  if (!S.Of || !isKnown(*S.Of))
    return std::nullopt;
  To.Steps.push_back(std::move(S));
  return To.Steps.size() - 1;
}

std::optional<unsigned> ConditionCompiler::constant(const Value &V) {
  if (!V.Of->isScalar() || !isKnown(*V.Of) || !V.isComplete())
    return std::nullopt;
  return add({.Kind = Kind::Constant,
              .Of = V.Of,
              .Number = V.Of->Kind == Type::Float
                            ? bit_cast<uint64_t>(V.number())
                            : V.integer()});
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// As ThreadScope::lookup, in the same order.
std::optional<unsigned> ConditionCompiler::name(StringRef Name) {
  // Variables have been tried.
  if (S.findVariable(Name) || S.objectWith(Name))
    return std::nullopt;
  if (Name == "laneid")
    return add({.Kind = Kind::Lane, .Of = Types.UInt});
  if (Name == "warpid")
    return add({.Kind = Kind::Warp, .Of = Types.UInt});
  if (auto V = S.builtin(Name))
    return constant(*V);
  // Parameters stay what they are while a kernel runs.
  if (auto V = S.parameter(Name))
    return constant(*V);
  if (auto V = S.S.Code->findEnumerator(Name, Types))
    return constant(*V);
  return std::nullopt;
}

/// `threadIdx.x` and the like.
std::optional<unsigned> ConditionCompiler::component(const Node &N) {
  const Node &Base = *N.Parts[0];
  if (Base.Kind != Node::Name || S.findVariable(Base.Text))
    return std::nullopt;
  auto Field = find_if(Types.Dim3->Fields,
                       [&](const Type::Field &F) { return F.Name == N.Text; });
  if (Field == Types.Dim3->Fields.end())
    return std::nullopt;
  if (Base.Text == "threadIdx")
    return add(
        {.Kind = Kind::Thread, .Of = Field->Of, .Number = Field->Offset / 4});
  if (Base.Text == "blockIdx")
    return add(
        {.Kind = Kind::Block, .Of = Field->Of, .Number = Field->Offset / 4});
  auto V = S.builtin(Base.Text);
  return V && V->Of == Types.Dim3 ? constant(debug::memberOf(*V, *Field))
                                  : std::nullopt;
}

std::optional<unsigned> ConditionCompiler::registers(StringRef Name) {
  auto V = S.registerNamed(Name);
  if (!V || V->At.Kind != debug::Place::Register)
    return std::nullopt;
  Step R{.Kind = Kind::Register, .Of = V->Of};
  for (unsigned N = 0, Bytes = V->Of->Size; N * 4 < Bytes; ++N) {
    VariablePart Part;
    Part.Kind = VariablePart::Register;
    Part.Reg = {V->At.File, V->At.Number + N};
    Part.Bytes = std::min(Bytes - N * 4, 4u);
    R.Parts.push_back(Part);
  }
  return add(std::move(R));
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

namespace {

/// Finds out what a place is counted from.
class Recorder : public PlaceReader {
public:
  explicit Recorder(PlaceReader &Of) : Of(Of) {}

  std::optional<uint32_t> readRegister(DebugRegister R) override {
    Registers.push_back(R);
    return Of.readRegister(R);
  }
  std::optional<uint64_t> readMemory(MemorySpace Space, uint64_t Address,
                                     unsigned Bytes) override {
    ReadsMemory = true;
    return Of.readMemory(Space, Address, Bytes);
  }

  std::vector<DebugRegister> Registers;
  bool ReadsMemory = false;

private:
  PlaceReader &Of;
};

} // namespace

/// A variable in registers.
std::optional<unsigned> ConditionCompiler::held(const SourceVariable &V) {
  const Type *T = S.S.Code->typeOf(V, Types);
  ThreadReader Reader(*S.S.Grid, *S.At, std::nullopt);
  Recorder Recording(Reader);
  Step R{.Kind = Kind::Register,
         .Of = T,
         .Parts = S.S.Code->locate(V, To.PC, Recording)};
  if (!Recording.Registers.empty() || Recording.ReadsMemory || !isKnown(*T))
    return std::nullopt;
  uint64_t Bytes = 0;
  for (VariablePart &P : R.Parts) {
    if (P.Kind != VariablePart::Register)
      return std::nullopt;
    if (!P.Bytes)
      P.Bytes = T->Size - std::min(Bytes, T->Size);
    if (!P.Bytes || P.Bytes > 4)
      return std::nullopt;
    Bytes += P.Bytes;
  }
  if (Bytes != T->Size)
    return std::nullopt;
  auto Number = add(std::move(R));
  if (!Number || !T->IsReference)
    return Number;
  auto P = pointed(*Number);
  return P ? value(*P) : std::nullopt;
}

/// A variable of the module: in global memory where it was loaded to.
std::optional<ConditionCompiler::Place>
ConditionCompiler::loaded(const SourceVariable &V, const Type *T) {
  std::string Name = SourceVariables::linkageName(V);
  for (const rt::SymbolInfo &Symbol : S.S.Code->code().Symbols)
    if (Symbol.Name == Name && !T->IsReference)
      if (auto At = constant(makeInteger(Types.ULong, Symbol.Address)))
        return Place{*At, MemorySpace::Generic, T};
  return std::nullopt;
}

std::optional<ConditionCompiler::Place>
ConditionCompiler::placeOf(const SourceVariable &V) {
  const Type *T = S.S.Code->typeOf(V, Types);
  ThreadReader Reader(*S.S.Grid, *S.At, std::nullopt);
  Recorder Recording(Reader);
  std::vector<VariablePart> Parts = S.S.Code->locate(V, To.PC, Recording);
  if (T->Kind == Type::Void || Parts.size() != 1 || Recording.ReadsMemory ||
      Recording.Registers.size() > 1)
    return std::nullopt;
  const VariablePart &P = Parts.front();
  bool IsWhole =
      P.Kind == VariablePart::Memory && (!P.Bytes || P.Bytes >= T->Size);
  if (!IsWhole)
    return std::nullopt;
  if (V.IsGlobal && P.Space != MemorySpace::Shared)
    return loaded(V, T);
  Step A{.Kind = Kind::Address,
         .Of = Types.ULong,
         .Number = P.Address,
         .Variable = &V};
  if (!Recording.Registers.empty())
    A.Base = Recording.Registers.front();
  auto Number = add(std::move(A));
  if (!Number)
    return std::nullopt;
  Place Result{*Number, P.Space, T};
  if (!T->IsReference)
    return Result;
  auto Pointer = value(Result);
  return Pointer ? pointed(*Pointer) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::optional<ConditionCompiler::Place>
ConditionCompiler::pointed(unsigned Pointer) {
  const Type &T = *typeOf(Pointer);
  if (T.Kind != Type::Pointer || T.Element->Kind == Type::Void)
    return std::nullopt;
  return Place{Pointer, T.Space, T.Element};
}

std::optional<ConditionCompiler::Place>
ConditionCompiler::elementOf(const Node &N) {
  auto Base = place(*N.Parts[0]);
  if (!Base || Base->Of->Kind != Type::Array) {
    auto Pointer = scalar(*N.Parts[0]);
    Base = Pointer ? pointed(*Pointer) : std::nullopt;
  } else {
    Base->Of = Base->Of->Element;
  }
  auto Index = Base ? scalar(*N.Parts[1]) : std::nullopt;
  if (!Index || typeOf(*Index)->Kind != Type::Integer)
    return std::nullopt;
  auto At = add({.Kind = Kind::Element,
                 .Of = Types.ULong,
                 .A = Base->Address,
                 .B = *Index,
                 .Number = stepOf(Base->Space, Base->Of->Size)});
  return At ? std::optional(Place{*At, Base->Space, Base->Of}) : std::nullopt;
}

std::optional<ConditionCompiler::Place>
ConditionCompiler::memberOf(const Node &N) {
  auto Base = place(*N.Parts[0]);
  if (!Base || Base->Space == MemorySpace::Tensor)
    return std::nullopt;
  auto Field = find_if(Base->Of->Fields, [&](const Type::Field &F) {
    return !F.IsBase && F.Name == N.Text;
  });
  if (Field == Base->Of->Fields.end() || Field->Bits || Field->Of->IsReference)
    return std::nullopt;
  auto Offset = constant(makeInteger(Types.ULong, Field->Offset));
  auto At = add({.Kind = Kind::Element,
                 .Of = Types.ULong,
                 .A = Base->Address,
                 .B = *Offset,
                 .Number = 1});
  return Place{*At, Base->Space, Field->Of};
}

std::optional<ConditionCompiler::Place>
ConditionCompiler::place(const Node &N) {
  if (N.Kind == Node::Name) {
    const SourceVariable *V = S.findVariable(N.Text);
    return V ? placeOf(*V) : std::nullopt;
  }
  if (N.Kind == Node::Index)
    return elementOf(N);
  if (N.Kind == Node::Member)
    return memberOf(N);
  if (N.Kind != Node::Unary || N.Text != "*")
    return std::nullopt;
  auto Pointer = scalar(*N.Parts[0]);
  return Pointer ? pointed(*Pointer) : std::nullopt;
}

std::optional<unsigned> ConditionCompiler::value(const Place &P) {
  if (P.Of->Kind == Type::Array) // It is a pointer to its first element.
    return add({.Kind = Kind::Convert,
                .Of = Types.pointerTo(P.Of->Element, P.Space),
                .A = P.Address});
  return add({.Kind = Kind::Load,
              .Of = P.Of,
              .A = P.Address,
              .Number = uint64_t(P.Space)});
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// From a float only to another one: rounding to an integer is Value's matter.
std::optional<unsigned> ConditionCompiler::converted(unsigned Of,
                                                     const Type *T) {
  if (typeOf(Of) == T)
    return Of;
  if (typeOf(Of)->Kind == Type::Float && T->Kind != Type::Float)
    return std::nullopt;
  return add({.Kind = Kind::Convert, .Of = T, .A = Of});
}

std::optional<unsigned> ConditionCompiler::unary(const Node &N) {
  auto A = scalar(*N.Parts[0]);
  if (!A)
    return std::nullopt;
  if (N.Text == "!")
    return add({.Kind = Kind::Not, .Of = Types.Int, .A = *A});
  bool IsFloat = typeOf(*A)->Kind == Type::Float;
  if (typeOf(*A)->Kind == Type::Pointer || (IsFloat && N.Text == "~"))
    return std::nullopt;
  if (!IsFloat)
    A = converted(*A, commonType(typeOf(*A), Types.Int, Types));
  if (!A || N.Text == "+")
    return A;
  if (N.Text != "-" && N.Text != "~")
    return std::nullopt;
  return add({.Kind = N.Text == "-" ? Kind::Negate : Kind::Invert,
              .Of = typeOf(*A),
              .A = *A});
}

static bool compares(StringRef Operator) {
  return is_contained({"==", "!=", "<", "<=", ">", ">="}, Operator);
}

std::optional<unsigned> ConditionCompiler::withPointer(const Node &N,
                                                       unsigned A, unsigned B) {
  const Type *P = typeOf(A), *Other = typeOf(B);
  if (compares(N.Text) && P->Kind != Type::Float && Other->Kind != Type::Float)
    return add({.Kind = Kind::Apply,
                .Of = Types.Int,
                .From = Types.ULong,
                .A = A,
                .B = B,
                .Symbol = N.Text});
  if (N.Text != "+" || P->Kind != Type::Pointer || Other->Kind != Type::Integer)
    return std::nullopt;
  return add(
      {.Kind = Kind::Element,
       .Of = P,
       .A = A,
       .B = B,
       .Number = std::max<uint64_t>(stepOf(P->Space, P->Element->Size), 1)});
}

std::optional<unsigned> ConditionCompiler::binary(const Node &N) {
  bool IsKnownOperator =
      compares(N.Text) || is_contained({"+", "-", "*", "/", "%", "&", "|", "^",
                                        "<<", ">>", "&&", "||"},
                                       StringRef(N.Text));
  auto A = IsKnownOperator ? scalar(*N.Parts[0]) : std::nullopt;
  auto B = A ? scalar(*N.Parts[1]) : std::nullopt;
  if (!B)
    return std::nullopt;
  if (N.Text == "&&" || N.Text == "||")
    return add({.Kind = N.Text == "&&" ? Kind::And : Kind::Or,
                .Of = Types.Int,
                .A = *A,
                .B = *B});
  if (typeOf(*A)->Kind == Type::Pointer || typeOf(*B)->Kind == Type::Pointer)
    return withPointer(N, *A, *B);
  const Type *T = commonType(typeOf(*A), typeOf(*B), Types);
  if (N.Text == "<<" || N.Text == ">>") {
    if (T->Kind == Type::Float)
      return std::nullopt;
    T = commonType(typeOf(*A), Types.Int, Types);
    A = converted(*A, T);
  } else {
    A = converted(*A, T);
    B = converted(*B, T);
  }
  bool IsWhole = is_contained({"%", "&", "|", "^"}, StringRef(N.Text));
  if (!A || !B || (IsWhole && T->Kind == Type::Float))
    return std::nullopt;
  return add({.Kind = Kind::Apply,
              .Of = compares(N.Text) ? Types.Int : T,
              .From = T,
              .A = *A,
              .B = *B,
              .Symbol = N.Text});
}

std::optional<unsigned> ConditionCompiler::choice(const Node &N) {
  auto A = scalar(*N.Parts[0]);
  auto B = A ? scalar(*N.Parts[1]) : std::nullopt;
  auto C = B ? scalar(*N.Parts[2]) : std::nullopt;
  if (!C || typeOf(*B) != typeOf(*C))
    return std::nullopt;
  return add(
      {.Kind = Kind::Choice, .Of = typeOf(*B), .A = *A, .B = *B, .C = *C});
}

std::optional<unsigned> ConditionCompiler::scalar(const Node &N) {
  if (N.Kind == Node::Name)
    if (const SourceVariable *V = S.findVariable(N.Text))
      if (auto InRegisters = held(*V))
        return InRegisters;
  if (N.Kind == Node::Member)
    if (auto Component = component(N))
      return Component;
  if (auto P = place(N))
    return value(*P);
  switch (N.Kind) {
  case Node::Constant:
    return constant(N.Literal);
  case Node::Name:
    return name(N.Text);
  case Node::Convenience:
    return registers(N.Text);
  case Node::Unary:
    return N.Text == "&" || N.Text == "*" ? std::nullopt : unary(N);
  case Node::Binary:
    return binary(N);
  case Node::Choice:
    return choice(N);
  case Node::Cast: {
    auto A = scalar(*N.Parts[0]);
    if (!A)
      return std::nullopt;
    bool KeepsSpace = N.Of->Kind == Type::Pointer &&
                      N.Of->Space == MemorySpace::Generic &&
                      typeOf(*A)->Kind == Type::Pointer;
    return converted(*A, KeepsSpace
                             ? Types.pointerTo(N.Of->Element, typeOf(*A)->Space)
                             : N.Of);
  }
  default:
    return std::nullopt;
  }
}

std::unique_ptr<WarpCondition>
WarpCondition::create(const Expression &E, ThreadScope &S, const Module &Code,
                      TypePool &Types, uint32_t PC) {
  auto Result = std::make_unique<WarpCondition>();
  Result->Code = &Code;
  Result->PC = PC;
  ConditionCompiler Compiler(*Result, S, Types);
  if (Compiler.isMerged() || !Compiler.scalar(E.root()))
    return nullptr;
  // The last step is the condition itself.
  Result->Slots.resize(Result->Steps.size());
  return Result;
}

} // namespace heddle::debug
