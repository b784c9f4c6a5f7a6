; Protects that what is multiplied in a loop is added up in steps.
; RUN: %opt-heddle -passes=heddle-reduce-strength -S %s | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; CHECK-LABEL: define void @multiples(
; CHECK: {{^}}loop:
; CHECK-DAG: [[SUM:%.*]] = phi i32 {{.*}}[ [[NEXT:%.*]], %loop ]
; CHECK-NOT: mul
; CHECK: store volatile i32 [[SUM]], ptr addrspace(1) %p
; CHECK: [[NEXT]] = add i32 [[SUM]], %m
; CHECK-NOT: mul
define void @multiples(ptr addrspace(1) %p, i32 %n, i32 %m) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %a = mul i32 %i, %m
  store volatile i32 %a, ptr addrspace(1) %p
  %i1 = add nsw i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
