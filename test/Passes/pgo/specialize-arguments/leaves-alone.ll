; Protects kernels that get no copy: of whose arguments nothing is known, whose argument
; has several values or is an array, where knowing it saves nothing, where it is zero,
; by which a division is not LLVM's, and what is no kernel. Metadata in a wrong form is
; none.
; RUN: %opt-heddle -passes=heddle-specialize-arguments -S %s | FileCheck %s --implicit-check-not=general --implicit-check-not=icmp

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @__heddle_udiv32(i32, i32)

; CHECK-LABEL: define ptx_kernel void @unknown(
; CHECK: entry:
; CHECK-NEXT: %tid = call
; CHECK-NEXT: %n = load i32
define ptx_kernel void @unknown() "heddle-params"="p:0:8:8:u64;n:8:4:4:u32" !prof !0  {
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

; CHECK-LABEL: define ptx_kernel void @several(
; CHECK: entry:
; CHECK-NEXT: %tid = call
; CHECK-NEXT: %n = load i32
define ptx_kernel void @several() "heddle-params"="p:0:8:8:u64;n:8:4:4:u32" !prof !0 !heddle.args !3 {
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

; CHECK-LABEL: define ptx_kernel void @array(
; CHECK: entry:
; CHECK-NEXT: %tid = call
; CHECK-NEXT: %n = load i32
define ptx_kernel void @array() "heddle-params"="p:0:8:8:u64;n:8:4:4:b8[4]" !prof !0 !heddle.args !1 {
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

; CHECK-LABEL: define ptx_kernel void @saves_nothing(
; CHECK: entry:
; CHECK-NEXT: %tid = call
; CHECK-NEXT: %n = load i32
define ptx_kernel void @saves_nothing() "heddle-params"="p:0:8:8:u64;n:8:4:4:u32" !prof !0 !heddle.args !1 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = load i32, ptr addrspace(101) inttoptr (i32 8 to ptr addrspace(101)), !invariant.load !2
  %p = load ptr addrspace(1), ptr addrspace(101) null, !invariant.load !2
  %q = add i32 %tid, %n
  %r = mul i32 %n, 5
  %s = add i32 %q, %r
  store i32 %s, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define ptx_kernel void @zero(
; CHECK: entry:
; CHECK-NEXT: %tid = call
; CHECK-NEXT: %n = load i32
define ptx_kernel void @zero() "heddle-params"="p:0:8:8:u64;n:8:4:4:u32" !prof !0 !heddle.args !4 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = load i32, ptr addrspace(101) inttoptr (i32 8 to ptr addrspace(101)), !invariant.load !2
  %p = load ptr addrspace(1), ptr addrspace(101) null, !invariant.load !2
  %q = call i32 @__heddle_udiv32(i32 %tid, i32 %n)
  %r = add i32 %n, 5
  %s = add i32 %q, %r
  store i32 %s, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define ptx_kernel void @other_argument(
; CHECK: entry:
; CHECK-NEXT: %tid = call
; CHECK-NEXT: %n = load i32
define ptx_kernel void @other_argument() "heddle-params"="p:0:8:8:u64;n:8:4:4:u32" !prof !0 !heddle.args !5 {
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

; CHECK-LABEL: define ptx_kernel void @wrong_form(
; CHECK: entry:
; CHECK-NEXT: %tid = call
; CHECK-NEXT: %n = load i32
define ptx_kernel void @wrong_form() "heddle-params"="p:0:8:8:u64;n:8:4:4:u32" !prof !0 !heddle.args !6 {
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

; CHECK-LABEL: define void @no_kernel(
; CHECK: entry:
; CHECK-NEXT: %tid = call
; CHECK-NEXT: %n = load i32
define void @no_kernel() "heddle-params"="p:0:8:8:u64;n:8:4:4:u32" !prof !0 !heddle.args !1 {
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
!1 = !{i64 1, i64 100, i64 10, i64 95, i64 11, i64 5}
!2 = !{}
!3 = !{i64 1, i64 100, i64 10, i64 50, i64 11, i64 50}
!4 = !{i64 1, i64 100, i64 0, i64 100}
!5 = !{i64 2, i64 100, i64 10, i64 95}
!6 = !{i64 1, i64 100, i64 10}
