; Protects both limits: a switch of 1024 cases stays, one of 1025 is split. A
; value of 11 bits, the fewest that have so many cases, keeps its type. Every
; fourth number is dense enough, every fifth is not.
; RUN: %python %S/../../Inputs/expand.py %s CASES=1024 SPREAD=0 > %t.most.ll
; RUN: %opt-heddle -passes=heddle-split-switches -S %t.most.ll | FileCheck %s --check-prefix=MOST
; RUN: %python %S/../../Inputs/expand.py %s CASES=1025 SPREAD=1088 > %t.over.ll
; RUN: %opt-heddle -passes=heddle-split-switches -S %t.over.ll | FileCheck %s --check-prefix=OVER

; MOST-LABEL: define i32 @narrow(
; MOST-NEXT: switch i11 %x, label %default [
; OVER-LABEL: define i32 @narrow(
; OVER-NEXT: [[UPPER:%.*]] = lshr i11 %x, 8
; OVER-NEXT: switch i11 [[UPPER]], label %default [
; OVER-NEXT: i11 0,
; OVER-NEXT: i11 1,
; OVER-NEXT: i11 2,
; OVER-NEXT: i11 3,
; OVER-NEXT: i11 4, label %[[LAST:[0-9]+]]
; OVER-NEXT: ]
; OVER: {{^}}[[LAST]]:
; OVER-NEXT: switch i11 %x, label %default [
; OVER-NEXT: i11 -1024, label %case1024
; OVER-NEXT: ]
define i32 @narrow(i11 %x) {
  switch i11 %x, label %default [
;; repeat CASES
    i11 {n}, label %case{n}
;; end
  ]
;; repeat CASES
case{n}:
  ret i32 {n}
;; end
default:
  ret i32 -1
}

; OVER-LABEL: define i32 @every4(
; OVER-NEXT: lshr i32 %x, 8
define i32 @every4(i32 %x) {
  switch i32 %x, label %default [
;; repeat SPREAD
    i32 {n*4}, label %case{n}
;; end
  ]
;; repeat SPREAD
case{n}:
  ret i32 {n}
;; end
default:
  ret i32 -1
}

; OVER-LABEL: define i32 @every5(
; OVER-NEXT: switch i32 %x, label %default [
define i32 @every5(i32 %x) {
  switch i32 %x, label %default [
;; repeat SPREAD
    i32 {n*5}, label %case{n}
;; end
  ]
;; repeat SPREAD
case{n}:
  ret i32 {n}
;; end
default:
  ret i32 -1
}
