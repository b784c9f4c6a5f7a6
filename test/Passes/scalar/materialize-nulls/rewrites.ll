; Protects generic nulls beside addresses of shared and local memory: each becomes
; an instruction, which the inference of address spaces does not take for address
; 0 of the other space.
; RUN: %opt-heddle -passes=heddle-materialize-nulls -S %s | FileCheck %s
; With it the null is a generic one to the end; without it a shared one.
; RUN: %opt-heddle -assume-default-is-flat-addrspace -passes='function(heddle-materialize-nulls,infer-address-spaces,instcombine)' -S %s | FileCheck %s --check-prefix=KEPT

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

@shared = internal addrspace(3) global [64 x i8] undef

; CHECK-LABEL: define ptr @chosen(
; CHECK-NEXT: [[NULL:%.*]] = inttoptr i64 0 to ptr
; CHECK-NEXT: %g = addrspacecast ptr addrspace(3) %p to ptr
; CHECK-NEXT: select i1 %c, ptr %g, ptr [[NULL]]
; KEPT-LABEL: define ptr @chosen(
; KEPT: select i1 %c, ptr %{{.*}}, ptr null
define ptr @chosen(ptr addrspace(3) %p, i1 %c) {
  %g = addrspacecast ptr addrspace(3) %p to ptr
  %s = select i1 %c, ptr %g, ptr null
  ret ptr %s
}

; CHECK-LABEL: define i1 @compared(
; CHECK-NEXT: %v = alloca i32, align 4, addrspace(5)
; CHECK-NEXT: [[NULL:%.*]] = inttoptr i64 0 to ptr
; CHECK: icmp eq ptr %g, [[NULL]]
define i1 @compared() {
  %v = alloca i32, addrspace(5)
  %g = addrspacecast ptr addrspace(5) %v to ptr
  %c = icmp eq ptr %g, null
  ret i1 %c
}

; The address may be in a constant expression.
; CHECK-LABEL: define ptr @joined(
; CHECK-NEXT: [[NULL:%.*]] = inttoptr i64 0 to ptr
; CHECK: phi ptr [ addrspacecast (ptr addrspace(3) @shared to ptr), %0 ], [ [[NULL]], %other ]
; KEPT-LABEL: define ptr @joined(
; KEPT: phi ptr [ addrspacecast (ptr addrspace(3) @shared to ptr), %0 ], [ null, %other ]
define ptr @joined(i1 %c) {
  br i1 %c, label %join, label %other
other:
  br label %join
join:
  %p = phi ptr [ addrspacecast (ptr addrspace(3) @shared to ptr), %0 ], [ null, %other ]
  ret ptr %p
}
