//===- Variables.cpp - Values of the source's variables ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What variables are in a thread: read from registers and memory, as the debug
// information of the selected frame says.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "Source/Names.h"
#include "ThreadReader.h"
#include "heddle/ISA/ISA.h"
#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace llvm;

namespace heddle::debug {

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {

/// Reads bytes of a space; false where there are none.
using MemoryReader = function_ref<bool(MemorySpace Space, uint64_t Address,
                                       MutableArrayRef<uint8_t> Out)>;

} // namespace

std::optional<uint32_t> ThreadReader::readRegister(DebugRegister R) {
  if (R.File == emu::RegisterFile::Vector &&
      R.Number == isa::abi::StackPointer && !Call && isStackOfCaller())
    return std::nullopt;
  emu::RegisterView V = Call ? Grid.registersAt(At.Warp, At.Lane, *Call)
                             : Grid.registers(At.Warp);
  switch (R.File) {
  case emu::RegisterFile::Vector:
    return R.Number < V.Vectors ? std::optional(V.Vector[R.Number][At.Lane])
                                : std::nullopt;
  case emu::RegisterFile::Predicate:
    return V.Predicates[R.Number] >> At.Lane & 1;
  case emu::RegisterFile::Uniform:
    return R.Number < V.Uniforms ? std::optional(V.Uniform[R.Number])
                                 : std::nullopt;
  case emu::RegisterFile::UniformPredicate:
    return V.UniformPredicates[R.Number];
  }
  return std::nullopt;
}

std::optional<uint64_t>
ThreadReader::readMemory(MemorySpace Space, uint64_t Address, unsigned Bytes) {
  uint64_t Result = 0;
  MutableArrayRef<uint8_t> Out(reinterpret_cast<uint8_t *>(&Result), Bytes);
  return Grid.read(Space, At.Warp, At.Lane, Address, Out)
             ? std::optional(Result)
             : std::nullopt;
}

/// In front of the first instructions of a function, and behind its last, R1
/// is the caller's.
bool ThreadReader::isStackOfCaller() const {
  size_t Calls = Grid.calls(At.Warp, At.Lane).size();
  if (!Calls)
    return false;
  constexpr unsigned SP = isa::abi::StackPointer;
  return Grid.registersAt(At.Warp, At.Lane, Calls - 1).Vector[SP][At.Lane] ==
         Grid.registers(At.Warp).Vector[SP][At.Lane];
}

ThreadScope::FramePlace ThreadScope::frame() const {
  uint32_t PC = S.Grid->lane(At->Warp, At->Lane).PC;
  // Threads that stand elsewhere have other frames than the selected one.
  bool IsAtFocus = S.At && S.Grid->has(S.At->Warp) && S.pcOfFocus() == PC;
  size_t Number = Frame.value_or(IsAtFocus ? S.SelectedFrame : 0);
  if (size_t Depth = S.Code->depthOf(PC); Number < Depth)
    return {PC, Number, std::nullopt};
  else
    Number -= Depth;
  ArrayRef<uint32_t> Calls = S.Grid->calls(At->Warp, At->Lane);
  for (size_t N = Calls.size(); N--;) {
    size_t Depth = S.Code->depthOf(Calls[N]);
    if (Number < Depth)
      return {Calls[N], Number, N};
    Number -= Depth;
  }
  return {PC, 0, std::nullopt};
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Copies a part from registers or memory, or what is constant, to the end of a
/// value; false if it is nowhere.
static bool appendPart(const VariablePart &P, uint64_t Bytes, Value &V,
                       PlaceReader &Reader, const MemoryReader &Memory) {
  uint64_t Bits = P.Address;
  switch (P.Kind) {
  case VariablePart::Nowhere:
    return false;
  case VariablePart::Memory: {
    SmallVector<uint8_t> Part(Bytes);
    if (!Memory(P.Space, P.Address, Part))
      return false;
    V.Bytes.append(Part.begin(), Part.end());
    return true;
  }
  case VariablePart::Register: {
    auto Word = Reader.readRegister(P.Reg);
    if (!Word || Bytes > sizeof(*Word))
      return false;
    Bits = *Word;
    break;
  }
  case VariablePart::Constant:
    if (V.Of->IsBool)
      Bits = Bits != 0;
    break;
  }
  for (uint64_t N = 0; N != Bytes; ++N)
    V.Bytes.push_back(N < sizeof(Bits) ? uint8_t(Bits >> (8 * N)) : 0);
  return true;
}

/// Puts the parts together; what is nowhere is lost.
Expected<Value> ThreadScope::assemble(ArrayRef<VariablePart> Parts,
                                      const Type *T) {
  std::optional<size_t> Call = frame().Call;
  ThreadReader Reader(*S.Grid, *At, Call);
  auto Memory = [&](MemorySpace Space, uint64_t Address,
                    MutableArrayRef<uint8_t> Out) {
    return S.Grid->read(Space, At->Warp, At->Lane, Address, Out);
  };
  Value V;
  V.Of = T;
  V.Lost.resize(T->Size, true);
  for (const VariablePart &P : Parts) {
    uint64_t Begin = V.Bytes.size();
    if (Begin >= T->Size)
      break;
    uint64_t Bytes = P.Bytes ? P.Bytes : T->Size - Begin;
    if (appendPart(P, Bytes, V, Reader, Memory))
      V.Lost.reset(Begin, std::min(Begin + Bytes, T->Size));
    else
      V.Bytes.resize(Begin + Bytes);
  }
  V.Bytes.resize(T->Size);
  if (V.isLost() || (T->isScalar() && !V.isComplete()))
    return optimizedOut();
  if (V.isComplete())
    V.Lost.clear();
  // A value in registers that follow one another can be changed.
  bool IsInRow = !Call;
  for (auto [N, P] : enumerate(Parts))
    IsInRow &= P.Kind == VariablePart::Register &&
               P.Reg.File == Parts.front().Reg.File &&
               P.Reg.Number == Parts.front().Reg.Number + N;
  if (IsInRow) {
    V.At.Kind = Place::Register;
    V.At.File = Parts.front().Reg.File;
    V.At.Number = Parts.front().Reg.Number;
  }
  return V;
}

/// A variable of the module: in global memory where it was loaded to.
Expected<Value> ThreadScope::globalValue(const SourceVariable &V, const Type *T,
                                         ArrayRef<VariablePart> Parts) {
  const VariablePart &P = Parts.front();
  if (P.Space == MemorySpace::Shared)
    return load(T, P.Space, P.Address);
  std::string Name = SourceVariables::linkageName(V);
  for (const rt::SymbolInfo &Symbol : S.Code->code().Symbols)
    if (Symbol.Name == Name)
      return load(T, MemorySpace::Generic, Symbol.Address);
  return optimizedOut();
}

/// A kernel's argument that the kernel has not put anywhere yet: what the
/// launch passed. None if \p PC is behind where it does so.
std::optional<Value> ThreadScope::launchedWith(const SourceVariable &V,
                                               const Type *T, uint32_t PC) {
  const std::vector<rt::ParamInfo> &Passed = S.Grid->kernel().Params;
  bool IsAtStart = S.Code->isPrologue(PC) && S.Grid->entry() <= PC &&
                   S.Grid->calls(At->Warp, At->Lane).empty() &&
                   S.Code->depthOf(PC) == frame().Inlined + 1;
  if (!IsAtStart)
    return std::nullopt;
  std::vector<uint64_t> Entries; // In the order of the declaration.
  for (const SourceVariable &Other : variables())
    if (Other.IsParameter)
      Entries.push_back(Other.Die.getOffset());
  llvm::sort(Entries);
  size_t Number = llvm::find(Entries, V.Die.getOffset()) - Entries.begin();
  if (Entries.size() != Passed.size() || Number == Entries.size() ||
      Passed[Number].Size != T->Size)
    return std::nullopt;
  Expected<Value> Result = load(T, MemorySpace::Param, Passed[Number].Offset);
  if (Result)
    return std::move(*Result);
  consumeError(Result.takeError());
  return std::nullopt;
}

Expected<Value> ThreadScope::valueOf(const SourceVariable &V) {
  const Type *T = S.Code->typeOf(V, S.Types);
  bool IsOfModule = V.IsGlobal && !SourceVariables::isShared(V);
  if (isMerged() && !IsOfModule)
    return optimizedOut();
  FramePlace Here = frame();
  ThreadReader Reader(*S.Grid, *At, Here.Call);
  std::vector<VariablePart> Parts = S.Code->locate(V, Here.PC, Reader);
  if (Parts.empty() && V.IsParameter && !Here.Call)
    if (std::optional<Value> Launched = launchedWith(V, T, Here.PC))
      return followed(std::move(*Launched), *this);
  if (Parts.empty() || T->Kind == Type::Void)
    return optimizedOut();
  Expected<Value> Result = optimizedOut();
  // A piece may be all that there is.
  bool IsOnePlace = Parts.size() == 1 &&
                    Parts.front().Kind == VariablePart::Memory &&
                    (!Parts.front().Bytes || Parts.front().Bytes >= T->Size);
  consumeError(Result.takeError());
  if (V.IsGlobal && IsOnePlace)
    Result = globalValue(V, T, Parts);
  else if (IsOnePlace)
    Result = load(T, Parts.front().Space, Parts.front().Address);
  else
    Result = assemble(Parts, T);
  if (Result && T->IsReference)
    return load(T->Element, MemorySpace::Generic, Result->integer());
  return Result;
}

const std::vector<SourceVariable> &ThreadScope::variables() const {
  FramePlace Here = frame();
  return S.Code->variablesOf(Here.PC, Here.Inlined);
}

const std::vector<SourceVariable> &ThreadScope::globals() const {
  return S.Code->globals(frame().PC);
}

const SourceVariable *ThreadScope::findVariable(StringRef Name) const {
  for (const SourceVariable &V : variables())
    if (V.Name == Name)
      return &V;
  if (objectWith(Name)) // It hides those of the module.
    return nullptr;
  for (const SourceVariable &V : globals())
    if (V.Name == Name || SourceVariables::linkageName(V) == Name)
      return &V;
  // A name without its namespaces will do.
  for (const SourceVariable &V : globals())
    if (isMeant(V.Name, Name))
      return &V;
  return nullptr;
}

/// Whether a structure or what it derives from has a member of the name.
static bool hasMember(const Type &T, StringRef Name) {
  return any_of(T.Fields, [&](const Type::Field &F) {
    bool IsWithin = F.IsBase || F.Name.empty();
    return IsWithin ? hasMember(*F.Of, Name) : F.Name == Name;
  });
}

const SourceVariable *ThreadScope::objectWith(StringRef Member) const {
  for (const SourceVariable &V : variables()) {
    if (V.Name != "this")
      continue;
    const Type *T = S.Code->typeOf(V, S.Types);
    return T->Kind == Type::Pointer && hasMember(*T->Element, Member) ? &V
                                                                      : nullptr;
  }
  return nullptr;
}

Expected<Value> ThreadScope::memberOf(const SourceVariable &This,
                                      StringRef Name) {
  Expected<Value> Pointer = valueOf(This);
  if (!Pointer)
    return Pointer;
  Expected<Value> Object =
      load(Pointer->Of->Element, Pointer->Of->Space, Pointer->integer());
  if (!Object)
    return Object;
  std::optional<Value> Member = findMember(*Object, Name);
  return Member ? followed(std::move(*Member), *this) : optimizedOut();
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

std::string DebugSession::textOf(Expected<Value> V) {
  if (V)
    return valueText(*V);
  consumeError(V.takeError());
  return OptimizedOut.str();
}

void DebugSession::showVariables(bool Arguments, size_t Frame,
                                 StringRef Indent) {
  ThreadScope Scope(*this, At, Frame);
  bool IsAny = false;
  for (const SourceVariable &V : Scope.variables()) {
    if (V.IsParameter != Arguments)
      continue;
    print(Indent + V.Name + " = " + textOf(Scope.valueOf(V)) + "\n");
    IsAny = true;
  }
  if (!IsAny)
    print(Indent + (Arguments ? "No arguments.\n" : "No locals.\n"));
}

std::string DebugSession::argumentsText(size_t Frame) const {
  auto &Self = const_cast<DebugSession &>(*this); // Scopes may change things.
  ThreadScope Scope(Self, At, Frame);
  std::string Text;
  for (const SourceVariable &V : Scope.variables()) {
    if (!V.IsParameter)
      continue;
    Expected<Value> Now = Scope.valueOf(V);
    Text += (Text.empty() ? "" : ", ") + V.Name + "=";
    if (Now && !Now->Of->isScalar())
      Text += "...";
    else
      Text += Self.textOf(std::move(Now));
  }
  return Text;
}

const Type *DebugSession::sourceType(StringRef Name) {
  std::lock_guard Lock(StateMutex);
  if (At && Grid && declaredType(Name))
    return nullptr;
  if (Code)
    return Code->findType(Name, Types);
  for (const auto &M : Modules)
    if (const Type *T = M->findType(Name, Types))
      return T;
  return nullptr;
}

const Type *DebugSession::declaredType(StringRef Name) const {
  if (!Grid || !At)
    return nullptr;
  ThreadScope Scope(const_cast<DebugSession &>(*this), At);
  std::vector<SourceVariable> All = Scope.variables();
  append_range(All, Scope.globals());
  for (const SourceVariable &V : All)
    if (V.Name == Name)
      return Code->typeOf(V, const_cast<TypePool &>(Types));
  return nullptr;
}

} // namespace heddle::debug
