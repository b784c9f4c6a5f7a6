; Protects loops that get no copy: without a profile, of which it is not known how
; long threads stay, where they stay for different times, leave one after the other,
; or do something together, whose trip count is constant, or known to nobody in front
; of the loop, and ones that few threads come to.
; RUN: %opt-heddle -passes=heddle-trip-count-versioning -S %s | FileCheck %s --implicit-check-not=.common: --implicit-check-not=freeze

declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)

; CHECK-LABEL: define ptx_kernel void @no_profile(
define ptx_kernel void @no_profile(ptr addrspace(1) %p, i32 %n)  {
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

; CHECK-LABEL: define ptx_kernel void @no_trips(
define ptx_kernel void @no_trips(ptr addrspace(1) %p, i32 %n) !prof !0 {
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
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @wrong_trips(
define ptx_kernel void @wrong_trips(ptr addrspace(1) %p, i32 %n) !prof !0 {
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
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2, !heddle.trips !2
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @different(
define ptx_kernel void @different(ptr addrspace(1) %p, i32 %n) !prof !0 {
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

; CHECK-LABEL: define ptx_kernel void @divergent(
define ptx_kernel void @divergent(ptr addrspace(1) %p, i32 %n) !prof !0 {
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
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !5, !heddle.trips !3
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @no_divergence(
define ptx_kernel void @no_divergence(ptr addrspace(1) %p, i32 %n) !prof !0 {
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
  br i1 %more, label %loop, label %done, !prof !1, !heddle.trips !3
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @together(
define ptx_kernel void @together(ptr addrspace(1) %p, i32 %n) !prof !0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 1, i32 31)
  store i32 %x, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2, !heddle.trips !3
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @constant(
define ptx_kernel void @constant(ptr addrspace(1) %p, i32 %n) !prof !0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %w = mul i32 %v, 3
  store i32 %w, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 4
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2, !heddle.trips !3
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @unknown(
define ptx_kernel void @unknown(ptr addrspace(1) %p, i32 %n) !prof !0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %w = mul i32 %v, 3
  store i32 %w, ptr addrspace(1) %at
  %i1 = add i32 %i, 1
  %more = icmp ne i32 %v, 0
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2, !heddle.trips !3
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @rare(
define ptx_kernel void @rare(ptr addrspace(1) %p, i32 %n, i1 %c) !prof !0 {
start:
  br i1 %c, label %entry, label %end, !prof !6
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
  br label %end
end:
  ret void
}

!0 = !{!"function_entry_count", i64 100}
!1 = !{!"branch_weights", i32 300, i32 100}
!2 = !{i64 20, i64 0, i64 400}
!3 = !{i64 0, i64 0, i64 0, i64 5, i64 95, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0}
!4 = !{i64 0, i64 0, i64 0, i64 40, i64 60, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0}
!5 = !{i64 20, i64 10, i64 400}
!6 = !{!"branch_weights", i32 1, i32 99}
