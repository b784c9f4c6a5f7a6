; Protects kernels that stay as they are: without a decision, with one for one CTA, with
; clusters, with shared memory that is sized at launch or that others use, with registers
; that tell CTAs from each other, with ordered accesses and results of atomic operations,
; with calls of functions and what threads of several CTAs cannot do in turn. Functions
; are no kernels, and a kernel that does not ask which CTA it is has nothing to be done.
; RUN: %opt-heddle -passes=heddle-cta-coarsening -S %s | FileCheck %s --implicit-check-not='"heddle-merged-ctas"' --implicit-check-not=nctaid

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.smid()
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare void @function()

@dynamic = external addrspace(3) global [0 x i8], align 4
@own = internal addrspace(3) global [128 x i8] undef, align 4
@theirs = internal addrspace(3) global [128 x i8] undef, align 4

; CHECK-LABEL: define ptx_kernel void @undecided(
; CHECK-NEXT: %id =
define ptx_kernel void @undecided(ptr addrspace(1) %p)  {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define ptx_kernel void @one(
; CHECK-NEXT: %id =
define ptx_kernel void @one(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="1" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define ptx_kernel void @clusters(
; CHECK-NEXT: %id =
define ptx_kernel void @clusters(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="2" "heddle-reqnctapercluster"="2,1,1" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define ptx_kernel void @dynamic_shared(
; CHECK-NEXT: %id =
define ptx_kernel void @dynamic_shared(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="2" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  store i32 1, ptr addrspace(3) @dynamic
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define ptx_kernel void @theirs_first(
; CHECK-NEXT: %id =
define ptx_kernel void @theirs_first(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="2" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  store i32 1, ptr addrspace(3) @theirs
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define ptx_kernel void @theirs_second(
; CHECK-NEXT: %id =
define ptx_kernel void @theirs_second(ptr addrspace(1) %p)  {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  store i32 1, ptr addrspace(3) @theirs
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define ptx_kernel void @core(
; CHECK-NEXT: %id =
define ptx_kernel void @core(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="2" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %m = call i32 @llvm.nvvm.read.ptx.sreg.smid()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define ptx_kernel void @volatile(
; CHECK-NEXT: %id =
define ptx_kernel void @volatile(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="2" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %v = load volatile i32, ptr addrspace(1) %p
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define ptx_kernel void @ordered(
; CHECK-NEXT: %id =
define ptx_kernel void @ordered(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="2" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %v = load atomic i32, ptr addrspace(1) %p syncscope("device") acquire, align 4
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define ptx_kernel void @fenced(
; CHECK-NEXT: %id =
define ptx_kernel void @fenced(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="2" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  fence syncscope("device") acq_rel
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define ptx_kernel void @result(
; CHECK-NEXT: %id =
define ptx_kernel void @result(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="2" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
  store i32 %old, ptr addrspace(1) %p
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define ptx_kernel void @shared_result(
; CHECK-NEXT: %id =
define ptx_kernel void @shared_result(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="2" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %old = atomicrmw add ptr addrspace(3) @own, i32 1 syncscope("block") monotonic
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define ptx_kernel void @calls(
; CHECK-NEXT: %id =
define ptx_kernel void @calls(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="2" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  call void @function()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define ptx_kernel void @together(
; CHECK-NEXT: %id =
define ptx_kernel void @together(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="2" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %r = call i32 @llvm.nvvm.redux.sync.add(i32 %id, i32 -1)
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define void @no_kernel(
; CHECK-NEXT: %id =
define void @no_kernel(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="2" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: define ptx_kernel void @same_for_all(
; CHECK-NEXT: %id =
define ptx_kernel void @same_for_all(ptr addrspace(1) %p) "heddle-tune-coarsen-ctas"="2" {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}
