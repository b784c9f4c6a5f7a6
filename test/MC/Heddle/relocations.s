// What the assembler resolves, and what it leaves to the loader.
// RUN: heddle-mc %s -o %t.o
// RUN: llvm-readelf -hr %t.o | FileCheck %s
// RUN: llvm-readelf -x .text.k %t.o | FileCheck %s --check-prefix=BYTES

// CHECK: Machine: 4844
// CHECK: Flags: 0x1

// Distances count from 16 bytes behind the start of the branch: -24 and 8 in
// compact forms, -40 in one of 128 bits; in bits 63..32 of both. A symbol of 64
// bits needs 128.
// BYTES: Hex dump of section '.text.k'
// BYTES-NEXT: 0x00000000 732f0000 00000000 752f0000 e8ffffff
// BYTES-NEXT: 0x00000010 752f0000 08000000 027b0000 d8ffffff
// BYTES-NEXT: 0x00000020 00000000 00e10700 7b2f0002 00000000
// BYTES-NEXT: 0x00000030 7b2f0002 00000000 32720400 00000000
  .section .text.k,"ax",@progbits
  .globl k
  .type k,@function
k:
.Lback:
  NOP
  BRA .Lback
  BRA .Lforth
  BRA .Lback {stall=1, full}
.Lforth:
  CALL R2, extern
  CALL R2, local
  MOV64W R4, extern+8
  MOV R4, extern
  MOV R4, %const(table+4)
  MOV R4, %shared(tile)

  .section .text.local,"ax",@progbits
local:
  EXIT

  .section .data,"aw",@progbits
  .quad k
  .word table

// CHECK-DAG: {{0*}}28 {{[0-9a-f]+}}00000003 Unknown {{[0-9a-f]+}} extern + 0
// CHECK-DAG: {{0*}}30 {{[0-9a-f]+}}00000003 Unknown {{[0-9a-f]+}} .text.local + 0
// CHECK-DAG: {{0*}}38 {{[0-9a-f]+}}00000001 Unknown {{[0-9a-f]+}} extern + 8
// CHECK-DAG: {{0*}}48 {{[0-9a-f]+}}00000002 Unknown {{[0-9a-f]+}} extern + 0
// CHECK-DAG: {{0*}}50 {{[0-9a-f]+}}00000006 Unknown {{[0-9a-f]+}} table + 4
// CHECK-DAG: {{0*}}58 {{[0-9a-f]+}}00000007 Unknown {{[0-9a-f]+}} tile + 0
// CHECK-DAG: {{0*}}0 {{[0-9a-f]+}}00000004 Unknown {{[0-9a-f]+}} k + 0
// CHECK-DAG: {{0*}}8 {{[0-9a-f]+}}00000005 Unknown {{[0-9a-f]+}} table + 0
