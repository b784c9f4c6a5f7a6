; Protects the limits of an access: one as wide as a chunk and aligned to its width is
; moved, a wider or less aligned one keeps its variable as it is. A chunk of another
; size than a power of two is the next smaller one.
; RUN: %opt-heddle -passes=heddle-swizzle-shared -S %s | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; CHECK-DAG: @fits = internal addrspace(3) global [256 x i8] undef, align 128
; CHECK-DAG: @wide = internal addrspace(3) global [256 x i8] undef, align 16
; CHECK-DAG: @loose = internal addrspace(3) global [256 x i8] undef, align 16
; CHECK-DAG: @twelve = internal addrspace(3) global [256 x i8] undef, align 128
@fits = internal addrspace(3) global [256 x i8] undef, align 16
@wide = internal addrspace(3) global [256 x i8] undef, align 16
@loose = internal addrspace(3) global [256 x i8] undef, align 16
@twelve = internal addrspace(3) global [256 x i8] undef, align 16

; CHECK-LABEL: define ptx_kernel void @eight(
; CHECK: ptrtoint ptr addrspace(3) %a to i32
; CHECK-NEXT: [[ROW:%.*]] = lshr i32 {{.*}}, 4
; CHECK-NEXT: and i32 [[ROW]], 120
; CHECK: store i64 1, ptr addrspace(3) {{.*}}, align 8
; CHECK: store <4 x i32> zeroinitializer, ptr addrspace(3) %b, align 16
; CHECK: store i64 1, ptr addrspace(3) %c, align 4
define ptx_kernel void @eight(i32 %i) "heddle-tune-shared-swizzle"="8" {
  %a = getelementptr i64, ptr addrspace(3) @fits, i32 %i
  store i64 1, ptr addrspace(3) %a, align 8
  %b = getelementptr i64, ptr addrspace(3) @wide, i32 %i
  store <4 x i32> zeroinitializer, ptr addrspace(3) %b, align 16
  %c = getelementptr i32, ptr addrspace(3) @loose, i32 %i
  store i64 1, ptr addrspace(3) %c, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @next_smaller(
; CHECK: lshr i32 {{.*}}, 4
; CHECK-NEXT: and i32 {{.*}}, 120
define ptx_kernel void @next_smaller(i32 %i) "heddle-tune-shared-swizzle"="12" {
  %a = getelementptr i64, ptr addrspace(3) @twelve, i32 %i
  store i64 1, ptr addrspace(3) %a, align 8
  ret void
}
