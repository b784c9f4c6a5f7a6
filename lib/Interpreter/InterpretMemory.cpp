//===- InterpretMemory.cpp - Memory instructions of PTX ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads, stores, atomics, addresses and the stack. Every access is carried out
// at once and in one piece, so orders, scopes and fences mean nothing here.
//
//===----------------------------------------------------------------------===//

#include "Floats.h"
#include "Machine.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

Bits readBytes(const uint8_t *Place, unsigned Bytes) {
  Bits Value = 0;
  for (unsigned N = 0; N != Bytes; ++N)
    Value |= Bits(Place[N]) << (8 * N);
  return Value;
}

void writeBytes(uint8_t *Place, unsigned Bytes, Bits Value) {
  for (unsigned N = 0; N != Bytes; ++N)
    Place[N] = uint8_t(Value >> (8 * N));
}

/// Register plus offset, in as many bits as the register has.
uint64_t addressOf(Thread &T, const Instruction &I) {
  uint64_t Address = uint64_t(T.operand(I, 0)) + uint64_t(I.Mods.Offset);
  return I.OperandWidths[0] == 32 ? uint32_t(Address) : Address;
}

unsigned bytesOf(const Modifiers &M) { return bitWidth(M.Ty) / 8; }

/// Registers may be wider than what is loaded: signed types are extended by
/// their sign.
Outcome executeLd(Thread &T, const Instruction &I) {
  unsigned Bytes = bytesOf(I.Mods);
  uint64_t All = Bytes * I.Results.size();
  const uint8_t *Place =
      T.access(I.Mods.Space, addressOf(T, I), All, All, /*IsWrite=*/false);
  if (!Place)
    return Outcome::Stopped;
  for (size_t N = 0; N != I.Results.size(); ++N) {
    Bits Value = readBytes(Place + N * Bytes, Bytes);
    T.setResult(I, N,
                isSigned(I.Mods.Ty) ? Bits(signedValue(Value, 8 * Bytes))
                                    : Value);
  }
  return Outcome::Next;
}

