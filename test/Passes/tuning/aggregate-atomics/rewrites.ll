; Protects atomic operations of many threads on one word: the threads that are together
; reduce what they have, and the first of them goes to memory. The same value in all of
; them is multiplied by their number to be added, and stays for and, or, min and max. The
; threads are found once for operations behind each other.
; RUN: %opt-heddle -passes=heddle-aggregate-atomics -S %s | FileCheck %s
; Where a tuning document decides, the other run of the pass does it.
; RUN: sed 's/{ ;/"heddle-tune-aggregate-atomics"="1" { ;/' %s > %t.ll
; RUN: %opt-heddle -passes='heddle-aggregate-atomics<by-rule=0>' -S %t.ll | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: define ptx_kernel void @counts(
; CHECK-NEXT: [[TOGETHER:%.*]] = call i32 @llvm.nvvm.activemask()
; CHECK-NEXT: [[LOWER:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
; CHECK-NEXT: [[BEFORE:%.*]] = and i32 [[TOGETHER]], [[LOWER]]
; CHECK-NEXT: [[FIRST:%.*]] = icmp eq i32 [[BEFORE]], 0
; CHECK-NEXT: [[THREADS:%.*]] = call i32 @llvm.ctpop.i32(i32 [[TOGETHER]])
; CHECK-NEXT: [[SUM:%.*]] = mul i32 %x, [[THREADS]]
; CHECK-NEXT: br i1 [[FIRST]], label %[[DO:[0-9]+]], label %[[NEXT:[0-9]+]]
; CHECK: {{^}}[[DO]]:
; CHECK-NEXT: atomicrmw add ptr addrspace(1) %p, i32 [[SUM]] syncscope("device") monotonic
; CHECK-NEXT: br label %[[NEXT]]
; CHECK: {{^}}[[NEXT]]:
; CHECK-NEXT: br i1 [[FIRST]]
; CHECK: atomicrmw umax ptr addrspace(1) %p, i32 %x syncscope("device") monotonic
; CHECK-NOT: activemask
; CHECK: ret void
define ptx_kernel void @counts(ptr addrspace(1) %p, i32 %x) { ;
  %a = atomicrmw add ptr addrspace(1) %p, i32 %x syncscope("device") monotonic
  %b = atomicrmw umax ptr addrspace(1) %p, i32 %x syncscope("device") monotonic
  ret void
}

; For xor it matters whether the threads' number is even: it is always reduced.
; CHECK-LABEL: define ptx_kernel void @reduced(
; CHECK: [[TOGETHER:%.*]] = call i32 @llvm.nvvm.activemask()
; CHECK: [[ALL:%.*]] = call i32 @llvm.nvvm.redux.sync.xor(i32 %x, i32 [[TOGETHER]])
; CHECK: atomicrmw xor ptr addrspace(1) %p, i32 [[ALL]] syncscope("device") monotonic
define ptx_kernel void @reduced(ptr addrspace(1) %p, i32 %x) { ;
  %a = atomicrmw xor ptr addrspace(1) %p, i32 %x syncscope("device") monotonic
  ret void
}
