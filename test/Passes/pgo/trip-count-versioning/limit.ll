; Protects both limits: nine stays of ten must have the same number of iterations, and
; all bodies together have 256 instructions at most, sixteen times sixteen.
; RUN: %opt-heddle -passes=heddle-trip-count-versioning -S %s | FileCheck %s

; CHECK-LABEL: define ptx_kernel void @ninety(
; CHECK: {{^}}loop.common:
define ptx_kernel void @ninety(ptr addrspace(1) %p, i32 %n) !prof !0 {
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

; CHECK-LABEL: define ptx_kernel void @fewer(
; CHECK-NOT: {{^}}loop.common:
define ptx_kernel void @fewer(ptr addrspace(1) %p, i32 %n) !prof !0 {
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

; CHECK-LABEL: define ptx_kernel void @size(
; CHECK: {{^}}loop.common:
; CHECK: icmp ne i32 {{.*}}, 15
define ptx_kernel void @size(ptr addrspace(1) %p, i32 %n) !prof !0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %x0 = xor i32 %v, 1
  %x1 = xor i32 %x0, 2
  %x2 = xor i32 %x1, 3
  %x3 = xor i32 %x2, 4
  %x4 = xor i32 %x3, 5
  %x5 = xor i32 %x4, 6
  %x6 = xor i32 %x5, 7
  %x7 = xor i32 %x6, 8
  %x8 = xor i32 %x7, 9
  store i32 %x8, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2, !heddle.trips !5
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @too_large(
; CHECK-NOT: {{^}}loop.common:
; CHECK: ret void
define ptx_kernel void @too_large(ptr addrspace(1) %p, i32 %n) !prof !0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %x0 = xor i32 %v, 1
  %x1 = xor i32 %x0, 2
  %x2 = xor i32 %x1, 3
  %x3 = xor i32 %x2, 4
  %x4 = xor i32 %x3, 5
  %x5 = xor i32 %x4, 6
  %x6 = xor i32 %x5, 7
  %x7 = xor i32 %x6, 8
  %x8 = xor i32 %x7, 9
  %x9 = xor i32 %x8, 10
  store i32 %x9, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2, !heddle.trips !5
done:
  ret void
}

!0 = !{!"function_entry_count", i64 100}
!1 = !{!"branch_weights", i32 300, i32 100}
!2 = !{i64 20, i64 0, i64 400}
!3 = !{i64 0, i64 0, i64 0, i64 10, i64 90, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0}
!4 = !{i64 0, i64 0, i64 0, i64 11, i64 89, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0}
!5 = !{i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 100, i64 0, i64 0}
