; Protects accesses that must not be joined: volatile and atomic ones, ones whose
; places are not neighbours or not aligned enough, and ones with a store between
; them that may be to the same place.
; RUN: %opt-heddle -passes=heddle-vectorize-accesses -S %s | FileCheck %s --implicit-check-not='<2 x i32>'

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; CHECK-LABEL: define i32 @volatile(
; CHECK: load volatile i32, ptr addrspace(1) %p, align 8
; CHECK: load volatile i32, ptr addrspace(1) %p1, align 4
; CHECK: load atomic i32, ptr addrspace(1) %p syncscope("device") monotonic, align 8
; CHECK: load atomic i32, ptr addrspace(1) %p1 syncscope("device") monotonic, align 4
define i32 @volatile(ptr addrspace(1) align 8 %p) {
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %v0 = load volatile i32, ptr addrspace(1) %p, align 8
  %v1 = load volatile i32, ptr addrspace(1) %p1, align 4
  %v2 = load atomic i32, ptr addrspace(1) %p syncscope("device") monotonic, align 8
  %v3 = load atomic i32, ptr addrspace(1) %p1 syncscope("device") monotonic, align 4
  %s = add i32 %v0, %v1
  %t = add i32 %v2, %v3
  %u = add i32 %s, %t
  ret i32 %u
}

; CHECK-LABEL: define i32 @apart(
; CHECK: load i32, ptr addrspace(1) %p, align 8
; CHECK: load i32, ptr addrspace(1) %p1, align 4
define i32 @apart(ptr addrspace(1) align 8 %p) {
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 12
  %v0 = load i32, ptr addrspace(1) %p, align 8
  %v1 = load i32, ptr addrspace(1) %p1, align 4
  %s = add i32 %v0, %v1
  ret i32 %s
}

; CHECK-LABEL: define i32 @misaligned(
; CHECK: load i32, ptr addrspace(1) %p, align 4
; CHECK: load i32, ptr addrspace(1) %p1, align 4
define i32 @misaligned(ptr addrspace(1) align 4 %p) {
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %v0 = load i32, ptr addrspace(1) %p, align 4
  %v1 = load i32, ptr addrspace(1) %p1, align 4
  %s = add i32 %v0, %v1
  ret i32 %s
}

; CHECK-LABEL: define i32 @stored_between(
; CHECK: load i32, ptr addrspace(1) %p, align 8
; CHECK: store i32 7, ptr addrspace(1) %q
; CHECK: load i32, ptr addrspace(1) %p1, align 4
define i32 @stored_between(ptr addrspace(1) align 8 %p, ptr addrspace(1) %q) {
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %v0 = load i32, ptr addrspace(1) %p, align 8
  store i32 7, ptr addrspace(1) %q, align 4
  %v1 = load i32, ptr addrspace(1) %p1, align 4
  %s = add i32 %v0, %v1
  ret i32 %s
}
