; Protects the depth to which sums are followed: the base of six sums is found,
; that of seven is not.
; RUN: %python %S/../../Inputs/expand.py %s SUMS=6 > %t.most.ll
; RUN: %opt-heddle -passes=heddle-recover-pointers -S %t.most.ll | FileCheck %s --check-prefix=MOST
; RUN: %python %S/../../Inputs/expand.py %s SUMS=7 > %t.over.ll
; RUN: %opt-heddle -passes=heddle-recover-pointers -S %t.over.ll | FileCheck %s --check-prefix=OVER

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; MOST-LABEL: define ptr @follow(
; MOST-NOT: inttoptr
; MOST: [[P1:%.*]] = getelementptr i8, ptr %p, i64 0
; MOST-NEXT: [[P2:%.*]] = getelementptr i8, ptr [[P1]], i64 10
; MOST-NEXT: [[P3:%.*]] = getelementptr i8, ptr [[P2]], i64 20
; MOST-NEXT: [[P4:%.*]] = getelementptr i8, ptr [[P3]], i64 30
; MOST-NEXT: [[P5:%.*]] = getelementptr i8, ptr [[P4]], i64 40
; MOST-NEXT: [[P6:%.*]] = getelementptr i8, ptr [[P5]], i64 50
; MOST-NEXT: ret ptr [[P6]]
; OVER-LABEL: define ptr @follow(
; OVER-NOT: getelementptr
; OVER: %q = inttoptr i64 %sum7 to ptr
; OVER-NEXT: ret ptr %q
define ptr @follow(ptr %p) {
  %sum0 = ptrtoint ptr %p to i64
;; repeat SUMS
  %sum{n+1} = add i64 %sum{n}, {n*10}
;; end
  %q = inttoptr i64 %sum{SUMS} to ptr
  ret ptr %q
}
