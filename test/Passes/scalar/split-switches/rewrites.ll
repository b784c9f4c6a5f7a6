; Protects the split of a dense switch of more than 1024 cases: a switch by the
; upper bits of the value leads to switches of 256 cases each, and a PHI has a
; value for each new way. No value leads from a full switch to its default.
; RUN: %python %S/../../Inputs/expand.py %s CASES=1278 > %t.ll
; RUN: %opt-heddle -passes=heddle-split-switches -S %t.ll | FileCheck %s

; CHECK-LABEL: define i32 @dense(
; CHECK: [[UPPER:%.*]] = lshr i32 %x, 8
; CHECK-NEXT: switch i32 [[UPPER]], label %default [
; CHECK-NEXT: i32 0, label %[[PART0:[0-9]+]]
; CHECK-NEXT: i32 1, label %[[PART1:[0-9]+]]
; CHECK-NEXT: i32 2, label %[[PART2:[0-9]+]]
; CHECK-NEXT: i32 3, label %[[PART3:[0-9]+]]
; CHECK-NEXT: i32 4, label %[[PART4:[0-9]+]]
; CHECK-NEXT: ]
; CHECK: {{^}}zero:
; CHECK-NEXT: phi i32 [ 7, %[[PART0]] ]
; CHECK: {{^}}default:
; CHECK-NEXT: phi i32 [ 9, %0 ], [ 9, %[[PART4]] ]
; CHECK: {{^}}[[PART0]]:
; CHECK-NEXT: switch i32 %x, label %[[NOWHERE:[0-9]+]] [
; CHECK-NEXT: i32 0, label %zero
; CHECK-NEXT: i32 1, label %case1
; CHECK: i32 255, label %case255
; CHECK-NEXT: ]
; CHECK: {{^}}[[PART1]]:
; CHECK-NEXT: switch i32 %x, label %[[NOWHERE]] [
; CHECK-NEXT: i32 256, label %case256
; CHECK: {{^}}[[PART4]]:
; CHECK-NEXT: switch i32 %x, label %default [
; CHECK-NEXT: i32 1024, label %case1024
; CHECK: i32 1278, label %case1278
; CHECK-NEXT: ]
; CHECK: {{^}}[[NOWHERE]]:
; CHECK-NEXT: unreachable
define i32 @dense(i32 %x) {
  switch i32 %x, label %default [
    i32 0, label %zero
;; repeat CASES
    i32 {n+1}, label %case{n+1}
;; end
  ]
zero:
  %p = phi i32 [ 7, %0 ]
  ret i32 %p
;; repeat CASES
case{n+1}:
  ret i32 {n+1}
;; end
default:
  %q = phi i32 [ 9, %0 ]
  ret i32 %q
}
