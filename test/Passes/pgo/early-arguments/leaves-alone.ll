; Protects reads that stay where they are: of arguments that few threads use, of other
; memory, at addresses that are not constant, and volatile ones. In functions without a
; profile and in those that are no kernels all stay.
; RUN: %opt-heddle -passes=heddle-early-arguments -S %s | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

declare i1 @condition()

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: entry:
; CHECK-NEXT: %c = call i1 @condition()
; CHECK-NEXT: br i1 %c, label %rare, label %often
; CHECK: {{^}}rare:
; CHECK-NEXT: load i32, ptr addrspace(101) inttoptr (i32 8 to ptr addrspace(101))
; CHECK: {{^}}often:
; CHECK-NEXT: load i32, ptr addrspace(4) null
; CHECK-NEXT: load volatile i32, ptr addrspace(101) null
; CHECK-NEXT: getelementptr
; CHECK-NEXT: load i32, ptr addrspace(101) %at
define ptx_kernel void @kernel(ptr addrspace(1) %p) "heddle-params"="x:0:64:4:b8[64]" !prof !0 {
entry:
  %c = call i1 @condition()
  br i1 %c, label %rare, label %often, !prof !1
rare:
  %n = load i32, ptr addrspace(101) inttoptr (i32 8 to ptr addrspace(101)), !invariant.load !2
  store i32 %n, ptr addrspace(1) %p
  br label %done
often:
  %k = load i32, ptr addrspace(4) null, !invariant.load !2
  %v = load volatile i32, ptr addrspace(101) null
  %at = getelementptr i32, ptr addrspace(101) null, i32 %k
  %w = load i32, ptr addrspace(101) %at, !invariant.load !2
  store i32 %w, ptr addrspace(1) %p
  br label %done
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @no_profile(
; CHECK: {{^}}way:
; CHECK-NEXT: load i32, ptr addrspace(101) null
define ptx_kernel void @no_profile(ptr addrspace(1) %p) "heddle-params"="n:0:4:4:u32" {
entry:
  %c = call i1 @condition()
  br i1 %c, label %way, label %done
way:
  %n = load i32, ptr addrspace(101) null, !invariant.load !2
  store i32 %n, ptr addrspace(1) %p
  br label %done
done:
  ret void
}

; CHECK-LABEL: define void @no_kernel(
; CHECK: {{^}}way:
; CHECK-NEXT: load i32, ptr addrspace(101) null
define void @no_kernel(ptr addrspace(1) %p) !prof !0 {
entry:
  %c = call i1 @condition()
  br i1 %c, label %way, label %done
way:
  %n = load i32, ptr addrspace(101) null, !invariant.load !2
  store i32 %n, ptr addrspace(1) %p
  br label %done
done:
  ret void
}

!0 = !{!"function_entry_count", i64 1000}
!1 = !{!"branch_weights", i32 1, i32 99}
!2 = !{}
