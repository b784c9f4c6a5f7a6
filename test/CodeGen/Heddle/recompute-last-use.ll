; A function that has spilled counts who computes from a value where it is needed
; last, in another block here: each product is stored at once as well, where what
; it is computed from is live.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -heddle-register-pressure-level=4 -verify-machineinstrs %s -o - \
; RUN:   | FileCheck %s

; CHECK-LABEL: rows:
; CHECK-NOT: {{STL|LDL}}
; CHECK: BAR
; CHECK-COUNT-8: IMAD
; CHECK-NOT: {{STL|LDL}}
; CHECK: EXIT
define ptx_kernel void @rows() "heddle-maxnreg"="16" {
  %row = load volatile i32, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))
  %pitch = load volatile i32, ptr addrspace(1) inttoptr (i64 4100 to ptr addrspace(1))
  %r0 = xor i32 %row, 1
  %a0 = mul i32 %r0, %pitch
  store volatile i32 %a0, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  %r1 = xor i32 %row, 8
  %a1 = mul i32 %r1, %pitch
  store volatile i32 %a1, ptr addrspace(1) inttoptr (i64 8196 to ptr addrspace(1))
  %r2 = xor i32 %row, 15
  %a2 = mul i32 %r2, %pitch
  store volatile i32 %a2, ptr addrspace(1) inttoptr (i64 8200 to ptr addrspace(1))
  %r3 = xor i32 %row, 22
  %a3 = mul i32 %r3, %pitch
  store volatile i32 %a3, ptr addrspace(1) inttoptr (i64 8204 to ptr addrspace(1))
  %r4 = xor i32 %row, 29
  %a4 = mul i32 %r4, %pitch
  store volatile i32 %a4, ptr addrspace(1) inttoptr (i64 8208 to ptr addrspace(1))
  %r5 = xor i32 %row, 36
  %a5 = mul i32 %r5, %pitch
  store volatile i32 %a5, ptr addrspace(1) inttoptr (i64 8212 to ptr addrspace(1))
  %r6 = xor i32 %row, 43
  %a6 = mul i32 %r6, %pitch
  store volatile i32 %a6, ptr addrspace(1) inttoptr (i64 8216 to ptr addrspace(1))
  %r7 = xor i32 %row, 50
  %a7 = mul i32 %r7, %pitch
  store volatile i32 %a7, ptr addrspace(1) inttoptr (i64 8220 to ptr addrspace(1))
  %r8 = xor i32 %row, 57
  %a8 = mul i32 %r8, %pitch
  store volatile i32 %a8, ptr addrspace(1) inttoptr (i64 8224 to ptr addrspace(1))
  %r9 = xor i32 %row, 64
  %a9 = mul i32 %r9, %pitch
  store volatile i32 %a9, ptr addrspace(1) inttoptr (i64 8228 to ptr addrspace(1))
  %r10 = xor i32 %row, 71
  %a10 = mul i32 %r10, %pitch
  store volatile i32 %a10, ptr addrspace(1) inttoptr (i64 8232 to ptr addrspace(1))
  %r11 = xor i32 %row, 78
  %a11 = mul i32 %r11, %pitch
  store volatile i32 %a11, ptr addrspace(1) inttoptr (i64 8236 to ptr addrspace(1))
  %r12 = xor i32 %row, 85
  %a12 = mul i32 %r12, %pitch
  store volatile i32 %a12, ptr addrspace(1) inttoptr (i64 8240 to ptr addrspace(1))
  %r13 = xor i32 %row, 92
  %a13 = mul i32 %r13, %pitch
  store volatile i32 %a13, ptr addrspace(1) inttoptr (i64 8244 to ptr addrspace(1))
  %r14 = xor i32 %row, 99
  %a14 = mul i32 %r14, %pitch
  store volatile i32 %a14, ptr addrspace(1) inttoptr (i64 8248 to ptr addrspace(1))
  %r15 = xor i32 %row, 106
  %a15 = mul i32 %r15, %pitch
  store volatile i32 %a15, ptr addrspace(1) inttoptr (i64 8252 to ptr addrspace(1))
  %r16 = xor i32 %row, 113
  %a16 = mul i32 %r16, %pitch
  store volatile i32 %a16, ptr addrspace(1) inttoptr (i64 8256 to ptr addrspace(1))
  %r17 = xor i32 %row, 120
  %a17 = mul i32 %r17, %pitch
  store volatile i32 %a17, ptr addrspace(1) inttoptr (i64 8260 to ptr addrspace(1))
  %r18 = xor i32 %row, 127
  %a18 = mul i32 %r18, %pitch
  store volatile i32 %a18, ptr addrspace(1) inttoptr (i64 8264 to ptr addrspace(1))
  %r19 = xor i32 %row, 134
  %a19 = mul i32 %r19, %pitch
  store volatile i32 %a19, ptr addrspace(1) inttoptr (i64 8268 to ptr addrspace(1))
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %last = load volatile i32, ptr addrspace(1) inttoptr (i64 4104 to ptr addrspace(1))
  %stop = icmp eq i32 %last, 0
  br i1 %stop, label %end, label %again

again:
  store volatile i32 %a0, ptr addrspace(1) inttoptr (i64 8192 to ptr addrspace(1))
  store volatile i32 %a1, ptr addrspace(1) inttoptr (i64 8196 to ptr addrspace(1))
  store volatile i32 %a2, ptr addrspace(1) inttoptr (i64 8200 to ptr addrspace(1))
  store volatile i32 %a3, ptr addrspace(1) inttoptr (i64 8204 to ptr addrspace(1))
  store volatile i32 %a4, ptr addrspace(1) inttoptr (i64 8208 to ptr addrspace(1))
  store volatile i32 %a5, ptr addrspace(1) inttoptr (i64 8212 to ptr addrspace(1))
  store volatile i32 %a6, ptr addrspace(1) inttoptr (i64 8216 to ptr addrspace(1))
  store volatile i32 %a7, ptr addrspace(1) inttoptr (i64 8220 to ptr addrspace(1))
  store volatile i32 %a8, ptr addrspace(1) inttoptr (i64 8224 to ptr addrspace(1))
  store volatile i32 %a9, ptr addrspace(1) inttoptr (i64 8228 to ptr addrspace(1))
  store volatile i32 %a10, ptr addrspace(1) inttoptr (i64 8232 to ptr addrspace(1))
  store volatile i32 %a11, ptr addrspace(1) inttoptr (i64 8236 to ptr addrspace(1))
  store volatile i32 %a12, ptr addrspace(1) inttoptr (i64 8240 to ptr addrspace(1))
  store volatile i32 %a13, ptr addrspace(1) inttoptr (i64 8244 to ptr addrspace(1))
  store volatile i32 %a14, ptr addrspace(1) inttoptr (i64 8248 to ptr addrspace(1))
  store volatile i32 %a15, ptr addrspace(1) inttoptr (i64 8252 to ptr addrspace(1))
  store volatile i32 %a16, ptr addrspace(1) inttoptr (i64 8256 to ptr addrspace(1))
  store volatile i32 %a17, ptr addrspace(1) inttoptr (i64 8260 to ptr addrspace(1))
  store volatile i32 %a18, ptr addrspace(1) inttoptr (i64 8264 to ptr addrspace(1))
  store volatile i32 %a19, ptr addrspace(1) inttoptr (i64 8268 to ptr addrspace(1))
  br label %end

end:
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
