; Protects the limit of length: in a block of 1024 instructions the first and the
; last loads are joined, in one of 1025 they are in different pieces. Behind the
; pass a long block is one block again, and pairs within a piece are joined.
; RUN: %python %S/../../Inputs/expand.py %s MORE=1015 > %t.most.ll
; RUN: %opt-heddle -passes=heddle-vectorize-accesses -S %t.most.ll | FileCheck %s --check-prefixes=ALL,MOST
; RUN: %python %S/../../Inputs/expand.py %s MORE=1016 > %t.over.ll
; RUN: %opt-heddle -passes=heddle-vectorize-accesses -S %t.over.ll | FileCheck %s --check-prefixes=ALL,OVER

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; ALL-LABEL: define i32 @long(
; ALL-NEXT: entry:
; MOST: load <2 x i32>, ptr addrspace(1) %p, align 8
; MOST-NOT: load i32
; OVER: %v0 = load i32, ptr addrspace(1) %p, align 8
; ALL: load <2 x i32>, ptr addrspace(1) %q, align 8
; ALL-NOT: br
; OVER: %v1 = load i32, ptr addrspace(1) %p1, align 4
; ALL: ret i32
define i32 @long(ptr addrspace(1) align 8 %p, ptr addrspace(1) align 8 %q, i32 %x0) {
entry:
  %v0 = load i32, ptr addrspace(1) %p, align 8
  %q1 = getelementptr i8, ptr addrspace(1) %q, i64 4
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %w0 = load i32, ptr addrspace(1) %q, align 8
  %w1 = load i32, ptr addrspace(1) %q1, align 4
  %s = add i32 %v0, %w0
  %t = add i32 %s, %w1
;; repeat MORE
  %x{n+1} = add i32 %x{n}, {n}
;; end
  %v1 = load i32, ptr addrspace(1) %p1, align 4
  ret i32 %v1
}
