//===- HeddleInstrControl.td - Control flow, convergence, warp, CTA -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions that move threads through a program and join them again:
// branches, calls, convergence, and what warps and CTAs do together.
//
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Control flow. Every thread has a program counter; targets are relative to
// the place 16 bytes behind the branch; addresses in registers are absolute.
//===----------------------------------------------------------------------===//

def OP_BRA : ISAOp<0xB0, LC_BRANCH, "Branch",
  "The threads whose guard holds go to the target; the others go on.">;
let isBranch = 1, isTerminator = 1 in
def BRA : HInst<OP_BRA, FormI, (outs), (ins BrTarget:$tgt), " $tgt">;
def OP_UBRA : ISAOp<0xB1, LC_BRANCH, "Uniform branch",
  "The executing threads go to the target if the uniform guard holds.">;
let isBranch = 1, isTerminator = 1 in
def UBRA : UInst<OP_UBRA, FormI, (outs), (ins BrTarget:$tgt), " $tgt">;
def OP_BRX : ISAOp<0xB2, LC_BRANCH, "Indirect branch", "Go to the address in a.">;
let isBranch = 1, isTerminator = 1, isIndirectBranch = 1, isBarrier = 1 in
def BRX : HInst<OP_BRX, FormR, (outs), (ins GPR64:$a), " $a">;
def OP_CALL : ISAOp<0xB3, LC_BRANCH, "Call", "d = the address of the next instruction; go to the target.">;
def OP_CALLR : ISAOp<0xB4, LC_BRANCH, "Indirect call", "d = the address of the next instruction; go to the address in a.">;
let isCall = 1 in {
def CALL : HInst<OP_CALL, FormI, (outs GPR64:$d), (ins CallTarget:$tgt), " $d, $tgt">;
def CALLR : HInst<OP_CALLR, FormR, (outs GPR64:$d), (ins GPR64:$a), " $d, $a">;
}
def OP_RET : ISAOp<0xB5, LC_BRANCH, "Return", "Go to the address in a.">;
let isReturn = 1, isTerminator = 1, isBarrier = 1 in
def RET : HInst<OP_RET, FormR, (outs), (ins GPR64:$a), " $a">;
def OP_EXIT : ISAOp<0xB6, LC_BRANCH, "Exit", "The thread ends. It leaves every barrier it takes part in.">;
let isReturn = 1, isTerminator = 1, isBarrier = 1, hasSideEffects = 1 in
def EXIT : HInst<OP_EXIT, FormR, (outs), (ins), "">;
let Behind = FLOW_Next in
def OP_NOP : ISAOp<0x00, LC_SYS, "No operation", "Nothing; useful for its wait mask and stall count.">;
let hasSideEffects = 1 in
def NOP : HInst<OP_NOP, FormR, (outs), (ins), "">;
def OP_TRAP : ISAOp<0xB7, LC_SYS, "Trap", "The launch ends with the fault 'trap'.">;
let hasSideEffects = 1 in
def TRAP : HInst<OP_TRAP, FormR, (outs), (ins), "">;
def OP_BPT : ISAOp<0xB8, LC_SYS, "Breakpoint", "Stops in a debugger; without one the launch ends with the fault 'trap'.">;
let hasSideEffects = 1 in
def BPT : HInst<OP_BPT, FormR, (outs), (ins), "">;
def OP_NANOSLEEP : ISAOp<0xB9, LC_SYS, "Sleep", "The thread is not scheduled for about b nanoseconds.">;
let hasSideEffects = 1 in
defm NANOSLEEP : Alu2<OP_NANOSLEEP, (outs), (ins), (ins), " ", "">;
def OP_PMTRIG : ISAOp<0xAD, LC_SYS, "Trigger performance monitors",
  "The events whose bits are set in b (15..0) happen, once for each thread.">;
let hasSideEffects = 1 in
def PMTRIG : HInst<OP_PMTRIG, FormI, (outs), (ins Imm32:$b), " $b">;
def OP_GRIDDEP : ISAOp<0xAE, LC_SYS, "Grid dependencies",
  "LAUNCH: as far as this CTA is concerned, grids that depend on this one may start. WAIT: waits until the grids that this one depends on are done and their memory operations are visible.">;
let hasSideEffects = 1, mayLoad = 1, mayStore = 1 in
def GRIDDEP : HInst<OP_GRIDDEP, FormR, (outs), (ins GridDependency:$fn), "$fn">;
def OP_SYSCALL : ISAOp<0xBA, LC_BAR, "System call",
  "Call number b of the runtime (HeddleABI.td), with arguments and results in the registers of the calling convention.">;
