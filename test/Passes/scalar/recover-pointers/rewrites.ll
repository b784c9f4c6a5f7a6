; Protects address arithmetic on the integer of a pointer, which becomes pointer
; arithmetic, so that SROA and alias analysis see the variable.
; RUN: %opt-heddle -passes=heddle-recover-pointers -S %s | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; The sum has another use, for which InstCombine leaves it.
; CHECK-LABEL: define i64 @of_an_argument(
; CHECK: %sum = add i64 %n, %offset
; CHECK-NEXT: [[P:%.*]] = getelementptr i8, ptr %p, i64 %offset
; CHECK-NEXT: store i32 1, ptr [[P]]
define i64 @of_an_argument(ptr %p, i64 %offset) {
  %n = ptrtoint ptr %p to i64
  %sum = add i64 %n, %offset
  %q = inttoptr i64 %sum to ptr
  store i32 1, ptr %q
  ret i64 %sum
}

; CHECK-LABEL: define i32 @of_a_variable(
; CHECK: [[P:%.*]] = getelementptr i8, ptr addrspace(5) %v, i32 %offset
; CHECK-NEXT: [[Q:%.*]] = getelementptr i8, ptr addrspace(5) [[P]], i32 4
; CHECK-NEXT: load i32, ptr addrspace(5) [[Q]]
define i32 @of_a_variable(i32 %offset) {
  %v = alloca [16 x i8], addrspace(5)
  %n = ptrtoint ptr addrspace(5) %v to i32
  %sum = add i32 %offset, %n
  %more = or disjoint i32 %sum, 4
  %q = inttoptr i32 %more to ptr addrspace(5)
  %x = load i32, ptr addrspace(5) %q
  ret i32 %x
}

; Nothing need be added.
; CHECK-LABEL: define ptr @itself(
; CHECK: ret ptr %p
define ptr @itself(ptr %p) {
  %n = ptrtoint ptr %p to i64
  %q = inttoptr i64 %n to ptr
  ret ptr %q
}
