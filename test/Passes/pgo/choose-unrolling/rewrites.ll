; Protects the copies of loops in which threads mostly stay long by a profile, by the
; iterations that it counted or, without them, by the weights of the branch.
; RUN: %opt-heddle -passes=heddle-choose-unrolling -S %s | FileCheck %s

; CHECK-LABEL: define ptx_kernel void @counted(
; CHECK: br i1 %more, label %loop, label %done, {{.*}}!llvm.loop [[COUNTED:![0-9]+]]
define ptx_kernel void @counted(ptr addrspace(1) %p, i32 %n) !prof !0 {
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

; CHECK-LABEL: define ptx_kernel void @weighted(
; CHECK: br i1 %more, label %loop, label %done, {{.*}}!llvm.loop [[WEIGHTED:![0-9]+]]
define ptx_kernel void @weighted(ptr addrspace(1) %p, i32 %n) !prof !0 {
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
  br i1 %more, label %loop, label %done, !prof !4
done:
  ret void
}

; CHECK-DAG: [[COUNTED]] = distinct !{[[COUNTED]], [[FOUR:![0-9]+]]}
; CHECK-DAG: [[WEIGHTED]] = distinct !{[[WEIGHTED]], [[FOUR]]}
; CHECK-DAG: [[FOUR]] = !{!"llvm.loop.unroll.count", i32 4}
!0 = !{!"function_entry_count", i64 100}
!1 = !{!"branch_weights", i32 300, i32 100}
!2 = !{i64 20, i64 0, i64 400}
!3 = !{i64 0, i64 0, i64 0, i64 5, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 95}
!4 = !{!"branch_weights", i32 5000, i32 100}