let hasSideEffects = 1, mayLoad = 1, mayStore = 1, isCall = 1 in
def SYSCALL : HInst<OP_SYSCALL, FormI, (outs), (ins UImm8:$b), " $b">;

//===----------------------------------------------------------------------===//
// Convergence. A B register holds, for each lane, the mask of the group that
// the lane converges with.
//===----------------------------------------------------------------------===//

let Behind = FLOW_Next in
def OP_BSSY : ISAOp<0xBC, LC_CONVERGE, "Set a convergence barrier",
  "d of every executing lane = the mask of the executing lanes. tgt is where they will meet; it is information for tools.">;
def OP_BSYNC : ISAOp<0xBD, LC_CONVERGE, "Wait for convergence",
  "The lane waits until all lanes of its mask a that have not exited wait at this BSYNC with the same mask; then all go on together. With Y the wait is bounded: when the scheduler finds that the missing lanes make no progress towards the barrier, those that wait go on without them.">;
def OP_BREAK : ISAOp<0xBE, LC_CONVERGE, "Leave a convergence barrier",
  "The executing lanes leave the group in d: their bits are cleared in d of every lane of the group.">;
let Behind = FLOW_Next in
def OP_BMOV : ISAOp<0xBF, LC_CONVERGE, "Save a convergence register", "d = the lane's mask in a.">;
let Behind = FLOW_Next in
def OP_BMOVR : ISAOp<0xC0, LC_CONVERGE, "Restore a convergence register", "The lane's mask in d = a.">;
def OP_WARPSYNC : ISAOp<0xC1, LC_CONVERGE, "Converge a warp",
  "The lane waits until all lanes of mask b that have not exited wait with the same mask at a WARPSYNC of the same kind, this one or another; then all go on. Lanes that waited at different ones without ANY carry out the next exchange of data together, each at its own instruction.">;
def OP_YIELD : ISAOp<0xC2, LC_CONVERGE, "Yield", "The scheduler lets other threads of the warp run.">;
let hasSideEffects = 1, isConvergent = 1 in {
def BSSY : HInst<OP_BSSY, FormI, (outs BR:$d), (ins BrTarget:$tgt), " $d, $tgt">;
def BSYNC : HInst<OP_BSYNC, FormR, (outs), (ins BR:$a, Yieldable:$yieldable), "$yieldable $a">;
def BREAK : HInst<OP_BREAK, FormR, (outs BR:$d), (ins), " $d">;
def BMOV : HInst<OP_BMOV, FormR, (outs GPR32:$d), (ins BR:$a), " $d, $a">;
def BMOVR : HInst<OP_BMOVR, FormR, (outs BR:$d), (ins GPR32:$a), " $d, $a">;
// Orders the lanes' accesses. Side effects alone do not keep loads above it:
// MachineSink moves a load over all that does not store.
let mayLoad = 1, mayStore = 1 in
defm WARPSYNC : Alu2<OP_WARPSYNC, (outs), (ins), (ins SyncPlace:$fn), "$fn ", "">;
def YIELD : HInst<OP_YIELD, FormR, (outs), (ins), "">;
}

//===----------------------------------------------------------------------===//
// CTA barriers
//===----------------------------------------------------------------------===//

def OP_BAR : ISAOp<0xC4, LC_BAR, "CTA barrier",
  "Barrier b (0 to 15) for c threads (a multiple of the warp size; RZ: all threads of the CTA). The lane waits for the other lanes of its warp that have not exited, with which it arrives. ARV goes on then, SYNC waits for the other warps. RED waits and reduces the predicate s of all threads: d = their count (POPC), p = their conjunction (AND) or disjunction (OR). Memory operations of the CTA before the barrier are visible after it. ALIGNED promises that all threads of a warp that have not exited execute this instruction.">;
// The hook names no registers where nobody reads the results.
let hasSideEffects = 1, isConvergent = 1, mayLoad = 1, mayStore = 1, hasPostISelHook = 1 in {
def BAR_r : HInst<OP_BAR, FormR, (outs GPR32:$d, PR:$p),
                  (ins BarMode:$fn, Aligned:$aligned, GPR32:$b, GPR32:$c, PR:$s, Not:$sn),
                  "$fn$aligned $d, $p, $b, $c, $s~sn">;
def BAR_i : HInst<OP_BAR, FormI, (outs GPR32:$d, PR:$p),
                  (ins BarMode:$fn, Aligned:$aligned, Imm32:$b, GPR32:$c, PR:$s, Not:$sn),
                  "$fn$aligned $d, $p, $b, $c, $s~sn">;
}

