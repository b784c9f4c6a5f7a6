; Protects inner loops whose iterations threads share, which step by a value of the
; program such as the number of threads: their multiplications stay, since the steps
; would be computed anew for each iteration of the outer loop.
; RUN: %opt-heddle -passes=heddle-reduce-strength -S %s | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; CHECK-LABEL: define void @shared(
; CHECK: {{^}}inner:
; CHECK-NEXT: %i = phi
; CHECK-NEXT: %a = mul i32 %i, %m
; CHECK-NEXT: store volatile i32 %a
define void @shared(ptr addrspace(1) %p, i32 %n, i32 %step, i32 %k, i32 %m) {
entry:
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o1, %latch ]
  br label %inner
inner:
  %i = phi i32 [ %k, %outer ], [ %i1, %inner ]
  %a = mul i32 %i, %m
  store volatile i32 %a, ptr addrspace(1) %p
  %i1 = add nsw i32 %i, %step
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %inner, label %latch
latch:
  %o1 = add i32 %o, 1
  %again = icmp ult i32 %o1, %n
  br i1 %again, label %outer, label %done
done:
  ret void
}
