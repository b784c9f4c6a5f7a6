//===- ExecuteFabric.cpp - Operations through the fabric --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FABRIC: copies, reductions and atomic operations between shared memory and
// the members of a logical endpoint. Everything is checked when the instruction
// executes; data move after it is submitted.
//
//===----------------------------------------------------------------------===//

#include "Execute/AtomicArithmetic.h"
#include "Execute/ExecuteAsync.h"
#include "Execute/ExecuteMemory.h"
#include "SharedAddress.h"

#include <cstring>
#include <memory>
#include <string>

namespace heddle::emu {

namespace {

using Member = std::vector<rt::EndpointRange>;

constexpr uint32_t PieceBytes = BulkCopy::PieceBytes;
/// Who issues what a warp does together: any lane may submit it.
constexpr unsigned WholeWarp = WarpSize;
/// What a failed operation reports. PTX leaves the value open.
constexpr MBarrier::Report Failure = {true, 1};

MBarrier::Report reportOf(bool Fails) {
  return Fails ? Failure : MBarrier::Report();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

unsigned bytesOf(FabricType T) {
  switch (T) {
  case FabricType::E4M3:
  case FabricType::E5M2:
    return 1;
  case FabricType::F16:
  case FabricType::BF16:
    return 2;
  case FabricType::U64:
  case FabricType::S64:
  case FabricType::F64:
    return 8;
  case FabricType::B128:
    return 16;
  default:
    return 4;
  }
}

FloatFormat formatOf(FabricType T) {
  switch (T) {
  case FabricType::BF16:
    return BF16Format;
  case FabricType::F32:
    return F32Format;
  case FabricType::F64:
    return F64Format;
  default:
    return F16Format;
  }
}

bool isFloat(FabricType T) {
  return T >= FabricType::F16 && T <= FabricType::E5M2;
}

/// The sum, or what else, of the elements of all members, in their order. The
/// narrow types and, if asked for, those of 16 bits become \p Between first.
uint64_t reduceFloats(Inst I, llvm::ArrayRef<uint64_t> Values) {
  FabricType T = I.Async.FabricTy;
  AtomOp O = I.AtomOp;
  bool IsNarrow = T == FabricType::E4M3 || T == FabricType::E5M2;
  NarrowFormat Narrow = T == FabricType::E4M3 ? E4M3Format : E5M2Format;
  FloatFormat Own = formatOf(T);
  FloatFormat Between = I.Async.WideSum ? F32Format : Own;
  auto Widen = [&](uint64_t Bits) {
    return IsNarrow ? pack(unpackNarrow(Bits, Narrow), Between,
                           Rounding::NearestEven)
                    : convertBits(Bits, Own, Between, Rounding::NearestEven);
  };
  uint64_t Result = Widen(Values.front());
  for (uint64_t V : Values.drop_front())
    Result = applyToFloat(O, Result, Widen(V), Between);
  return IsNarrow ? packNarrow(unpack(Result, Between), Narrow,
                               Rounding::NearestEven)
                  : convertBits(Result, Between, Own, Rounding::NearestEven);
}

uint64_t reduceIntegers(Inst I, llvm::ArrayRef<uint64_t> Values) {
  FabricType T = I.Async.FabricTy;
  AtomOp O = I.AtomOp;
  bool IsSigned = T == FabricType::S32 || T == FabricType::S64;
  uint64_t Result = Values.front();
  for (uint64_t V : Values.drop_front())
    Result = bytesOf(T) == 8 ? applyToInteger<uint64_t>(O, Result, V, IsSigned)
                             : applyToInteger<uint32_t>(O, uint32_t(Result),
                                                        uint32_t(V), IsSigned);
  return Result;
}

/// What becomes of an element in memory.
UInt128 applyAtomic(Inst I, UInt128 Old, UInt128 Value) {
  FabricType T = I.Async.FabricTy;
  AtomOp O = I.AtomOp;
  if (O == AtomOp::Exchange)
    return Value;
  auto Low = static_cast<uint64_t>(Old), New = static_cast<uint64_t>(Value);
  if (!isFloat(T))
    return reduceIntegers(I, {Low, New});
  FloatFormat F = formatOf(T);
  if (bytesOf(T) > 2)
    return applyToFloat(O, Low, New, F);
  return applyToFloat(O, Low & 0xFFFF, New & 0xFFFF, F) |
         applyToFloat(O, Low >> 16 & 0xFFFF, New >> 16 & 0xFFFF, F) << 16;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The host's place of bytes in the own CTA's shared memory, at a multiple of
/// 16; null after a fault.
uint8_t *resolveOwnShared(Warp &W, unsigned L, uint32_t Address, unsigned Bytes,
                          bool Write) {
  SharedAddress A(Address);
  if (A.hasRank() && A.rank() != W.Owner->Owner.rankOf(*W.Owner)) {
    W.fault(rt::FaultKind::OutOfBounds, L,
            "an operation on the fabric with another CTA's shared memory",
            Address);
    return nullptr;
  }
  return W.resolveShared(L, Address, Bytes, Write);
}

bool isMultiple(Warp &W, unsigned L, uint64_t Value, uint64_t Unit,
                const char *What) {
  if (Value % Unit == 0)
    return true;
  W.fault(rt::FaultKind::Misaligned, L,
          "an operation on the fabric with " + std::string(What) + " " +
              std::to_string(Value) + ", which is no multiple of " +
              std::to_string(Unit));
  return false;
}

} // namespace

const rt::EndpointDesc *findEndpoint(Warp &W, unsigned L, uint32_t Id,
                                     bool Multicast) {
  const rt::EndpointDesc *E = W.Launch->Endpoints.find(Id);
  const char *Error =
      !E                             ? ", which does not exist"
      : E->IsMulticast && !Multicast ? ", which is one for multicast"
      : !E->IsMulticast && Multicast ? ", which is none for multicast"
                                     : nullptr;
  if (!Error)
    return E;
  W.fault(rt::FaultKind::InvalidHandle, L,
          "logical endpoint " + std::to_string(Id) + Error);
  return nullptr;
}

uint8_t *resolveMember(Warp &W, unsigned L, const Member &M, uint64_t Offset,
                       unsigned Bytes, bool Write) {
  if (auto Address = rt::addressIn(M, Offset, Bytes))
    return W.resolveGlobal(L, *Address, Bytes, Write);
  W.fault(rt::FaultKind::OutOfBounds, L,
          "offset " + std::to_string(Offset) +
              " of a logical endpoint, where no memory is bound",
          Offset);
  return nullptr;
}

uint8_t *resolveFabricBarrier(Warp &W, unsigned L, uint32_t Address) {
  SharedAddress A(Address);
  if (A.hasRank() && A.rank() != W.Owner->Owner.rankOf(*W.Owner)) {
    W.fault(rt::FaultKind::OutOfBounds, L,
            "an operation on the fabric with another CTA's mbarrier", Address);
    return nullptr;
  }
  uint8_t *Host = W.resolveShared(L, Address, BarrierBytes, true);
  if (!Host)
    return nullptr;
  if (W.Launch->Relaxed)
    W.Launch->Relaxed->settle(Host, BarrierBytes);
  auto B = MBarrier::unpack(read<uint64_t>(Host));
  if (B && B->IsLayout1)
    return Host;
  W.fault(rt::FaultKind::IllegalInstruction, L,
          "an operation on the fabric needs an mbarrier of layout 1");
  return nullptr;
}

bool addCounters(Warp &W, unsigned L, const rt::EndpointDesc &E,
                 uint64_t Offset, FabricEffect &Effect) {
  constexpr uint64_t CounterAlign = 256;
  if (!E.Counts) {
    W.fault(rt::FaultKind::InvalidHandle, L,
            "a logical endpoint without counters of bytes");
    return false;
  }
  if (!isMultiple(W, L, Offset, CounterAlign, "a counter at offset"))
    return false;
  for (const Member &M : E.Members) {
    uint8_t *Host = resolveMember(W, L, M, Offset, sizeof(uint64_t), true);
    if (!Host)
      return false;
    for (const BulkCopy &C : Effect.Copies)
      for (const BulkCopy::Piece &P : C.Pieces)
        if (Host < P.To + P.Bytes && P.To < Host + sizeof(uint64_t)) {
          W.fault(rt::FaultKind::IllegalInstruction, L,
                  "a counter of bytes among the bytes");
          return false;
        }
    Effect.Counters.push_back(Host);
  }
  return true;
}

void issueCopies(Warp &W, unsigned L, FabricEffect Effect, bool Fetches,
                 bool Fails) {
  FabricWork F;
  for (BulkCopy &C : Effect.Copies) {
    F.Moves.Sectors.insert(F.Moves.Sectors.end(), C.Sectors.begin(),
                           C.Sectors.end());
    C.Sectors.clear();
  }
  F.Moves.Writes = !Fetches;
  auto Shared = std::make_shared<FabricEffect>(std::move(Effect));
  RelaxedMemory *Relaxed = W.Launch->Relaxed;
  if (!Fetches)
    F.Read = [Shared, Relaxed] {
      for (BulkCopy &C : Shared->Copies)
        C.readSources(Relaxed);
    };
  F.Perform = [&W, L, Shared, Relaxed, Fails] {
    if (!Fails) {
      for (const BulkCopy &C : Shared->Copies)
        C.perform(Relaxed);
      for (uint8_t *Counter : Shared->Counters) {
        if (Relaxed)
          Relaxed->settle(Counter, sizeof(uint64_t));
        __atomic_fetch_add(reinterpret_cast<uint64_t *>(Counter), Shared->Bytes,
                           __ATOMIC_RELEASE);
      }
    }
    unitOf(W).completeBytes(W, L % WarpSize, Shared->Barrier, Shared->Completes,
                            reportOf(Fails));
  };
  unitOf(W).issue(W, L, std::move(F));
}

namespace {

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The operands of a lane.
struct Operands {
  uint32_t Shared, Second, Barrier, Endpoint;
  uint64_t Offset, Extra;

  bool operator==(const Operands &) const = default;
};

Operands operandsOf(const Warp &W, Inst I, unsigned L) {
  return {W.R[I.A][L], W.R[I.C][L],     W.R[I.E][L],
          W.R[I.F][L], W.reg64(I.B, L), W.reg64(I.G, L)};
}

/// The pieces between shared memory and a member; false after a fault.
bool addPieces(Warp &W, Inst I, unsigned L, const Operands &O, const Member &M,
               BulkCopy &Copy) {
  bool Fetches = I.Async.FabricFn == FabricOp::Get;
  Copy.Reduces = I.Async.FabricFn == FabricOp::Reduce;
  Copy.Operation = I.AtomOp;
  Copy.Type = static_cast<BulkType>(I.Async.FabricTy);
  for (uint32_t N = 0; N < O.Second; N += PieceBytes) {
    uint8_t *Own = resolveOwnShared(W, L, O.Shared + N, PieceBytes, Fetches);
    uint8_t *Far =
        Own ? resolveMember(W, L, M, O.Offset + N, PieceBytes, !Fetches)
            : nullptr;
    if (!Far)
      return false;
    Copy.touch(*rt::addressIn(M, O.Offset + N, PieceBytes), PieceBytes);
    if (Fetches) {
      Copy.Pieces.push_back({Own, Far, PieceBytes});
      continue;
    }
    if (!I.Async.HasByteMask) {
      Copy.Pieces.push_back({Far, Own, PieceBytes});
      continue;
    }
    for (unsigned B = 0; B < PieceBytes; ++B)
      if (O.Extra >> B & 1)
        Copy.Pieces.push_back({Far + B, Own + B, 1});
  }
  return true;
}

bool areSizesRight(Warp &W, unsigned L, const Operands &O) {
  return isMultiple(W, L, O.Second, PieceBytes, "a size of") &&
         isMultiple(W, L, O.Offset, PieceBytes, "an offset of");
}

/// GET, PUT and RED.
void copyThroughFabric(Warp &W, Inst I, unsigned L) {
  Operands O = operandsOf(W, I, L);
  bool Fetches = I.Async.FabricFn == FabricOp::Get;
  const rt::EndpointDesc *E =
      areSizesRight(W, L, O) ? findEndpoint(W, L, O.Endpoint, I.Async.Multicast)
                             : nullptr;
  FabricEffect Effect;
  Effect.Barrier = E ? resolveFabricBarrier(W, L, O.Barrier) : nullptr;
  if (!Effect.Barrier)
    return;
  Effect.Bytes = O.Second;
  Effect.Completes = Fetches ? O.Second : O.Second / PieceBytes;
  for (const Member &M : E->Members)
    if (!addPieces(W, I, L, O, M, Effect.Copies.emplace_back()))
      return;
  if (I.Async.Counts && !addCounters(W, L, *E, O.Extra, Effect))
    return;
  issueCopies(W, L, std::move(Effect), Fetches, E->Fails);
}

//===----------------------------------------------------------------------===//
// Reductions over the members
//===----------------------------------------------------------------------===//

struct PulledPiece {
  uint8_t *To;
  std::vector<const uint8_t *> From; ///< By member.
};

void pullPiece(Inst I, const PulledPiece &P, RelaxedMemory *Relaxed) {
  if (Relaxed) {
    Relaxed->settle(P.To, PieceBytes);
    for (const uint8_t *From : P.From)
      Relaxed->settle(From, PieceBytes);
  }
  unsigned Bytes = bytesOf(I.Async.FabricTy);
  std::vector<uint64_t> Values(P.From.size());
  for (unsigned N = 0; N < PieceBytes; N += Bytes) {
    for (size_t M = 0; M < P.From.size(); ++M) {
      Values[M] = 0;
      for (unsigned B = 0; B < Bytes; ++B)
        Values[M] |= uint64_t(read<uint8_t>(P.From[M] + N + B)) << 8 * B;
    }
    uint64_t Result = isFloat(I.Async.FabricTy) ? reduceFloats(I, Values)
                                                : reduceIntegers(I, Values);
    for (unsigned B = 0; B < Bytes; ++B)
      write<uint8_t>(P.To + N + B, uint8_t(Result >> 8 * B));
  }
}

/// Whether the whole warp is here, with the same operands; else a fault.
bool isTogether(Warp &W, Inst I, LaneMask Exec) {
  const char *Error = Exec != ~LaneMask(0)
                          ? "not all lanes of the warp pull a reduction"
                          : nullptr;
  Operands First = operandsOf(W, I, std::countr_zero(Exec));
  for (unsigned L : lanes(Exec))
    if (!Error && operandsOf(W, I, L) != First)
      Error = "the lanes of a warp pull different reductions";
  if (Error)
    W.fault(rt::FaultKind::IllegalInstruction, std::countr_zero(Exec), Error);
  return !Error;
}

void pullThroughFabric(Warp &W, Inst I, LaneMask Exec) {
  constexpr unsigned L = 0;
  Operands O = operandsOf(W, I, L);
  if (!isTogether(W, I, Exec) || !areSizesRight(W, L, O))
    return;
  const rt::EndpointDesc *E = findEndpoint(W, L, O.Endpoint, true);
  uint8_t *Barrier = E ? resolveFabricBarrier(W, L, O.Barrier) : nullptr;
  if (!Barrier)
    return;
  BulkCopy Touched;
  auto Pieces = std::make_shared<std::vector<PulledPiece>>();
  for (uint32_t N = 0; N < O.Second; N += PieceBytes) {
    PulledPiece &P = Pieces->emplace_back();
    P.To = resolveOwnShared(W, L, O.Shared + N, PieceBytes, true);
    for (const Member &M : E->Members) {
      P.From.push_back(
          P.To ? resolveMember(W, L, M, O.Offset + N, PieceBytes, false)
               : nullptr);
      if (!P.From.back())
        return;
      Touched.touch(*rt::addressIn(M, O.Offset + N, PieceBytes), PieceBytes);
    }
  }
  FabricWork F;
  F.Moves.Sectors = std::move(Touched.Sectors);
  F.Perform = [&W, &I, Pieces, Barrier, Bytes = O.Second, Fails = E->Fails] {
    if (!Fails)
      for (const PulledPiece &P : *Pieces)
        pullPiece(I, P, W.Launch->Relaxed);
    unitOf(W).completeBytes(W, L, Barrier, Bytes, reportOf(Fails));
  };
  unitOf(W).issue(W, WholeWarp, std::move(F));
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

/// An element of an endpoint, and the pieces of shared memory with those that
/// it meets.
struct AtomicWork {
  uint8_t *Place = nullptr;
  uint8_t *Result = nullptr;        ///< Where the old element goes.
  const uint8_t *Source = nullptr;  ///< The element that is given.
  const uint8_t *Swapped = nullptr; ///< Of CAS, the second one.
  UInt128 Given = 0, New = 0;
  bool IsRead = false;
};

template <typename T> T readElement(const uint8_t *From, RelaxedMemory *R) {
  if (R)
    R->settle(From, sizeof(T));
  return read<T>(From);
}

template <typename T> void readAtomic(AtomicWork &A, RelaxedMemory *R) {
  if (A.IsRead)
    return;
  A.Given = readElement<T>(A.Source, R);
  if (A.Swapped)
    A.New = readElement<T>(A.Swapped, R);
  A.IsRead = true;
}

template <typename T>
void performAtomic(Inst I, AtomicWork &A, RelaxedMemory *R) {
  readAtomic<T>(A, R);
  if (R) {
    R->settle(A.Place, sizeof(T));
    R->settle(A.Result, sizeof(T));
  }
  T Old = read<T>(A.Place), New;
  do {
    if (A.Swapped)
      New = Old == T(A.Given) ? T(A.New) : Old;
    else
      New = T(applyAtomic(I, Old, A.Given));
  } while (!compareAndSwap<T>(reinterpret_cast<T *>(A.Place), Old, New));
  write<T>(A.Result, Old);
}

template <typename T>
FabricWork workOf(Warp &W, Inst I, const std::shared_ptr<AtomicWork> &A,
                  uint8_t *Barrier, unsigned L, bool Fails) {
  FabricWork F;
  F.Read = [A, &W] { readAtomic<T>(*A, W.Launch->Relaxed); };
  F.Perform = [&W, &I, A, Barrier, L, Fails] {
    if (!Fails)
      performAtomic<T>(I, *A, W.Launch->Relaxed);
    unitOf(W).completeBytes(W, L, Barrier, 1, reportOf(Fails));
  };
  return F;
}

/// ATOM and CAS.
void updateThroughFabric(Warp &W, Inst I, unsigned L) {
  Operands O = operandsOf(W, I, L);
  bool Swaps = I.Async.FabricFn == FabricOp::CompareAndSwap;
  // F16 and BF16 are pairs.
  unsigned Bytes = std::max(bytesOf(I.Async.FabricTy), 4u);
  uint32_t InPiece = O.Offset % PieceBytes;
  if (!isMultiple(W, L, O.Offset, Bytes, "an offset of"))
    return;
  const rt::EndpointDesc *E = findEndpoint(W, L, O.Endpoint, false);
  uint8_t *Barrier = E ? resolveFabricBarrier(W, L, O.Barrier) : nullptr;
  if (!Barrier)
    return;
  auto A = std::make_shared<AtomicWork>();
  const uint8_t *Source = resolveOwnShared(W, L, O.Second, PieceBytes, false);
  const uint8_t *Swapped = Source;
  if (Source && Swaps)
    Swapped = resolveOwnShared(W, L, O.Second + PieceBytes, PieceBytes, false);
  uint8_t *Result =
      Swapped ? resolveOwnShared(W, L, O.Shared, PieceBytes, true) : nullptr;
  if (Result)
    A->Place = resolveMember(W, L, E->Members[0], O.Offset, Bytes, true);
  if (!A->Place)
    return;
  A->Source = Source + InPiece;
  A->Swapped = Swaps ? Swapped + InPiece : nullptr;
  A->Result = Result + InPiece;
  BulkCopy Touched;
  Touched.touch(*rt::addressIn(E->Members[0], O.Offset, Bytes), Bytes);
  FabricWork F = Bytes == 4   ? workOf<uint32_t>(W, I, A, Barrier, L, E->Fails)
                 : Bytes == 8 ? workOf<uint64_t>(W, I, A, Barrier, L, E->Fails)
                              : workOf<UInt128>(W, I, A, Barrier, L, E->Fails);
  F.Moves.Sectors = std::move(Touched.Sectors);
  F.Moves.Writes = true;
  unitOf(W).issue(W, L, std::move(F));
}

} // namespace

void executeFabric(Warp &W, Inst I, LaneMask Exec) {
  if (I.Async.FabricFn == FabricOp::Pull)
    return pullThroughFabric(W, I, Exec);
  bool IsAtomic = I.Async.FabricFn == FabricOp::Atomic ||
                  I.Async.FabricFn == FabricOp::CompareAndSwap;
  for (unsigned L : lanes(Exec)) {
    if (IsAtomic)
      updateThroughFabric(W, I, L);
    else
      copyThroughFabric(W, I, L);
    if (W.faulted())
      return;
  }
}

} // namespace heddle::emu
