//===- ExecuteControl.cpp - Control flow, convergence, barriers -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of isa-defs/HeddleInstrControl.td that decide which lanes run
// where.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "Execute/Execute.h"
#include "LaneArrays.h"

#include <atomic>

namespace heddle::emu {

using isa::Op;
using Inst = const DecodedInst &;

namespace {

void nop(Warp &, Inst, LaneMask) {}

void bra(Warp &W, Inst I, LaneMask Exec) {
  W.branch(Exec, W.Current + uint32_t(I.Offset));
}

/// The lanes go to the addresses in a.
void goToRegister(Warp &W, Inst I, LaneMask Exec) {
  const CodeImage &Image = W.Launch->Code.Image;
  uint32_t Targets[WarpSize] = {};
  bool Same = true;
  uint64_t First = W.reg64(I.A, std::countr_zero(Exec));
  for (unsigned L : lanes(Exec)) {
    uint64_t Address = W.reg64(I.A, L);
    Same &= Address == First;
    Targets[L] = Image.indexOf(Address);
    if (Targets[L] == InvalidPC)
      return W.fault(rt::FaultKind::IllegalInstruction, L,
                     "a jump to an address that is not in the code", Address);
    Image.reach(Targets[L]);
  }
  if (Same)
    W.branch(Exec, Targets[std::countr_zero(Exec)]);
  else
    W.branchEach(Exec, Targets);
}

void saveReturnAddress(Warp &W, Inst I, LaneMask Exec) {
  uint64_t Address = W.Launch->Code.Image.addressOf(W.Next);
  for (unsigned L : lanes(Exec))
    W.setReg64(I.D, L, Address);
}
void call(Warp &W, Inst I, LaneMask Exec) {
  saveReturnAddress(W, I, Exec);
  bra(W, I, Exec);
}
void callRegister(Warp &W, Inst I, LaneMask Exec) {
  // The address may stand in the registers that the return address goes to.
  uint64_t Return = W.Launch->Code.Image.addressOf(W.Next);
  goToRegister(W, I, Exec);
  for (unsigned L : lanes(Exec))
    W.setReg64(I.D, L, Return);
}
void exit(Warp &W, Inst, LaneMask Exec) { W.exitLanes(Exec); }
void trap(Warp &W, Inst, LaneMask Exec) {
  W.fault(rt::FaultKind::Trap, std::countr_zero(Exec), "");
}
void breakpoint(Warp &W, Inst, LaneMask Exec) {
  W.fault(rt::FaultKind::Trap, std::countr_zero(Exec),
          "a breakpoint without a debugger");
}
void nanosleep(Warp &W, Inst I, LaneMask Exec) {
  Source<uint32_t> B(W, I.KindB, I.B, I.Imm);
  uint64_t Longest = 0;
  for (unsigned L : lanes(Exec))
    Longest = std::max<uint64_t>(Longest, B[L]);
  W.Time += Longest * W.Launch->Chip.ClockMHz / 1000;
  W.yield();
}
void yield(Warp &W, Inst, LaneMask) { W.yield(); }

void bssy(Warp &W, Inst I, LaneMask Exec) { setLanes(W.B[I.D], Exec, Exec); }
void bsync(Warp &W, Inst I, LaneMask Exec) {
  W.waitConvergence(Exec, I.A, I.Yieldable);
}
void breakOut(Warp &W, Inst I, LaneMask Exec) { W.leaveConvergence(Exec, I.D); }
void bmov(Warp &W, Inst I, LaneMask Exec) {
  for (unsigned L : lanes(Exec))
    W.R[I.D][L] = W.B[I.A][L];
}
void bmovr(Warp &W, Inst I, LaneMask Exec) {
  for (unsigned L : lanes(Exec))
    W.B[I.D][L] = W.R[I.A][L];
}
void warpsync(Warp &W, Inst I, LaneMask Exec) {
  Source<uint32_t> B(W, I.KindB, I.B, I.Imm);
  LaneMask Masks[WarpSize];
  for (unsigned L = 0; L < WarpSize; ++L)
    Masks[L] = B[L];
  W.waitWarpSync(Exec, Masks, /*Alone=*/I.Select);
}

void bar(Warp &W, Inst I, LaneMask Exec) {
  Source<uint32_t> B(W, I.KindB, I.B, I.Imm);
  LaneMask True = W.predicate(I.S, I.Sn);
  // Lanes may name different barriers.
  while (Exec && !W.faulted()) {
    unsigned First = std::countr_zero(Exec);
    LaneMask Same = Exec;
    if (I.C != ZeroRow) // Most barriers are for all threads of the CTA.
      Same &= lanesEqual(W.R[I.C], W.R[I.C][First]);
    if (I.KindB == SourceKind::Register)
      Same &= lanesEqual(W.R[I.B], W.R[I.B][First]);
    W.Owner->arrive(W, Same, B[First], W.R[I.C][First],
                    static_cast<BarMode>(I.Select), True, I);
    Exec &= ~Same;
  }
}

void clusterBarrier(Warp &W, Inst I, LaneMask Exec) {
  auto Mode = static_cast<isa::ClusterBarMode>(I.Select);
  // Other clusters run on other host threads.
  if (Mode != isa::ClusterBarMode::ArriveRelaxed)
    std::atomic_thread_fence(std::memory_order_seq_cst);
  if (Mode == isa::ClusterBarMode::Wait)
    W.Owner->Owner.wait(W, Exec);
  else
    W.Owner->Owner.arrive(W, Exec);
}

void triggerEvents(Warp &W, Inst I, LaneMask Exec) {
  for (unsigned N = 0; N < NumEvents; ++N)
    if (I.Imm >> N & 1)
      W.Owner->Events[N] += std::popcount(Exec);
}

} // namespace

ExecFn controlExecutor(Op O) {
  switch (O) {
  case Op::BRA:
  case Op::UBRA:
    return bra;
  case Op::BRX:
  case Op::RET:
    return goToRegister;
  case Op::CALL:
    return call;
  case Op::CALLR:
    return callRegister;
  case Op::EXIT:
    return exit;
  case Op::NOP:
    return nop;
  case Op::TRAP:
    return trap;
  case Op::BPT:
    return breakpoint;
  case Op::NANOSLEEP:
    return nanosleep;
  case Op::SYSCALL:
    return executeSystemCall;
  case Op::BSSY:
    return bssy;
  case Op::BSYNC:
    return bsync;
  case Op::BREAK:
    return breakOut;
  case Op::BMOV:
    return bmov;
  case Op::BMOVR:
    return bmovr;
  case Op::WARPSYNC:
    return warpsync;
  case Op::YIELD:
    return yield;
  case Op::BAR:
    return bar;
  case Op::CBAR:
    return clusterBarrier;
  case Op::PMTRIG:
    return triggerEvents;
  case Op::GRIDDEP: // Grids run one after the other.
    return nop;
  default:
    return nullptr;
  }
}

ExecFn executorOf(Op O) {
  for (ExecFn (*Part)(Op) :
       {integerExecutor, floatExecutor, conversionExecutor, memoryExecutor,
        textureExecutor, matrixExecutor, warpgroupExecutor, asyncExecutor,
        tensorExecutor, controlExecutor, warpExecutor})
    if (ExecFn Fn = Part(O))
      return Fn;
  return nullptr;
}

} // namespace heddle::emu
