; Protects threads of a warp that access memory together between two branches
; that test what differs among them: whoever leads a group reads what all of it
; added, behind the addition that all make at once. The value may be tested by
; both branches, or come from the sides of the first one as a constant.
; RUN: ptx-opt --passes=heddle-simplify-control-flow %s | FileCheck %s

; CHECK-LABEL: define void @tested_twice(
; CHECK-COUNT-1: atomicrmw fadd ptr addrspace(3) %sum
; CHECK-NOT: ptr addrspace(3) %sum
; CHECK: br i1 %leads, label %read, label %done
; CHECK-NOT: atomicrmw fadd ptr addrspace(3) %sum
; CHECK-LABEL: define void @chosen(
; CHECK-COUNT-1: load i32, ptr addrspace(3) %near
; CHECK-NOT: ptr addrspace(3) %near
; CHECK-LABEL: declare
; CHECK-NOT: heddle.whole
define void @tested_twice(ptr addrspace(3) %sum, ptr addrspace(1) %out, float %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %leads = icmp eq i32 %t, 3
  br i1 %leads, label %clear, label %add

clear:
  store float 0.0, ptr addrspace(3) %sum
  br label %add

add:
  %before = atomicrmw fadd ptr addrspace(3) %sum, float %x monotonic
  br i1 %leads, label %read, label %done

read:
  %all = load float, ptr addrspace(3) %sum
  store float %all, ptr addrspace(1) %out
  br label %done

done:
  ret void
}

define void @chosen(ptr addrspace(3) %own, ptr addrspace(3) %near, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %t, 16
  br i1 %low, label %first, label %second

first:
  store i32 %t, ptr addrspace(3) %own
  br label %look

second:
  %old = atomicrmw add ptr addrspace(1) %out, i32 1 monotonic
  br label %look

look:
  %is_first = phi i1 [ true, %first ], [ false, %second ]
  %v = load i32, ptr addrspace(3) %near
  br i1 %is_first, label %write, label %done

write:
  store i32 %v, ptr addrspace(1) %out
  br label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
