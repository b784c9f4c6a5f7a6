; Protects large switches that must stay as they are: one whose cases are not
; dense, which would become a switch for each few cases, and one with the weights
; of a profile, which are of the cases as they are.
; RUN: %python %S/../../Inputs/expand.py %s CASES=1100 > %t.ll
; RUN: %opt-heddle -passes=heddle-split-switches -S %t.ll | FileCheck %s
; The same switch without its weights is split.
; RUN: sed 's/, !prof !0//' %t.ll > %t.plain.ll
; RUN: %opt-heddle -passes=heddle-split-switches -S %t.plain.ll | FileCheck %s --check-prefix=PLAIN

; CHECK-LABEL: define i32 @sparse(
; CHECK-NEXT: switch i32 %x, label %default [
; CHECK-NEXT: i32 0, label %case0
; CHECK-NEXT: i32 100, label %case1
; CHECK-NOT: lshr
define i32 @sparse(i32 %x) {
  switch i32 %x, label %default [
;; repeat CASES
    i32 {n*100}, label %case{n}
;; end
  ]
;; repeat CASES
case{n}:
  ret i32 {n}
;; end
default:
  ret i32 -1
}

; CHECK-LABEL: define i32 @counted(
; CHECK-NEXT: switch i32 %x, label %default [
; CHECK-NEXT: i32 0, label %case0
; CHECK: ], !prof
; CHECK-NOT: lshr
; PLAIN-LABEL: define i32 @counted(
; PLAIN-NEXT: lshr i32 %x, 8
define i32 @counted(i32 %x) {
  switch i32 %x, label %default [
;; repeat CASES
    i32 {n}, label %case{n}
;; end
  ], !prof !0
;; repeat CASES
case{n}:
  ret i32 {n}
;; end
default:
  ret i32 -1
}

!0 = !{!"branch_weights", i32 1
;; repeat CASES
  , i32 {n+1}
;; end
  }
