//===- HeddleManual.td - Pages of the ISA manual -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the manual (docs/isa/) says beyond the definitions of instructions: the
// pages, which operations each describes, and the prose around generated tables.
//
//===----------------------------------------------------------------------===//

// A page of docs/isa/. In Text, a line @NAME stands for a generated table.
class ManualPage<string file, string title, string text> {
  string File = file; // without .md
  string Title = title;
  string Text = text;
}

// A page that ends with the descriptions of the operations whose code is in
// First to Last or in Others.
class OperationPage<string file, string title, int first, int last, string text,
                    list<int> others = []> : ManualPage<file, title, text> {
  int First = first;
  int Last = last;
  list<int> Others = others;
}

//===----------------------------------------------------------------------===//
// Groups of operations, in the manual's order
//===----------------------------------------------------------------------===//

def PAGE_10_integer : OperationPage<"integer", "Integer and logic", 0x01, 0x25, [{
Values are 32 bits wide unless the mnemonic ends in 64. 64-bit values stand in
aligned groups of two registers, the low half first. Arithmetic wraps.
}], [0x69]>;
def PAGE_11_predicate : OperationPage<"predicate", "Predicates", 0x26, 0x2F, [{
Predicates are one bit a thread. Compare instructions, which write them, are on
the pages of their types.
}]>;
def PAGE_12_float : OperationPage<"float", "Single precision", 0x30, 0x3F, [{
Results are rounded once, to nearest even unless `rnd` says otherwise. A NaN
result of arithmetic is the canonical `0x7fffffff`. `FTZ` replaces subnormal
inputs and results by zeros of their sign. `SAT` clamps to [0, 1]; a NaN becomes
+0.

A decimal fraction as immediate is rounded to single precision by the assembler;
a hexadecimal number stands for the bits.
}]>;
def PAGE_13_half : OperationPage<"half", "Half precision and bfloat16", 0x40, 0x47, [{
Two values stand in a register, `lo` in bits 15..0 and `hi` in bits 31..16. The
canonical NaN is `0x7fff`.
}]>;
def PAGE_14_double : OperationPage<"double", "Double precision", 0x48, 0x57, [{
Values stand in aligned groups of two registers. The canonical NaN is
`0xfff8000000000000`. A 32-bit immediate is the high half of a double whose low
half is zero.
}]>;
def PAGE_15_conversion : OperationPage<"conversion", "Conversions", 0x58, 0x67, [{
`dty` is the type of the result, `sty` that of the source. `TF32` is a result of
`F2F` only; `F2FP` and `F2FUP` take the types of pairs, whose narrow ones `F2FUP`
converts to `F16`. Other combinations are illegal instructions.

The narrow types are sign, exponent and fraction from the top bit on: `E4M3` with
the NaN `0x7f` and without infinity, `E5M2` with both, NaN being `0x7f`, and
`E3M2`, `E2M3`, `E2M1`, which have numbers only. An exponent of zero stands for
subnormal numbers; the bias is half the greatest exponent, rounded down.
}]>;
def PAGE_16_memory : OperationPage<"memory", "Memory", 0x70, 0x8F, [{
See [addresses](addresses.md) for the forms of an address. An access must be
aligned to its size. A width is an operation of its own; without `size` it is
32 bits.
}]>;
def PAGE_17_atomic : OperationPage<"atomic", "Atomic operations, ordering and hints", 0x90, 0xA3, [{
Atomic operations are single steps with respect to all other atomic operations
within their scope. A reduction (`RED`) gives no result back.

Floating types have `ADD`, `MIN`, `MAX` and `EXCH`, `INC` and `DEC` only unsigned
types; other combinations are illegal instructions.
}]>;
def PAGE_18_control : OperationPage<"control", "Control flow", 0xB0, 0xBA, [{
Every thread has a program counter. Targets are relative to the next
instruction; addresses in registers are absolute.
}], [0x00, 0xAD, 0xAE]>;
def PAGE_19_convergence : OperationPage<"convergence", "Convergence", 0xBC, 0xC3, [{
A B register holds, for each lane, the mask of the group that the lane converges
with. The compiler sets a barrier before a branch on which the threads of a warp
may part, and waits on it where they should meet again:

    BSSY B0, .Ljoin
    @P0 BRA .Lthen
    ...
    .Ljoin:
    BSYNC B0

Threads that exit leave all masks. The scheduler lets every thread that can run
make progress, so that a thread may wait in a loop for another of its warp.
}]>;
def PAGE_20_barrier : OperationPage<"barrier", "CTA and cluster barriers", 0xC4, 0xC6, [{
A CTA has 16 barriers, a cluster has one. Threads that have exited take part in
none.

Warps arrive at a CTA barrier: a warp does when all its lanes that have not
exited have come to the barrier, at one instruction or at several. It counts with
its full size, however many lanes it has left.

The cluster's barrier has two halves, so that a thread can work between them:

    CBAR.ARV            // what others may see is done
    ...
    CBAR.WAIT           // what others have done is here

A thread that has not arrived does not wait.
}], [0xAC]>;
def PAGE_21_warp : OperationPage<"warp", "Data exchange within a warp", 0xC8, 0xCD, [{
These are executed by the lanes that are converged at the instruction. `WARPSYNC`
comes first where that is not known.
}], [0x68]>;
def PAGE_25_matrix : OperationPage<"matrix", "Matrices", 0x6C, 0x6F, [{
The lanes of a warp execute these together; what one lane holds of a matrix is a
fragment. [Matrices](../matrix.md) has the layouts and the arithmetic. A
combination of shape and types without a meaning there is an illegal instruction,
and so is an execution by some of the warp's lanes only.
}], [0x6A, 0xAA, 0xBB, 0xAB, 0xAF]>;
def PAGE_26_async : OperationPage<"async", "Asynchronous operations", 0xF0, 0xF9, [{
A thread goes on while these copies and products are on their way, and waits for
them at a barrier in shared memory or for groups of them.
[Asynchronous operations](../async.md) has the layout of an mbarrier.
}], [0xC7, 0xCE, 0xCF]>;
def PAGE_27_tensor : OperationPage<"tensor", "Tensor memory", 0xFA, 0xFF, [{
A CTA has 128 lanes of 512 columns of 32 bits for matrices, of 576 where one
allocation has all. A tensor address has
the lane in bits 31..16 and the column in bits 15..0. Columns must be allocated;
what they hold then is open. `TMEM`, `LDT` and `STT` are executed by a warp
together; `TMMA`, `TCOPY` and `TCOMMIT` by single threads, which go on while the
operations are on their way. [Matrices](../matrix.md) has layouts and descriptors.
}]>;
def PAGE_22_uniform : OperationPage<"uniform", "The uniform path", 0xD0, 0xEF, [{
Executed once for the warp, on uniform registers, with a uniform predicate as
guard. They are legal only where the warp is converged, since a uniform register
has one value a warp.
}]>;

