// What the assembler reads, it prints again; bytes are in memory order.
// RUN: heddle-mc --show-encoding %s | FileCheck %s
// RUN: heddle-mc --print %s > %t.1.s && heddle-mc --print %t.1.s > %t.2.s
// RUN: cmp %t.1.s %t.2.s

  .section .text.k,"ax",@progbits
k:
// Guard, modifiers, source modifiers and control field.
// CHECK: @!P0 FADD.RZ.FTZ R0, -R1, |R2| {stall=4, yield, wr=0, rd=1, wait=0x3}
// CHECK-SAME: encoding: [0x00,0x83,0x00,0x01,0x02,0x00,0x00,0x00,0x00,0x89,0x00,0x00,0x04,0x14,0x19,0x00]
  @!P0 FADD.RZ.FTZ R0, -R1, |R2| {stall=4, yield, wr=0, rd=1, wait=0x3}
// The control field of an instruction that nobody scheduled is not printed.
// CHECK: FADD R0, R1, R2 // encoding:
  FADD R0, R1, R2 {stall=1}
// CHECK: FADD R0, R1, R2 {stall=0}
  FADD R0, R1, R2 {stall=0}

// Immediates: fractions, bits, signs that are modifiers.
// CHECK: FADD R0, R1, 1.5
  FADD R0, R1, 1.5
// CHECK: FADD R0, R1, 1.0
  FADD R0, R1, 0x3f800000
// CHECK: FADD R0, R1, -0.1
  FADD R0, R1, -0.1
// CHECK: FADD R0, R1, -(1.5)
  FADD R0, R1, -(1.5)
// CHECK: FADD R0, R1, -|1.5|
  FADD R0, R1, -|1.5|
// CHECK: FADD R0, R1, 0x7f800000
  FADD R0, R1, 0x7f800000
// CHECK: DADD R2, R4, 0x3ff00000
  DADD R2, R4, 0x3ff00000
// CHECK: IADD3 R0, R1, -5, -R2
  IADD3 R0, R1, -5, -R2
// CHECK: IADD3 R0, R1, -(5), R2
  IADD3 R0, R1, -(5), R2
// CHECK: IADD3 R0, R1, R2, -0x80000000
  IADD3 R0, R1, R2, 1 << 31
// CHECK: LOP3 R0, R1, UR2, R3, 0xfe
  LOP3 R0, R1, UR2, R3, 254
// CHECK: S2R R2, SR_tid.x
  S2R R2, SR_tid.x
// CHECK: S2R R2, 200
  S2R R2, 200

// Two operations: what is nothing is not printed.
// CHECK: VALU.ADD.S16X2.SAT R0, R1, R2, RZ
  VALU.ADD.S16X2.SAT R0, R1, R2, RZ
// CHECK: VALU.ABSDIFF.U8X4.ACC R0, R1, UR2, R3
  VALU.ABSDIFF.U8X4.ACC R0, R1, UR2, R3
// CHECK: VALU.SUB.S32.MAX.RELU R0, R1, R2, 7
  VALU.SUB.S32.MAX.RELU R0, R1, R2, 7
// CHECK: VALU.GE.S8X4 R0, R1, -1, RZ
  VALU.GE.S8X4 R0, R1, -1, RZ

// Addresses.
// CHECK: LDG.RELAXED.GPU.CV R3, [UR2 + R5.SX.X4 - 16]
  LDG.RELAXED.GPU.CV R3, [UR2 + R5.SX.X4 - 16]
// CHECK: LDG.RELAXED.CTA R3, [R4]
  LDG.RELAXED.CTA R3, [R4 + 0]
// A weak operation has no scope; one that stands there all the same is kept.
// CHECK: LDG R3, [R4 + 0x7fffff]
  LDG R3, [R4 + 0x7fffff]
// CHECK: LDG.CLUSTER R3, [R4 - 0x800000]
  LDG.CLUSTER R3, [R4 + -8388608]
// CHECK: LDS.U8 R3, [R4.X16 + 4]
  LDS.U8 R3, [R4.X16 + 4]
// CHECK: LDC R3, c[3][RZ + 8]
  LDC R3, c[3][RZ + 8]
// CHECK: ATOMG.ADD.F32.RELAXED.GPU R0, [R2], R4
  ATOMG.ADD.F32.RELAXED.GPU R0, [R2], R4
// CHECK: BAR.RED.POPC R0, PT, 0, RZ, !P0
  BAR.RED.POPC R0, PT, 0, RZ, !P0

// Matrices: two registers of sums, or four.
// CHECK: MMA64.M16N8K16.F16.F16.F16 R2, R4, R10, R6 // encoding: [0xa0,0x76,0x02,0x04,0x0a,0x00,0x00,0x00,0x06,0x00,0x06,0x10,
  MMA64.M16N8K16.F16.F16.F16 R2, R4, R10, R6
// CHECK: MMA64.M8N8K16.S32.S8.U8.SAT R2, R4, R10, RZ
  MMA64.M8N8K16.S32.S8.U8.SAT R2, R4, R10, RZ
// CHECK: MMA.M16N8K16.F16.F16.F16.F16.ROW.ROW R4, R4, R10, R8
  MMA.M16N8K16.F16.F16.F16.F16.ROW.ROW R4, R4, R10, R8
// CHECK: LDSM64.TT8.X2 R2, [R4 + 0x7ffff0] // encoding: [0xb0,0x7b,0x02,0x04,0x00,0xf0,0xff,0x7f,0x00,0x00,0x09,
  LDSM64.TT8.X2 R2, [R4 + 0x7ffff0]

// Symbols and labels.
// CHECK: BRA .L1
// CHECK-NEXT: fixup A - offset: 0, value: .L1, kind: fixup_pcrel32
.L1:
  BRA .L1
// CHECK: BRA -16
  BRA -16
// CHECK: CALL R2, "P0"
  CALL R2, "P0"
// CHECK: MOV64W R4, k+8
// CHECK-NEXT: kind: fixup_abs64
  MOV64W R4, k+8
// CHECK: MOV R4, %const(table+4)
// CHECK-NEXT: kind: fixup_const32
  MOV R4, %const(table+4)
// CHECK: MOV R4, %shared(tile)
// CHECK-NEXT: kind: fixup_shared32
  MOV R4, %shared(tile)
// The uniform path has guards of its own.
// CHECK: @UP0 UIADD3 UR0, UR1, UR2, URZ
  @UP0 UIADD3 UR0, UR1, UR2, URZ
