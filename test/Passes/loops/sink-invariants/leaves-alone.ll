; Protects values that stay in front of a loop: where the loop would need as many
; registers for what they are made of, where they are needed behind the loop or by
; PHIs, and where computing them takes time or memory.
; RUN: %opt-heddle -passes=heddle-sink-invariants -S %s | FileCheck %s

; CHECK-LABEL: define i64 @stays(
; CHECK: entry:
; CHECK-NEXT: %same = xor i32 %x, 5
; CHECK-NEXT: %sum = add i64 %y, %z
; CHECK-NEXT: %behind = zext i32 %n to i64
; CHECK-NEXT: %start = zext i32 %n to i64
; CHECK-NEXT: %divided = udiv i32 %n, 10
; CHECK-NEXT: %loaded = load i32, ptr addrspace(1) %p
; CHECK-NEXT: %converted = uitofp i32 %n to double
; CHECK-NEXT: br label %loop
define i64 @stays(ptr addrspace(1) %p, i32 %x, i64 %y, i64 %z, i32 %n) {
entry:
  %same = xor i32 %x, 5
  %sum = add i64 %y, %z
  %behind = zext i32 %n to i64
  %start = zext i32 %n to i64
  %divided = udiv i32 %n, 10
  %loaded = load i32, ptr addrspace(1) %p
  %converted = uitofp i32 %n to double
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i64 [ %start, %entry ], [ %s1, %loop ]
  store volatile i32 %same, ptr addrspace(1) %p
  store volatile i64 %sum, ptr addrspace(1) %p
  store volatile i32 %divided, ptr addrspace(1) %p
  store volatile i32 %loaded, ptr addrspace(1) %p
  store volatile double %converted, ptr addrspace(1) %p
  %s1 = add i64 %s, %behind
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  %r = add i64 %s1, %behind
  ret i64 %r
}
