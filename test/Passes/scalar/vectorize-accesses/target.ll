; Protects what only the target knows: how wide accesses may be, 128 bits where a tuning
; document says nothing else.
; RUN: ptx-opt --passes=heddle-vectorize-accesses %s | FileCheck %s

; CHECK-LABEL: define ptx_kernel void @undecided(
; CHECK: load <4 x i32>, ptr addrspace(1) %p, align 16
define ptx_kernel void @undecided(ptr addrspace(1) align 16 %p, ptr addrspace(1) noalias %q) {
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %p2 = getelementptr i8, ptr addrspace(1) %p, i64 8
  %p3 = getelementptr i8, ptr addrspace(1) %p, i64 12
  %v0 = load i32, ptr addrspace(1) %p, align 16
  %v1 = load i32, ptr addrspace(1) %p1, align 4
  %v2 = load i32, ptr addrspace(1) %p2, align 8
  %v3 = load i32, ptr addrspace(1) %p3, align 4
  %s = add i32 %v0, %v1
  %t = add i32 %v2, %v3
  %u = add i32 %s, %t
  store i32 %u, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: define ptx_kernel void @pairs(
; CHECK-DAG: load <2 x i32>, ptr addrspace(1) %p, align 16
; CHECK-DAG: load <2 x i32>, ptr addrspace(1) %p2, align 8
define ptx_kernel void @pairs(ptr addrspace(1) align 16 %p, ptr addrspace(1) noalias %q) "heddle-tune-vector-bits"="64" {
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %p2 = getelementptr i8, ptr addrspace(1) %p, i64 8
  %p3 = getelementptr i8, ptr addrspace(1) %p, i64 12
  %v0 = load i32, ptr addrspace(1) %p, align 16
  %v1 = load i32, ptr addrspace(1) %p1, align 4
  %v2 = load i32, ptr addrspace(1) %p2, align 8
  %v3 = load i32, ptr addrspace(1) %p3, align 4
  %s = add i32 %v0, %v1
  %t = add i32 %v2, %v3
  %u = add i32 %s, %t
  store i32 %u, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: define ptx_kernel void @single(
; CHECK: load i32, ptr addrspace(1) %p, align 8
; CHECK: load i32, ptr addrspace(1) %p1, align 4
define ptx_kernel void @single(ptr addrspace(1) align 8 %p, ptr addrspace(1) noalias %q) "heddle-tune-vector-bits"="32" {
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %v0 = load i32, ptr addrspace(1) %p, align 8
  %v1 = load i32, ptr addrspace(1) %p1, align 4
  %s = add i32 %v0, %v1
  store i32 %s, ptr addrspace(1) %q
  ret void
}
