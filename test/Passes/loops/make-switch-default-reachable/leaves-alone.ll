; Protects switches whose default does something: a value that no case has leads
; there.
; RUN: %opt-heddle -passes=heddle-make-switch-default-reachable -S %s | FileCheck %s

declare void @llvm.trap()

; CHECK-LABEL: define i32 @reached(
; CHECK-NEXT: switch i32 %x, label %other [
; CHECK-NEXT: i32 0, label %a
; CHECK-NEXT: i32 1, label %b
; CHECK-NEXT: ]
define i32 @reached(i32 %x) {
  switch i32 %x, label %other [
    i32 0, label %a
    i32 1, label %b
  ]
a:
  ret i32 10
b:
  ret i32 11
other:
  ret i32 12
}

; CHECK-LABEL: define i32 @traps(
; CHECK-NEXT: switch i32 %x, label %wrong [
; CHECK-NEXT: i32 0, label %a
; CHECK-NEXT: i32 1, label %b
; CHECK-NEXT: ]
define i32 @traps(i32 %x) {
  switch i32 %x, label %wrong [
    i32 0, label %a
    i32 1, label %b
  ]
a:
  ret i32 10
b:
  ret i32 11
wrong:
  call void @llvm.trap()
  unreachable
}
