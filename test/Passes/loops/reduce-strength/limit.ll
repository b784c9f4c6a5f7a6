; Protects loops that are nearly shared by threads: an inner loop that counts by one
; beside its step, and one that steps by a constant, are reduced, and so is a shared
; loop that is in no other.
; RUN: %opt-heddle -passes=heddle-reduce-strength -S %s | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; CHECK-LABEL: define void @counted(
; CHECK: {{^}}inner:
; CHECK-NOT: mul
; CHECK: br i1
define void @counted(ptr addrspace(1) %p, i32 %n, i32 %step, i32 %k, i32 %m) {
entry:
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o1, %latch ]
  br label %inner
inner:
  %i = phi i32 [ %k, %outer ], [ %i1, %inner ]
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %a = mul i32 %i, %m
  store volatile i32 %a, ptr addrspace(1) %p
  %j1 = add i32 %j, 1
  store volatile i32 %j1, ptr addrspace(1) %p
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

; CHECK-LABEL: define void @constant(
; CHECK: {{^}}inner:
; CHECK-NOT: mul
; CHECK: br i1
define void @constant(ptr addrspace(1) %p, i32 %n, i32 %step, i32 %k, i32 %m) {
entry:
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o1, %latch ]
  br label %inner
inner:
  %i = phi i32 [ %k, %outer ], [ %i1, %inner ]
  %a = mul i32 %i, %m
  store volatile i32 %a, ptr addrspace(1) %p
  %i1 = add nsw i32 %i, 32
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %inner, label %latch
latch:
  %o1 = add i32 %o, 1
  %again = icmp ult i32 %o1, %n
  br i1 %again, label %outer, label %done
done:
  ret void
}

; CHECK-LABEL: define void @outermost(
; CHECK: {{^}}loop:
; CHECK-NOT: mul
; CHECK: br i1
define void @outermost(ptr addrspace(1) %p, i32 %n, i32 %step, i32 %k, i32 %m) {
entry:
  br label %loop
loop:
  %i = phi i32 [ %k, %entry ], [ %i1, %loop ]
  %a = mul i32 %i, %m
  store volatile i32 %a, ptr addrspace(1) %p
  %i1 = add nsw i32 %i, %step
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
