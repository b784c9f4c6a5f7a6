; Protects calls that a profile counted: comparisons with the functions that they mostly
; reached lead to direct calls, with how often, and what is left to the pointer. The
; name of the module's file does not matter.
; RUN: %opt-heddle -passes=heddle-promote-counted-calls -S %s | FileCheck %s

; CHECK: source_filename = "a-file.ptx"
source_filename = "a-file.ptx"

; CHECK-LABEL: define i32 @calls(
; CHECK-NEXT: [[TWO:%.*]] = icmp eq ptr %f, @two
; CHECK-NEXT: br i1 [[TWO]], {{.*}}, !prof [[FIRST:![0-9]+]]
; CHECK: call i32 @two(i32 %x)
; CHECK: [[ONE:%.*]] = icmp eq ptr %f, @one
; CHECK-NEXT: br i1 [[ONE]], {{.*}}, !prof [[SECOND:![0-9]+]]
; CHECK: call i32 @one(i32 %x)
; CHECK: call i32 %f(i32 %x)
define i32 @calls(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x), !prof !0
  ret i32 %r
}

define i32 @one(i32 %x) {
  ret i32 1
}

define internal i32 @two(i32 %x) {
  ret i32 2
}

@table = internal constant [1 x ptr] [ptr @two]

; CHECK: [[FIRST]] = !{!"branch_weights", i32 60, i32 40}
; CHECK: [[SECOND]] = !{!"branch_weights", i32 35, i32 5}
; The MD5 of names: internal functions' stand behind a file that nobody knows.
!0 = !{!"VP", i32 0, i64 100, i64 -44777970455238433, i64 60, i64 2016235581341531385, i64 35}
