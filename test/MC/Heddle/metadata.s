// Metadata stands in assembly as YAML and in objects as a note; printing gives
// back what was read.
// RUN: heddle-mc --print %s > %t.s && FileCheck %s < %t.s
// RUN: heddle-mc %s -o %t.1.o && heddle-mc %t.s -o %t.2.o && cmp %t.1.o %t.2.o
// RUN: llvm-readelf -n %t.1.o | FileCheck %s --check-prefix=NOTE
// NOTE: Heddle

// CHECK: .heddle_metadata
// CHECK: chip: hd100
// CHECK: kernels:
// CHECK: name: k
// CHECK: .end_heddle_metadata
  .section .text.k,"ax",@progbits
  .globl k
  .type k,@function
k:
  EXIT
  .heddle_metadata
---
chip: hd100
isa_version: !str 1
compiler: by hand
ptx_version: !str ''
ptx_target: !str ''
kernels:
  - name: k
    registers: 8
    uniform_registers: 0
    spill_store_bytes: 0
    spill_load_bytes: 0
    shared_bytes: 0
    local_bytes: 0
    barriers: 0
    param_bytes: 16
    dynamic_shared: false
    dynamic_stack: false
    params:
      - { name: out, offset: 0, size: 8, align: 8, type: u64 }
      - { name: n, offset: 8, size: 4, align: 4, type: u32 }
...
  .end_heddle_metadata
