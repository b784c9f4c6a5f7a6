; Protects a kernel that mostly has one value of an argument, by which it divides: a
; comparison at its start leads to a copy with the value in the argument's place, in
; which divisions by constants are left to LLVM, and else to the kernel as it was.
; RUN: %opt-heddle -passes=heddle-specialize-arguments -S %s | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @__heddle_udiv32(i32, i32)

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: entry:
; CHECK-NEXT: %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK-NEXT: %p = load ptr addrspace(1), ptr addrspace(101) null
; CHECK-NEXT: [[N:%.*]] = load i32, ptr addrspace(101) inttoptr (i32 8 to ptr addrspace(101)){{.*}}, !invariant.load
; CHECK-NEXT: [[SAME:%.*]] = icmp eq i32 [[N]], 10
; CHECK-NEXT: br i1 [[SAME]], label %general.special, label %general, !prof [[WEIGHTS:![0-9]+]]
; CHECK: {{^}}general:
; CHECK-NEXT: %n = load i32
; CHECK-NEXT: %q = call i32 @__heddle_udiv32(i32 %tid, i32 %n)
; CHECK-NEXT: %r = call i32 @__heddle_udiv32(i32 %n, i32 5)
; CHECK: {{^}}general.special:
; CHECK-NEXT: [[Q:%.*]] = udiv i32 %tid, 10
; CHECK-NEXT: [[S:%.*]] = add i32 [[Q]], 2
; CHECK-NEXT: store i32 [[S]], ptr addrspace(1) %p
; CHECK-NEXT: ret void
define ptx_kernel void @kernel() "heddle-params"="p:0:8:8:u64;n:8:4:4:u32" !prof !0 !heddle.args !1 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = load i32, ptr addrspace(101) inttoptr (i32 8 to ptr addrspace(101)), !invariant.load !2
  %p = load ptr addrspace(1), ptr addrspace(101) null, !invariant.load !2
  %q = call i32 @__heddle_udiv32(i32 %tid, i32 %n)
  %r = call i32 @__heddle_udiv32(i32 %n, i32 5)
  %s = add i32 %q, %r
  store i32 %s, ptr addrspace(1) %p
  ret void
}

; CHECK: [[WEIGHTS]] = !{!"branch_weights", i32 950, i32 50}
!0 = !{!"function_entry_count", i64 100000000}
!1 = !{i64 1, i64 100, i64 10, i64 95, i64 11, i64 5}
!2 = !{}
