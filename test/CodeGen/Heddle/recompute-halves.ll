; The half of a register of 64 bits is enough to compute values again from: 14 of
; them, over a barrier, in 15 registers.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -heddle-register-pressure-level=1 -verify-machineinstrs %s -o - \
; RUN:   | FileCheck %s

; CHECK-LABEL: halves:
; CHECK-NOT: {{STL|LDL}}
; CHECK: BAR
; CHECK-NOT: {{STL|LDL}}
; CHECK: EXIT
define ptx_kernel void @halves() "heddle-maxnreg"="16" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  store volatile i64 %w, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  %p0 = mul i32 %t, 1000003
  %v0 = lshr i32 %p0, 7
  store volatile i32 %v0, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  %p1 = mul i32 %t, 2000006
  %v1 = lshr i32 %p1, 7
  store volatile i32 %v1, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  %p2 = mul i32 %t, 3000009
  %v2 = lshr i32 %p2, 7
  store volatile i32 %v2, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  %p3 = mul i32 %t, 4000012
  %v3 = lshr i32 %p3, 7
  store volatile i32 %v3, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  %p4 = mul i32 %t, 5000015
  %v4 = lshr i32 %p4, 7
  store volatile i32 %v4, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  %p5 = mul i32 %t, 6000018
  %v5 = lshr i32 %p5, 7
  store volatile i32 %v5, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  %p6 = mul i32 %t, 7000021
  %v6 = lshr i32 %p6, 7
  store volatile i32 %v6, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  %p7 = mul i32 %t, 8000024
  %v7 = lshr i32 %p7, 7
  store volatile i32 %v7, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  %p8 = mul i32 %t, 9000027
  %v8 = lshr i32 %p8, 7
  store volatile i32 %v8, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  %p9 = mul i32 %t, 10000030
  %v9 = lshr i32 %p9, 7
  store volatile i32 %v9, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  %p10 = mul i32 %t, 11000033
  %v10 = lshr i32 %p10, 7
  store volatile i32 %v10, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  %p11 = mul i32 %t, 12000036
  %v11 = lshr i32 %p11, 7
  store volatile i32 %v11, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  %p12 = mul i32 %t, 13000039
  %v12 = lshr i32 %p12, 7
  store volatile i32 %v12, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  %p13 = mul i32 %t, 14000042
  %v13 = lshr i32 %p13, 7
  store volatile i32 %v13, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store volatile i32 %v0, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %v1, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %v2, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %v3, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %v4, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %v5, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %v6, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %v7, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %v8, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %v9, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %v10, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %v11, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %v12, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %v13, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i64 %w, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