def OP_CBAR : ISAOp<0xAC, LC_BAR, "Cluster barrier",
  "The barrier of the cluster's threads. ARV: the thread arrives. WAIT: it waits until all threads of the cluster that have not exited have arrived since it last waited. Memory operations before an ARV without RELAXED are visible after the WAIT that it completes. ALIGNED as for BAR.">;
let hasSideEffects = 1, isConvergent = 1, mayLoad = 1, mayStore = 1 in
def CBAR : HInst<OP_CBAR, FormR, (outs), (ins ClusterBarMode:$fn, Aligned:$aligned), "$fn$aligned">;

//===----------------------------------------------------------------------===//
// Data exchange within a warp. All are executed by the lanes that are
// converged at the instruction; WARPSYNC comes first where that is not known.
//===----------------------------------------------------------------------===//

def OP_SHFL : ISAOp<0xC8, LC_SHFL, "Shuffle",
  "d = a of the source lane that PTX shfl computes from the mode, b and the clamp and segment mask (seg or c); p = whether that lane is in range, else d is the lane's own a.">;
let isConvergent = 1 in {
def SHFL_r : HInst<OP_SHFL, FormR, (outs GPR32:$d, PR:$p),
    (ins GPR32:$a, GPR32:$b, UImm13:$seg, ShflMode:$shfn), "$shfn $d, $p, $a, $b, $seg">;
def SHFL_i : HInst<OP_SHFL, FormI, (outs GPR32:$d, PR:$p),
    (ins GPR32:$a, UImm5:$b, UImm13:$seg, ShflMode:$shfn), "$shfn $d, $p, $a, $b, $seg">;
}
def OP_SHFLV : ISAOp<0xC9, LC_SHFL, "Shuffle with a variable segment",
  "As SHFL with the clamp and segment mask in c.">;
let isConvergent = 1 in
def SHFLV : HInst<OP_SHFLV, FormR, (outs GPR32:$d, PR:$p),
    (ins GPR32:$a, GPR32:$b, GPR32:$c, ShflMode:$shfn), "$shfn $d, $p, $a, $b, $c">;

def OP_VOTE : ISAOp<0xCA, LC_VOTE, "Vote",
  "Over the executing lanes in mask b: ALL, ANY, UNI: p = whether s holds for all, for any, or is the same for all; BALLOT: d = the mask of lanes where s holds. The result that a mode does not define is zero.">;
let isConvergent = 1 in
defm VOTE : Alu2<OP_VOTE, (outs GPR32:$d, PR:$p), (ins VoteMode:$fn, PR:$s, Not:$sn), (ins),
                 "$fn $d, $p, $s~sn, ", "">;
def OP_MATCH : ISAOp<0xCB, LC_WARP, "Match",
  "Over the executing lanes in mask b: ANY: d = the mask of lanes whose a equals this lane's; ALL: p = whether all are equal, d = the mask if so, else 0.">;
def OP_MATCH64 : ISAOp<0xCC, LC_WARP, "64-bit match", "As MATCH.">;
def OP_REDUX : ISAOp<0xCD, LC_WARP, "Reduce over a warp",
  "d = the reduction of a over the executing lanes in mask b.">;
let isConvergent = 1 in {
defm MATCH : Alu2<OP_MATCH, (outs GPR32:$d, PR:$p), (ins MatchMode:$fn, GPR32:$a), (ins),
                  "$fn $d, $p, $a, ", "">;
defm MATCH64 : Alu2<OP_MATCH64, (outs GPR32:$d, PR:$p), (ins MatchMode:$fn, GPR64:$a), (ins),
                    "$fn $d, $p, $a, ", "">;
defm REDUX : Alu2<OP_REDUX, (outs GPR32:$d), (ins ReduxOp:$fn, Sign:$sgn, GPR32:$a), (ins),
                  "$fn$sgn $d, $a, ", "">;
}
def OP_REDUXF : ISAOp<0x68, LC_WARP, "Reduce floats over a warp",
  "d = the minimum or maximum, single precision, of a over the executing lanes in mask b. Numbers come before NaN; with NAN a NaN comes before numbers. A NaN result is canonical, -0 is less than +0.">;
let isConvergent = 1 in
defm REDUXF : Alu2<OP_REDUXF, (outs GPR32:$d), (ins MinMax:$minmax, NaNMode:$nan, GPR32:$a, NegAbs:$ma), (ins),
                   "$minmax$nan $d, $a~ma, ", "">;
