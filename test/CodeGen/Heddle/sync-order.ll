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

; A barrier of the warp stays where its lanes are together anyway: one lane reads
; what another has written in front of it. What follows is a convergence barrier
; or a barrier of the CTA, neither of which exchanges data for it.
; CHECK-LABEL: between_lanes:
; CHECK: STS
; CHECK: WARPSYNC.ANY
; CHECK: LDS
; CHECK: WARPSYNC.ANY
; CHECK: EXIT
define ptx_kernel void @between_lanes(ptr addrspace(3) %slots, ptr addrspace(1) %out, i32 %value) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %slot = getelementptr i32, ptr addrspace(3) %slots, i32 %lane
  store i32 %value, ptr addrspace(3) %slot
  call void @llvm.nvvm.bar.warp.sync(i32 511)
  %has.next = icmp ult i32 %lane, 8
  br i1 %has.next, label %add, label %end
add:
  %next.slot = getelementptr i32, ptr addrspace(3) %slot, i32 1
  %next = load i32, ptr addrspace(3) %next.slot
  %both = add i32 %next, %value
  br label %end
end:
  %sum = phi i32 [ %both, %add ], [ %value, %0 ]
  call void @llvm.nvvm.bar.warp.sync(i32 511)
  store i32 %sum, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: before_cta_barrier:
; CHECK: STS
; CHECK: WARPSYNC.ANY
; CHECK: LDS
; CHECK: BAR
define ptx_kernel void @before_cta_barrier(ptr addrspace(3) %slot, ptr addrspace(1) %out, i32 %value) {
  store i32 %value, ptr addrspace(3) %slot
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %next.slot = getelementptr i32, ptr addrspace(3) %slot, i32 1
  %next = load i32, ptr addrspace(3) %next.slot
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %next, ptr addrspace(1) %out
  ret void
}

declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
