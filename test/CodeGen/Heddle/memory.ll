; Loads, stores, address spaces and atomic operations.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O0 \
; RUN:   -mcpu=hd10 -verify-machineinstrs %s -o /dev/null
@glob = addrspace(1) global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@cst = addrspace(4) constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0]

; CHECK-LABEL: {{^}}loads:
; CHECK-DAG: LDG.S8
; CHECK-DAG: LDG.U16
; CHECK-DAG: LDG128
; CHECK-DAG: LD128
; CHECK-DAG: LDG64.CONST
; CHECK-DAG: LDG.RELAXED.SYS
; CHECK-DAG: LDG.ACQUIRE.GPU
; CHECK-DAG: LDC R{{[0-9]+}}, c[3]
; CHECK-DAG: STG128 {{.*}} + 64]
; CHECK-DAG: MOV64W {{.*}}, glob
; CHECK-DAG: ST.RELEASE.SYS
; CHECK-DAG: STS [R{{[0-9]+}}.X4 + 16]
define ptx_kernel void @loads(i32 %dummy) {
  %p = load ptr addrspace(1), ptr addrspace(101) inttoptr (i32 8 to ptr addrspace(101)), !invariant.load !0
  %g = addrspacecast ptr addrspace(1) %p to ptr
  %a8 = load i8, ptr addrspace(1) %p
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 2
  %a16 = load i16, ptr addrspace(1) %p1
  %x = sext i8 %a8 to i32
  %y = zext i16 %a16 to i32
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %w = load <2 x double>, ptr %g, align 16
  %nc = load i64, ptr addrspace(1) %p, !invariant.load !0
  %vol = load volatile i32, ptr addrspace(1) %p
  %acq = load atomic i32, ptr addrspace(1) %p syncscope("device") acquire, align 4
  %i = getelementptr [4 x float], ptr addrspace(4) @cst, i32 0, i32 %x
  %c = load float, ptr addrspace(4) %i
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  store <4 x float> %v, ptr addrspace(1) %q, align 16
  store <2 x double> %w, ptr %g, align 16
  store i64 %nc, ptr addrspace(1) %p
  store i32 %vol, ptr addrspace(1) @glob
  %t = trunc i32 %y to i8
  store i8 %t, ptr addrspace(1) %p
  store float %c, ptr addrspace(1) %p
  store atomic i32 %acq, ptr %g release, align 4
  %s = shl i32 %y, 2
  %sp = inttoptr i32 %s to ptr addrspace(3)
  %sq = getelementptr i8, ptr addrspace(3) %sp, i32 16
  store i32 %x, ptr addrspace(3) %sq
  %un = load i32, ptr addrspace(1) %p, align 1
  store i32 %un, ptr addrspace(3) %sq, align 2
  %b = load i1, ptr addrspace(1) %p
  store i1 %b, ptr addrspace(1) %q
  %h = load half, ptr addrspace(1) %p
  store half %h, ptr addrspace(1) %q
  %v4 = load <4 x i8>, ptr addrspace(1) %p
  store <4 x i8> %v4, ptr addrspace(1) %q
  %h4 = load <4 x half>, ptr addrspace(1) %p
  store <4 x half> %h4, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: {{^}}atomics:
; CHECK-DAG: ATOMG.ADD.U32.RELAXED.GPU
; CHECK-DAG: ATOMS.MIN.U32.ACQREL
; CHECK-DAG: ATOMCAS.ACQREL.SYS
; CHECK-DAG: REDG.ADD.F32.RELAXED.SYS
; CHECK-DAG: MEMBAR.SC.SYS
; CHECK-DAG: ATOM64.EXCH.U64
; CHECK-DAG: REDG.INC.U32
; CHECK-DAG: REDG.ADD.U32
; CHECK-DAG: ATOMGCAS
; CHECK-DAG: REDG64.MAX.S64
; CHECK-DAG: ATOMGCAS
; CHECK-DAG: ATOMSCAS64
; CHECK-DAG: MEMBAR.ACQREL.CTA
; CHECK-DAG: MEMBAR.SC.SYS
define i32 @atomics(ptr addrspace(1) %p, ptr addrspace(3) %s, ptr %g, i32 %v, i64 %w, float %f) {
  %a = atomicrmw add ptr addrspace(1) %p, i32 %v syncscope("device") monotonic
  %b = atomicrmw umin ptr addrspace(3) %s, i32 %v syncscope("block") acq_rel
  %c = cmpxchg ptr %g, i32 %a, i32 %v acq_rel monotonic
  %d = atomicrmw fadd ptr addrspace(1) %p, float %f monotonic
  %e = atomicrmw xchg ptr %g, i64 %w seq_cst
  %h = atomicrmw uinc_wrap ptr addrspace(1) %p, i32 %v monotonic
  %x = atomicrmw sub ptr addrspace(1) %p, i32 %v monotonic
  %n = atomicrmw nand ptr addrspace(1) %p, i32 %v monotonic
  %y = atomicrmw max ptr addrspace(1) %p, i64 %w monotonic
  %by = atomicrmw add ptr addrspace(1) %p, i8 1 monotonic
  %ex = atomicrmw xchg ptr addrspace(1) %p, float %f monotonic
  %cc = cmpxchg ptr addrspace(3) %s, i64 %w, i64 %e monotonic monotonic
  fence syncscope("block") acq_rel
  fence seq_cst
  %c0 = extractvalue { i32, i1 } %c, 0
  %r1 = add i32 %c0, %b
  %c1 = extractvalue { i32, i1 } %c, 1
  %z = zext i1 %c1 to i32
  %r = add i32 %r1, %z
  ret i32 %r
}

; CHECK-LABEL: {{^}}spaces:
; CHECK-DAG: VALU.EQ.U32.ACC {{.*}}, R5, 0x7f010000, RZ
; CHECK-DAG: LD R
; CHECK-DAG: LDL R{{[0-9]+}}, [R4]
define i32 @spaces(ptr %p, ptr addrspace(3) %s) {
  %l = call i1 @llvm.nvvm.isspacep.local(ptr %p)
  %g = call i1 @llvm.nvvm.isspacep.global(ptr %p)
  %q = addrspacecast ptr addrspace(3) %s to ptr
  %v = load i32, ptr %q
  %t = addrspacecast ptr %p to ptr addrspace(5)
  %w = load i32, ptr addrspace(5) %t
  %x = zext i1 %l to i32
  %y = sext i1 %g to i32
  %1 = add i32 %x, %y
  %2 = add i32 %1, %v
  %3 = add i32 %2, %w
  ret i32 %3
}

; An element at a position known at run time is chosen in registers.
; CHECK-LABEL: {{^}}dyn:
; CHECK-NOT: STL
; CHECK-COUNT-4: SEL R{{[4-7]}}, R8, R{{[4-7]}}, P{{[0-3]}}
define <4 x float> @dyn(<4 x float> %v, float %f, i32 %i) {
  %r = insertelement <4 x float> %v, float %f, i32 %i
  ret <4 x float> %r
}
!0 = !{}

; Words that were pairs of halves are stored together.
; CHECK-LABEL: {{^}}packed_halves:
; CHECK: HMUL2.F16 R{{[0-9]+}},
; CHECK: HMUL2.F16 R{{[0-9]+}},
; CHECK: STG64 [R4]
; CHECK-NOT: STG
; CHECK: RET
define void @packed_halves(ptr addrspace(1) %p, <2 x half> %a, <2 x half> %b,
                           <2 x half> %c) {
  %ab = fmul <2 x half> %a, %b
  %bc = fmul <2 x half> %b, %c
  %low = bitcast <2 x half> %ab to i32
  %high = bitcast <2 x half> %bc to i32
  %v0 = insertelement <2 x i32> poison, i32 %low, i64 0
  %v1 = insertelement <2 x i32> %v0, i32 %high, i64 1
  store <2 x i32> %v1, ptr addrspace(1) %p, align 8
  ret void
}
