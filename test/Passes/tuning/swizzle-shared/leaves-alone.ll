; Protects variables that stay as they are: without a decision, whose address a call
; gets, is stored, or may be that of another variable, that two functions use, whose
; size is known at launch only, and those of other spaces.
; RUN: %opt-heddle -passes=heddle-swizzle-shared -S %s | FileCheck %s --implicit-check-not='xor i32'

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; CHECK-DAG: @undecided = internal addrspace(3) global [1000 x i8] undef, align 4
; CHECK-DAG: @passed = internal addrspace(3) global [1000 x i8] undef, align 4
; CHECK-DAG: @stored = internal addrspace(3) global [1000 x i8] undef, align 4
; CHECK-DAG: @mixed = internal addrspace(3) global [1000 x i8] undef, align 4
; CHECK-DAG: @twice = internal addrspace(3) global [1000 x i8] undef, align 4
; CHECK-DAG: @dynamic = external addrspace(3) global [0 x i8], align 4
; CHECK-DAG: @global = internal addrspace(1) global [1000 x i8] undef, align 4
@undecided = internal addrspace(3) global [1000 x i8] undef, align 4
@passed = internal addrspace(3) global [1000 x i8] undef, align 4
@stored = internal addrspace(3) global [1000 x i8] undef, align 4
@mixed = internal addrspace(3) global [1000 x i8] undef, align 4
@twice = internal addrspace(3) global [1000 x i8] undef, align 4
@dynamic = external addrspace(3) global [0 x i8], align 4
@global = internal addrspace(1) global [1000 x i8] undef, align 4

declare void @take(ptr addrspace(3))

; CHECK-LABEL: define ptx_kernel void @no_decision(
; CHECK: store i32 1, ptr addrspace(3) %at
define ptx_kernel void @no_decision(i32 %i) {
  %at = getelementptr i32, ptr addrspace(3) @undecided, i32 %i
  store i32 1, ptr addrspace(3) %at, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @first(
; CHECK: store i32 1, ptr addrspace(3) %b,
; CHECK: store i32 1, ptr addrspace(3) %c,
; CHECK: store i32 1, ptr addrspace(3) %d,
; CHECK: store i32 1, ptr addrspace(3) %e,
; CHECK: store i32 1, ptr addrspace(3) %f,
; CHECK: store i32 1, ptr addrspace(1) %g,
define ptx_kernel void @first(i32 %i, ptr addrspace(1) %p, ptr addrspace(3) %q, i1 %k) "heddle-tune-shared-swizzle"="4" {
  call void @take(ptr addrspace(3) @passed)
  %b = getelementptr i32, ptr addrspace(3) @passed, i32 %i
  store i32 1, ptr addrspace(3) %b, align 4
  store ptr addrspace(3) @stored, ptr addrspace(1) %p
  %c = getelementptr i32, ptr addrspace(3) @stored, i32 %i
  store i32 1, ptr addrspace(3) %c, align 4
  %d = select i1 %k, ptr addrspace(3) @mixed, ptr addrspace(3) %q
  store i32 1, ptr addrspace(3) %d, align 4
  %e = getelementptr i32, ptr addrspace(3) @twice, i32 %i
  store i32 1, ptr addrspace(3) %e, align 4
  %f = getelementptr i32, ptr addrspace(3) @dynamic, i32 %i
  store i32 1, ptr addrspace(3) %f, align 4
  %g = getelementptr i32, ptr addrspace(1) @global, i32 %i
  store i32 1, ptr addrspace(1) %g, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @second(
; CHECK: store i32 1, ptr addrspace(3) %at
define ptx_kernel void @second(i32 %i) "heddle-tune-shared-swizzle"="4" {
  %at = getelementptr i32, ptr addrspace(3) @twice, i32 %i
  store i32 1, ptr addrspace(3) %at, align 4
  ret void
}