//===----------------------------------------------------------------------===//
// Everything else
//===----------------------------------------------------------------------===//

def PAGE_00_encoding : ManualPage<"encoding", "Encoding", [{
An instruction has 128 bits, little-endian in memory. Bit 0 is 0; where it is 1
the instruction has 64 bits and stands for one of 128: [compact
forms](compact.md). Instructions of both sizes are aligned to 8 bytes, functions
to 16.

| bits | field |
|---|---|
| 0 | 0 |
| 3..1 | form: what the slots b and c hold |
| 11..4 | operation |
| 14..12, 15 | guard predicate and its negation |
| 23..16 | d, the destination |
| 31..24 | a, the first source |
| 63..32 | b, the second source: a register (8 bits), a uniform register (6 bits) or an immediate |
| 71..64 | c, the third source |
| 103..72 | modifiers, predicates, a fourth source |
| 120..104 | [control field](control-field.md) |
| 127..121 | 0 |

Bits that no operand of an instruction covers are zero; anything else is an
illegal instruction, as are an unknown operation, a register number that does not
start a group of the operand's size, and a modifier value without a meaning.

## Forms

The name of an instruction in the tables is its mnemonic with the form's suffix.

@FORMS

In forms `_ci` and `_cu` the slots of the operands b and c are exchanged, since
only bits 63..32 have room for an immediate.

## Places of operands

An operand's name says where it stands. Some names share bits; an instruction
never has two of them.

@ROLES
}]>;

