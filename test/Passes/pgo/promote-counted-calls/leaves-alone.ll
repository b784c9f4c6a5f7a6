; Protects calls that stay calls of the pointer alone: without counts, of functions that
; the module does not have, and of functions of another type.
; RUN: %opt-heddle -passes=heddle-promote-counted-calls -S %s | FileCheck %s --implicit-check-not=icmp

; CHECK-LABEL: define i32 @uncounted(
; CHECK-NEXT: %r = call i32 %f(i32 %x)
; CHECK-NEXT: ret i32 %r
define i32 @uncounted(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x)
  ret i32 %r
}

; CHECK-LABEL: define i32 @elsewhere(
; CHECK-NEXT: %r = call i32 %f(i32 %x)
; CHECK-NEXT: ret i32 %r
define i32 @elsewhere(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x), !prof !0
  ret i32 %r
}

; CHECK-LABEL: define i32 @other_type(
; CHECK-NEXT: %r = call i32 %f(i32 %x)
; CHECK-NEXT: ret i32 %r
define i32 @other_type(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x), !prof !1
  ret i32 %r
}

define i32 @pair(i32 %x, i32 %y) {
  ret i32 1
}

!0 = !{!"VP", i32 0, i64 100, i64 5778920803371156483, i64 90}
!1 = !{!"VP", i32 0, i64 100, i64 4859215404959254835, i64 90}
