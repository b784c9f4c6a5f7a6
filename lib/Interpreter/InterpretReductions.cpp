//===- InterpretReductions.cpp - Reductions in bulk -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.reduce.async.bulk, stores and reductions of registers that are
// asynchronous, and requests to cancel a cluster. All are done at once.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "MBarrier.h"
#include "Operands.h"

#include <array>
#include <cstring>

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

/// Bytes are done at the barrier of an address in shared memory.
Outcome completeBytes(Thread &T, Space S, uint64_t Address, uint64_t Bytes) {
  uint8_t *Place = T.access(S, Address, 8, 8, /*IsWrite=*/true);
  return Place ? completeAt(T, Place, Bytes, BarrierState::Report())
               : Outcome::Stopped;
}

/// cp.reduce.async.bulk out of shared memory, to global or shared memory.
Outcome executeBulkReduction(Thread &T, const Instruction &I) {
  InstReader R(cast<InstOp>(I.Op));
  Space To = R.has("global") ? Space::Global : Space::Shared_cluster;
  OperandReader O(T, I);
  uint64_t Destination = O.next(), Source = O.next();
  uint64_t Size = uint32_t(O.next());
  if (Size % 16 != 0)
    return T.fault(rt::FaultKind::Misaligned,
                   "a bulk reduction of " + Twine(Size) + " bytes");
  if (Size != 0) {
    const uint8_t *From =
        T.access(Space::Shared_cluster, Source, Size, 16, /*IsWrite=*/false);
    uint8_t *Place =
        From ? T.access(To, Destination, Size, 16, /*IsWrite=*/true) : nullptr;
    if (!Place)
      return Outcome::Stopped;
    SmallVector<uint8_t> Data(From, From + Size);
    reduceInto(operationOf(R), elementOf(R.fromEnd(0)), Place, Data);
  }
  if (To == Space::Global)
    return Outcome::Next;
  return completeBytes(T, Space::Shared_cluster, O.next(), Size);
}

bool decodeBulkReduction(const InstReader &, Instruction &I) {
  I.Execute = executeBulkReduction;
  return true;
}

/// st.async and red.async: to global memory, or with a barrier to shared
/// memory. An order says nothing here.
Outcome executeStore(Thread &T, const Instruction &I) {
  InstReader R(cast<InstOp>(I.Op));
  bool HasBarrier = R.has("mbarrier::complete_tx::bytes");
  Element E = elementOf(R.fromEnd(0));
  OperandReader O(T, I);
  uint64_t Address = O.next();
  SmallVector<uint8_t, 16> Data;
  for (Bits V : O.list()) {
    Data.resize(Data.size() + E.Bits / 8);
    writeElement(&Data[Data.size() - E.Bits / 8], E.Bits / 8, V);
  }
  uint8_t *Place = T.access(I.Mods.Space, Address, Data.size(), Data.size(),
                            /*IsWrite=*/true);
  if (!Place)
    return Outcome::Stopped;
  StringRef Op = operationOf(R);
  if (Op.empty())
    std::memcpy(Place, Data.data(), Data.size());
  else
    reduceInto(Op, E, Place, Data);
  if (!HasBarrier)
    return Outcome::Next;
  return completeBytes(T, I.Mods.Space, O.next(), Data.size());
}

bool decodeStore(const InstReader &R, Instruction &I) {
  I.Mods.Space = R.has("global")            ? Space::Global
                 : R.has("shared::cluster") ? Space::Shared_cluster
                                            : Space::Generic;
  I.Execute = executeStore;
  return true;
}

//===----------------------------------------------------------------------===//
// Clusters that are cancelled
//===----------------------------------------------------------------------===//

/// The next cluster of the grid that has not begun: the numbers of its first
/// CTA and 1. Zeros if there is none.
std::array<uint32_t, 4> cancelCluster(LaunchState &Launch) {
  const rt::Dim3 &Grid = Launch.Config.Grid, &Size = Launch.Cluster;
  if (Launch.Config.Cooperative || Launch.Begun == Grid.count() / Size.count())
    return {};
  uint64_t Number = Launch.Begun++;
  uint32_t AcrossX = Grid.X / Size.X, AcrossY = Grid.Y / Size.Y;
  return {uint32_t(Number % AcrossX) * Size.X,
          uint32_t(Number / AcrossX % AcrossY) * Size.Y,
          uint32_t(Number / AcrossX / AcrossY) * Size.Z, 1};
}

/// The response comes to this CTA, or with `To` to each of the cluster.
Outcome executeTryCancel(Thread &T, const Instruction &I) {
  OperandReader O(T, I);
  uint64_t Address = O.next(), Barrier = O.next();
  std::array<uint32_t, 4> Response = cancelCluster(T.Owner.Launch);
  for (uint32_t Rank = 0; Rank != T.Owner.Group.CTAs.size(); ++Rank) {
    if (!I.Mods.To && Rank != T.Owner.Rank)
      continue;
    uint8_t *Place = T.access(Space::Shared_cluster, atRank(Address, Rank),
                              sizeof(Response), 16, /*IsWrite=*/true);
    if (!Place)
      return Outcome::Stopped;
    std::memcpy(Place, Response.data(), sizeof(Response));
    if (Outcome Done = completeBytes(T, Space::Shared_cluster,
                                     atRank(Barrier, Rank), sizeof(Response));
        Done != Outcome::Next)
      return Done;
  }
  return Outcome::Next;
}

bool decodeTryCancel(const InstReader &R, Instruction &I) {
  I.Mods.To = R.has("multicast::cluster::all");
  I.Execute = executeTryCancel;
  return true;
}

Outcome executeQueryCancel(Thread &T, const Instruction &I) {
  Bits Response = T.operand(I, 0);
  auto Word = [&](unsigned N) { return lowBits(Response >> 32 * N, 32); };
  InstReader R(cast<InstOp>(I.Op));
  if (R.has("is_canceled"))
    T.setResult(I, 0, Word(3) != 0);
  else if (R.has("get_first_ctaid::y"))
    T.setResult(I, 0, Word(1));
  else if (R.has("get_first_ctaid::z"))
    T.setResult(I, 0, Word(2));
  else
    for (unsigned N = 0; N != I.Results.size(); ++N)
      T.setResult(I, N, Word(N));
  return Outcome::Next;
}

bool decodeQueryCancel(const InstReader &, Instruction &I) {
  I.Execute = executeQueryCancel;
  return true;
}

} // namespace

void addReductionSemantics(SemanticsTable &T) {
  T.inst("clusterlaunchcontrol.try_cancel", decodeTryCancel);
  T.inst("clusterlaunchcontrol.query_cancel", decodeQueryCancel);
  T.inst("cp.reduce.async.bulk", decodeBulkReduction);
  T.inst("multimem.cp.reduce.async.bulk", decodeBulkReduction);
  for (const char *Name :
       {"st.async", "red.async", "multimem.st.async", "multimem.red.async"})
    T.inst(Name, decodeStore);
}

} // namespace heddle::interp
