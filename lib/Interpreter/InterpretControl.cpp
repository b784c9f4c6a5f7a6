//===- InterpretControl.cpp - Control flow and special registers *- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branches, calls, barriers, the end of threads, and what a thread can read
// about itself.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

Outcome executeBra(Thread &T, const Instruction &I) {
  T.follow(I.Edges[0]);
  return Outcome::Jumped;
}

Outcome executeCondBra(Thread &T, const Instruction &I) {
  T.follow(I.Edges[T.operand(I, 0) & 1 ? 0 : 1]);
  return Outcome::Jumped;
}

/// An index beyond the list is undefined.
Outcome executeBrx(Thread &T, const Instruction &I) {
  auto Index = uint64_t(T.operand(I, 0));
  if (Index >= I.Edges.size())
    return T.fault(rt::FaultKind::IllegalInstruction,
                   "brx.idx with index " + Twine(Index) + " of " +
                       Twine(I.Edges.size()) + " targets");
  T.follow(I.Edges[Index]);
  return Outcome::Jumped;
}

Outcome executeRet(Thread &T, const Instruction &I) { return T.returnFrom(I); }

Outcome executeExit(Thread &T, const Instruction &) {
  T.end();
  return Outcome::Stopped;
}

SmallVector<Bits> argumentsOf(Thread &T, const Instruction &I, unsigned First) {
  SmallVector<Bits> Values;
  for (unsigned N = First; N != I.Operands.size(); ++N)
    Values.push_back(T.operand(I, N));
  return Values;
}

Outcome executeCall(Thread &T, const Instruction &I) {
  return T.call(*I.Callee, I, argumentsOf(T, I, 0));
}

Outcome executeCallIndirect(Thread &T, const Instruction &I) {
  auto Address = uint64_t(T.operand(I, 0));
  const Function *Callee = T.Owner.Launch.Code.functionAt(Address);
  if (!Callee)
    return T.fault(rt::FaultKind::IllegalInstruction,
                   "a call of an address that is no function", Address);
  if (Callee->System)
    return T.fault(rt::FaultKind::IllegalInstruction,
                   "a call through a pointer of '" + Callee->Name + "'");
  return T.call(*Callee, I, argumentsOf(T, I, 1));
}

Outcome executeTrap(Thread &T, const Instruction &) {
  return T.fault(rt::FaultKind::Trap, "the kernel executed a trap");
}

Outcome executeNothing(Thread &, const Instruction &) { return Outcome::Next; }

Outcome executeBarrier(Thread &T, const Instruction &I) {
  return T.Owner.atBarrier(T, I);
}

Outcome executeClusterBarrier(Thread &T, const Instruction &I) {
  return I.Mods.mode<ClusterBarrier>() == ClusterBarrier::Arrive
             ? T.Owner.Group.arrive(T)
             : T.Owner.Group.wait(T);
}

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

uint64_t component(const rt::Dim3 &D, char Which) {
  switch (Which) {
  case 'x':
    return D.X;
  case 'y':
    return D.Y;
  case 'z':
    return D.Z;
  default:
    return 0; // The fourth component is always zero.
  }
}

/// The mask of the lanes below \p Lane.
uint32_t lanesBelow(unsigned Lane) { return (1u << Lane) - 1; }

rt::Dim3 remainder(const rt::Dim3 &A, const rt::Dim3 &B) {
  return {A.X % B.X, A.Y % B.Y, A.Z % B.Z};
}
rt::Dim3 quotient(const rt::Dim3 &A, const rt::Dim3 &B) {
  return {A.X / B.X, A.Y / B.Y, A.Z / B.Z};
}

/// A vector register like %tid; none if the name is no such.
std::optional<rt::Dim3> vectorRegister(Thread &T, StringRef Name) {
  const rt::LaunchConfig &C = T.Owner.Launch.Config;
  const rt::Dim3 &Cluster = T.Owner.Launch.Cluster;
  using Reader = std::optional<rt::Dim3>;
  return StringSwitch<Reader>(Name)
      .Case("tid", T.Index)
      .Case("ntid", C.Block)
      .Case("ctaid", T.Owner.Index)
      .Case("nctaid", C.Grid)
      .Case("clusterid", T.Owner.Group.Index)
      .Case("nclusterid", quotient(C.Grid, Cluster))
      .Case("cluster_ctaid", remainder(T.Owner.Index, Cluster))
      .Case("cluster_nctaid", Cluster)
      .Default(std::nullopt);
}

