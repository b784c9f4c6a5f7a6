; Protects the limit of a formula: one with a division of 32 bits is computed, one
; with a division of 64 bits, a call of a hundred instructions, is not.
; RUN: %opt-heddle -passes=heddle-prepare-loop-deletion -S %s | FileCheck %s

; CHECK-LABEL: define i32 @narrow(
; CHECK: entry:
; CHECK: udiv i32 {{.*}}, 3
; CHECK: {{^}}loop:
; CHECK: br i1 %more, label %loop, label %done, !llvm.loop
; CHECK: {{^}}done:
; CHECK-NOT: %s1
; CHECK: ret i32
define i32 @narrow(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i32 [ 7, %entry ], [ %s1, %loop ]
  %s1 = add i32 %s, 5
  %i1 = add nuw i32 %i, 3
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %s1
}

; CHECK-LABEL: define i64 @wide(
; CHECK-NOT: udiv
; CHECK: br i1 %more, label %loop, label %done{{$}}
; CHECK: phi i64 [ %s1, %loop ]
define i64 @wide(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i64 [ 7, %entry ], [ %s1, %loop ]
  %s1 = add i64 %s, 5
  %i1 = add nuw i64 %i, 3
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret i64 %s1
}
