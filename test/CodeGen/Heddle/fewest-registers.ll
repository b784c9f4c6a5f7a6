; The last order that is tried for a function that spills is the one that needs
; the fewest registers, whatever the order of the source: twenty loads that come
; before the sum of all, in 15 registers.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -heddle-register-pressure-level=4 -verify-machineinstrs %s -o - \
; RUN:   | FileCheck %s

; CHECK-LABEL: sum:
; CHECK-NOT: {{STL|LDL}}
; CHECK: EXIT
define ptx_kernel void @sum() "heddle-maxnreg"="16" {
  %v0 = load i32, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  %v1 = load i32, ptr addrspace(1) inttoptr (i64 4160 to ptr addrspace(1))
  %v2 = load i32, ptr addrspace(1) inttoptr (i64 4224 to ptr addrspace(1))
  %v3 = load i32, ptr addrspace(1) inttoptr (i64 4288 to ptr addrspace(1))
  %v4 = load i32, ptr addrspace(1) inttoptr (i64 4352 to ptr addrspace(1))
  %v5 = load i32, ptr addrspace(1) inttoptr (i64 4416 to ptr addrspace(1))
  %v6 = load i32, ptr addrspace(1) inttoptr (i64 4480 to ptr addrspace(1))
  %v7 = load i32, ptr addrspace(1) inttoptr (i64 4544 to ptr addrspace(1))
  %v8 = load i32, ptr addrspace(1) inttoptr (i64 4608 to ptr addrspace(1))
  %v9 = load i32, ptr addrspace(1) inttoptr (i64 4672 to ptr addrspace(1))
  %v10 = load i32, ptr addrspace(1) inttoptr (i64 4736 to ptr addrspace(1))
  %v11 = load i32, ptr addrspace(1) inttoptr (i64 4800 to ptr addrspace(1))
  %v12 = load i32, ptr addrspace(1) inttoptr (i64 4864 to ptr addrspace(1))
  %v13 = load i32, ptr addrspace(1) inttoptr (i64 4928 to ptr addrspace(1))
  %v14 = load i32, ptr addrspace(1) inttoptr (i64 4992 to ptr addrspace(1))
  %v15 = load i32, ptr addrspace(1) inttoptr (i64 5056 to ptr addrspace(1))
  %v16 = load i32, ptr addrspace(1) inttoptr (i64 5120 to ptr addrspace(1))
  %v17 = load i32, ptr addrspace(1) inttoptr (i64 5184 to ptr addrspace(1))
  %v18 = load i32, ptr addrspace(1) inttoptr (i64 5248 to ptr addrspace(1))
  %v19 = load i32, ptr addrspace(1) inttoptr (i64 5312 to ptr addrspace(1))
  %s0 = mul i32 %v0, %v19
  %s1 = xor i32 %s0, %v1
  %s2 = xor i32 %s1, %v2
  %s3 = xor i32 %s2, %v3
  %s4 = xor i32 %s3, %v4
  %s5 = xor i32 %s4, %v5
  %s6 = xor i32 %s5, %v6
  %s7 = xor i32 %s6, %v7
  %s8 = xor i32 %s7, %v8
  %s9 = xor i32 %s8, %v9
  %s10 = xor i32 %s9, %v10
  %s11 = xor i32 %s10, %v11
  %s12 = xor i32 %s11, %v12
  %s13 = xor i32 %s12, %v13
  %s14 = xor i32 %s13, %v14
  %s15 = xor i32 %s14, %v15
  %s16 = xor i32 %s15, %v16
  %s17 = xor i32 %s16, %v17
  %s18 = xor i32 %s17, %v18
  %s19 = xor i32 %s18, %v19
  store i32 %s19, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  ret void
}
