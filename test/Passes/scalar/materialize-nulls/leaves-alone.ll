; Protects nulls that the inference of address spaces does not mistake: in
; functions of generic and global addresses alone, of other spaces, and where they
; are stored or passed on.
; RUN: %opt-heddle -passes=heddle-materialize-nulls -S %s | FileCheck %s --implicit-check-not=inttoptr

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

declare void @take(ptr)

; CHECK-LABEL: define ptr @generic(
; CHECK: select i1 %c, ptr %p, ptr null
define ptr @generic(ptr %p, i1 %c) {
  %s = select i1 %c, ptr %p, ptr null
  ret ptr %s
}

; Global addresses are the generic ones.
; CHECK-LABEL: define ptr @global(
; CHECK: select i1 %c, ptr %g, ptr null
define ptr @global(ptr addrspace(1) %p, i1 %c) {
  %g = addrspacecast ptr addrspace(1) %p to ptr
  %s = select i1 %c, ptr %g, ptr null
  ret ptr %s
}

; CHECK-LABEL: define i1 @of_the_space(
; CHECK: icmp eq ptr addrspace(3) %p, null
define i1 @of_the_space(ptr addrspace(3) %p, ptr %q) {
  %g = addrspacecast ptr addrspace(3) %p to ptr
  store ptr %g, ptr %q
  %c = icmp eq ptr addrspace(3) %p, null
  ret i1 %c
}

; CHECK-LABEL: define ptr @passed_on(
; CHECK: store ptr null, ptr %g
; CHECK: call void @take(ptr null)
; CHECK: ret ptr null
define ptr @passed_on(ptr addrspace(3) %p) {
  %g = addrspacecast ptr addrspace(3) %p to ptr
  store ptr null, ptr %g
  call void @take(ptr null)
  ret ptr null
}
