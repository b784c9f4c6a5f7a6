; Integer operations and the instructions that they become.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O0 \
; RUN:   -mcpu=hd10 -verify-machineinstrs %s -o /dev/null

; CHECK-LABEL: {{^}}add3:
; CHECK-DAG: IADD3 R4, R4, R5, -R6
define i32 @add3(i32 %a, i32 %b, i32 %c) {
  %x = add i32 %a, %b
  %y = sub i32 %x, %c
  ret i32 %y
}

; CHECK-LABEL: {{^}}mul64:
; CHECK-DAG: IMADW.U32
; CHECK-DAG: IMAD
; CHECK-DAG: IMAD
define i64 @mul64(i64 %a, i64 %b) {
  %x = mul i64 %a, %b
  ret i64 %x
}

; CHECK-LABEL: {{^}}mulwide:
; CHECK-DAG: IMADW.S32 R4, R4, R5, R6
define i64 @mulwide(i32 %a, i32 %b, i64 %c) {
  %x = sext i32 %a to i64
  %y = sext i32 %b to i64
  %z = mul i64 %x, %y
  %w = add i64 %z, %c
  ret i64 %w
}

; CHECK-LABEL: {{^}}mulhi64:
; CHECK-DAG: IMADW.U32
; CHECK-DAG: IMADW.U32
; CHECK-DAG: IMADW.U32
; CHECK-DAG: IMADW.U32
define i64 @mulhi64(i64 %a, i64 %b) {
  %x = zext i64 %a to i128
  %y = zext i64 %b to i128
  %z = mul i128 %x, %y
  %h = lshr i128 %z, 64
  %r = trunc i128 %h to i64
  ret i64 %r
}

; CHECK-LABEL: {{^}}smulhi64:
; CHECK-DAG: IMADW.U32
; CHECK-DAG: IMADW.U32
; CHECK-DAG: IMADW.U32
; CHECK-DAG: IMADW.U32
; CHECK-DAG: SHR64.S64
define i64 @smulhi64(i64 %a, i64 %b) {
  %x = sext i64 %a to i128
  %y = sext i64 %b to i128
  %z = mul i128 %x, %y
  %h = lshr i128 %z, 64
  %r = trunc i128 %h to i64
  ret i64 %r
}

; CHECK-LABEL: {{^}}mulhi:
; CHECK-DAG: IMADHI.U32 R4, R4, R5, RZ
define i32 @mulhi(i32 %a, i32 %b) {
  %x = zext i32 %a to i64
  %y = zext i32 %b to i64
  %z = mul i64 %x, %y
  %h = lshr i64 %z, 32
  %r = trunc i64 %h to i32
  ret i32 %r
}

; CHECK-LABEL: {{^}}shl_clamp:
; CHECK-NOT: ISETP
; CHECK-DAG: SHL R4, R4, R5
define i32 @shl_clamp(i32 %a, i32 %n) {
  %in = icmp ult i32 %n, 32
  %s = shl i32 %a, %n
  %r = select i1 %in, i32 %s, i32 0
  ret i32 %r
}

; CHECK-LABEL: {{^}}lshr64_clamp:
; CHECK-NOT: ISETP
; CHECK-DAG: SHR64.U64 R4, R4, R6
define i64 @lshr64_clamp(i64 %a, i32 %n) {
  %in = icmp ugt i32 %n, 63
  %w = zext i32 %n to i64
  %s = lshr i64 %a, %w
  %r = select i1 %in, i64 0, i64 %s
  ret i64 %r
}

; CHECK-LABEL: {{^}}ashr_clamp:
; CHECK-NOT: IMNMX
; CHECK-DAG: SHR.S32 R4, R4, R5
define i32 @ashr_clamp(i32 %a, i32 %n) {
  %m = call i32 @llvm.umin.i32(i32 %n, i32 31)
  %s = ashr i32 %a, %m
  ret i32 %s
}

; CHECK-LABEL: {{^}}lop3:
; CHECK-DAG: LOP3 R4, R4, R5, R6, 0x6a
define i32 @lop3(i32 %a, i32 %b, i32 %c) {
  %x = and i32 %a, %b
  %y = xor i32 %x, %c
  ret i32 %y
}

; CHECK-LABEL: {{^}}logic64:
; CHECK-DAG: LOP3 R{{[0-9]+}}, R5, R7, R9, 0xd5
define i64 @logic64(i64 %a, i64 %b, i64 %c) {
  %x = and i64 %a, %b
  %n = xor i64 %c, -1
  %y = or i64 %x, %n
  ret i64 %y
}

