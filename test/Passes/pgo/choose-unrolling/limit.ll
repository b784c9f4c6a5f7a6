; Protects the limits: half of all iterations must be of stays of nine or more, and an
; unrolled body has sixteen loads at most, so that one of four loads is repeated four
; times, of five twice, and of nine not at all.
; RUN: %opt-heddle -passes=heddle-choose-unrolling -S %s | FileCheck %s

; CHECK-LABEL: define ptx_kernel void @nine(
; CHECK: br i1 %more, label %loop, label %done, {{.*}}!llvm.loop [[LNINE:![0-9]+]]
define ptx_kernel void @nine(ptr addrspace(1) %p, i32 %n) !prof !0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %w = mul i32 %v, 3
  store i32 %w, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2, !heddle.trips !3
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @eight(
; CHECK: br i1 %more, label %loop, label %done, {{.*}}!heddle.trips ![[#]]{{$}}
define ptx_kernel void @eight(ptr addrspace(1) %p, i32 %n) !prof !0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %w = mul i32 %v, 3
  store i32 %w, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2, !heddle.trips !4
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @half(
; CHECK: br i1 %more, label %loop, label %done, {{.*}}!llvm.loop [[LHALF:![0-9]+]]
define ptx_kernel void @half(ptr addrspace(1) %p, i32 %n) !prof !0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %w = mul i32 %v, 3
  store i32 %w, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2, !heddle.trips !5
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @less(
; CHECK: br i1 %more, label %loop, label %done, {{.*}}!heddle.trips ![[#]]{{$}}
define ptx_kernel void @less(ptr addrspace(1) %p, i32 %n) !prof !0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %w = mul i32 %v, 3
  store i32 %w, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2, !heddle.trips !6
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @four_loads(
; CHECK: br i1 %more, label %loop, label %done, {{.*}}!llvm.loop [[LFOUR_LOADS:![0-9]+]]
define ptx_kernel void @four_loads(ptr addrspace(1) %p, i32 %n) !prof !0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %at1 = getelementptr i32, ptr addrspace(1) %at, i32 1
  %l1 = load i32, ptr addrspace(1) %at1
  %at2 = getelementptr i32, ptr addrspace(1) %at, i32 2
  %l2 = load i32, ptr addrspace(1) %at2
  %at3 = getelementptr i32, ptr addrspace(1) %at, i32 3
  %l3 = load i32, ptr addrspace(1) %at3
  store i32 %v, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2, !heddle.trips !3
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @five_loads(
; CHECK: br i1 %more, label %loop, label %done, {{.*}}!llvm.loop [[LFIVE_LOADS:![0-9]+]]
define ptx_kernel void @five_loads(ptr addrspace(1) %p, i32 %n) !prof !0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %at1 = getelementptr i32, ptr addrspace(1) %at, i32 1
  %l1 = load i32, ptr addrspace(1) %at1
  %at2 = getelementptr i32, ptr addrspace(1) %at, i32 2
  %l2 = load i32, ptr addrspace(1) %at2
  %at3 = getelementptr i32, ptr addrspace(1) %at, i32 3
  %l3 = load i32, ptr addrspace(1) %at3
  %at4 = getelementptr i32, ptr addrspace(1) %at, i32 4
  %l4 = load i32, ptr addrspace(1) %at4
  store i32 %v, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2, !heddle.trips !3
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @nine_loads(
; CHECK: br i1 %more, label %loop, label %done, {{.*}}!heddle.trips ![[#]]{{$}}
define ptx_kernel void @nine_loads(ptr addrspace(1) %p, i32 %n) !prof !0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %at1 = getelementptr i32, ptr addrspace(1) %at, i32 1
  %l1 = load i32, ptr addrspace(1) %at1
  %at2 = getelementptr i32, ptr addrspace(1) %at, i32 2
  %l2 = load i32, ptr addrspace(1) %at2
  %at3 = getelementptr i32, ptr addrspace(1) %at, i32 3
  %l3 = load i32, ptr addrspace(1) %at3
  %at4 = getelementptr i32, ptr addrspace(1) %at, i32 4
  %l4 = load i32, ptr addrspace(1) %at4
  %at5 = getelementptr i32, ptr addrspace(1) %at, i32 5
  %l5 = load i32, ptr addrspace(1) %at5
  %at6 = getelementptr i32, ptr addrspace(1) %at, i32 6
  %l6 = load i32, ptr addrspace(1) %at6
  %at7 = getelementptr i32, ptr addrspace(1) %at, i32 7
  %l7 = load i32, ptr addrspace(1) %at7
  %at8 = getelementptr i32, ptr addrspace(1) %at, i32 8
  %l8 = load i32, ptr addrspace(1) %at8
  store i32 %v, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2, !heddle.trips !3
done:
  ret void
}

; CHECK-DAG: [[LNINE]] = distinct !{[[LNINE]], [[BY4:![0-9]+]]}
; CHECK-DAG: [[LHALF]] = distinct !{[[LHALF]], [[BY4]]}
; CHECK-DAG: [[LFOUR_LOADS]] = distinct !{[[LFOUR_LOADS]], [[BY4]]}
; CHECK-DAG: [[LFIVE_LOADS]] = distinct !{[[LFIVE_LOADS]], [[BY2:![0-9]+]]}
; CHECK-DAG: [[BY4]] = !{!"llvm.loop.unroll.count", i32 4}
; CHECK-DAG: [[BY2]] = !{!"llvm.loop.unroll.count", i32 2}
!0 = !{!"function_entry_count", i64 100}
!1 = !{!"branch_weights", i32 300, i32 100}
!2 = !{i64 20, i64 0, i64 400}
!3 = !{i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 100, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0}
!4 = !{i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 100, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0}
!5 = !{i64 0, i64 90, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 10, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0}
!6 = !{i64 0, i64 91, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 10, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0}
