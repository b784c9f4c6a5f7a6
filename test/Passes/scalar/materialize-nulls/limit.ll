; Protects functions with several such constants: one instruction stands for all
; uses of a constant, also in a loop's PHI, and each other constant address has an
; instruction of its own.
; RUN: %opt-heddle -passes=heddle-materialize-nulls -S %s | FileCheck %s

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

; CHECK-LABEL: define ptr @several(
; CHECK-NEXT: entry:
; CHECK-DAG: [[NULL:%.*]] = inttoptr i64 0 to ptr
; CHECK-DAG: [[FIVE:%.*]] = inttoptr i64 5 to ptr
; CHECK-NOT: inttoptr
; CHECK: %g = addrspacecast
; CHECK: phi ptr [ [[NULL]], %entry ], [ %next, %loop ]
; CHECK: select i1 %c, ptr %g, ptr [[NULL]]
; CHECK: select i1 %c, ptr %s, ptr [[FIVE]]
; CHECK: icmp eq ptr %next, [[NULL]]
; CHECK-NOT: inttoptr
define ptr @several(ptr addrspace(3) %p, i1 %c) {
entry:
  %g = addrspacecast ptr addrspace(3) %p to ptr
  br label %loop
loop:
  %at = phi ptr [ null, %entry ], [ %next, %loop ]
  %s = select i1 %c, ptr %g, ptr null
  %next = select i1 %c, ptr %s, ptr inttoptr (i64 5 to ptr)
  %end = icmp eq ptr %next, null
  br i1 %end, label %done, label %loop
done:
  ret ptr %at
}
