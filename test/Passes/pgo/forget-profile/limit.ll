; Protects the limit: one atomic operation in 64 instructions of a thread is enough, one in 65 is not.
; RUN: %python %S/../../Inputs/expand.py %s FEW=62 MANY=63 > %t.ll
; RUN: %opt-heddle -passes=heddle-forget-profile -S %t.ll | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; CHECK-LABEL: define ptx_kernel void @enough(
; CHECK-NOT: !prof
; CHECK: {
define ptx_kernel void @enough(ptr addrspace(1) %p) "heddle-loops-left" !prof !0 {
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
;; repeat FEW
  store i32 {n}, ptr addrspace(1) %p
;; end
  ret void
}
; CHECK-LABEL: define ptx_kernel void @too_few(
; CHECK-SAME: !prof
define ptx_kernel void @too_few(ptr addrspace(1) %p) "heddle-loops-left" !prof !0 {
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
;; repeat MANY
  store i32 {n}, ptr addrspace(1) %p
;; end
  ret void
}

!0 = !{!"function_entry_count", i64 1000}
