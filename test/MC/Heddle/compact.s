// The compact forms: bytes that were put together by hand from the table of
// docs/isa/compact.md, and what keeps an instruction from having one.
// RUN: heddle-mc --show-encoding %s | FileCheck %s
// RUN: heddle-mc --print %s > %t.1.s && heddle-mc --print %t.1.s > %t.2.s
// RUN: cmp %t.1.s %t.2.s

  .section .text.k,"ax",@progbits
k:
// Code 0x47, guard PT, stall 4, d, and a field of 32 bits in bits 63..32.
// CHECK: MOV R4, 0x12345678 {stall=4} // encoding: [0x8f,0x8e,0x00,0x04,0x78,0x56,0x34,0x12]
  MOV R4, 0x12345678 {stall=4}
// Guard and all of the control field of an instruction of fixed latency.
// CHECK: @!P0 MOV R4, 5 {stall=4, yield, wait=0x21} // encoding: [0x8f,0x90,0xc2,0x04,0x05,0x00,0x00,0x00]
  @!P0 MOV R4, 5 {stall=4, yield, wait=0x21}
// Counters, for they have variable latency; a load of a word with an offset.
// CHECK: LDG R4, [R6 + 16] {stall=2, wr=0} // encoding: [0xf9,0x4e,0x00,0x38,0x81,0x01,0x21,0x00]
  LDG R4, [R6 + 16] {stall=2, wr=0}
// Two registers of matrices.
// CHECK: LDSM64.T8.X2 R4, [R6 + 16] {stall=2, wr=0} // encoding: [0xe9,0x4f,0x00,0x38,0x81,0x01,0x82,0x00]
  LDSM64.T8.X2 R4, [R6 + 16] {stall=2, wr=0}
// Asked for 128 bits.
// CHECK: MOV R4, 5 {stall=1, full} // encoding: [0x12,0x72,0x04,0x00,0x05,
  MOV R4, 5 {stall=1, full}
// A number that is too large: the form has 23 bits with a sign.
// CHECK: IADD3 R4, R5, -0x400000, RZ // encoding: [0x03,0x2e,0x00,0x04,0x05,0x00,0x00,0x80]
  IADD3 R4, R5, -0x400000, RZ
// CHECK: IADD3 R4, R5, 0x400000, RZ // encoding: [0x12,0x70,0x04,0x05,0x00,0x00,0x40,0x00,
  IADD3 R4, R5, 0x400000, RZ
// A symbol of 32 bits fits a compact form, one of 64 bits does not.
// CHECK: BRA .Lend // encoding: [0x75,0x2f,0x00,0x00,A,A,A,A]
  BRA .Lend
// CHECK: MOV64W R4, k // encoding: [0x32,0x72,0x04,0x00,A,A,A,A,A,A,A,A,0x00,
  MOV64W R4, k
.Lend:
  EXIT
