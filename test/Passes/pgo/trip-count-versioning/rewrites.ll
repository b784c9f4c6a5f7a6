; Protects a loop whose threads mostly stay for the same number of iterations, four in
; 95 of 100 stays, and leave together: a comparison in front of it leads to a copy
; that counts to that number, to be unrolled whole, and else to the loop as it was.
; What leaves either loop goes on together.
; RUN: %opt-heddle -passes=heddle-trip-count-versioning -S %s | FileCheck %s

declare void @use(i32)

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: entry:
; CHECK-NEXT: [[MAX:%.*]] = call i32 @llvm.umax.i32(i32 %n, i32 1)
; CHECK-NEXT: [[BACK:%.*]] = add i32 [[MAX]], -1
; CHECK-NEXT: [[FROZEN:%.*]] = freeze i32 [[BACK]]
; CHECK-NEXT: [[COMMON:%.*]] = icmp eq i32 [[FROZEN]], 3
; CHECK-NEXT: br i1 [[COMMON]], label %[[COPY:.*]], label %general, !prof [[WEIGHTS:![0-9]+]]
; CHECK: {{^}}[[COPY]]:
; CHECK-NEXT: br label %loop.common
; CHECK: {{^}}loop.common:
; CHECK-NEXT: [[COUNT:%.*]] = phi i32 [ 0, %[[COPY]] ], [ [[NEXT:%.*]], %loop.common ]
; CHECK: store i32 %w.common
; CHECK: [[NEXT]] = add i32 [[COUNT]], 1
; CHECK-NEXT: [[STAY:%.*]] = icmp ne i32 [[COUNT]], 3
; CHECK-NEXT: br i1 [[STAY]], label %loop.common, label %done{{.*}}, !llvm.loop [[ID:![0-9]+]]
; CHECK: {{^}}loop:
; CHECK: store i32 %w,
; CHECK: br i1 %more, label %loop, label %done
; CHECK: {{^}}done:
; CHECK-NEXT: [[R:%.*]] = phi i32 [ %w, %loop ], [ %w.common, %loop.common ]
; CHECK-NEXT: call void @use(i32 [[R]])
define ptx_kernel void @kernel(ptr addrspace(1) %p, i32 %n) !prof !0 {
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
  %r = phi i32 [ %w, %loop ]
  call void @use(i32 %r)
  ret void
}

; CHECK-DAG: [[WEIGHTS]] = !{!"branch_weights", i32 950, i32 51}
; CHECK-DAG: [[ID]] = distinct !{[[ID]], [[FULL:![0-9]+]]}
; CHECK-DAG: [[FULL]] = !{!"llvm.loop.unroll.full", i32 1}
!0 = !{!"function_entry_count", i64 100}
!1 = !{!"branch_weights", i32 300, i32 100}
!2 = !{i64 20, i64 0, i64 400}
!3 = !{i64 0, i64 0, i64 0, i64 5, i64 95, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0}