; CHECK-LABEL: {{^}}add128:
; CHECK-DAG: IADDC R{{[0-9]+}}, P{{[0-9]}}, R4, R8, !PT
; CHECK-DAG: IADDC {{.*}}, R5, R9, P
; CHECK-DAG: IADDC {{.*}}, R6, R10, P
; CHECK-DAG: IADDC {{.*}}, R7, R11, P
define i128 @add128(i128 %a, i128 %b) {
  %r = add i128 %a, %b
  ret i128 %r
}

; CHECK-LABEL: {{^}}sub128:
; CHECK-DAG: IADDC R{{[0-9]+}}, P{{[0-9]}}, R4, -R8, PT
; CHECK-DAG: IADDC {{.*}}, R5, -R9, !P
define i128 @sub128(i128 %a, i128 %b) {
  %r = sub i128 %a, %b
  ret i128 %r
}

; CHECK-LABEL: {{^}}bits64:
; CHECK-DAG: POPC
; CHECK-DAG: FLO.CLZ.U32
; CHECK-DAG: BREV
; CHECK-DAG: PRMT {{.*}}, R{{[0-9]+}}, 291, RZ
define i64 @bits64(i64 %a) {
  %p = call i64 @llvm.ctpop.i64(i64 %a)
  %l = call i64 @llvm.ctlz.i64(i64 %a, i1 false)
  %t = call i64 @llvm.cttz.i64(i64 %a, i1 false)
  %b = call i64 @llvm.bitreverse.i64(i64 %a)
  %s = call i64 @llvm.bswap.i64(i64 %a)
  %1 = add i64 %p, %l
  %2 = add i64 %1, %t
  %3 = add i64 %2, %b
  %4 = add i64 %3, %s
  ret i64 %4
}

; CHECK-LABEL: {{^}}minmax:
; CHECK-DAG: IMNMX3.MIN.S32 [[M:R[0-9]+]], R4, R5, R6
; CHECK-DAG: IMNMX.MAX.U32 R4, [[M]], 7
define i32 @minmax(i32 %a, i32 %b, i32 %c) {
  %x = call i32 @llvm.smin.i32(i32 %a, i32 %b)
  %y = call i32 @llvm.smin.i32(i32 %x, i32 %c)
  %z = call i32 @llvm.umax.i32(i32 %y, i32 7)
  ret i32 %z
}

; CHECK-LABEL: {{^}}small:
; CHECK-DAG: BFE.S32 R{{[0-9]+}}, R4, 2048
; CHECK-DAG: IMADHI.U32 {{.*}}, -0x33333333, RZ
define i32 @small(i8 %a, i16 %b) {
  %x = sext i8 %a to i32
  %y = zext i16 %b to i32
  %z = add i32 %x, %y
  %t = trunc i32 %z to i8
  %d = udiv i32 %z, 10
  %u = sext i8 %t to i32
  %r = add i32 %u, %d
  ret i32 %r
}

; CHECK-LABEL: {{^}}preds:
; CHECK-DAG: ISETP.LT.S32.AND [[A:P[0-9]]], R4, 5, PT
; CHECK-DAG: ISETP64.GT.U64.AND {{P[0-9]}}, R6, {{R[0-9]+}}, [[A]]
; CHECK-DAG: PLOP3 {{.*}}, 0x3c
; CHECK-DAG: SEL R4, RZ, 1, !P
define i1 @preds(i32 %a, i64 %b, i1 %c) {
  %x = icmp slt i32 %a, 5
  %y = icmp ugt i64 %b, 4294967296
  %z = and i1 %x, %y
  %w = xor i1 %z, %c
  %e = icmp eq i1 %w, %x
  %n = xor i1 %e, true
  ret i1 %n
}

; CHECK-LABEL: {{^}}abs64:
; CHECK-DAG: IMNMX64.MAX.S64
define i64 @abs64(i64 %a) {
  %r = call i64 @llvm.abs.i64(i64 %a, i1 false)
  ret i64 %r
}

; CHECK-LABEL: {{^}}rot:
; CHECK-DAG: FSHL.W R{{[0-9]+}}, R5, R6, R4
; CHECK-DAG: FSHR.W
define i32 @rot(i32 %a, i32 %b, i32 %c) {
  %r = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 %c)
  %s = call i32 @llvm.fshr.i32(i32 %r, i32 %r, i32 %c)
  ret i32 %s
}

; CHECK-LABEL: {{^}}rot64:
; CHECK-DAG: SHL64
define i64 @rot64(i64 %a, i64 %b, i64 %c) {
  %r = call i64 @llvm.fshl.i64(i64 %a, i64 %b, i64 %c)
  ret i64 %r
}

; CHECK-LABEL: {{^}}prmt:
; CHECK-DAG: PRMT {{.*}}, R4, 13398, R5
define i32 @prmt(i32 %a, i32 %b) {
  %r = call i32 @llvm.nvvm.prmt(i32 %a, i32 %b, i32 13398)
  %s = call i32 @llvm.bswap.i32(i32 %r)
  ret i32 %s
}

