; Protects the profiles of functions that are no kernels, whose loops are others, that have a copy for
; arguments, and without atomic operations; loads and stores that are atomic wait for nobody.
; RUN: %opt-heddle -passes=heddle-forget-profile -S %s | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; CHECK-LABEL: define void @no_kernel(
; CHECK-SAME: !prof
; CHECK: br i1 %c, label %way, label %done, !prof
define void @no_kernel(ptr addrspace(1) %p, i1 %c) "heddle-loops-left" !prof !0 {
entry:
  br i1 %c, label %way, label %done, !prof !1
way:
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  br label %done
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @loops(
; CHECK-SAME: !prof
; CHECK: br i1 %c, label %way, label %done, !prof
define ptx_kernel void @loops(ptr addrspace(1) %p, i1 %c) !prof !0 {
entry:
  br i1 %c, label %way, label %done, !prof !1
way:
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  br label %done
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @copy(
; CHECK-SAME: !prof
; CHECK: br i1 %c, label %way, label %done, !prof
define ptx_kernel void @copy(ptr addrspace(1) %p, i1 %c) "heddle-loops-left" "heddle-argument-copy" !prof !0 {
entry:
  br i1 %c, label %way, label %done, !prof !1
way:
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  br label %done
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @stores(
; CHECK-SAME: !prof
; CHECK: br i1 %c, label %way, label %done, !prof
define ptx_kernel void @stores(ptr addrspace(1) %p, i1 %c) "heddle-loops-left" !prof !0 {
entry:
  br i1 %c, label %way, label %done, !prof !1
way:
  store atomic i32 1, ptr addrspace(1) %p monotonic, align 4
  br label %done
done:
  ret void
}

!0 = !{!"function_entry_count", i64 1000}
!1 = !{!"branch_weights", i32 500, i32 500}
