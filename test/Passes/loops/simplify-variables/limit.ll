; Protects loops with two exits on both sides of the limit: where both ends are
; known numbers, the trip count is known and the loop is simplified; where one is
; a value of the program, it stays.
; RUN: %opt-heddle -passes=heddle-simplify-variables -S %s | FileCheck %s

; CHECK-LABEL: define i32 @both_known(
; CHECK: {{^}}latch:
; CHECK: %i1 = add nuw nsw i32 %i, 1
define i32 @both_known(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  store volatile i32 %i, ptr %p
  %found = icmp eq i32 %i, 50
  br i1 %found, label %out, label %latch
latch:
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 100
  br i1 %more, label %loop, label %done
done:
  ret i32 %i1
out:
  ret i32 -1
}

; CHECK-LABEL: define i32 @one_known(
; CHECK: {{^}}latch:
; CHECK: %i1 = add i32 %i, 1
define i32 @one_known(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  store volatile i32 %i, ptr %p
  %found = icmp eq i32 %i, %n
  br i1 %found, label %out, label %latch
latch:
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 100
  br i1 %more, label %loop, label %done
done:
  ret i32 %i1
out:
  ret i32 -1
}
