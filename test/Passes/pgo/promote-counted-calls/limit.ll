; Protects the share of the calls that a function must have: 30 of 100, of those that
; are left too.
; RUN: %opt-heddle -passes=heddle-promote-counted-calls -S %s | FileCheck %s

; CHECK-LABEL: define i32 @thirty(
; CHECK-NEXT: icmp eq ptr %f, @two
define i32 @thirty(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x), !prof !0
  ret i32 %r
}

; CHECK-LABEL: define i32 @fewer(
; CHECK-NEXT: %r = call i32 %f(i32 %x)
; CHECK-NEXT: ret i32 %r
define i32 @fewer(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x), !prof !1
  ret i32 %r
}

; CHECK-LABEL: define i32 @of_the_rest(
; CHECK-NEXT: icmp eq ptr %f, @two
; CHECK: icmp eq ptr %f, @one
; CHECK: ret i32
define i32 @of_the_rest(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x), !prof !2
  ret i32 %r
}

; CHECK-LABEL: define i32 @fewer_of_the_rest(
; CHECK-NEXT: icmp eq ptr %f, @two
; CHECK-NOT: icmp
; CHECK: ret i32
define i32 @fewer_of_the_rest(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x), !prof !3
  ret i32 %r
}

define i32 @one(i32 %x) {
  ret i32 1
}

define internal i32 @two(i32 %x) {
  ret i32 2
}

@table = internal constant [1 x ptr] [ptr @two]

!0 = !{!"VP", i32 0, i64 100, i64 -44777970455238433, i64 30}
!1 = !{!"VP", i32 0, i64 100, i64 -44777970455238433, i64 29}
!2 = !{!"VP", i32 0, i64 100, i64 -44777970455238433, i64 80, i64 2016235581341531385, i64 6}
!3 = !{!"VP", i32 0, i64 100, i64 -44777970455238433, i64 80, i64 2016235581341531385, i64 5}
