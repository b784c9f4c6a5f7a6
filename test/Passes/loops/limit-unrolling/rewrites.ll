; Protects the copies that loops ask for: where they would make more than 16384
; instructions of a function, a power of two fewer are made, the inner loop first,
; and an outer loop for which nothing is left is not unrolled.
; RUN: %opt-heddle -passes=heddle-limit-unrolling -S %s | FileCheck %s

; CHECK-LABEL: define void @single(
; CHECK: br i1 %more, label %loop, label %done, !llvm.loop [[SINGLE:![0-9]+]]
define void @single(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  store volatile i32 %i, ptr %p
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done, !llvm.loop !0
done:
  ret void
}

; CHECK-LABEL: define void @nest(
; CHECK: br i1 %more, label %inner, label %latch, !llvm.loop [[INNER:![0-9]+]]
; CHECK: br i1 %again, label %outer, label %done, !llvm.loop [[OUTER:![0-9]+]]
define void @nest(ptr %p, i32 %n) {
entry:
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o1, %latch ]
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %i1, %inner ]
  store volatile i32 %i, ptr %p
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %inner, label %latch, !llvm.loop !2
latch:
  %o1 = add i32 %o, 1
  %again = icmp ult i32 %o1, %n
  br i1 %again, label %outer, label %done, !llvm.loop !4
done:
  ret void
}

; CHECK-DAG: [[SINGLE]] = distinct !{[[SINGLE]], [[FEWER:![0-9]+]]}
; CHECK-DAG: [[FEWER]] = !{!"llvm.loop.unroll.count", i32 2048}
; CHECK-DAG: [[INNER]] = distinct !{[[INNER]], [[ALL:![0-9]+]]}
; CHECK-DAG: [[ALL]] = !{!"llvm.loop.unroll.count", i32 3000}
; CHECK-DAG: [[OUTER]] = distinct !{[[OUTER]], [[NONE:![0-9]+]]}
; CHECK-DAG: [[NONE]] = !{!"llvm.loop.unroll.disable"}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.count", i32 4096}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.unroll.count", i32 3000}
!4 = distinct !{!4, !5}
!5 = !{!"llvm.loop.unroll.count", i32 64}
