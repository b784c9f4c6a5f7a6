; A load stays above what orders the memory of lanes, also where only one of the
; blocks that follow needs it.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O3 %s -o - | FileCheck %s

; CHECK-LABEL: warp_sync:
; CHECK: LDS
; CHECK: WARPSYNC
; CHECK: BRA
define ptx_kernel void @warp_sync(ptr addrspace(3) %slot, ptr addrspace(1) %out, i32 %mask, i32 %n) {
  %value = load i32, ptr addrspace(3) %slot
  call void @llvm.nvvm.bar.warp.sync(i32 %mask)
  %is.wanted = icmp eq i32 %n, 0
  br i1 %is.wanted, label %wanted, label %other
wanted:
  store i32 %value, ptr addrspace(1) %out
  br label %end
other:
  store volatile i32 1, ptr addrspace(1) %out
  store volatile i32 2, ptr addrspace(1) %out
  store volatile i32 3, ptr addrspace(1) %out
  store volatile i32 4, ptr addrspace(1) %out
  store volatile i32 5, ptr addrspace(1) %out
  store volatile i32 6, ptr addrspace(1) %out
  store volatile i32 7, ptr addrspace(1) %out
  store volatile i32 8, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; CHECK-LABEL: fence:
; CHECK: LDG
; CHECK: MEMBAR
; CHECK: BRA
define ptx_kernel void @fence(ptr addrspace(1) %slot, ptr addrspace(1) %out, i32 %n) {
  %value = load i32, ptr addrspace(1) %slot
  fence seq_cst
  %is.wanted = icmp eq i32 %n, 0
  br i1 %is.wanted, label %wanted, label %other
wanted:
  store i32 %value, ptr addrspace(1) %out
  br label %end
other:
  store volatile i32 1, ptr addrspace(1) %out
  store volatile i32 2, ptr addrspace(1) %out
  store volatile i32 3, ptr addrspace(1) %out
  store volatile i32 4, ptr addrspace(1) %out
  store volatile i32 5, ptr addrspace(1) %out
  store volatile i32 6, ptr addrspace(1) %out
  store volatile i32 7, ptr addrspace(1) %out
  store volatile i32 8, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

declare void @llvm.nvvm.bar.warp.sync(i32)
