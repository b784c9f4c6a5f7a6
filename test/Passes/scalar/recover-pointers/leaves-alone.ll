; Protects arithmetic that has no base, or one of which a pointer must not be made:
; two pointers, a variable of the module, from which arithmetic may lead to its
; neighbour, another address space, part of an address, and other operations.
; RUN: %opt-heddle -passes=heddle-recover-pointers -S %s | FileCheck %s --implicit-check-not=getelementptr

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

@variable = internal addrspace(1) global [16 x i8] zeroinitializer

; CHECK-LABEL: define ptr @two_pointers(
; CHECK: inttoptr i64 %sum to ptr
define ptr @two_pointers(ptr %p, ptr %q) {
  %m = ptrtoint ptr %p to i64
  %n = ptrtoint ptr %q to i64
  %sum = add i64 %m, %n
  %r = inttoptr i64 %sum to ptr
  ret ptr %r
}

; CHECK-LABEL: define ptr addrspace(1) @of_the_module(
; CHECK: inttoptr i64 %sum to ptr addrspace(1)
define ptr addrspace(1) @of_the_module(i64 %offset) {
  %n = ptrtoint ptr addrspace(1) @variable to i64
  %sum = add i64 %n, %offset
  %r = inttoptr i64 %sum to ptr addrspace(1)
  ret ptr addrspace(1) %r
}

; CHECK-LABEL: define ptr addrspace(1) @other_space(
; CHECK: inttoptr i64 %sum to ptr addrspace(1)
define ptr addrspace(1) @other_space(ptr %p, i64 %offset) {
  %n = ptrtoint ptr %p to i64
  %sum = add i64 %n, %offset
  %r = inttoptr i64 %sum to ptr addrspace(1)
  ret ptr addrspace(1) %r
}

; CHECK-LABEL: define ptr addrspace(3) @part(
; CHECK: inttoptr i32 %sum to ptr addrspace(3)
define ptr addrspace(3) @part(ptr %p, i32 %offset) {
  %n = ptrtoint ptr %p to i32
  %sum = add i32 %n, %offset
  %r = inttoptr i32 %sum to ptr addrspace(3)
  ret ptr addrspace(3) %r
}

; CHECK-LABEL: define ptr @other_operations(
; CHECK: inttoptr i64 %bits to ptr
; CHECK: inttoptr i64 %less to ptr
define ptr @other_operations(ptr %p, i64 %offset, i1 %c) {
  %n = ptrtoint ptr %p to i64
  %bits = or i64 %n, %offset
  %q = inttoptr i64 %bits to ptr
  %less = sub i64 %offset, %n
  %r = inttoptr i64 %less to ptr
  %s = select i1 %c, ptr %q, ptr %r
  ret ptr %s
}
