// Errors name line, column and what was expected, and end with status 1.
// RUN: not heddle-mc %s -o %t.o 2>&1 | FileCheck %s --strict-whitespace
// RUN: not heddle-mc --nonsense 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: heddle-mc: error: unknown option '--nonsense'; see heddle-mc --help
// RUN: not heddle-mc %s --arch sm_90 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: heddle-mc: error: unknown chip 'sm_90'
// RUN: not heddle-mc %t.missing.s 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: heddle-mc: error: {{.*}}missing.s: No such file or directory

// CHECK: :[[#@LINE+1]]:1: error: unknown instruction 'FADDX'; did you mean 'FADD'?
FADDX R0, R1, R2
// CHECK: :[[#@LINE+1]]:1: error: unknown instruction 'fadd'; did you mean 'FADD'?
fadd R0, R1, R2
// CHECK: :[[#@LINE+1]]:1: error: unknown instruction 'XYZZY'
XYZZY
// CHECK: :[[#@LINE+1]]:9: error: expected ','
FADD R0 R1
// CHECK: :[[#@LINE+1]]:10: error: expected a register R0 to R254 or RZ
FADD R0, UR1, R2
// CHECK: :[[#@LINE+1]]:10: error: expected a register R0 to R254 or RZ
FADD R0, R255, R2
// CHECK: :[[#@LINE+1]]:6: error: '.RQ' is not a modifier of FADD here
FADD.RQ R0, R1, R2
// CHECK: :[[#@LINE+1]]:10: error: '.RZ' is not a modifier of FADD here
FADD.FTZ.RZ R0, R1, R2
// CHECK: :[[#@LINE+1]]:14: error: a floating-point immediate needs a decimal point
FADD R0, R1, 1
// CHECK: :[[#@LINE+1]]:14: error: '1e99' is beyond single precision
FADD R0, R1, 1e99
// CHECK: :[[#@LINE+1]]:16: error: expected the end of the statement
FADD R0, R1, R2, R3
// CHECK: :[[#@LINE+1]]:12: error: expected ','
FADD R0, R1
// CHECK: :[[#@LINE+1]]:8: error: expected an even register, first of two, or RZ
IADD64 R1, R2, R4
// CHECK: :[[#@LINE+1]]:40: error: expected an even register, first of two, or RZ
MMA64.M16N8K16.F16.F16.F16 R2, R4, R8, R11
// CHECK: :[[#@LINE+1]]:7: error: expected a register divisible by 4, first of four, or RZ
LD128 R2, [R4]
// CHECK: :[[#@LINE+1]]:9: error: expected a uniform register divisible by 4, first of four
ULDC128 URZ, c[0][UR1]
// CHECK: :[[#@LINE+1]]:13: error: expected one of .CTA, .CLUSTER, .GPU, .SYS
LDG.RELAXED R0, [R2]
// CHECK: :[[#@LINE+1]]:15: error: 8388608 does not fit 24 bits with a sign
LDG R0, [R2 + 8388608]
// CHECK: :[[#@LINE+1]]:15: error: expected a number
LDG R0, [R2 + label]
// CHECK: :[[#@LINE+1]]:12: error: expected ']'
LDG R0, [R2
// CHECK: :[[#@LINE+1]]:22: error: 40 does not fit 5 bits
SHFL.IDX R0, PT, R1, 40, 31
// CHECK: :[[#@LINE+1]]:11: error: this operand cannot be taken absolutely
IADD3 R0, |R1|, R2, R3
// CHECK: :[[#@LINE+1]]:10: error: this operand cannot be negated
IMAD R0, -R1, R2, R3
// CHECK: :[[#@LINE+1]]:10: error: '!' cannot stand before this operand
FADD R0, !R1, R2
// CHECK: :[[#@LINE+1]]:11: error: unknown token in expression
FADD R0, -, R2
// CHECK: :[[#@LINE+1]]:17: error: expected a predicate P0 to P6 or PT
SEL R0, R1, R2, P8
// CHECK: :[[#@LINE+1]]:13: error: expected a number, a register R0 to R254 or RZ or a uniform register UR0 to UR62 or URZ
SEL R0, R1, [R2], P0
// CHECK: :[[#@LINE+1]]:9: error: expected a special register (SR_tid.x, ...) or its number
S2R R0, SR_foo
// CHECK: :[[#@LINE+1]]:10: error: expected const or shared after '%'
MOV R0, %foo(x)
// CHECK: :[[#@LINE+1]]:2: error: expected a predicate after '@'
@R0 FADD R0, R1, R2
// CHECK: :[[#@LINE+1]]:2: error: the guard of this instruction is a predicate of the threads
@UP0 FADD R0, R1, R2
// CHECK: :[[#@LINE+1]]:2: error: the guard of a uniform instruction is a uniform predicate
@P0 UIADD3 UR0, UR1, UR2, UR3
// CHECK: :[[#@LINE+1]]:4: error: expected an instruction
@P0
// CHECK: :[[#@LINE+1]]:24: error: 'stall' is at most 15
FADD R0, R1, R2 {stall=16}
// CHECK: :[[#@LINE+1]]:21: error: 'wr' is at most 5
FADD R0, R1, R2 {wr=6}
// CHECK: :[[#@LINE+1]]:23: error: 'wait' is at most 63
FADD R0, R1, R2 {wait=64}
// CHECK: :[[#@LINE+1]]:27: error: 'stall' stands twice
FADD R0, R1, R2 {stall=1, stall=2}
// CHECK: :[[#@LINE+1]]:18: error: 'foo' is not stall, yield, wr, rd, wait or full
FADD R0, R1, R2 {foo}
// CHECK: :[[#@LINE+1]]:23: error: expected '=' after 'stall'
FADD R0, R1, R2 {stall
// CHECK: :[[#@LINE+1]]:25: error: expected ',' or '}'
FADD R0, R1, R2 {stall=1
// CHECK: :[[#@LINE+1]]:18: error: expected stall, yield, wr, rd, wait or full
FADD R0, R1, R2 {} R3
// CHECK: :[[#@LINE+1]]:1: error: unknown directive
.nonsense

// CHECK: :[[#@LINE+1]]:3: error: .heddle_metadata without .end_heddle_metadata
  .heddle_metadata
