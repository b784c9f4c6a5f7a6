; Protects loops that are there for a result alone: the result is computed in front
; of the loop, and the loop, whether its end is known or not, is marked as one that
; ends. LLVM's deletion of loops then removes it.
; RUN: %opt-heddle -passes=heddle-prepare-loop-deletion -S %s | FileCheck %s
; RUN: %opt-heddle -passes='loop(heddle-prepare-loop-deletion,loop-deletion)' -S %s | FileCheck %s --check-prefix=GONE

; CHECK-LABEL: define i32 @sum(
; CHECK: entry:
; CHECK-NEXT: [[TURNS:%.*]] = call i32 @llvm.umax.i32(i32 %n, i32 1)
; CHECK-NEXT: [[SUM:%.*]] = mul i32 [[TURNS]], 3
; CHECK: br i1 %more, label %loop, label %done, !llvm.loop [[SUMLOOP:![0-9]+]]
; CHECK: ret i32 [[SUM]]
; GONE-LABEL: define i32 @sum(
; GONE-NOT: br i1
; GONE: ret i32
define i32 @sum(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]
  %s1 = add i32 %s, 3
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %s1
}

; Nobody knows after how many iterations it ends.
; CHECK-LABEL: define i32 @search(
; CHECK: br i1 %found, label %done, label %loop, !llvm.loop [[SEARCH:![0-9]+]]
; GONE-LABEL: define i32 @search(
; GONE-NOT: load
; GONE: ret i32 7
define i32 @search(ptr %p) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %loop ]
  %v = load i32, ptr %at
  %found = icmp eq i32 %v, 0
  %next = getelementptr i8, ptr %at, i64 4
  br i1 %found, label %done, label %loop
done:
  ret i32 7
}

; CHECK-DAG: [[SUMLOOP]] = distinct !{[[SUMLOOP]], [[ENDS:![0-9]+]]}
; CHECK-DAG: [[SEARCH]] = distinct !{[[SEARCH]], [[ENDS]]}
; CHECK-DAG: [[ENDS]] = !{!"llvm.loop.mustprogress", i32 1}