def PAGE_08a_compact : ManualPage<"compact", "Compact forms", [{
A compact form has 64 bits and means what the instruction of 128 bits means that
it stands for. Only the distance to the next instruction is another one: a branch
counts from 16 bytes behind its start in both forms.

| bits | field |
|---|---|
| 0 | 1 |
| 8..1 | code |
| 11..9, 12 | guard predicate and its negation |
| 16..13 | `stall` |
| 22..17 | `wait` |
| 23 | `yield` |
| 26..24, 29..27 | `wr`, `rd`; only of instructions of variable latency, others have none |

The other bits are the operands of the table: the name that an operand has in the
128-bit form, and its bits here. Where there are fewer than there, the others are
zero, or copies of the highest one where the operand is a signed number; `<<n`
says that there are n zeros below. An operand with a number after `=` has that
value, and one that is not named has the value zero. Bits without a name are
zero. Anything else is an illegal instruction, and so is an unknown code.

A field of 32 bits is in bits 63..32, where it is in the 128-bit form, so that a
relocation does not depend on the form.

@COMPACT_FORMS
}]>;

def PAGE_01_registers : ManualPage<"registers", "Registers", [{
| file | registers | width | |
|---|---|---|---|
| R | R0 to R254, RZ | 32 bits a thread | general registers |
| P | P0 to P6, PT | 1 bit a thread | predicates |
| UR | UR0 to UR62, URZ | 32 bits a warp | the uniform path |
| UP | UP0 to UP6, UPT | 1 bit a warp | uniform predicates |
| B | B0 to B15 | a mask a lane | convergence |

RZ and URZ read as zero, PT and UPT as true; what is written to them is dropped.

Values of 64 and 128 bits stand in groups of two and four registers. A group is
named by its first register, whose number is even or divisible by four; the first
register holds the lowest bits. RZ and URZ may stand for a group of zeros (URZ not
for a group of four).

In the encoding RZ has the number 255, URZ 63, PT and UPT 7.

Every instruction has a guard, a predicate or its negation (`@P0`, `@!P0`; on the
uniform path `@UP0`). Threads for which it does not hold do nothing. Without one
the guard is PT.
}]>;

def PAGE_02_assembly : ManualPage<"assembly", "Assembly", [{
`heddle-mc` assembles, `ptx-objdump` disassembles; what one prints the other reads.

    @!P0 FADD.FTZ R0, -R1, |R2| {stall=4, yield, wr=0, rd=1, wait=0x3}

- Results come first, then sources, in the order that the syntax of an operation
  shows.
- A modifier whose value has no name is not written. The scope of a memory
  operation is written when it has an order.
- `-x`, `|x|` and `!x` negate, take absolutely and invert a source. Before an
  immediate, `-(5)` is the negated immediate 5 and `-5` the immediate -5.
- Immediates are expressions. A symbol may stand where an immediate has 32 or 64
  bits: `MOV64W R4, f` is the address of `f`, `MOV R4, %const(t+4)` an offset in
  constant bank 3, `MOV R4, %shared(s)` one in shared memory.
- A branch names a label, or the distance in bytes from 16 bytes behind its own
  start. That is the next instruction, unless the branch is compact.
- Special registers are named `SR_` and PTX's name, where PTX has them: `S2R R0, SR_tid.x`.
- Names that look like registers are quoted: `CALL R2, "R1"`.
- The [control field](control-field.md) stands in braces; without it, it is
  `{stall=1}`.
- An instruction gets its [compact form](compact.md) where it has one, unless
  `full` stands in the braces.
- `//` starts a comment. Labels and directives (`.section`, `.globl`, `.type`,
  `.size`, `.byte`, `.word`, `.quad`, `.zero`, `.loc`, ...) are those of GNU as.
- `.heddle_metadata` starts the module's metadata, as YAML up to
  `.end_heddle_metadata`; [the object format](../object-format.md) names the
  fields.
}]>;

