//===- ThreadScope.cpp - Names as a thread has them -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What names mean in expressions: CUDA's built-in variables, the parameters of
// the kernel, variables and functions of the module, registers, and what the
// session remembers.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace llvm;

namespace heddle::debug {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static Value dimValue(const Type *T, const rt::Dim3 &D) {
  Value V;
  V.Of = T;
  V.Bytes.resize(T->Size);
  uint32_t Words[3] = {D.X, D.Y, D.Z};
  std::memcpy(V.Bytes.data(), Words, sizeof(Words));
  return V;
}

std::optional<Value> ThreadScope::builtin(StringRef Name) {
  emu::DebuggedGrid &G = *S.Grid;
  if (Name == "threadIdx")
    return dimValue(S.Types.Dim3, G.threadOf(At->Warp, At->Lane));
  if (Name == "blockIdx")
    return dimValue(S.Types.Dim3, G.coordinates(At->Warp.CTA));
  if (Name == "blockDim")
    return dimValue(S.Types.Dim3, G.config().Block);
  if (Name == "gridDim")
    return dimValue(S.Types.Dim3, G.config().Grid);
  if (Name == "clusterDim")
    return dimValue(S.Types.Dim3, G.cluster());
  if (Name == "warpSize")
    return makeInteger(S.Types.Int, 32);
  if (Name == "laneid")
    return makeInteger(S.Types.UInt, At->Lane);
  if (Name == "warpid")
    return makeInteger(S.Types.UInt, At->Warp.Warp);
  return std::nullopt;
}

bool ThreadScope::isMerged() const {
  uint32_t Merged = S.Grid->kernel().MergedCTAs;
  uint32_t Width = S.Grid->config().Grid.X;
  // Those left over are as they were.
  return Merged > 1 &&
         S.Grid->coordinates(At->Warp.CTA).X < Width - Width % Merged;
}

Error ThreadScope::mergedBlock() const {
  rt::Dim3 Block = S.Grid->coordinates(At->Warp.CTA);
  uint32_t Merged = S.Grid->kernel().MergedCTAs;
  return createStringError("blockIdx is not available: the thread does the "
                           "work of blocks " +
                           dimText(Block) + " to " +
                           dimText({Block.X + Merged - 1, Block.Y, Block.Z}));
}

/// The type of a parameter that PTX calls so: `u32`, `b8[24]`.
static const Type *typeOfParameter(const rt::ParamInfo &P, TypePool &Types) {
  StringRef Text = P.Type;
  StringRef Element = Text.take_until([](char C) { return C == '['; });
  const Type *T = Types.find(Element);
  if (T && Element == Text && T->Size == P.Size)
    return T;
  if (!T || P.Size % T->Size)
    T = Types.find("u8");
  return Types.arrayOf(T, P.Size / T->Size);
}

std::optional<Value> ThreadScope::parameter(StringRef Name) {
  for (const rt::ParamInfo &P : S.Grid->kernel().Params) {
    if (P.Name != Name && S.nameOf(P) != Name)
      continue;
    Expected<Value> V =
        load(typeOfParameter(P, S.Types), MemorySpace::Param, P.Offset);
    if (V)
      return std::move(*V);
    consumeError(V.takeError());
  }
  return std::nullopt;
}

/// A variable of the module, whose type is not known, or a function's address.
std::optional<Value> ThreadScope::symbol(StringRef Name) {
  for (const auto &M : S.Modules) {
    if (S.Code && M.get() != S.Code)
      continue;
    for (const rt::SymbolInfo &Symbol : M->code().Symbols) {
      if (Symbol.Name != Name)
        continue;
      Value V;
      V.Of = S.Types.VoidType;
      V.At.Kind = Place::Memory;
      V.At.Address = Symbol.Address;
      return V;
    }
    std::vector<uint32_t> PCs = M->findFunction(Name);
    if (!PCs.empty())
      return makeInteger(S.Types.ULong, M->addressOf(PCs.front()));
  }
  return std::nullopt;
}

Expected<Value> ThreadScope::lookup(StringRef Name) {
  if (At && S.Grid) {
    if (const SourceVariable *V = findVariable(Name))
      return valueOf(*V);
    if (const SourceVariable *This = objectWith(Name))
      return memberOf(*This, Name);
    if (Name == "blockIdx" && isMerged())
      return mergedBlock();
    if (auto V = builtin(Name))
      return std::move(*V);
    if (auto V = parameter(Name))
      return std::move(*V);
    if (auto V = S.Code->findEnumerator(Name, S.Types))
      return std::move(*V);
  }
  if (auto V = symbol(Name))
    return std::move(*V);
  if (!At)
    return createStringError("No symbol \"" + Name +
                             "\" in current context: no kernel is being run");
  return createStringError("No symbol \"" + Name + "\" in current context.");
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// `$R4`, `$RD4` (R4 and R5 together), `$P0`, `$UR4`, `$URD4`, `$UP0`, `$B0`,
/// `$pc`, `$laneid`.
std::optional<Value> ThreadScope::registerNamed(StringRef Name) {
  FramePlace Here = frame();
  unsigned L = At->Lane;
  if (Name == "pc" || (Name == "errorpc" && S.Grid->fault()))
    return makeInteger(S.Types.ULong, S.Code->addressOf(Here.PC));
  // A function that has called another one has what it had then.
  emu::RegisterView V = Here.Call ? S.Grid->registersAt(At->Warp, L, *Here.Call)
                                  : S.Grid->registers(At->Warp);
  auto Number = [&](StringRef Prefix) -> std::optional<unsigned> {
    unsigned N;
    StringRef Rest = Name;
    if (!Rest.consume_front(Prefix) || Rest.empty() || Rest.getAsInteger(10, N))
      return std::nullopt;
    return N;
  };
  auto Make = [&](uint64_t Bits, const Type *T, emu::RegisterFile File,
                  unsigned N) {
    Value Result = makeInteger(T, Bits);
    if (Here.Call) // The callee may have it anywhere.
      return Result;
    Result.At.Kind = Place::Register;
    Result.At.File = File;
    Result.At.Number = N;
    return Result;
  };
  using File = emu::RegisterFile;
  const Type *UInt = S.Types.UInt, *ULong = S.Types.ULong;
  constexpr unsigned Predicates = 7;
  if (auto N = Number("RD"); N && *N + 1 < V.Vectors)
    return Make(V.Vector[*N][L] | uint64_t(V.Vector[*N + 1][L]) << 32, ULong,
                File::Vector, *N);
  if (auto N = Number("R"); N && *N < V.Vectors)
    return Make(V.Vector[*N][L], UInt, File::Vector, *N);
  if (auto N = Number("P"); N && *N < Predicates)
    return Make(V.Predicates[*N] >> L & 1, S.Types.Bool, File::Predicate, *N);
  if (auto N = Number("URD"); N && *N + 1 < V.Uniforms)
    return Make(V.Uniform[*N] | uint64_t(V.Uniform[*N + 1]) << 32, ULong,
                File::Uniform, *N);
  if (auto N = Number("UR"); N && *N < V.Uniforms)
    return Make(V.Uniform[*N], UInt, File::Uniform, *N);
  if (auto N = Number("UP"); N && *N < Predicates)
    return Make(V.UniformPredicates[*N], S.Types.Bool, File::UniformPredicate,
                *N);
  if (auto N = Number("B"); N && *N < V.Convergences)
    return makeInteger(UInt, V.Convergence[*N][L]); // Is the compiler's own.
  return std::nullopt;
}

Expected<Value> ThreadScope::lookupConvenience(StringRef Name) {
  if (At && S.Grid)
    if (auto V = registerNamed(Name))
      return std::move(*V);
  // `$` is the last one, `$$` the one before, `$$3` the third before it.
  uint64_t Number;
  StringRef Back = Name;
  bool IsBack = Back.consume_front("$");
  if (Name.empty() || (IsBack && Back.empty()) ||
      !Back.getAsInteger(10, Number)) {
    if (Name.empty() || Back.empty())
      Number = IsBack ? 1 : 0;
    if (Name.empty() || IsBack)
      Number = S.History.size() - std::min<uint64_t>(Number, S.History.size());
    if (Number == 0 || Number > S.History.size())
      return createStringError("History has not yet reached $" + Name + ".");
    return S.History[Number - 1];
  }
  auto It = S.Convenience.find(Name.str());
  if (It != S.Convenience.end())
    return It->second;
  return createStringError(
      "$" + Name +
      (At ? " is neither a register that the kernel uses nor a "
            "variable that was set"
          : " has not been set"));
}

Error ThreadScope::setConvenience(StringRef Name, const Value &V) {
  S.Convenience[Name.str()] = V;
  S.Convenience[Name.str()].At = {};
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static StringRef spaceName(MemorySpace Space) {
  switch (Space) {
  case MemorySpace::Shared:
    return "shared memory ";
  case MemorySpace::Local:
    return "local memory ";
  case MemorySpace::Constant:
    return "constant memory ";
  case MemorySpace::Param:
    return "the parameters ";
  case MemorySpace::Tensor:
    return "tensor memory ";
  case MemorySpace::Generic:
    break;
  }
  return "memory ";
}

Expected<Value> ThreadScope::load(const Type *T, MemorySpace Space,
                                  uint64_t Address) {
  if (!At || !S.Grid)
    return createStringError("memory is seen while a kernel is at rest");
  Value V;
  V.Of = T;
  V.Bytes.resize(T->Size);
  V.At.Kind = Place::Memory;
  V.At.Space = Space;
  V.At.Address = Address;
  if (T->Size && !S.Grid->read(Space, At->Warp, At->Lane, Address, V.Bytes))
    return createStringError("Cannot access " + spaceName(Space) +
                             "at address 0x" +
                             utohexstr(Address, /*LowerCase=*/true));
  return V;
}

Error ThreadScope::store(const Value &To, ArrayRef<uint8_t> Bytes) {
  if (To.At.Kind == Place::Memory) {
    if (S.Grid->write(To.At.Space, At->Warp, At->Lane, To.At.Address, Bytes))
      return Error::success();
    return createStringError("Cannot write " + spaceName(To.At.Space) +
                             "at address 0x" +
                             utohexstr(To.At.Address, /*LowerCase=*/true));
  }
  for (size_t N = 0; N < Bytes.size(); N += 4) {
    uint32_t Word = 0;
    std::memcpy(&Word, Bytes.data() + N, std::min<size_t>(Bytes.size() - N, 4));
    S.Grid->setRegister(At->Warp, 1u << At->Lane, To.At.File,
                        To.At.Number + N / 4, Word);
  }
  return Error::success();
}

} // namespace heddle::debug
