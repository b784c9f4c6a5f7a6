; Protects switches whose default is unreachable: the rarest case by the weights of
; a profile, without them the first, becomes the default, with its weight.
; RUN: %opt-heddle -passes=heddle-make-switch-default-reachable -S %s | FileCheck %s

; CHECK-LABEL: define i32 @counted(
; CHECK-NEXT: switch i32 %x, label %b [
; CHECK-NEXT: i32 0, label %a
; CHECK-NEXT: i32 2, label %c
; CHECK-NEXT: ], !prof [[WEIGHTS:![0-9]+]]
define i32 @counted(i32 %x) {
  switch i32 %x, label %nowhere [
    i32 0, label %a
    i32 1, label %b
    i32 2, label %c
  ], !prof !0
a:
  ret i32 10
b:
  ret i32 11
c:
  ret i32 12
nowhere:
  unreachable
}

; A PHI of the case's block keeps its values: as many ways lead there as before.
; CHECK-LABEL: define i32 @uncounted(
; CHECK-NEXT: switch i32 %x, label %join [
; CHECK-DAG: i32 1, label %join
; CHECK-DAG: i32 2, label %c
; CHECK: ]
; CHECK: phi i32 [ 7, %0 ], [ 7, %0 ], [ 8, %c ]
define i32 @uncounted(i32 %x) {
  switch i32 %x, label %nowhere [
    i32 0, label %join
    i32 1, label %join
    i32 2, label %c
  ]
c:
  br label %join
join:
  %p = phi i32 [ 7, %0 ], [ 7, %0 ], [ 8, %c ]
  ret i32 %p
nowhere:
  unreachable
}

; CHECK: [[WEIGHTS]] = !{!"branch_weights", i32 3, i32 50, i32 20}
!0 = !{!"branch_weights", i32 0, i32 50, i32 3, i32 20}
