; Protects atomic operations that each thread does itself: whose result it needs, with an
; order, volatile, of other widths and kinds, and, by rule, those of one thread. What a
; tuning document forbids is not done.
; RUN: %opt-heddle -passes=heddle-aggregate-atomics -S %s | FileCheck %s --implicit-check-not='call i32 @llvm.nvvm.activemask'
; Of that the run that follows tuning documents does nothing either.
; RUN: sed 's/"heddle-tune-aggregate-atomics"="2"//' %s > %t.ll
; RUN: %opt-heddle -passes='heddle-aggregate-atomics<by-rule=0>' -S %t.ll | FileCheck %s --implicit-check-not='call i32 @llvm.nvvm.activemask'

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: define ptx_kernel void @kinds(
; CHECK-NEXT: %old = atomicrmw add
; CHECK-NEXT: store i32 %old
; CHECK-NEXT: atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") acq_rel
; CHECK-NEXT: atomicrmw volatile add
; CHECK-NEXT: atomicrmw add ptr addrspace(1) %p, i64 1
; CHECK-NEXT: atomicrmw fadd
; CHECK-NEXT: atomicrmw xchg
; CHECK-NEXT: atomicrmw uinc_wrap
; CHECK-NEXT: cmpxchg
; CHECK-NEXT: ret void
define ptx_kernel void @kinds(ptr addrspace(1) %p) {
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
  store i32 %old, ptr addrspace(1) %p
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") acq_rel
  %b = atomicrmw volatile add ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
  %c = atomicrmw add ptr addrspace(1) %p, i64 1 syncscope("device") monotonic
  %d = atomicrmw fadd ptr addrspace(1) %p, float 1.0 syncscope("device") monotonic
  %e = atomicrmw xchg ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
  %f = atomicrmw uinc_wrap ptr addrspace(1) %p, i32 100 syncscope("device") monotonic
  %g = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 syncscope("device") monotonic monotonic
  ret void
}

; CHECK-LABEL: define ptx_kernel void @one_thread(
; CHECK: {{^}}first:
; CHECK-NEXT: atomicrmw add
define ptx_kernel void @one_thread(ptr addrspace(1) %p) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %tid, 31
  %is = icmp eq i32 %lane, 0
  br i1 %is, label %first, label %done
first:
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
  br label %done
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @forbidden(
; CHECK-NEXT: atomicrmw add
define ptx_kernel void @forbidden(ptr addrspace(1) %p) "heddle-tune-aggregate-atomics"="2" {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
  ret void
}
