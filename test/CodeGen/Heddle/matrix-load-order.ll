; Loads of matrices come in any order with each other and with loads of other
; memory, not with what may change shared memory.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -stop-after=finalize-isel %s -o - | FileCheck %s

; CHECK-LABEL: name: matrices
; CHECK: LDSM {{.*}} :: (load unknown-size, align 1, addrspace 3)
; CHECK: LDT {{.*}} :: (load unknown-size, align 1)
define ptx_kernel void @matrices(i32 %a, ptr addrspace(1) %p) convergent {
  %m = call <4 x i32> @__heddle_ldmatrix(i32 %a, i32 0, i32 3, i32 0)
  store volatile <4 x i32> %m, ptr addrspace(1) %p
  %t = call <4 x i32> @__heddle_tensor_load(i32 %a, i32 0, i32 %a, i32 0, i32 0, i32 0)
  store volatile <4 x i32> %t, ptr addrspace(1) %p
  ret void
}

; A barrier stays between them, where other threads may write what is read.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown %s \
; RUN:   -o - | FileCheck --check-prefix=ORDER %s

; ORDER-LABEL: few:
; ORDER: LDSM
; ORDER-NOT: LDSM
; ORDER: BAR
; ORDER: LDSM
; ORDER: EXIT
define ptx_kernel void @few(i32 %a, i32 %b, ptr addrspace(1) %p) convergent {
  %m = call <4 x i32> @__heddle_ldmatrix(i32 %a, i32 0, i32 3, i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %n = call <4 x i32> @__heddle_ldmatrix(i32 %b, i32 0, i32 3, i32 0)
  %s = add <4 x i32> %m, %n
  store <4 x i32> %s, ptr addrspace(1) %p
  ret void
}

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare <4 x i32> @__heddle_ldmatrix(i32, i32, i32, i32) convergent
declare <4 x i32> @__heddle_tensor_load(i32, i32, i32, i32, i32, i32) convergent
