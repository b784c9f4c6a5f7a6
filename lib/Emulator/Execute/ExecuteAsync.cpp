//===- ExecuteAsync.cpp - Barriers and copies in shared memory --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of isa-defs/HeddleInstrAsync.td but for products. Addresses
// are checked when an instruction executes, data move later.
//
//===----------------------------------------------------------------------===//

#include "Execute/ExecuteAsync.h"
#include "Async/TensorBox.h"
#include "Execute/ExecuteMemory.h"
#include "PendingClusters.h"
#include "SharedAddress.h"

#include <cstring>
#include <memory>

namespace heddle::emu {

using isa::CopyGroupOp;
using isa::MBarrierOp;
using isa::MBarrierTest;
using isa::Op;

namespace {

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

const char *initBarrier(uint8_t *Host, uint32_t Count, bool IsLayout1) {
  MBarrier B;
  B.IsLayout1 = IsLayout1;
  if (Count == 0 || Count > B.maxCount())
    return "an mbarrier for no arrival, or too many";
  B.Pending = B.Expected = Count;
  write<uint64_t>(Host, B.pack());
  return nullptr;
}

const char *applyToBarrier(MBarrierOp O, uint32_t Value, MBarrier &B) {
  using enum MBarrierOp;
  bool HasBytes = O == Expect || O == ArriveExpect || O == DropExpect;
  if (HasBytes)
    B.Bytes += static_cast<int32_t>(Value);
  if (O == Complete)
    B.Bytes -= static_cast<int32_t>(Value);
  if (O == Expect || O == Complete)
    return nullptr;
  uint32_t Count = O == Arrive || O == Drop ? Value : 1;
  if (Count > B.Pending)
    return "more arrivals at an mbarrier than it expects";
  B.Pending -= Count;
  if (O == Drop || O == DropExpect)
    B.Expected -= std::min(Count, B.Expected);
  return nullptr;
}

/// The same place in the shared memory of the CTA with that rank.
uint32_t atRank(uint32_t Address, unsigned Rank) {
  return SharedAddress(Address).atRank(Rank).bits();
}

/// MBAR in the CTAs of a mask.
void barriers(Warp &W, Inst I, LaneMask Exec) {
  auto O = static_cast<MBarrierOp>(I.Select);
  for (unsigned L : lanes(Exec))
    for (unsigned Rank : lanes(W.R[I.C][L])) {
      uint32_t Address = atRank(W.R[I.A][L] + uint32_t(I.Offset), Rank);
      uint8_t *Host = W.resolveShared(L, Address, BarrierBytes, true);
      if (!Host)
        return;
      uint32_t Value = W.R[I.B][L];
      unitOf(W).change(
          W, L, Host, [&](MBarrier &B) { return applyToBarrier(O, Value, B); });
      if (W.faulted())
        return;
    }
}

void barrier(Warp &W, Inst I, LaneMask Exec) {
  using enum MBarrierOp;
  auto O = static_cast<MBarrierOp>(I.Select);
  uint64_t Old[WarpSize] = {};
  for (unsigned L : lanes(Exec)) {
    uint32_t Value = W.R[I.B][L];
    uint8_t *Host = W.resolveShared(L, W.R[I.A][L] + uint32_t(I.Offset),
                                    BarrierBytes, true);
    if (!Host)
      return;
    if (O == Init || O == InitLayout1) {
      if (W.Launch->Relaxed)
        W.Launch->Relaxed->settle(Host, BarrierBytes);
      if (const char *Error = initBarrier(Host, Value, O == InitLayout1))
        return W.fault(rt::FaultKind::IllegalInstruction, L, Error);
      unitOf(W).progress();
      continue;
    }
    Old[L] = unitOf(W).change(W, L, Host, [&](MBarrier &B) {
      return O == Invalidate ? nullptr : applyToBarrier(O, Value, B);
    });
    if (W.faulted())
      return;
    if (O == Invalidate)
      write<uint64_t>(Host, 0);
  }
  storeResults(W, I.D, Exec, Old);
}

/// Of a phase by its parity, and of one without a report. TRY and TEST do the
/// same.
bool isByParity(MBarrierTest T) {
  return T == MBarrierTest::TestParity || T == MBarrierTest::TryParity;
}
bool isConditional(MBarrierTest T) {
  return T == MBarrierTest::TestConditional ||
         T == MBarrierTest::TryConditional;
}

/// Where a report stands in the result.
constexpr unsigned ReportShift = 1, ReportedValueShift = 8;

/// The result for a barrier; none after a fault.
std::optional<uint32_t> stateOf(Warp &W, Inst I, unsigned Lane,
                                const uint8_t *Host) {
  auto B = MBarrier::unpack(read<uint64_t>(Host));
  if (!B) {
    W.fault(rt::FaultKind::IllegalInstruction, Lane,
            "there is no mbarrier at this address");
    return std::nullopt;
  }
  uint64_t Value = W.reg64(I.B, Lane);
  auto Test = static_cast<MBarrierTest>(I.Select);
  if (isConditional(Test))
    return B->conditionalPhase() != ((Value & 1) != 0);
  bool Phase = isByParity(Test) ? Value & 1 : Value >> 63;
  if (B->Phase == Phase)
    return 0;
  return 1 | uint32_t(B->Last.Something) << ReportShift |
         uint32_t(B->Last.Value) << ReportedValueShift;
}

std::string describeBarrier(uint32_t Address, const uint8_t *Host) {
  auto B = MBarrier::unpack(read<uint64_t>(Host));
  std::string Text =
      "the mbarrier at shared address " + std::to_string(Address);
  if (B)
    Text += ", where " + std::to_string(B->Pending) + " of " +
            std::to_string(B->Expected) + " arrivals and " +
            std::to_string(B->Bytes) + " bytes are missing";
  return Text;
}

void testLayout(Warp &W, Inst I, LaneMask Exec) {
  uint32_t Results[WarpSize] = {};
  for (unsigned L : lanes(Exec)) {
    uint64_t Layout = W.reg64(I.B, L);
    uint8_t *Host = W.resolveShared(L, W.R[I.A][L] + uint32_t(I.Offset),
                                    BarrierBytes, false);
    if (!Host)
      return;
    unitOf(W).change(W, L, Host, [&](MBarrier &B) -> const char * {
      Results[L] = B.IsLayout1 == (Layout != 0);
      return nullptr;
    });
    if (W.faulted())
      return;
  }
  storeResults(W, I.D, Exec, Results);
}

void testBarrier(Warp &W, Inst I, LaneMask Exec) {
  if (static_cast<MBarrierTest>(I.Select) == MBarrierTest::Layout)
    return testLayout(W, I, Exec);
  uint32_t Results[WarpSize] = {};
  LaneMask Vain = 0;
  std::string What;
  for (unsigned L : lanes(Exec)) {
    uint32_t Address = W.R[I.A][L] + uint32_t(I.Offset);
    uint8_t *Host = W.resolveShared(L, Address, BarrierBytes, false);
    if (!Host)
      return;
    if (W.Launch->Relaxed)
      W.Launch->Relaxed->settle(Host, BarrierBytes);
    auto Over = stateOf(W, I, L, Host);
    // What is on its way arrives while a thread waits for it.
    while (Over && !*Over && unitOf(W).stepFor(W) && !W.faulted())
      Over = stateOf(W, I, L, Host);
    if (!Over || W.faulted())
      return;
    Results[L] = *Over;
    if (*Over) {
      unitOf(W).acquire(W, Host);
      continue;
    }
    if (!Vain)
      What = describeBarrier(Address, Host);
    Vain |= LaneMask(1) << L;
  }
  storeResults(W, I.D, Exec, Results);
  if (!Vain)
    return;
  unitOf(W).lookedInVain(W, Vain, std::move(What));
  if (!W.faulted())
    W.yield();
}

//===----------------------------------------------------------------------===//
// Copies by threads
//===----------------------------------------------------------------------===//

void copyAsync(Warp &W, Inst I, LaneMask Exec) {
  unsigned Bytes = 1u << I.Size;
  for (unsigned L : lanes(Exec)) {
    uint32_t Given = std::min<uint32_t>(W.R[I.C][L], Bytes);
    uint8_t *To = W.resolveShared(L, W.R[I.A][L], Bytes, true);
    if (!To)
      return;
    // Without a byte to read the address may be any.
    const uint8_t *From =
        Given ? W.resolveGlobal(L, W.reg64(I.B, L), Bytes, false) : nullptr;
    if (Given && !From)
      return;
    unitOf(W).addCopy(W, L,
                      {To, From, uint8_t(Bytes), uint8_t(Given), W.Current});
  }
}

/// An arrival when the lane's copies are done, which the barrier expects
/// already or else from now on.
void arriveAfterCopies(Warp &W, Inst I, unsigned L, bool IsExpected) {
  uint8_t *Host = W.resolveShared(L, W.R[I.A][L], BarrierBytes, true);
  if (!Host)
    return;
  if (!IsExpected)
    unitOf(W).change(W, L, Host, [](MBarrier &B) -> const char * {
      if (B.Pending == B.maxCount())
        return "too many arrivals at an mbarrier";
      ++B.Pending;
      return nullptr;
    });
  if (W.faulted())
    return;
  unitOf(W).enqueue(W, [&W, L, Host] {
    unitOf(W).waitAllCopies(W, L);
    unitOf(W).arrive(W, L, Host, 1);
  });
}

/// What a lane says of its operations on the fabric.
void fabricGroup(Warp &W, Inst I, unsigned L) {
  using enum CopyGroupOp;
  auto Fn = static_cast<CopyGroupOp>(I.Select);
  switch (Fn) {
  case FabricSubmit:
  case FabricSubmitFetching:
    return unitOf(W).submit(W, L, Fn == FabricSubmitFetching);
  case FabricCommit:
    return unitOf(W).commitFabric(W, L);
  case FabricRead:
    return unitOf(W).readFabric(W, L, uint32_t(I.Offset));
  case FabricReadAll:
    return unitOf(W).readFabric(W, L, std::nullopt);
  default:
    return;
  }
}

void copyGroups(Warp &W, Inst I, LaneMask Exec) {
  using enum CopyGroupOp;
  auto Fn = static_cast<CopyGroupOp>(I.Select);
  for (unsigned L : lanes(Exec)) {
    switch (Fn) {
    case Commit:
      unitOf(W).commitCopies(W, L);
      break;
    case Wait:
      unitOf(W).waitCopies(W, L, uint32_t(I.Offset));
      break;
    case WaitAll:
      unitOf(W).waitAllCopies(W, L);
      break;
    case Arrive:
    case ArriveNoInc:
      arriveAfterCopies(W, I, L, /*IsExpected=*/Fn == ArriveNoInc);
      break;
    case BulkCommit:
      unitOf(W).commitStores(W, L);
      break;
    case BulkWait:
    case BulkRead:
      unitOf(W).waitStores(W, L, uint32_t(I.Offset), Fn == BulkRead);
      break;
    default:
      fabricGroup(W, I, L);
      break;
    }
    if (W.faulted())
      return;
  }
}

//===----------------------------------------------------------------------===//
// Copies in bulk
//===----------------------------------------------------------------------===//

uint64_t sharedWindow(uint32_t Address) {
  return uint64_t(isa::abi::SharedWindow) << 32 | Address;
}

/// Queues a copy that ends at the mbarrier at a host address with that many
/// bytes or, without one, that the lane waits for by groups.
void beginCopy(Warp &W, unsigned L, BulkCopy Copy, uint8_t *Barrier,
               uint32_t Bytes) {
  AsyncTraffic Moves;
  Moves.Sectors = std::move(Copy.Sectors);
  Moves.Writes = !Barrier;
  auto Shared = std::make_shared<BulkCopy>(std::move(Copy));
  RelaxedMemory *Relaxed = W.Launch->Relaxed;
  if (!Barrier)
    return unitOf(W).enqueueStore(
        W, L, [Shared, Relaxed] { Shared->readSources(Relaxed); },
        [Shared, Relaxed] { Shared->perform(Relaxed); }, std::move(Moves));
  unitOf(W).enqueue(
      W,
      [&W, L, Barrier, Bytes, Shared, Relaxed] {
        MBarrier::Report R = {Shared->findsReported(), 0};
        Shared->perform(Relaxed);
        unitOf(W).completeBytes(W, L, Barrier, Bytes, R);
      },
      std::move(Moves));
}

/// Adds the pieces of a copy of which some bytes at both ends are not read:
/// they may be outside of the allocation. False after a fault.
bool addEdgedPieces(Warp &W, Inst I, unsigned L, uint64_t To, uint64_t From,
                    uint32_t Bytes, BulkCopy &Copy) {
  uint32_t Left = W.R[I.F][L] & 0xFF, Right = W.R[I.F][L] >> 8 & 0xFF;
  uint32_t End = Bytes - std::min(Bytes, Right);
  for (uint32_t N = 0; N < Bytes; N += BulkCopy::PieceBytes) {
    uint8_t *ToHost = W.resolveGeneric(L, To + N, BulkCopy::PieceBytes, true);
    if (!ToHost)
      return false;
    for (uint32_t B = std::max(N, Left);
         B < std::min(N + BulkCopy::PieceBytes, End); ++B) {
      const uint8_t *FromHost = W.resolveGeneric(L, From + B, 1, false);
      if (!FromHost)
        return false;
      Copy.Pieces.push_back({ToHost + (B - N), FromHost, 1});
    }
    Copy.touch(From + N, BulkCopy::PieceBytes);
  }
  return true;
}

/// Adds the bytes that the mask has of every 16: the others may be outside of
/// the allocation. False after a fault.
bool addMaskedPieces(Warp &W, Inst I, unsigned L, uint64_t To, uint64_t From,
                     uint32_t Bytes, BulkCopy &Copy) {
  uint32_t Mask = W.R[I.G][L];
  for (uint32_t N = 0; N < Bytes; ++N) {
    if (!(Mask >> (N % BulkCopy::PieceBytes) & 1))
      continue;
    uint8_t *ToHost = W.resolveGeneric(L, To + N, 1, true);
    const uint8_t *FromHost =
        ToHost ? W.resolveGeneric(L, From + N, 1, false) : nullptr;
    if (!FromHost)
      return false;
    Copy.Pieces.push_back({ToHost, FromHost, 1});
    Copy.touch(To + N, 1);
  }
  return true;
}

bool addWholePieces(Warp &W, unsigned L, uint64_t To, uint64_t From,
                    uint32_t Bytes, BulkCopy &Copy) {
  for (uint32_t N = 0; N < Bytes; N += BulkCopy::PieceBytes) {
    uint8_t *ToHost = W.resolveGeneric(L, To + N, BulkCopy::PieceBytes, true);
    const uint8_t *FromHost =
        ToHost ? W.resolveGeneric(L, From + N, BulkCopy::PieceBytes, false)
               : nullptr;
    if (!FromHost)
      return false;
    Copy.Pieces.push_back({ToHost, FromHost, BulkCopy::PieceBytes});
    for (uint64_t Address : {To + N, From + N})
      if (Address >> 32 != isa::abi::SharedWindow)
        Copy.touch(Address, BulkCopy::PieceBytes);
  }
  return true;
}

/// Queues a copy to one place; false after a fault.
bool beginBulk(Warp &W, Inst I, unsigned L, uint64_t To, uint64_t From,
               uint32_t Bytes, uint32_t Barrier) {
  uint8_t *Host = I.Async.ToGlobal
                      ? nullptr
                      : W.resolveShared(L, Barrier, BarrierBytes, true);
  if (!I.Async.ToGlobal && !Host)
    return false;
  BulkCopy Copy;
  Copy.Reduces = I.Async.Reduces;
  Copy.Operation = I.AtomOp;
  Copy.Type = I.Async.Type;
  Copy.Report = I.Async.Report;
  bool Added = I.Async.HasEdges ? addEdgedPieces(W, I, L, To, From, Bytes, Copy)
               : I.Async.HasByteMask
                   ? addMaskedPieces(W, I, L, To, From, Bytes, Copy)
                   : addWholePieces(W, L, To, From, Bytes, Copy);
  if (!Added)
    return false;
  beginCopy(W, L, std::move(Copy), Host, Bytes);
  return true;
}

/// What is told to the caches about a lane's bytes of global memory.
void hintBulk(Warp &W, Inst I, unsigned L) {
  constexpr uint64_t PriorityAlign = 128;
  uint64_t Address = W.reg64(I.Async.ToGlobal ? I.A : I.B, L);
  if (I.Async.ToGlobal && Address % PriorityAlign)
    return W.fault(rt::FaultKind::Misaligned, L,
                   "the priority of bytes that do not begin at a multiple of "
                   "128",
                   Address);
  BulkCopy Copy;
  for (uint32_t N = 0; N < W.R[I.C][L]; N += BulkCopy::PieceBytes) {
    if (!W.resolveGlobal(L, Address + N, BulkCopy::PieceBytes, false))
      return;
    Copy.touch(Address + N, BulkCopy::PieceBytes);
  }
  if (!I.Async.ToGlobal)
    unitOf(W).prefetch(W, {std::move(Copy.Sectors)});
}

void copyBulk(Warp &W, Inst I, LaneMask Exec) {
  for (unsigned L : lanes(Exec)) {
    uint64_t To = W.reg64(I.A, L), From = W.reg64(I.B, L);
    uint32_t Bytes = W.R[I.C][L], Barrier = W.R[I.E][L];
    if (Bytes % BulkCopy::PieceBytes)
      return W.fault(rt::FaultKind::Misaligned, L,
                     "a bulk copy of " + std::to_string(Bytes) +
                         " bytes, which is no multiple of 16");
    if (I.Async.IsHint) {
      hintBulk(W, I, L);
      if (W.faulted())
        return;
      continue;
    }
    if (!I.Async.Multicast) {
      if (!beginBulk(W, I, L, To, From, Bytes, Barrier))
        return;
      continue;
    }
    for (unsigned Rank : lanes(W.R[I.F][L]))
      if (!beginBulk(W, I, L, sharedWindow(atRank(uint32_t(To), Rank)), From,
                     Bytes, atRank(Barrier, Rank)))
        return;
  }
}

/// The mbarrier for a copy to the CTA with that rank. Of a pair it is the even
/// or the odd one that is told, as the address that is given says.
uint32_t barrierAtRank(const Warp &W, Inst I, uint32_t Barrier, unsigned Rank) {
  if (!I.Tensor.Pair)
    return atRank(Barrier, Rank);
  SharedAddress Given(Barrier);
  unsigned Holder =
      Given.hasRank() ? Given.rank() : W.Owner->Owner.rankOf(*W.Owner);
  return atRank(Barrier, (Rank & ~1u) | (Holder & 1));
}

/// A box of a tensor that comes to the cache, or whose priority changes.
void hintTensor(Warp &W, Inst I, unsigned L, const TensorRequest &R) {
  BulkCopy Copy;
  if (planTensorCopy(W, L, R, 0, Copy) && R.ToShared)
    unitOf(W).prefetch(W, {std::move(Copy.Sectors)});
}

/// A box of a tensor in each member of an endpoint.
void copyTensorThroughFabric(Warp &W, Inst I, unsigned L, TensorRequest &R) {
  uint32_t Shared = W.R[I.C + 1][L], Bytes = W.R[I.H + 2][L];
  const rt::EndpointDesc *E =
      findEndpoint(W, L, W.R[I.C + 3][L], I.Async.Multicast);
  FabricEffect Effect;
  Effect.Barrier = E ? resolveFabricBarrier(W, L, W.R[I.C + 2][L]) : nullptr;
  if (!Effect.Barrier)
    return;
  if (!R.ToShared && Bytes != R.boxBytes())
    return W.fault(rt::FaultKind::IllegalInstruction, L,
                   "a box of " + std::to_string(R.boxBytes()) +
                       " bytes, and the instruction says " +
                       std::to_string(Bytes));
  Effect.Bytes = R.boxBytes();
  Effect.Completes =
      R.ToShared ? Effect.Bytes : Effect.Bytes / BulkCopy::PieceBytes;
  for (const auto &Member : E->Members) {
    R.Member = &Member;
    if (!planTensorCopy(W, L, R, Shared, Effect.Copies.emplace_back()))
      return;
  }
  if (I.Async.Counts && !addCounters(W, L, *E, W.reg64(I.H, L), Effect))
    return;
  issueCopies(W, L, std::move(Effect), R.ToShared, E->Fails);
}

/// Queues a copy of a box; false after a fault.
bool beginTensor(Warp &W, Inst I, unsigned L, const TensorRequest &R,
                 uint32_t Shared, uint32_t Barrier) {
  uint8_t *Host =
      R.ToShared ? W.resolveShared(L, Barrier, BarrierBytes, true) : nullptr;
  if (R.ToShared && !Host)
    return false;
  BulkCopy Copy;
  Copy.Report = I.Async.Report;
  if (!planTensorCopy(W, L, R, Shared, Copy))
    return false;
  beginCopy(W, L, std::move(Copy), Host, R.boxBytes());
  return true;
}

void copyTensor(Warp &W, Inst I, LaneMask Exec) {
  for (unsigned L : lanes(Exec)) {
    TensorRequest R;
    if (!readTensorRequest(W, I, L, R))
      return;
    uint32_t Shared = W.R[I.C + 1][L], Barrier = W.R[I.C + 2][L];
    if (I.Async.IsHint)
      hintTensor(W, I, L, R);
    else if (I.Async.Fabric)
      copyTensorThroughFabric(W, I, L, R);
    else if (!I.Async.Multicast)
      beginTensor(W, I, L, R, Shared, Barrier);
    else
      for (unsigned Rank : lanes(W.R[I.C + 3][L]))
        if (!beginTensor(W, I, L, R, atRank(Shared, Rank),
                         barrierAtRank(W, I, Barrier, Rank)))
          return;
    if (W.faulted())
      return;
  }
}

/// Cancels a cluster. The words say which one, or that there is none.
std::array<uint32_t, 4> cancelCluster(Warp &W) {
  auto Number = W.Launch->Pending->cancel();
  if (!Number)
    return {};
  rt::Dim3 First = Cluster::firstCTA(*W.Launch, *Number);
  return {First.X, First.Y, First.Z, 1};
}

/// Queues a lane's store to one place; false after a fault.
bool beginStore(Warp &W, Inst I, unsigned L, std::array<uint32_t, 4> Data,
                uint32_t Address, uint32_t Barrier) {
  unsigned Bytes = 1u << I.Size;
  uint8_t *To = W.resolveShared(L, Address, Bytes, true);
  uint8_t *Host =
      To ? W.resolveShared(L, Barrier, BarrierBytes, true) : nullptr;
  if (!Host)
    return false;
  BulkCopy Copy;
  Copy.Reduces = I.Async.Reduces;
  Copy.Operation = I.AtomOp;
  Copy.Type = I.Async.Type;
  unitOf(W).enqueue(W, [&W, L, Host, To, Bytes, Data, Copy]() mutable {
    Copy.Pieces.push_back(
        {To, reinterpret_cast<const uint8_t *>(Data.data()), Bytes});
    Copy.perform(W.Launch->Relaxed);
    unitOf(W).completeBytes(W, L, Host, Bytes);
  });
  return true;
}

void storeAsync(Warp &W, Inst I, LaneMask Exec) {
  for (unsigned L : lanes(Exec)) {
    uint32_t To = W.R[I.A][L], Barrier = W.R[I.E][L];
    std::array<uint32_t, 4> Data;
    if (I.Async.Cancels)
      Data = cancelCluster(W);
    else
      for (unsigned N = 0; N < 4; ++N)
        Data[N] = W.R[I.C + N][L];
    if (!I.Async.Multicast) {
      if (!beginStore(W, I, L, Data, To, Barrier))
        return;
      continue;
    }
    for (unsigned Rank = 0; Rank < W.Owner->Owner.CTAs.size(); ++Rank)
      if (!beginStore(W, I, L, Data, atRank(To, Rank), atRank(Barrier, Rank)))
        return;
  }
}

} // namespace

ExecFn asyncExecutor(Op O) {
  switch (O) {
  case Op::MBAR:
    return barrier;
  case Op::MBARMC:
    return barriers;
  case Op::MBARTRY:
    return testBarrier;
  case Op::CPASYNC:
    return copyAsync;
  case Op::CPSYNC:
    return copyGroups;
  case Op::BULK:
    return copyBulk;
  case Op::TMA:
  case Op::TMAX:
    return copyTensor;
  case Op::FABRIC:
    return executeFabric;
  case Op::STASYNC:
    return storeAsync;
  default:
    return nullptr;
  }
}

} // namespace heddle::emu
