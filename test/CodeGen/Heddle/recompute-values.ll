; A function that has spilled computes values again where what they are computed
; from is live anyway: ten values and nine sums of neighbours in 15 registers.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -heddle-register-pressure-level=1 -verify-machineinstrs %s -o - \
; RUN:   | FileCheck %s

; One that has not spilled yet does not.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown %s -o - \
; RUN:   | FileCheck --check-prefix=ONCE %s

; CHECK-LABEL: neighbours:
; CHECK-NOT: {{STL|LDL}}
; CHECK: EXIT
; ONCE-LABEL: neighbours:
; ONCE: STL
define ptx_kernel void @neighbours() "heddle-maxnreg"="16" {
  %v0 = load volatile i32, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  %v1 = load volatile i32, ptr addrspace(1) inttoptr (i64 4100 to ptr addrspace(1))
  %v2 = load volatile i32, ptr addrspace(1) inttoptr (i64 4104 to ptr addrspace(1))
  %v3 = load volatile i32, ptr addrspace(1) inttoptr (i64 4108 to ptr addrspace(1))
  %v4 = load volatile i32, ptr addrspace(1) inttoptr (i64 4112 to ptr addrspace(1))
  %v5 = load volatile i32, ptr addrspace(1) inttoptr (i64 4116 to ptr addrspace(1))
  %v6 = load volatile i32, ptr addrspace(1) inttoptr (i64 4120 to ptr addrspace(1))
  %v7 = load volatile i32, ptr addrspace(1) inttoptr (i64 4124 to ptr addrspace(1))
  %v8 = load volatile i32, ptr addrspace(1) inttoptr (i64 4128 to ptr addrspace(1))
  %v9 = load volatile i32, ptr addrspace(1) inttoptr (i64 4132 to ptr addrspace(1))
  %s0 = add i32 %v0, %v1
  store volatile i32 %s0, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  %s1 = add i32 %v1, %v2
  store volatile i32 %s1, ptr addrspace(1) inttoptr (i64 8196 to ptr addrspace(1))
  %s2 = add i32 %v2, %v3
  store volatile i32 %s2, ptr addrspace(1) inttoptr (i64 8200 to ptr addrspace(1))
  %s3 = add i32 %v3, %v4
  store volatile i32 %s3, ptr addrspace(1) inttoptr (i64 8204 to ptr addrspace(1))
  %s4 = add i32 %v4, %v5
  store volatile i32 %s4, ptr addrspace(1) inttoptr (i64 8208 to ptr addrspace(1))
  %s5 = add i32 %v5, %v6
  store volatile i32 %s5, ptr addrspace(1) inttoptr (i64 8212 to ptr addrspace(1))
  %s6 = add i32 %v6, %v7
  store volatile i32 %s6, ptr addrspace(1) inttoptr (i64 8216 to ptr addrspace(1))
  %s7 = add i32 %v7, %v8
  store volatile i32 %s7, ptr addrspace(1) inttoptr (i64 8220 to ptr addrspace(1))
  %s8 = add i32 %v8, %v9
  store volatile i32 %s8, ptr addrspace(1) inttoptr (i64 8224 to ptr addrspace(1))
  %b = load volatile i32, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  store volatile i32 %b, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %s0, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %s1, ptr addrspace(1) inttoptr (i64 8196 to ptr addrspace(1))
  store volatile i32 %s2, ptr addrspace(1) inttoptr (i64 8200 to ptr addrspace(1))
  store volatile i32 %s3, ptr addrspace(1) inttoptr (i64 8204 to ptr addrspace(1))
  store volatile i32 %s4, ptr addrspace(1) inttoptr (i64 8208 to ptr addrspace(1))
  store volatile i32 %s5, ptr addrspace(1) inttoptr (i64 8212 to ptr addrspace(1))
  store volatile i32 %s6, ptr addrspace(1) inttoptr (i64 8216 to ptr addrspace(1))
  store volatile i32 %s7, ptr addrspace(1) inttoptr (i64 8220 to ptr addrspace(1))
  store volatile i32 %s8, ptr addrspace(1) inttoptr (i64 8224 to ptr addrspace(1))
  store volatile i32 %v0, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %v1, ptr addrspace(1) inttoptr (i64 8196 to ptr addrspace(1))
  store volatile i32 %v2, ptr addrspace(1) inttoptr (i64 8200 to ptr addrspace(1))
  store volatile i32 %v3, ptr addrspace(1) inttoptr (i64 8204 to ptr addrspace(1))
  store volatile i32 %v4, ptr addrspace(1) inttoptr (i64 8208 to ptr addrspace(1))
  store volatile i32 %v5, ptr addrspace(1) inttoptr (i64 8212 to ptr addrspace(1))
  store volatile i32 %v6, ptr addrspace(1) inttoptr (i64 8216 to ptr addrspace(1))
  store volatile i32 %v7, ptr addrspace(1) inttoptr (i64 8220 to ptr addrspace(1))
  store volatile i32 %v8, ptr addrspace(1) inttoptr (i64 8224 to ptr addrspace(1))
  store volatile i32 %v9, ptr addrspace(1) inttoptr (i64 8228 to ptr addrspace(1))
  ret void
}