Outcome executeSt(Thread &T, const Instruction &I) {
  unsigned Bytes = bytesOf(I.Mods);
  unsigned Count = I.Operands.size() - 1;
  uint64_t All = uint64_t(Bytes) * Count;
  uint8_t *Place =
      T.access(I.Mods.Space, addressOf(T, I), All, All, /*IsWrite=*/true);
  if (!Place)
    return Outcome::Stopped;
  for (size_t N = 0; N != Count; ++N)
    writeBytes(Place + N * Bytes, Bytes, T.operand(I, N + 1));
  T.noteStore();
  return Outcome::Next;
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// Each number on its own: a sum, or the lesser or greater one. No NaN wins.
Bits updateFloats(const Modifiers &M, bool Flush, Bits Old, Bits B) {
  ScalarType Element = elementType(M.Ty);
  unsigned Width = bitWidth(Element);
  Bits Result = 0;
  for (unsigned At = 0; At < bitWidth(M.Ty); At += Width) {
    APFloat X = floatValue(Element, Old >> At),
            Y = floatValue(Element, B >> At);
    if (M.Kind != AtomKind::Add) {
      X = lesserOrGreater(X, Y, M.Kind == AtomKind::Max, /*NaNWins=*/false);
    } else if (Flush) {
      X = flushed(X);
      X.add(flushed(Y), APFloat::rmNearestTiesToEven);
      X = flushed(X);
    } else {
      X.add(Y, APFloat::rmNearestTiesToEven);
    }
    Result |= floatBits(Element, X) << At;
  }
  return Result;
}

/// The value that an atomic operation leaves in memory.
Bits update(const Modifiers &M, bool Flush, Bits Old, Bits B, Bits C) {
  SignedBits X = integerValue(M.Ty, Old), Y = integerValue(M.Ty, B);
  switch (M.Kind) {
  case AtomKind::And:
    return Old & B;
  case AtomKind::Or:
    return Old | B;
  case AtomKind::Xor:
    return Old ^ B;
  case AtomKind::Exch:
    return B;
  case AtomKind::Cas:
    return Old == B ? C : Old;
  case AtomKind::Add:
    return isFloat(M.Ty) ? updateFloats(M, Flush, Old, B) : Old + B;
  case AtomKind::Inc:
    return X >= Y ? Bits(0) : Old + 1;
  case AtomKind::Dec:
    return X == 0 || X > Y ? B : Old - 1;
  case AtomKind::Min:
    if (isFloat(M.Ty))
      return updateFloats(M, Flush, Old, B);
    return Bits(X < Y ? X : Y);
  case AtomKind::Max:
    if (isFloat(M.Ty))
      return updateFloats(M, Flush, Old, B);
    return Bits(X > Y ? X : Y);
  }
  llvm_unreachable("unknown atomic operation");
}

/// atom.add.f32 of global memory flushes subnormal numbers, that of shared
/// memory does not.
bool flushesSum(const Instruction &I, uint64_t Address) {
  const Modifiers &M = I.Mods;
  bool IsShared = M.Space == Space::Shared ||
                  M.Space == Space::Shared_cluster ||
                  (M.Space == Space::Generic &&
                   uint32_t(Address >> 32) == uint32_t(Window::Shared));
  return M.Ty == ScalarType::F32 && !M.NoFtz && !IsShared;
}

Outcome executeAtomic(Thread &T, const Instruction &I) {
  unsigned Bytes = bytesOf(I.Mods);
  uint64_t Address = addressOf(T, I);
  uint8_t *Place =
      T.access(I.Mods.Space, Address, Bytes, Bytes, /*IsWrite=*/true);
  if (!Place)
    return Outcome::Stopped;
  Bits Old = readBytes(Place, Bytes);
  Bits B = lowBits(T.operand(I, 1), 8 * Bytes);
  Bits C = I.Operands.size() > 2 ? T.operand(I, 2) : Bits(0);
  writeBytes(Place, Bytes, update(I.Mods, flushesSum(I, Address), Old, B, C));
  T.setResult(I, 0, Old);
  return Outcome::Next;
}

/// atom and red of a vector: as many operations as it has elements.
Outcome executeAtomicVector(Thread &T, const Instruction &I) {
  unsigned Bytes = bytesOf(I.Mods), Count = I.Mods.Index;
  uint64_t Address = addressOf(T, I), All = uint64_t(Bytes) * Count;
  uint8_t *Place = T.access(I.Mods.Space, Address, All, All, /*IsWrite=*/true);
  if (!Place)
    return Outcome::Stopped;
  for (unsigned N = 0; N != Count; ++N, Place += Bytes) {
    Bits Old = readBytes(Place, Bytes);
    Bits B = lowBits(T.operand(I, N + 1), 8 * Bytes);
    writeBytes(Place, Bytes, update(I.Mods, flushesSum(I, Address), Old, B, 0));
    if (!I.Results.empty())
      T.setResult(I, N, Old);
  }
  return Outcome::Next;
}

/// The only space that a vector or an access with a cache policy can name, but
/// for shared memory.
Space spaceOf(const InstReader &Reader) {
  for (StringRef Part : Reader.parts())
    if (Part.starts_with("shared"))
      return Space::Shared;
  return Reader.has("global") ? Space::Global : Space::Generic;
}

/// atom and red with a vector, which .v2, .v4 or .v8 tells the length of, or
/// with a cache policy, which means nothing.
bool decodeAtomic(const InstReader &Reader, Instruction &I) {
  auto Ty = symbolizeScalarType(Reader.fromEnd(0));
  std::optional<AtomKind> Kind;
  unsigned Count = 1;
  for (StringRef Part : Reader.parts()) {
    if (auto K = symbolizeAtomKind(Part))
      Kind = K;
    if (Part.consume_front("v"))
      Part.getAsInteger(10, Count);
  }
  if (!Ty || !Kind || Kind == AtomKind::Cas || I.Operands.size() <= Count)
    return false;
  I.Mods.Ty = *Ty;
  I.Mods.Kind = *Kind;
  I.Mods.Space = spaceOf(Reader);
  I.Mods.NoFtz = Reader.has("noftz");
  I.Mods.Index = Count;
  I.Execute = executeAtomicVector;
  return I.Results.empty() || I.Results.size() == Count;
}

Outcome executeNothing(Thread &, const Instruction &) { return Outcome::Next; }

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// The window of a space; none for those whose addresses are generic ones.
std::optional<Window> windowOf(Space S) {
  switch (S) {
  case Space::Shared:
  case Space::Shared_cluster:
    return Window::Shared;
  case Space::Local:
  case Space::Param_func:
    return Window::Local;
  case Space::Const:
    return Window::Constant;
  case Space::Param_entry:
    return Window::Parameters;
  case Space::Generic:
  case Space::Global:
    return std::nullopt;
  }
  llvm_unreachable("unknown space");
}

Outcome executeCvta(Thread &T, const Instruction &I) {
  auto Address = uint64_t(T.operand(I, 0));
  if (std::optional<Window> W = windowOf(I.Mods.Space))
    Address = I.Mods.To ? uint32_t(Address) : windowBase(*W) + Address;
  T.setResult(I, 0, Address);
  return Outcome::Next;
}

bool isWindow(uint32_t Number) {
  switch (Window(Number)) {
  case Window::Shared:
  case Window::Local:
  case Window::Constant:
  case Window::Parameters:
    return true;
  }
  return false;
}

/// The rank of the CTA that a shared address means.
uint32_t rankOf(Thread &T, uint32_t Address) {
  uint32_t Holder = Address >> ClusterShift;
  return Holder ? Holder ^ RankMark : T.Owner.Rank;
}

Outcome executeIsspacep(Thread &T, const Instruction &I) {
  auto High = uint32_t(T.operand(I, 0) >> 32);
  std::optional<Window> W = windowOf(I.Mods.Space);
  // The window of parameters is a part of global memory.
  bool Is = W ? High == uint32_t(*W)
              : !isWindow(High) || High == uint32_t(Window::Parameters);
  if (I.Mods.Space == Space::Shared)
    Is &= rankOf(T, uint32_t(T.operand(I, 0))) == T.Owner.Rank;
  T.setResult(I, 0, Is);
  return Outcome::Next;
}

/// The address in another CTA; the window of a generic address stays.
Outcome executeMapa(Thread &T, const Instruction &I) {
  auto Address = uint64_t(T.operand(I, 0));
  uint64_t Window = I.Mods.Space == Space::Generic ? Address >> 32 << 32 : 0;
  T.setResult(I, 0, Window | atRank(Address, uint32_t(T.operand(I, 1))));
  return Outcome::Next;
}

Outcome executeGetctarank(Thread &T, const Instruction &I) {
  T.setResult(I, 0, rankOf(T, uint32_t(T.operand(I, 0))));
  return Outcome::Next;
}

/// The decoder has put the address into the offset. In a cluster that of a
/// shared variable is one for all its CTAs.
Outcome executeFixedAddress(Thread &T, const Instruction &I) {
  auto Address = uint64_t(I.Mods.Offset);
  if (I.Mods.Space == Space::Shared && T.Owner.Group.CTAs.size() > 1)
    Address = atRank(Address, T.Owner.Rank);
  T.setResult(I, 0, Bits(Address));
  return Outcome::Next;
}

//===----------------------------------------------------------------------===//
// The stack
//===----------------------------------------------------------------------===//

Outcome executeAlloca(Thread &T, const Instruction &I) {
  std::optional<uint64_t> Address =
      T.allocateLocal(uint64_t(I.Mods.Size), uint64_t(I.Mods.Alignment));
  if (!Address)
    return Outcome::Stopped;
  T.setResult(I, 0, *Address);
  return Outcome::Next;
}

Outcome executeDynAlloca(Thread &T, const Instruction &I) {
  std::optional<uint64_t> Address = T.allocateLocal(
      uint64_t(T.operand(I, 0)), std::max<uint64_t>(8, I.Mods.Alignment));
  if (!Address)
    return Outcome::Stopped;
  T.setResult(I, 0, *Address);
  return Outcome::Next;
}

Outcome executeStackSave(Thread &T, const Instruction &I) {
  T.setResult(I, 0, T.StackTop);
  return Outcome::Next;
}

Outcome executeStackRestore(Thread &T, const Instruction &I) {
  auto Saved = uint64_t(T.operand(I, 0));
  if (Saved > T.StackTop)
    return T.fault(rt::FaultKind::OutOfBounds,
                   "stackrestore of what stacksave did not give", Saved);
  T.StackTop = Saved;
  return Outcome::Next;
}

//===----------------------------------------------------------------------===//
// multimem: a group has one device here, whose memory is what all hold
//===----------------------------------------------------------------------===//

/// Bits of an element, of formats too that only memory has.
unsigned elementBits(StringRef Type) {
  if (auto Ty = symbolizeScalarType(Type))
    return bitWidth(*Ty);
  return Type.ends_with("x4") ? 32 : Type.ends_with("x2") ? 16 : 8;
}

/// What memory holds, or with operands behind the address what it shall hold.
Outcome executeMultimem(Thread &T, const Instruction &I) {
  unsigned Bytes = unsigned(I.Mods.Size), Loads = I.Results.size();
  unsigned Count = Loads ? Loads : I.Operands.size() - 1;
  uint64_t All = uint64_t(Bytes) * Count;
  uint8_t *Place = T.access(I.Mods.Space, addressOf(T, I), All, All, !Loads);
  if (!Place)
    return Outcome::Stopped;
  for (unsigned N = 0; N != Count; ++N, Place += Bytes)
    if (Loads)
      T.setResult(I, N, readBytes(Place, Bytes));
    else
      writeBytes(Place, Bytes, T.operand(I, N + 1));
  return Outcome::Next;
}

bool decodeMultimem(const InstReader &Reader, Instruction &I) {
  I.Mods.Space = spaceOf(Reader);
  I.Mods.Size = elementBits(Reader.fromEnd(0)) / 8;
  I.Execute = executeMultimem;
  return true;
}

/// st.bulk: zeros, as many bytes as the second operand says.
Outcome executeStoreBulk(Thread &T, const Instruction &I) {
  auto Bytes = uint64_t(T.operand(I, 1));
  if (Bytes == 0)
    return Outcome::Next;
  uint8_t *Place =
      T.access(I.Mods.Space, addressOf(T, I), Bytes, 8, /*IsWrite=*/true);
  if (!Place)
    return Outcome::Stopped;
  std::fill_n(Place, Bytes, uint8_t(0));
  return Outcome::Next;
}

bool decodeStoreBulk(const InstReader &Reader, Instruction &I) {
  I.Mods.Space = spaceOf(Reader);
  I.Execute = executeStoreBulk;
  return true;
}

/// createpolicy: a policy is a number that only accesses take, which drop it.
bool decodePolicy(const InstReader &, Instruction &I) {
  I.Compute = [](const Bits *, Bits *Out) { Out[0] = 1; };
  return true;
}

/// discard and applypriority, whose say about a line may be ignored; fences
/// between paths to memory, of which there is one here.
bool decodeHint(const InstReader &, Instruction &I) {
  I.Execute = executeNothing;
  return true;
}

/// Loads that the dialect has no operation for.
bool decodeOtherLoad(const InstReader &Reader, Instruction &I) {
  // A qualifier may stand behind the type.
  std::optional<ScalarType> Ty;
  for (StringRef Part : Reader.parts())
    if (auto Found = symbolizeScalarType(Part))
      Ty = Found;
  if (!Ty)
    return false;
  I.Mods.Ty = *Ty;
  I.Mods.Space = spaceOf(Reader);
  I.Execute = executeLd;
  return true;
}

} // namespace

