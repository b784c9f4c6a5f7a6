; Instructions that write over the other value of a selection under a guard.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O1 \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s

declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.bitreverse.i32(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: {{^}}in_place:
; CHECK: ISETP.GT.S32.AND [[P:P[0-9]]], R5, 7, PT
; CHECK: @[[P]] IMAD R4, R4, R6, R5
; CHECK-NEXT: RET
define i32 @in_place(i32 %a, i32 %b, i32 %c) {
  %p = icmp sgt i32 %b, 7
  %m = mul i32 %a, %c
  %s = add i32 %m, %b
  %r = select i1 %p, i32 %s, i32 %a
  ret i32 %r
}

; The guard is the other way round.
; CHECK-LABEL: {{^}}other_way:
; CHECK: ISETP.GT.S32.AND [[P:P[0-9]]], R5, 7, PT
; CHECK: @![[P]] LOP3 R4, R4, 12, RZ, 0x3c
; CHECK-NEXT: RET
define i32 @other_way(i32 %a, i32 %b) {
  %p = icmp sgt i32 %b, 7
  %s = xor i32 %a, 12
  %r = select i1 %p, i32 %a, i32 %s
  ret i32 %r
}

; What is written over need not be a source.
; CHECK-LABEL: {{^}}over_another:
; CHECK: @P{{[0-9]}} IADD3 R4, R5, R6, RZ
; CHECK-NEXT: RET
define i32 @over_another(i32 %a, i32 %b, i32 %c) {
  %p = icmp sgt i32 %b, 7
  %s = add i32 %b, %c
  %r = select i1 %p, i32 %s, i32 %a
  ret i32 %r
}

; CHECK-LABEL: {{^}}long:
; CHECK: @P{{[0-9]}} IADD64 R4, R4, R6
; CHECK-NEXT: RET
define i64 @long(i64 %a, i64 %b) {
  %p = icmp sgt i64 %b, 7
  %s = add i64 %a, %b
  %r = select i1 %p, i64 %s, i64 %a
  ret i64 %r
}

; Either value is needed behind the selection: a copy would take its place.
; CHECK-LABEL: {{^}}both_needed:
; CHECK-NOT: @{{!?}}P
; CHECK: SEL
; CHECK: RET
define i32 @both_needed(i32 %a, i32 %b, i32 %c) {
  %p = icmp sgt i32 %b, 7
  %s = add i32 %a, %c
  %r = select i1 %p, i32 %s, i32 %a
  %x = mul i32 %r, %s
  %y = xor i32 %x, %a
  ret i32 %y
}

; A result of unknown latency does not wait for the predicate.
; CHECK-LABEL: {{^}}late:
; CHECK-NOT: @{{!?}}P
; CHECK: SEL
; CHECK: RET
define i32 @late(i32 %a, i32 %b) {
  %q = icmp sgt i32 %b, 7
  %n = call i32 @llvm.ctpop.i32(i32 %a)
  %r = select i1 %q, i32 %n, i32 %a
  ret i32 %r
}

; Memory is not read under a guard that it had not.
; CHECK-LABEL: {{^}}loaded:
; CHECK: {{^[[:space:]]}}LDG
; CHECK: SEL
; CHECK: RET
define i32 @loaded(i32 %a, i32 %b, ptr addrspace(1) %p) {
  %q = icmp sgt i32 %b, 7
  %v = load i32, ptr addrspace(1) %p
  %s = select i1 %q, i32 %v, i32 %a
  ret i32 %s
}

; The arm of a branch is guarded as a whole.
; CHECK-LABEL: {{^}}arm:
; CHECK-NOT: BRA
; CHECK: @[[Q:!?P[0-9]]] SEL
; CHECK: @[[Q]] STG
define ptx_kernel void @arm(i32 %a, i32 %b, i32 %c, ptr addrspace(1) %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = icmp slt i32 %t, 3
  br i1 %q, label %store, label %end

store:
  %u = mul i32 %t, %t
  %o = icmp sgt i32 %u, 7
  %s = add i32 %u, %t
  %r = select i1 %o, i32 %s, i32 %u
  store i32 %r, ptr addrspace(1) null
  br label %end

end:
  ret void
}

; What is written over would have to be copied to the register that goes around
; the loop, where the old value is still read.
; CHECK-LABEL: {{^}}around:
; CHECK: SEL
; CHECK-NOT: MOV R
; CHECK: RET
define i32 @around(i32 %a, i32 %n) {
entry:
  br label %loop

loop:
  %x = phi i32 [ %a, %entry ], [ %r, %loop ]
  %i = phi i32 [ %n, %entry ], [ %j, %loop ]
  %g = call i32 @llvm.bitreverse.i32(i32 %i)
  %o = icmp sgt i32 %g, 7
  %s = mul i32 %g, %x
  %r = select i1 %o, i32 %s, i32 %g
  %j = lshr i32 %i, 1
  %p = icmp ne i32 %j, 0
  br i1 %p, label %loop, label %end

end:
  ret i32 %r
}
