; Protects what SimplifyCFG does: a branch over nothing goes, and where all
; threads of a warp test one value twice each way has a copy of what is between
; the branches, without the second one.
; RUN: ptx-opt --passes=heddle-simplify-control-flow %s | FileCheck %s

; CHECK-LABEL: define i32 @empty(
; CHECK-NOT: br
; CHECK: select i1
define i32 @empty(i1 %c) {
  br i1 %c, label %a, label %b

a:
  br label %b

b:
  %v = phi i32 [ 1, %a ], [ 2, %0 ]
  ret i32 %v
}

; CHECK-LABEL: define ptx_kernel void @uniform(
; CHECK-COUNT-2: atomicrmw fadd ptr addrspace(3) %sum
define ptx_kernel void @uniform(ptr addrspace(3) %sum, ptr addrspace(1) %out, float %x, i32 %n) {
  %leads = icmp eq i32 %n, 3
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
