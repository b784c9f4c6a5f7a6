; Protects loads whose memory may have changed: behind a store that may be to the
; same place, behind a barrier, behind a fence, and volatile ones.
; RUN: %opt-heddle -passes=heddle-remove-redundancies -S %s | FileCheck %s

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; CHECK-LABEL: define i32 @stored(
; CHECK: %a = load i32, ptr %p
; CHECK: store i32 1, ptr %q
; CHECK: %b = load i32, ptr %p
define i32 @stored(ptr %p, ptr %q) {
  %a = load i32, ptr %p
  store i32 1, ptr %q
  %b = load i32, ptr %p
  %s = add i32 %a, %b
  ret i32 %s
}

; CHECK-LABEL: define i32 @met(
; CHECK: %a = load i32, ptr addrspace(3) %p
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: %b = load i32, ptr addrspace(3) %p
define i32 @met(ptr addrspace(3) %p) {
  %a = load i32, ptr addrspace(3) %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %b = load i32, ptr addrspace(3) %p
  %s = add i32 %a, %b
  ret i32 %s
}

; CHECK-LABEL: define i32 @fenced(
; CHECK: %a = load i32, ptr addrspace(1) %p
; CHECK: fence syncscope("device") acq_rel
; CHECK: %b = load i32, ptr addrspace(1) %p
define i32 @fenced(ptr addrspace(1) %p) {
  %a = load i32, ptr addrspace(1) %p
  fence syncscope("device") acq_rel
  %b = load i32, ptr addrspace(1) %p
  %s = add i32 %a, %b
  ret i32 %s
}

; CHECK-LABEL: define i32 @volatile(
; CHECK: %a = load volatile i32, ptr %p
; CHECK: %b = load volatile i32, ptr %p
define i32 @volatile(ptr %p) {
  %a = load volatile i32, ptr %p
  %b = load volatile i32, ptr %p
  %s = add i32 %a, %b
  ret i32 %s
}
