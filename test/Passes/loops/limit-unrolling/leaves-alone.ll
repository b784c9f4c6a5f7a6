; Protects counts that fit, loops of which nothing is asked, however large, loops
; that must not be unrolled, and what else the metadata of a loop says.
; RUN: %opt-heddle -passes=heddle-limit-unrolling -S %s | FileCheck %s

; CHECK-LABEL: define void @loops(
; CHECK: br i1 %moreA, label %a, label %b, !llvm.loop [[A:![0-9]+]]
; CHECK: br i1 %moreB, label %b, label %c{{$}}
; CHECK: br i1 %moreC, label %c, label %done, !llvm.loop [[C:![0-9]+]]
define void @loops(ptr %p, i32 %n) {
entry:
  br label %a
a:
  %i = phi i32 [ 0, %entry ], [ %i1, %a ]
  store volatile i32 %i, ptr %p
  %i1 = add i32 %i, 1
  %moreA = icmp ult i32 %i1, %n
  br i1 %moreA, label %a, label %b, !llvm.loop !0
b:
  %j = phi i32 [ 0, %a ], [ %j1, %b ]
  store volatile i32 %j, ptr %p
  %j1 = add i32 %j, 1
  %moreB = icmp ult i32 %j1, 1000000
  br i1 %moreB, label %b, label %c
c:
  %k = phi i32 [ 0, %b ], [ %k1, %c ]
  store volatile i32 %k, ptr %p
  %k1 = add i32 %k, 1
  %moreC = icmp ult i32 %k1, 1000000
  br i1 %moreC, label %c, label %done, !llvm.loop !3
done:
  ret void
}

; CHECK-DAG: [[A]] = distinct !{[[A]], [[COUNT:![0-9]+]], [[OTHER:![0-9]+]]}
; CHECK-DAG: [[COUNT]] = !{!"llvm.loop.unroll.count", i32 64}
; CHECK-DAG: [[OTHER]] = !{!"heddle.tune.pipeline-loads", i32 4}
; CHECK-DAG: [[C]] = distinct !{[[C]], [[DISABLED:![0-9]+]]}
; CHECK-DAG: [[DISABLED]] = !{!"llvm.loop.unroll.disable"}
!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.unroll.count", i32 64}
!2 = !{!"heddle.tune.pipeline-loads", i32 4}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.unroll.disable"}
