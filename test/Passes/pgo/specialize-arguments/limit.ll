; Protects two limits: ninety launches of a hundred must have the value, and a launch
; must be so large that what it saves outweighs the code that others wait for: of the
; sixty instructions of two divisions, six of which remain, on the chip of the plug-in
; that takes 81352 threads.
; RUN: %opt-heddle -passes=heddle-specialize-arguments -S %s | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @__heddle_udiv32(i32, i32)

; CHECK-LABEL: define ptx_kernel void @ninety(
; CHECK: br i1 {{.*}}, label %general.special, label %general
define ptx_kernel void @ninety() "heddle-params"="p:0:8:8:u64;n:8:4:4:u32" !prof !0 !heddle.args !1 {
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

; CHECK-LABEL: define ptx_kernel void @fewer(
; CHECK-NOT: br i1
; CHECK: ret void
define ptx_kernel void @fewer() "heddle-params"="p:0:8:8:u64;n:8:4:4:u32" !prof !0 !heddle.args !3 {
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

; CHECK-LABEL: define ptx_kernel void @large(
; CHECK: br i1 {{.*}}, label %general.special, label %general
define ptx_kernel void @large() "heddle-params"="p:0:8:8:u64;n:8:4:4:u32" !prof !4 !heddle.args !1 {
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

; CHECK-LABEL: define ptx_kernel void @small(
; CHECK-NOT: br i1
; CHECK: ret void
define ptx_kernel void @small() "heddle-params"="p:0:8:8:u64;n:8:4:4:u32" !prof !5 !heddle.args !1 {
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

!0 = !{!"function_entry_count", i64 100000000}
!1 = !{i64 1, i64 100, i64 10, i64 90, i64 11, i64 10}
!2 = !{}
!3 = !{i64 1, i64 100, i64 10, i64 89, i64 11, i64 11}
!4 = !{!"function_entry_count", i64 8135200}
!5 = !{!"function_entry_count", i64 8135100}
