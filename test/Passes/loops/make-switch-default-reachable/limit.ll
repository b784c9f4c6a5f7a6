; Protects the smallest switches: of one case nothing but the default is left, one
; without cases stays, and of cases that are equally rare the first is taken.
; RUN: %opt-heddle -passes=heddle-make-switch-default-reachable -S %s | FileCheck %s

; CHECK-LABEL: define i32 @one(
; CHECK-NEXT: switch i32 %x, label %a [
; CHECK-NEXT: ]
define i32 @one(i32 %x) {
  switch i32 %x, label %nowhere [
    i32 0, label %a
  ]
a:
  ret i32 10
nowhere:
  unreachable
}

; CHECK-LABEL: define i32 @none(
; CHECK-NEXT: switch i32 %x, label %nowhere [
; CHECK-NEXT: ]
define i32 @none(i32 %x) {
  switch i32 %x, label %nowhere []
nowhere:
  unreachable
}

; CHECK-LABEL: define i32 @alike(
; CHECK-NEXT: switch i32 %x, label %a [
; CHECK-NEXT: i32 1, label %b
; CHECK-NEXT: ], !prof [[WEIGHTS:![0-9]+]]
define i32 @alike(i32 %x) {
  switch i32 %x, label %nowhere [
    i32 0, label %a
    i32 1, label %b
  ], !prof !0
a:
  ret i32 10
b:
  ret i32 11
nowhere:
  unreachable
}

; CHECK: [[WEIGHTS]] = !{!"branch_weights", i32 5, i32 5}
!0 = !{!"branch_weights", i32 0, i32 5, i32 5}
