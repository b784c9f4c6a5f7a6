; Protects arguments that many threads use: they are read at the start of a kernel
; of which there is a profile.
; RUN: %opt-heddle -passes=heddle-early-arguments -S %s | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-NEXT: entry:
; CHECK-NEXT: %n = load i32, ptr addrspace(101) inttoptr (i32 8 to ptr addrspace(101)){{.*}}, !invariant.load
; CHECK-NEXT: %p = load ptr addrspace(1), ptr addrspace(101) null{{.*}}, !invariant.load
; CHECK-NEXT: %c = call i1 @condition()
; CHECK: {{^}}way:
; CHECK-NEXT: store i32 %n, ptr addrspace(1) %p
define ptx_kernel void @kernel() "heddle-params"="p:0:8:8:u64;n:8:4:4:u32" !prof !0 {
entry:
  %c = call i1 @condition()
  br i1 %c, label %way, label %done, !prof !1
way:
  %n = load i32, ptr addrspace(101) inttoptr (i32 8 to ptr addrspace(101)), !invariant.load !2
  %p = load ptr addrspace(1), ptr addrspace(101) null, !invariant.load !2
  store i32 %n, ptr addrspace(1) %p
  br label %done
done:
  ret void
}

!0 = !{!"function_entry_count", i64 1000}
!1 = !{!"branch_weights", i32 500, i32 500}
!2 = !{}

declare i1 @condition()