define i64 @sext1(i1 %p, i32 %a) {
  %x = sext i1 %p to i64
  %y = zext i1 %p to i32
  %z = sext i32 %y to i64
  %w = add i64 %x, %z
  ret i64 %w
}
declare i32 @__heddle_bfe_u32(i32, i32, i32)
declare i32 @__heddle_bfi_b32(i32, i32, i32, i32)

; CHECK-LABEL: {{^}}bf:
; CHECK-DAG: BFE.U32 {{.*}}, R4, 2052
; CHECK-DAG: BFI
define i32 @bf(i32 %a, i32 %p, i32 %l) {
  %x = call i32 @__heddle_bfe_u32(i32 %a, i32 4, i32 8)
  %y = call i32 @__heddle_bfi_b32(i32 %x, i32 %a, i32 %p, i32 %l)
  ret i32 %y
}

; A 64-bit value from its low bits: the sign is a field of one bit.
; CHECK-LABEL: {{^}}sextinreg64:
; CHECK-DAG: BFE.S32 R{{[0-9]+}}, R4, 4096
; CHECK-DAG: BFE.S32 R{{[0-9]+}}, R4, 271
; CHECK: RET
define i64 @sextinreg64(i64 %a) {
  %t = trunc i64 %a to i16
  %s = sext i16 %t to i64
  ret i64 %s
}

; The cross product with a high half of zeros is left out, and the sum is taken
; on the way.
; CHECK-LABEL: {{^}}mul_add_narrow:
; CHECK: IMADW.U32 R{{[0-9]+}}, R4, R6, R8
; CHECK-NEXT: IMAD R{{[0-9]+}}, R5, R6, R
; CHECK-NOT: {{IMAD|IADD}}
; CHECK: RET
define i64 @mul_add_narrow(i64 %a, i64 %b, i64 %c) {
  %narrow = and i64 %b, 4294967295
  %p = mul i64 %a, %narrow
  %s = add i64 %p, %c
  ret i64 %s
}

; CHECK-LABEL: {{^}}high_add:
; CHECK: IMADHI.U32 R4, R4, R5, R5
define i32 @high_add(i32 %a, i32 %b) {
  %x = zext i32 %a to i64
  %y = zext i32 %b to i64
  %p = mul i64 %x, %y
  %h = lshr i64 %p, 32
  %t = trunc i64 %h to i32
  %s = add i32 %t, %b
  ret i32 %s
}

; CHECK-LABEL: {{^}}two_indices:
; CHECK: LEA64.UX [[BASE:R[0-9]+]], R7, R4, 2
; CHECK: LEA64.SX R4, R6, [[BASE]], 2
define i64 @two_indices(i64 %base, i32 %a, i32 %b) {
  %x = sext i32 %a to i64
  %y = zext i32 %b to i64
  %i = add i64 %x, %y
  %o = shl i64 %i, 2
  %s = add i64 %o, %base
  ret i64 %s
}

; CHECK-LABEL: {{^}}narrow_shift:
; CHECK: LEA64.UX R4, R6, R4, 3
define i64 @narrow_shift(i64 %base, i32 %a) {
  %o = shl nuw i32 %a, 3
  %x = zext i32 %o to i64
  %s = add i64 %x, %base
  ret i64 %s
}

; Of each half's three inputs one operation.
; CHECK-LABEL: {{^}}halves:
; CHECK-COUNT-2: LOP3 {{.*}}, 0x96
; CHECK-NOT: LOP3
; CHECK: RET
define i64 @halves(i32 %a, i32 %b, i64 %c) {
  %r = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 13)
  %s = call i32 @llvm.fshl.i32(i32 %b, i32 %a, i32 13)
  %rw = zext i32 %r to i64
  %sw = zext i32 %s to i64
  %rh = shl i64 %rw, 32
  %pair = or disjoint i64 %rh, %sw
  %d = lshr i64 %c, 6
  %x = xor i64 %pair, %c
  %y = xor i64 %x, %d
  ret i64 %y
}

; A difference and whether it borrows: a comparison, which needs no registers for
; constants and does not wait for the difference.
; CHECK-LABEL: wrapped:
; CHECK-NOT: IADDC
; CHECK: ISETP.LT.U32
; CHECK-NOT: IADDC
; CHECK: EXIT
define ptx_kernel void @wrapped(ptr addrspace(1) %p, i32 %x, i32 %y) "heddle-params"="p:0:8:8:u64;x:8:4:4:u32;y:12:4:4:u32" {
  %d = sub i32 %x, 9
  %b = icmp ult i32 %x, 9
  %s = select i1 %b, i32 %y, i32 %d
  store i32 %s, ptr addrspace(1) %p
  ret void
}
