; A bit is compared where it is, without a shift, and a comparison whose opposite
; is there is not made again.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s

declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)

; CHECK-LABEL: {{^}}opposite:
; CHECK-NOT: SHR
; CHECK: ISETP.ANY.U32.AND [[P:P[0-9]]], [[X:R[0-9]+]], 4, PT
; CHECK-NOT: VALU
; CHECK: VOTE.BALLOT R{{[0-9]+}}, PT, [[P]], -1
; CHECK-NOT: ISETP
; CHECK: SEL R{{[0-9]+}}, RZ, -1, [[P]]
; CHECK: EXIT
define ptx_kernel void @opposite(ptr addrspace(1) %out, i32 %x) {
  %id = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = add i32 %id, %x
  %bit = and i32 %v, 4
  %set = icmp ne i32 %bit, 0
  %votes = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %set)
  %clear = icmp eq i32 %bit, 0
  %mask = sext i1 %clear to i32
  %same = xor i32 %votes, %mask
  store i32 %same, ptr addrspace(1) %out
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