/// One number; none if the register is not covered. Time is what the thread
/// and the grid have executed.
std::optional<uint64_t> scalarRegister(Thread &T, StringRef Name) {
  LaunchState &L = T.Owner.Launch;
  uint64_t Clock = L.Instructions + T.Steps;
  uint32_t Below = lanesBelow(T.Lane), Own = 1u << T.Lane;
  bool HasClusters = L.Config.Cluster || L.Entry.ExplicitCluster;
  // No grid is cooperative, nothing counts events, no graph runs, no memory
  // is reserved, and there is one locality domain.
  if (Name.starts_with("envreg") || Name.starts_with("pm") ||
      Name.starts_with("reserved_smem_offset_") ||
      Name.starts_with("locality_domain_") || Name == "current_graph_exec")
    return 0;
  using Reader = std::optional<uint64_t>;
  return StringSwitch<Reader>(Name)
      .Case("laneid", T.Lane)
      .Case("warpid", T.W.Number)
      .Case("nwarpid", T.Owner.Warps.size())
      .Case("smid", 0)
      .Case("nsmid", 1)
      .Case("gridid", L.GridId)
      .Case("lanemask_eq", Own)
      .Case("lanemask_lt", Below)
      .Case("lanemask_le", Below | Own)
      .Case("lanemask_gt", uint32_t(~(Below | Own)))
      .Case("lanemask_ge", uint32_t(~Below))
      .Case("clock", uint32_t(Clock))
      .Case("clock_hi", Clock >> 32)
      .Case("clock64", Clock)
      .Case("globaltimer", Clock)
      .Case("globaltimer_lo", uint32_t(Clock))
      .Case("globaltimer_hi", Clock >> 32)
      .Case("dynamic_smem_size", L.Config.DynamicSharedBytes)
      .Case("total_smem_size", L.SharedBytes)
      .Case("aggr_smem_size", L.SharedBytes)
      .Case("cluster_ctarank", T.Owner.Rank)
      .Case("cluster_nctarank", L.Cluster.count())
      .Case("is_explicit_cluster", HasClusters)
      .Default(std::nullopt);
}

Outcome executeSreg(Thread &T, const Instruction &I) {
  auto [Name, Component] = StringRef(I.Mods.Name).split('.');
  std::optional<uint64_t> Value;
  if (Component.empty())
    Value = scalarRegister(T, Name);
  else if (std::optional<rt::Dim3> Vector = vectorRegister(T, Name))
    Value = component(*Vector, Component.front());
  if (!Value)
    return T.fault(rt::FaultKind::IllegalInstruction,
                   "the interpreter does not cover %" + I.Mods.Name);
  T.setResult(I, 0, *Value);
  return Outcome::Next;
}

} // namespace

//===----------------------------------------------------------------------===//
// Variables of the source
//===----------------------------------------------------------------------===//

namespace {

VariableEvent eventOf(const Thread &T, const Function &F, const Modifiers &M) {
  const Program &P = T.Owner.Launch.Code;
  VariableEvent E;
  E.Block = T.Owner.Index;
  E.Thread = T.Index;
  E.Function = F.Name;
  E.Name = M.Name;
  E.Line = P.Variables.lookup(uint64_t(M.Entry)).Line;
  E.Offset = uint64_t(M.PieceOffset);
  E.Bytes = uint64_t(M.PieceBytes);
  return E;
}

Outcome executeDebugValue(Thread &T, const Instruction &I) {
  VariableEvent E = eventOf(T, *T.F, I.Mods);
  if (T.hasOperand(I, 0))
    E.Bits = uint64_t(lowBits(T.operand(I, 0), I.OperandWidths[0]));
  T.Owner.Launch.Options.OnVariable(E);
  return Outcome::Next;
}

/// From here on, what is stored to a variable is told.
Outcome executeDebugPlace(Thread &T, const Instruction &I) {
  uint64_t Bytes = uint64_t(I.Mods.PieceBytes);
  if (!Bytes)
    Bytes = T.Owner.Launch.Code.Variables.lookup(uint64_t(I.Mods.Entry)).Bytes;
  if (Bytes && Bytes <= FollowedVariable::MostBytes)
    T.followVariable({T.F,
                      &I.Mods,
                      T.calls(),
                      uint64_t(T.operand(I, 0)) + uint64_t(I.Mods.Offset),
                      Bytes,
                      {}});
  return Outcome::Next;
}

} // namespace

/// Those of functions that are done are none any more, and memory that was
/// theirs is another one's.
void Thread::followVariable(FollowedVariable V) {
  erase_if(Followed, [&](const FollowedVariable &Other) {
    return Other.Calls > Frames.size() ||
           (Other.Calls == V.Calls && Other.Mods == V.Mods);
  });
  Followed.push_back(std::move(V));
  tellStored();
}

void Thread::tellStored() {
  for (FollowedVariable &V : Followed) {
    const uint8_t *Now =
        V.Calls <= Frames.size() ? local(V.Address, V.Bytes) : nullptr;
    if (!Now || ArrayRef(Now, V.Bytes) == ArrayRef(V.Content))
      continue;
    V.Content.assign(Now, Now + V.Bytes);
    VariableEvent E = eventOf(*this, *V.F, *V.Mods);
    E.Content = V.Content;
    Owner.Launch.Options.OnVariable(E);
  }
}

void addControlSemantics(SemanticsTable &T) {
  T.thread<DebugValueOp>(executeDebugValue);
  T.thread<DebugPlaceOp>(executeDebugPlace);
  T.thread<BraOp>(executeBra);
  T.thread<CondBraOp>(executeCondBra);
  T.thread<BrxOp>(executeBrx);
  T.thread<RetOp>(executeRet);
  T.thread<ExitOp>(executeExit);
  T.thread<ptxir::CallOp>(executeCall);
  T.thread<CallIndirectOp>(executeCallIndirect);
  // Without a debugger a breakpoint is a trap.
  T.thread<TrapOp, BrkptOp>(executeTrap);
  // A pause, and events that are not counted.
  T.thread<NanosleepOp, PmeventOp, GriddepOp, SetmaxnregOp>(executeNothing);
  T.thread<BarrierOp>(executeBarrier);
  T.thread<ClusterBarrierOp>(executeClusterBarrier);
  T.thread<SregOp>(executeSreg);
}

} // namespace heddle::interp
