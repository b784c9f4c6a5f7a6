; Protects the limit of a recipe: a value of four instructions is computed in the
; loop, one of five stays in front of it.
; RUN: %python %S/../../Inputs/expand.py %s STEPS=3 > %t.most.ll
; RUN: %opt-heddle -passes=heddle-sink-invariants -S %t.most.ll | FileCheck %s --check-prefix=MOST
; RUN: %python %S/../../Inputs/expand.py %s STEPS=4 > %t.over.ll
; RUN: %opt-heddle -passes=heddle-sink-invariants -S %t.over.ll | FileCheck %s --check-prefix=OVER

; MOST-LABEL: define void @chain(
; MOST: entry:
; MOST-NEXT: br label %loop
; MOST: [[W0:%.*]] = zext i32 %x to i64
; MOST-NEXT: [[W1:%.*]] = mul i64 [[W0]], 3
; MOST-NEXT: [[W2:%.*]] = mul i64 [[W1]], 4
; MOST-NEXT: [[W3:%.*]] = mul i64 [[W2]], 5
; MOST-NEXT: store volatile i64 [[W3]], ptr addrspace(1) %p
; OVER-LABEL: define void @chain(
; OVER: entry:
; OVER-NEXT: %w0 = zext i32 %x to i64
; OVER-NEXT: %w1 = mul i64 %w0, 3
; OVER-NEXT: %w2 = mul i64 %w1, 4
; OVER-NEXT: %w3 = mul i64 %w2, 5
; OVER-NEXT: %w4 = mul i64 %w3, 6
; OVER-NEXT: br label %loop
define void @chain(ptr addrspace(1) %p, i32 %x, i32 %n) {
entry:
  %w0 = zext i32 %x to i64
;; repeat STEPS
  %w{n+1} = mul i64 %w{n}, {n+3}
;; end
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  store volatile i32 %x, ptr addrspace(1) %p
  store volatile i64 %w{STEPS}, ptr addrspace(1) %p
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
