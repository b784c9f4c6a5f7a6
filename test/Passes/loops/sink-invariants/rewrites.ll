; Protects values that a loop can compute from what it has in fewer registers: they
; are computed in front of their uses in the loop, a value put together of parts
; with its parts, and nothing is left in front of the loop.
; RUN: %opt-heddle -passes=heddle-sink-invariants -S %s | FileCheck %s

; CHECK-LABEL: define void @extended(
; CHECK: entry:
; CHECK-NEXT: br label %loop
; CHECK: {{^}}loop:
; CHECK: store volatile i32 %x, ptr addrspace(1) %p
; CHECK-NEXT: [[W:%.*]] = zext i32 %x to i64
; CHECK-NEXT: [[B:%.*]] = shl i64 [[W]], 20
; CHECK-NEXT: store volatile i64 [[B]], ptr addrspace(1) %p
; CHECK-NOT: zext
define void @extended(ptr addrspace(1) %p, i32 %x, i32 %n) {
entry:
  %w = zext i32 %x to i64
  %b = shl i64 %w, 20
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  store volatile i32 %x, ptr addrspace(1) %p
  store volatile i64 %b, ptr addrspace(1) %p
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Two registers that the loop has become four in front of the use.
; CHECK-LABEL: define void @vector(
; CHECK: entry:
; CHECK-NEXT: br label %loop
; CHECK: {{^}}loop:
; CHECK: store volatile i64 %y, ptr addrspace(1) %p
; CHECK-NEXT: [[A:%.*]] = insertelement <2 x i64> poison, i64 %x, i32 0
; CHECK-NEXT: [[B:%.*]] = insertelement <2 x i64> [[A]], i64 %y, i32 1
; CHECK-NEXT: store volatile <2 x i64> [[B]], ptr addrspace(1) %p
define void @vector(ptr addrspace(1) %p, i64 %x, i64 %y, i32 %n) {
entry:
  %a = insertelement <2 x i64> poison, i64 %x, i32 0
  %b = insertelement <2 x i64> %a, i64 %y, i32 1
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  store volatile i64 %y, ptr addrspace(1) %p
  store volatile <2 x i64> %b, ptr addrspace(1) %p
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
