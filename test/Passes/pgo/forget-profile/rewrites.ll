; Protects that a kernel whose threads change common words has no profile any more, where that
; left its loops as they are.
; RUN: %opt-heddle -passes=heddle-forget-profile -S %s | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NOT: !prof
; CHECK-NOT: !heddle
; CHECK: atomicrmw
define ptx_kernel void @kernel(ptr addrspace(1) %p, i1 %c) "heddle-loops-left" !prof !0 !heddle.args !1 {
entry:
  br i1 %c, label %way, label %done, !prof !2, !heddle.divergence !3
way:
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  br i1 %c, label %way, label %done, !prof !2, !heddle.trips !4
done:
  ret void
}

!0 = !{!"function_entry_count", i64 1000}
!1 = !{i64 0, i64 10, i64 3, i64 10}
!2 = !{!"branch_weights", i32 500, i32 500}
!3 = !{i64 32, i64 0, i64 1000}
!4 = !{i64 1, i64 1}