void addMemorySemantics(SemanticsTable &T) {
  T.inst("ld", decodeOtherLoad);
  T.inst("prefetch", decodeHint);
  for (StringRef Name : {"discard", "applypriority", "fence",
                         "fence.mbarrier_init", "fence.proxy", "membar.proxy"})
    T.inst(Name, decodeHint);
  for (StringRef Name : {"createpolicy.fractional", "createpolicy.range",
                         "createpolicy.range.fabric", "createpolicy.cvt"})
    T.inst(Name, decodePolicy);
  T.inst("atom", decodeAtomic);
  T.inst("multimem.ld_reduce", decodeMultimem);
  T.inst("multimem.st", decodeMultimem);
  T.inst("multimem.red", decodeAtomic);
  T.inst("st.bulk", decodeStoreBulk);
  T.inst("red", decodeAtomic);
  T.thread<LdOp>(executeLd);
  T.thread<StOp>(executeSt);
  T.thread<AtomOp, RedOp>(executeAtomic);
  T.thread<FenceOp, PrefetchOp>(executeNothing);
  T.thread<CvtaOp>(executeCvta);
  T.thread<IsspacepOp>(executeIsspacep);
  T.thread<MapaOp>(executeMapa);
  T.thread<GetctarankOp>(executeGetctarank);
  T.thread<AddrOfOp, ParamAddrOp>(executeFixedAddress);
  T.thread<AllocaOp>(executeAlloca);
  T.thread<DynAllocaOp>(executeDynAlloca);
  T.thread<StackSaveOp>(executeStackSave);
  T.thread<StackRestoreOp>(executeStackRestore);
}

} // namespace heddle::interp
