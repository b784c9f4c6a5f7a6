; Protects both limits: arguments of 64 bytes are read early, the next four bytes where
; they are used; and one thread in eight is enough, one in nine is not.
; RUN: %python %S/../../Inputs/expand.py %s ARGUMENTS=17 > %t.ll
; RUN: %opt-heddle -passes=heddle-early-arguments -S %t.ll | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

declare i1 @condition()

; CHECK-LABEL: define ptx_kernel void @bytes(
; CHECK: entry:
; CHECK-NEXT: %n0 = load
; CHECK: %n15 = load
; CHECK-NEXT: %c = call i1 @condition()
; CHECK: {{^}}way:
; CHECK: %n16 = load i32
define ptx_kernel void @bytes(ptr addrspace(1) %p) "heddle-params"="x:0:128:4:b8[128]" !prof !0 {
entry:
  %c = call i1 @condition()
  br i1 %c, label %way, label %done, !prof !1
way:
;; repeat ARGUMENTS
  %n{n} = load i32, ptr addrspace(101) inttoptr (i32 {n*4} to ptr addrspace(101)), !invariant.load !2
  store i32 %n{n}, ptr addrspace(1) %p
;; end
  br label %done
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @shares(
; CHECK: entry:
; CHECK-NEXT: %eighth = load i32
; CHECK-NEXT: %c = call i1 @condition()
; CHECK: {{^}}ninth:
; CHECK-NEXT: %ninth.n = load i32
define ptx_kernel void @shares(ptr addrspace(1) %p) "heddle-params"="a:0:4:4:u32;b:4:4:4:u32" !prof !0 {
entry:
  %c = call i1 @condition()
  br i1 %c, label %eighth.way, label %join, !prof !3
eighth.way:
  %eighth = load i32, ptr addrspace(101) null, !invariant.load !2
  store i32 %eighth, ptr addrspace(1) %p
  br label %join
join:
  %d = call i1 @condition()
  br i1 %d, label %ninth, label %done, !prof !4
ninth:
  %ninth.n = load i32, ptr addrspace(101) inttoptr (i32 4 to ptr addrspace(101)), !invariant.load !2
  store i32 %ninth.n, ptr addrspace(1) %p
  br label %done
done:
  ret void
}

; A thread that executes more than 1,000 instructions does not notice the wait.
; CHECK-LABEL: define ptx_kernel void @few(
; CHECK-NEXT: entry:
; CHECK-NEXT: load i32
define ptx_kernel void @few(ptr addrspace(1) %p) "heddle-params"="a:0:4:4:u32" !prof !0 {
entry:
  %c = call i1 @condition()
  br i1 %c, label %way, label %around, !prof !1
way:
  %n = load i32, ptr addrspace(101) null, !invariant.load !2
  store i32 %n, ptr addrspace(1) %p
  br label %around
around:
  store volatile i32 1, ptr addrspace(1) %p
  store volatile i32 2, ptr addrspace(1) %p
  store volatile i32 3, ptr addrspace(1) %p
  %d = call i1 @condition()
  br i1 %d, label %around, label %done, !prof !5
done:
  ret void
}

; CHECK-LABEL: define ptx_kernel void @many(
; CHECK: {{^}}way:
; CHECK-NEXT: load i32
define ptx_kernel void @many(ptr addrspace(1) %p) "heddle-params"="a:0:4:4:u32" !prof !0 {
entry:
  %c = call i1 @condition()
  br i1 %c, label %way, label %around, !prof !1
way:
  %n = load i32, ptr addrspace(101) null, !invariant.load !2
  store i32 %n, ptr addrspace(1) %p
  br label %around
around:
  store volatile i32 1, ptr addrspace(1) %p
  store volatile i32 2, ptr addrspace(1) %p
  store volatile i32 3, ptr addrspace(1) %p
  %d = call i1 @condition()
  br i1 %d, label %around, label %done, !prof !6
done:
  ret void
}

!0 = !{!"function_entry_count", i64 1000}
!1 = !{!"branch_weights", i32 500, i32 500}
!2 = !{}
!3 = !{!"branch_weights", i32 1000, i32 7000}
!4 = !{!"branch_weights", i32 1000, i32 8000}
!5 = !{!"branch_weights", i32 190000, i32 1000}
!6 = !{!"branch_weights", i32 210000, i32 1000}
