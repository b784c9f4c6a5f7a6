; Orders, scopes, fences and hints become modifiers of single instructions; see
; docs/memory-model.md.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s

; CHECK-LABEL: {{^}}orders:
; CHECK-DAG: LDG.RELAXED.CTA
; CHECK-DAG: LDG.ACQUIRE.CLUSTER
; CHECK-DAG: LDG64.ACQUIRE.GPU
; CHECK-DAG: LDG.MMIO.SYS
; CHECK-DAG: LDG.RELAXED.SYS
; CHECK-DAG: STG.RELEASE.GPU
; CHECK-DAG: REDG.ADD.U32.ACQREL.GPU
; CHECK-DAG: REDG.ADD.F32.RELAXED.GPU.FTZ
; CHECK-DAG: ATOMG.MIN.F16X2.RELAXED.GPU
; CHECK-DAG: ATOMGCAS.U16.RELAXED.CTA
; CHECK-NOT: MEMBAR
define void @orders(ptr addrspace(1) %p, i32 %v, float %f, <2 x half> %h, i16 %s) {
  %a = load atomic i32, ptr addrspace(1) %p syncscope("block") monotonic, align 4
  %b = load atomic i32, ptr addrspace(1) %p syncscope("cluster") acquire, align 4
  %c = load atomic i64, ptr addrspace(1) %p syncscope("device") acquire, align 8
  %d = load atomic volatile i32, ptr addrspace(1) %p monotonic, align 4
  %e = load volatile i32, ptr addrspace(1) %p, align 4
  store atomic i32 %v, ptr addrspace(1) %p syncscope("device") release, align 4
  %g = atomicrmw add ptr addrspace(1) %p, i32 %v syncscope("device") acq_rel
  %i = atomicrmw fadd ptr addrspace(1) %p, float %f syncscope("device") monotonic, !heddle.ftz !0
  %j = atomicrmw fmin ptr addrspace(1) %p, <2 x half> %h syncscope("device") monotonic
  %k = cmpxchg ptr addrspace(1) %p, i16 %s, i16 1 syncscope("block") monotonic monotonic
  %x = add i32 %a, %b
  %x1 = add i32 %x, %d
  %x2 = add i32 %x1, %e
  %x3 = add i32 %x2, %g
  %x4 = trunc i64 %c to i32
  %x5 = add i32 %x3, %x4
  store i32 %x5, ptr addrspace(1) %p
  store float %i, ptr addrspace(1) %p
  store <2 x half> %j, ptr addrspace(1) %p
  %k0 = extractvalue { i16, i1 } %k, 0
  store i16 %k0, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: {{^}}fences:
; CHECK: MEMBAR.ACQREL.CTA
; CHECK: MEMBAR.ACQREL.GPU
; CHECK: MEMBAR.SC.SYS
; CHECK: MEMBAR.PROXY.CLUSTER
define void @fences() {
  fence syncscope("block") acq_rel
  fence syncscope("device") release
  fence seq_cst
  call void @__heddle_fence_proxy(i32 1)
  ret void
}
declare void @__heddle_fence_proxy(i32)

; CHECK-LABEL: {{^}}hints:
; CHECK-DAG: LDG.CG
; CHECK-DAG: LDG128.EF
; CHECK-DAG: STG.NA
; CHECK-DAG: PREFETCH.CG
define void @hints(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %a) {
  %v = load i32, ptr addrspace(1) %p, align 4, !heddle.cache !1
  %w = load <4 x i32>, ptr addrspace(1) %q, align 16, !heddle.cache !2
  store i32 %v, ptr addrspace(1) %q, align 4, !heddle.cache !3
  store <4 x i32> %w, ptr addrspace(1) %p, align 16
  call void @__heddle_prefetch(i64 %a, i32 1)
  ret void
}
declare void @__heddle_prefetch(i64, i32)

; What is stored in front of a volatile or relaxed flag stays there without a
; fence, and what is loaded behind one.
; CHECK-LABEL: {{^}}flags:
; CHECK: STG [
; CHECK: STG.RELAXED.SYS
; CHECK: STG [
; CHECK: STG.RELAXED.GPU
; CHECK: LDG.RELAXED.SYS
; CHECK: LDG R
; CHECK: LDG.RELAXED.GPU
; CHECK: LDG R
; CHECK: RET
define i32 @flags(ptr addrspace(1) %p, ptr addrspace(1) %f, ptr addrspace(1) %g, i32 %v) {
  %a = getelementptr i8, ptr addrspace(1) %p, i64 128
  %b = getelementptr i8, ptr addrspace(1) %p, i64 256
  %c = getelementptr i8, ptr addrspace(1) %p, i64 384
  store i32 %v, ptr addrspace(1) %p, align 4
  store volatile i32 1, ptr addrspace(1) %f, align 4
  store i32 %v, ptr addrspace(1) %a, align 4
  store atomic i32 2, ptr addrspace(1) %f syncscope("device") monotonic, align 4
  %s = load volatile i32, ptr addrspace(1) %g, align 4
  %x = load i32, ptr addrspace(1) %b, align 4
  %t = load atomic i32, ptr addrspace(1) %g syncscope("device") monotonic, align 4
  %y = load i32, ptr addrspace(1) %c, align 4
  %s1 = add i32 %s, %x
  %s2 = sub i32 %t, %y
  %s3 = mul i32 %s1, %s2
  ret i32 %s3
}

; 128 bits with an order are one access.
; CHECK-LABEL: {{^}}wide:
; CHECK: LD128.ACQUIRE.GPU
; CHECK: ATOMCAS128.ACQREL.SYS
; CHECK: ATOM128.RELAXED.GPU
; CHECK: ST128.RELEASE.CTA
define void @wide(i64 %p) {
  %a = call <4 x i32> @__heddle_ld_b128(i64 %p, i32 3, i32 2)
  %b = call <4 x i32> @__heddle_atom_cas_b128(i64 %p, <4 x i32> %a, <4 x i32> %a, i32 5, i32 3)
  %c = call <4 x i32> @__heddle_atom_exch_b128(i64 %p, <4 x i32> %b, i32 2, i32 2)
  call void @__heddle_st_b128(i64 %p, <4 x i32> %c, i32 4, i32 0)
  ret void
}
declare <4 x i32> @__heddle_ld_b128(i64, i32, i32)
declare void @__heddle_st_b128(i64, <4 x i32>, i32, i32)
declare <4 x i32> @__heddle_atom_cas_b128(i64, <4 x i32>, <4 x i32>, i32, i32)
declare <4 x i32> @__heddle_atom_exch_b128(i64, <4 x i32>, i32, i32)

!0 = !{}
!1 = !{i32 1}
!2 = !{i32 5}
!3 = !{i32 7}
