// A kernel with a loop, a call, data and line information, and what it calls.
  .file 1 "Inputs/source.txt"
  .section .text.k,"ax",@progbits
  .globl k
  .type k,@function
k:
  .loc 1 1 3
  LDC64 R4, c[0][RZ] {stall=1, wr=0}
  S2R R2, SR_tid.x {wr=1}
  MOV R8, %const(table+4)
  MOV R9, %shared(tile)
.Lagain:
  .loc 1 2 7
  IADD3 R2, R2, -1, RZ {stall=6, wait=0x3}
  ISETP.NE.S32.AND P0, R2, 0, PT {stall=13}
  @P0 BRA .Lagain {stall=5}
  .loc 1 3 3
  CALL R2, helper {stall=5}
  CALL R2, "R1" {stall=5}
  MOV64W R6, global
  STG [R6], R2
  EXIT
  NOP
  NOP
  .size k, .-k

  .section .text.helper,"ax",@progbits
  .type helper,@function
helper:
  @!P1 RET R2 {stall=5}
  BRA helper2 {stall=5}
helper2:
  RET R2 {stall=5}
  .size helper, .-helper

  .section .text.R1,"ax",@progbits
  .weak "R1"
  .type "R1",@function
"R1":
  BRX R2

  .section .data,"aw",@progbits
  .p2align 3
  .globl global
  .type global,@object
global:
  .quad k
  .word 1
  .quad global+4
  .size global, .-global

  .section .const,"a",@progbits
  .type table,@object
table:
  .byte 1, 2, 3
  .word table
  .size table, .-table

  .section .shared,"aw",@nobits
  .p2align 4
  .type tile,@object
tile:
  .zero 256
  .size tile, .-tile

  .heddle_metadata
---
chip: hd100
isa_version: !str 1
compiler: by hand
ptx_version: !str ''
ptx_target: !str ''
kernels:
  - name: k
    registers: 10
    uniform_registers: 0
    spill_store_bytes: 0
    spill_load_bytes: 0
    shared_bytes: 256
    local_bytes: 16
    barriers: 0
    param_bytes: 8
    dynamic_shared: false
    dynamic_stack: false
    params:
      - { name: out, offset: 0, size: 8, align: 8, type: u64 }
...
  .end_heddle_metadata
