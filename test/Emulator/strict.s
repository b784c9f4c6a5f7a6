// Strict mode against code whose control fields are wrong. This is what the
// compiler makes of saxpy, by hand; as it stands it runs. A stall that is a
// cycle short, a counter that nobody waits for, and a source that is overwritten
// before it was read are reported with the place of both instructions; without
// strict mode the program gives the right values all the same.
//
// RUN: heddle-mc %s -o %t.good.o
// RUN: ptx-run --module %t.good.o %kernels/saxpy/saxpy.json
//
// RUN: sed '/IMAD R0/s/stall=4/stall=3/' %s > %t.stall.s
// RUN: heddle-mc %t.stall.s -o %t.stall.o
// RUN: not ptx-run --module %t.stall.o %kernels/saxpy/saxpy.json 2>&1 | FileCheck %s --check-prefix=STALL
// RUN: ptx-run --no-strict --module %t.stall.o %kernels/saxpy/saxpy.json
// STALL: hazard in kernel 'saxpy' at PC 0x0028, CTA ({{.*}}), thread ({{.*}}), lane {{[0-9]+ of warp [0-9]+}}: ISETP reads a register before the result arrived of IMAD at PC 0x0020, register R0
//
// RUN: sed '/FFMA R2/s/, wait=0x7//' %s > %t.wait.s
// RUN: heddle-mc %t.wait.s -o %t.wait.o
// RUN: not ptx-run --module %t.wait.o %kernels/saxpy/saxpy.json 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: ptx-run --no-strict --module %t.wait.o %kernels/saxpy/saxpy.json
// WAIT: hazard in kernel 'saxpy' at PC 0x0060, {{.*}}: FFMA reads a register before the result arrived of LDG at PC {{0x005[08]}}, register R{{[23]}}
//
// One of several waits is missing too.
// RUN: sed '/FFMA R2/s/wait=0x7/wait=0x5/' %s > %t.one.s
// RUN: heddle-mc %t.one.s -o %t.one.o
// RUN: not ptx-run --module %t.one.o %kernels/saxpy/saxpy.json 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: FFMA reads a register before the result arrived of LDG at PC 0x0050, register R2
//
// The store reads its value late: a write behind it must wait.
// RUN: sed 's/^.*\bSTG .*$/&\n\tMOV R2, R1/' %s > %t.source.s
// RUN: heddle-mc %t.source.s -o %t.source.o
// RUN: not ptx-run --module %t.source.o %kernels/saxpy/saxpy.json 2>&1 | FileCheck %s --check-prefix=SOURCE
// SOURCE: MOV overwrites, before it was read, a source of STG at PC 0x0068, register R2

	.section	.text.saxpy,"ax",@progbits
	.globl	saxpy
	.type	saxpy,@function
saxpy:
	ULDC UR0, c[0][URZ] {stall=1, wr=0}
	S2UR UR1, SR_ctaid.x {stall=1, wr=1}
	S2R R0, SR_ntid.x {stall=1, wr=2}
	S2R R2, SR_tid.x {stall=1, wr=3}
	IMAD R0, R0, UR1, R2 {stall=4, wait=0xe}
	ISETP.GE.U32.AND P0, R0, UR0, PT {stall=6, wait=0x1}
	@P0 BRA .LBB0_2
	ULDC64 UR0, c[0][URZ + 16] {stall=1, wr=4}
	ULDC64 UR2, c[0][URZ + 8] {stall=1, wr=5}
	ULDC UR4, c[0][URZ + 4] {stall=1, wr=0}
	LDG R2, [UR0 + R0.UX.X4] {stall=1, wr=1, wait=0x10}
	LDG R3, [UR2 + R0.UX.X4] {stall=1, wr=2, wait=0x20}
	FFMA R2, R3, UR4, R2 {stall=4, wait=0x7}
	STG [UR0 + R0.UX.X4], R2
.LBB0_2:
	EXIT
.Lfunc_end0:
	.size	saxpy, .Lfunc_end0-saxpy

	.heddle_metadata
---
chip:            hd100
compiler:        heddle 0.1.0, LLVM 22.1.8
isa_version:     !str '1'
kernels:
  - barriers:        0
    dynamic_shared:  false
    dynamic_stack:   false
    local_bytes:     0
    name:            saxpy
    param_bytes:     24
    params:
      - align:           4
        name:            saxpy_param_0
        offset:          0
        size:            4
        type:            u32
      - align:           4
        name:            saxpy_param_1
        offset:          4
        size:            4
        type:            f32
      - align:           8
        name:            saxpy_param_2
        offset:          8
        size:            8
        type:            u64
      - align:           8
        name:            saxpy_param_3
        offset:          16
        size:            8
        type:            u64
    registers:       4
    shared_bytes:    0
    spill_load_bytes: 0
    spill_store_bytes: 0
    uniform_registers: 5
ptx_target:      sm_90
ptx_version:     !str '9.0'
...
	.end_heddle_metadata
