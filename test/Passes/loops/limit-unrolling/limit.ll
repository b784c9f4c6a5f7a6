; Protects the limit itself: of 16384 instructions the function has 9 and the loop 5,
; so that 3275 copies fit and 3276 do not. A loop that is to be unrolled whole asks
; for as many copies as it has iterations, one of unknown count for eight.
; RUN: %opt-heddle -passes=heddle-limit-unrolling -S %s | FileCheck %s
; RUN: sed 's/i32 3275/i32 3276/; s/i1, 3275$/i1, 3276/' %s > %t.ll
; RUN: %opt-heddle -passes=heddle-limit-unrolling -S %t.ll | FileCheck %s --check-prefix=OVER

; CHECK-LABEL: define void @count(
; CHECK: !llvm.loop [[COUNT:![0-9]+]]
; OVER-LABEL: define void @count(
; OVER: !llvm.loop [[COUNT:![0-9]+]]
define void @count(ptr %p, i32 %n, i32 %x) {
entry:
  store i32 %n, ptr %p
  store i32 %x, ptr %p
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

; CHECK-LABEL: define void @whole(
; CHECK: !llvm.loop [[WHOLE:![0-9]+]]
; OVER-LABEL: define void @whole(
; OVER: !llvm.loop [[WHOLE:![0-9]+]]
define void @whole(ptr %p, i32 %n, i32 %x) {
entry:
  store i32 %n, ptr %p
  store i32 %x, ptr %p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  store volatile i32 %i, ptr %p
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 3275
  br i1 %more, label %loop, label %done, !llvm.loop !2
done:
  ret void
}

; CHECK-DAG: [[COUNT]] = distinct !{[[COUNT]], [[COPIES:![0-9]+]]}
; CHECK-DAG: [[COPIES]] = !{!"llvm.loop.unroll.count", i32 3275}
; CHECK-DAG: [[WHOLE]] = distinct !{[[WHOLE]], [[FULL:![0-9]+]]}
; CHECK-DAG: [[FULL]] = !{!"llvm.loop.unroll.full"}
; OVER-DAG: [[COUNT]] = distinct !{[[COUNT]], [[FEWER:![0-9]+]]}
; OVER-DAG: [[WHOLE]] = distinct !{[[WHOLE]], [[FEWER]]}
; OVER-DAG: [[FEWER]] = !{!"llvm.loop.unroll.count", i32 2048}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.count", i32 3275}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.unroll.full"}
