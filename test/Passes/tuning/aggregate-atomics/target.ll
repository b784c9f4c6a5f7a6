; Protects what only the target knows: which values differ between the threads of a
; warp. A sum of such values is reduced, and operations on different words stay.
; RUN: ptx-opt --passes=heddle-aggregate-atomics %s | FileCheck %s

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; CHECK-LABEL: define ptx_kernel void @sum(
; CHECK: [[TOGETHER:%.*]] = call i32 @llvm.nvvm.activemask()
; CHECK: [[SUM:%.*]] = call i32 @llvm.nvvm.redux.sync.add(i32 %tid, i32 [[TOGETHER]])
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 [[SUM]] syncscope("device") monotonic
; CHECK: [[LEAST:%.*]] = call i32 @llvm.nvvm.redux.sync.min(i32 %tid, i32 [[TOGETHER]])
; CHECK: atomicrmw min ptr addrspace(1) %p, i32 [[LEAST]] syncscope("device") monotonic
define ptx_kernel void @sum(ptr addrspace(1) %p) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = atomicrmw add ptr addrspace(1) %p, i32 %tid syncscope("device") monotonic
  %b = atomicrmw min ptr addrspace(1) %p, i32 %tid syncscope("device") monotonic
  ret void
}

; CHECK-LABEL: define ptx_kernel void @one_for_a_cta(
; CHECK: [[THREADS:%.*]] = call i32 @llvm.ctpop.i32(
; CHECK: mul i32 %id, [[THREADS]]
define ptx_kernel void @one_for_a_cta(ptr addrspace(1) %p) {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id
  %a = atomicrmw add ptr addrspace(1) %at, i32 %id syncscope("device") monotonic
  ret void
}

; CHECK-LABEL: define ptx_kernel void @histogram(
; CHECK-NOT: activemask
; CHECK: atomicrmw add ptr addrspace(1) %at, i32 1 syncscope("device") monotonic
; CHECK-NOT: activemask
; CHECK: ret void
define ptx_kernel void @histogram(ptr addrspace(1) %p) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %a = atomicrmw add ptr addrspace(1) %at, i32 1 syncscope("device") monotonic
  ret void
}

; The arguments of a function may differ.
; CHECK-LABEL: define void @function(
; CHECK-NOT: activemask
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
define void @function(ptr addrspace(1) %p) {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
  ret void
}
