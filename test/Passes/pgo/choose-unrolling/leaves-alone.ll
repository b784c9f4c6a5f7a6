; Protects loops that are not repeated: without a profile, where threads mostly leave
; after few iterations, that few threads come to, whose trip count is constant or known
; to nobody in front of the loop, in which threads do something together, and where the
; loop says itself what is done to it.
; RUN: %opt-heddle -passes=heddle-choose-unrolling -S %s | FileCheck %s --implicit-check-not=unroll.count

declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)

; CHECK-LABEL: define ptx_kernel void @no_profile(
; CHECK: br i1 %more, label %loop, label %done{{.*}}!heddle.trips ![[#]]{{$}}
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

; CHECK-LABEL: define ptx_kernel void @short(
; CHECK: br i1 %more, label %loop, label %done{{.*}}!heddle.trips ![[#]]{{$}}
define ptx_kernel void @short(ptr addrspace(1) %p, i32 %n) !prof !0 {
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

; CHECK-LABEL: define ptx_kernel void @constant(
; CHECK: br i1 %more, label %loop, label %done{{.*}}!heddle.trips ![[#]]{{$}}
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
  %more = icmp ult i32 %i1, 1000
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2, !heddle.trips !3
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @unknown(
; CHECK: br i1 %more, label %loop, label %done{{.*}}!heddle.trips ![[#]]{{$}}
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

; CHECK-LABEL: define ptx_kernel void @together(
; CHECK: br i1 %more, label %loop, label %done{{.*}}!heddle.trips ![[#]]{{$}}
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

; CHECK-LABEL: define ptx_kernel void @decided(
; CHECK: br i1 %more, label %loop, label %done{{.*}}!llvm.loop [[ID:![0-9]+]]
define ptx_kernel void @decided(ptr addrspace(1) %p, i32 %n) !prof !0 {
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
  br i1 %more, label %loop, label %done, !prof !1, !heddle.divergence !2, !heddle.trips !3, !llvm.loop !5
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @rare(
; CHECK: br i1 %more, label %loop, label %done{{.*}}!heddle.trips ![[#]]{{$}}
define ptx_kernel void @rare(ptr addrspace(1) %p, i32 %n, i1 %c) !prof !0 {
start:
  br i1 %c, label %entry, label %end, !prof !7
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

; CHECK: [[ID]] = distinct !{[[ID]], [[DISABLE:![0-9]+]]}
; CHECK: [[DISABLE]] = !{!"llvm.loop.unroll.disable"}
!0 = !{!"function_entry_count", i64 100}
!1 = !{!"branch_weights", i32 300, i32 100}
!2 = !{i64 20, i64 0, i64 400}
!3 = !{i64 0, i64 0, i64 0, i64 5, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 95}
!4 = !{i64 0, i64 0, i64 0, i64 95, i64 5, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0}
!5 = distinct !{!5, !6}
!6 = !{!"llvm.loop.unroll.disable"}
!7 = !{!"branch_weights", i32 1, i32 9999}
