; Where the order for the fewest registers spills, values of a block are given
; registers from the block's end on, which makes other copies necessary.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -heddle-register-pressure-level=5 -verify-machineinstrs %s -o - \
; RUN:   | FileCheck %s
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -heddle-register-pressure-level=4 %s -o - | FileCheck --check-prefix=START %s

; CHECK-LABEL: rounds:
; CHECK-NOT: {{STL|LDL}}
; CHECK: EXIT
; START-LABEL: rounds:
; START: STL
define ptx_kernel void @rounds() "heddle-maxnreg"="16" {
  %v0 = load volatile i32, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  %v1 = load volatile i32, ptr addrspace(1) inttoptr (i64 4160 to ptr addrspace(1))
  %v2 = load volatile i32, ptr addrspace(1) inttoptr (i64 4224 to ptr addrspace(1))
  %v3 = load volatile i32, ptr addrspace(1) inttoptr (i64 4288 to ptr addrspace(1))
  %v4 = load volatile i32, ptr addrspace(1) inttoptr (i64 4352 to ptr addrspace(1))
  %v5 = load volatile i32, ptr addrspace(1) inttoptr (i64 4416 to ptr addrspace(1))
  %v6 = load volatile i32, ptr addrspace(1) inttoptr (i64 4480 to ptr addrspace(1))
  %v7 = load volatile i32, ptr addrspace(1) inttoptr (i64 4544 to ptr addrspace(1))
  %v8 = load volatile i32, ptr addrspace(1) inttoptr (i64 4608 to ptr addrspace(1))
  %v9 = load volatile i32, ptr addrspace(1) inttoptr (i64 4672 to ptr addrspace(1))
  %v10 = load volatile i32, ptr addrspace(1) inttoptr (i64 4736 to ptr addrspace(1))
  %v11 = load volatile i32, ptr addrspace(1) inttoptr (i64 4800 to ptr addrspace(1))
  %t0 = and i32 %v6, %v10
  %t1 = and i32 %v7, %v2
  %w1a = insertelement <4 x i32> poison, i32 %v3, i32 0
  %w1b = insertelement <4 x i32> %w1a, i32 %v4, i32 1
  %w1c = insertelement <4 x i32> %w1b, i32 %v5, i32 2
  %w1d = insertelement <4 x i32> %w1c, i32 %v6, i32 3
  store volatile <4 x i32> %w1d, ptr addrspace(1) inttoptr (i64 16400 to ptr addrspace(1))
  %t2 = xor i32 %v5, %v10
  %t3 = xor i32 %v5, %v3
  %w3a = insertelement <4 x i32> poison, i32 %t3, i32 0
  %w3b = insertelement <4 x i32> %w3a, i32 %t1, i32 1
  %w3c = insertelement <4 x i32> %w3b, i32 %v9, i32 2
  %w3d = insertelement <4 x i32> %w3c, i32 %v10, i32 3
  store volatile <4 x i32> %w3d, ptr addrspace(1) inttoptr (i64 16432 to ptr addrspace(1))
  %t4 = and i32 %v2, %t3
  %t5 = and i32 %v3, %v0
  %t6 = add i32 %v3, %t5
  %t7 = mul i32 %v4, %t0
  %t8 = add i32 %v10, %v4
  %w8a = insertelement <4 x i32> poison, i32 %t8, i32 0
  %w8b = insertelement <4 x i32> %w8a, i32 %v5, i32 1
  %w8c = insertelement <4 x i32> %w8b, i32 %v6, i32 2
  %w8d = insertelement <4 x i32> %w8c, i32 %t3, i32 3
  store volatile <4 x i32> %w8d, ptr addrspace(1) inttoptr (i64 16512 to ptr addrspace(1))
  %t9 = xor i32 %v6, %v5
  store volatile i32 %t7, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %t0, ptr addrspace(1) inttoptr (i64 8196 to ptr addrspace(1))
  store volatile i32 %t6, ptr addrspace(1) inttoptr (i64 8200 to ptr addrspace(1))
  store volatile i32 %v3, ptr addrspace(1) inttoptr (i64 8204 to ptr addrspace(1))
  store volatile i32 %t8, ptr addrspace(1) inttoptr (i64 8208 to ptr addrspace(1))
  store volatile i32 %v5, ptr addrspace(1) inttoptr (i64 8212 to ptr addrspace(1))
  store volatile i32 %v6, ptr addrspace(1) inttoptr (i64 8216 to ptr addrspace(1))
  store volatile i32 %t3, ptr addrspace(1) inttoptr (i64 8220 to ptr addrspace(1))
  store volatile i32 %t5, ptr addrspace(1) inttoptr (i64 8224 to ptr addrspace(1))
  store volatile i32 %v9, ptr addrspace(1) inttoptr (i64 8228 to ptr addrspace(1))
  store volatile i32 %t9, ptr addrspace(1) inttoptr (i64 8232 to ptr addrspace(1))
  store volatile i32 %t4, ptr addrspace(1) inttoptr (i64 8236 to ptr addrspace(1))
  ret void
}