def PAGE_03_control : ManualPage<"control-field", "The control field", [{
The hardware does not check whether a register is ready. The control field of each
instruction says when it may issue and who learns of its completion;
[hazards](../hazards.md) has the rules.

| bits | assembly | meaning |
|---|---|---|
| 107..104 | `stall=N` | cycles before the warp may issue its next instruction (0 acts as 1) |
| 108 | `yield` | the scheduler should prefer another warp |
| 111..109 | `wr=N` | counter 0 to 5 that goes up at issue and down when the results have arrived; 7: none |
| 114..112 | `rd=N` | the same, down when the sources have been read; 7: none |
| 120..115 | `wait=MASK` | the counters (a bit each) that must be zero before issue |

Results of fixed-latency classes are covered by stall counts, those of variable
ones by counters. [Chips](chips.md) has the latencies. A value of 6 for `wr` or
`rd` is an illegal instruction.
}]>;

def PAGE_04_addresses : ManualPage<"addresses", "Addresses and windows", [{
| space | forms |
|---|---|
| generic, global | `[R + imm]`, `[UR + imm]` with a 64-bit base; `[UR + R.ext.scale + imm]` with a 64-bit base and a 32-bit index |
| shared, local | `[R.scale + imm]`, `[UR + imm]` with 32 bits |
| constant | `c[bank][R + imm]`, `c[bank][UR + imm]` with 32 bits |

`imm` is a signed offset of 24 bits, in bytes. `ext` widens the index with zeros
(`UX`) or its sign (`SX`), `scale` multiplies it by 2 to 16.

A generic address is 64 bits wide. Its high word says what it points to:

@WINDOWS

Any other high word is global memory. The low word is the offset in the space.

A shared address is the same in 32 bits and in the low word of a generic address.
Bits 23..0 are the offset. Bits 31..24 say whose shared memory it is: zeros that of
the thread's own CTA; with bit 30 set that of the CTA whose rank in the cluster is in bits
29..24. An address with a rank means the same to all threads of the cluster, and
without its lowest bit, 24, the same place in the even CTA of a pair.
}]>;

def PAGE_05_calling : ManualPage<"calling-convention", "Calling convention", [{
| registers | |
|---|---|
| R1 | stack pointer: a byte offset in local memory that grows down. At kernel entry it is the thread's local memory size; a kernel that neither calls nor has a frame uses it as any other register |
| R2, R3 | return address, written by `CALL` |
| R4 to R15 | arguments and results, in order; 64-bit values in aligned groups |
| R16 to R31 | kept by the callee, as are B0 to B15 |
| all others | not kept |

Functions never write uniform registers: they may run while the warp is diverged.

Between a call through a pointer and the function may stand an entry that the runtime
wrote. It writes R32 and R33.

@ABI
}]>;

def PAGE_06_special : ManualPage<"special-registers", "Special registers", [{
Read by `S2R`, `S2R64` and `S2UR`. A uniform one is the same for all threads of a
warp at all times. Of one with 64 bits `S2R` and `S2UR` read the lower 32.

@SPECIAL_REGISTERS
}]>;

def PAGE_07_system : ManualPage<"system-calls", "System calls", [{
`SYSCALL` asks the runtime for something that no instruction does. Arguments and
results are those of the function, in the registers of the
[calling convention](calling-convention.md).

@SYSTEM_CALLS
}]>;

def PAGE_08_chips : ManualPage<"chips", "Chips", [{
@CHIPS

## Latencies

Latency: cycles from issue to the earliest issue of a reader. Interval: cycles
between two issues of one warp scheduler to the pipe. For variable classes the
latency is the best case, and a counter covers it.

@LATENCIES
}]>;
