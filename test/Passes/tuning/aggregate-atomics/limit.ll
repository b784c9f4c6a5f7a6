; Protects how often the threads that are together are found by rule: in four places, and
; with five nothing is done, unless a tuning document asks. What threads do together
; parts a block into two such places.
; RUN: %python %S/../../Inputs/expand.py %s PLACES=4 > %t.most.ll
; RUN: %opt-heddle -passes=heddle-aggregate-atomics -S %t.most.ll | FileCheck %s --check-prefix=DONE
; RUN: %python %S/../../Inputs/expand.py %s PLACES=5 > %t.over.ll
; RUN: %opt-heddle -passes=heddle-aggregate-atomics -S %t.over.ll | FileCheck %s --check-prefix=OVER --implicit-check-not='call i32 @llvm.nvvm.activemask'
; RUN: sed 's/{ ;/"heddle-tune-aggregate-atomics"="1" { ;/' %t.over.ll > %t.asked.ll
; RUN: %opt-heddle -passes='heddle-aggregate-atomics<by-rule=0>' -S %t.asked.ll | FileCheck %s --check-prefixes=DONE,ASKED

target datalayout = "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-v32:32-n32:64-S64-A5"

declare void @llvm.nvvm.bar.warp.sync(i32)

; DONE-COUNT-4: call i32 @llvm.nvvm.activemask()
; ASKED: call i32 @llvm.nvvm.activemask()
; DONE-NOT: call i32 @llvm.nvvm.activemask()
; OVER-LABEL: define ptx_kernel void @places(
; OVER-NEXT: atomicrmw add
; OVER-NEXT: call void @llvm.nvvm.bar.warp.sync
define ptx_kernel void @places(ptr addrspace(1) %p) { ;
;; repeat PLACES
  %a{n} = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
;; end
  ret void
}
