; Protects that values that a loop with one exit counts are computed from its bound,
; and that induction variables get what is known of them.
; RUN: %opt-heddle -passes=heddle-simplify-variables -S %s | FileCheck %s

; CHECK-LABEL: define i32 @last(
; CHECK: {{^}}loop:
; CHECK: %i1 = add nuw nsw i32 %i, 1
; CHECK: {{^}}done:
; CHECK-NEXT: ret i32 300
define i32 @last(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]
  store volatile i32 %i, ptr %p
  %s1 = add i32 %s, 3
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 100
  br i1 %more, label %loop, label %done
done:
  ret i32 %s1
}

; A second variable that only counts is not needed.
; CHECK-LABEL: define void @one_variable(
; CHECK: {{^}}loop:
; CHECK-NEXT: phi i32
; CHECK-NOT: phi
; CHECK: ret void
define void @one_variable(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %j = phi i32 [ 0, %entry ], [ %j1, %loop ]
  store volatile i32 %i, ptr %p
  store volatile i32 %j, ptr %p
  %i1 = add i32 %i, 1
  %j1 = add i32 %j, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
