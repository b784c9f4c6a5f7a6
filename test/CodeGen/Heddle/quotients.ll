; Divisions by constants: a sum that saturates where the multiplier has 33 bits,
; and remainders by one multiplication and addition.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s

; CHECK-LABEL: {{^}}quotient:
; CHECK: VALU.ADD.U32.SAT [[N:R[0-9]+]], R4, 1, RZ
; CHECK-NEXT: IMADHI.U32 [[H:R[0-9]+]], [[N]], -0x6db6db6e, RZ
; CHECK-NEXT: SHR.U32 R4, [[H]], 2
; CHECK-NEXT: RET
define i32 @quotient(i32 %a) {
  %q = udiv i32 %a, 7
  ret i32 %q
}

; The number is known to have a successor.
; CHECK-LABEL: {{^}}successor:
; CHECK: LOP3 [[N:R[0-9]+]], R4, 1, RZ, 0xfc
; CHECK-NEXT: IMADHI.U32 {{.*}}, [[N]], -0x6db6db6e, RZ
; CHECK-NEXT: SHR.U32
; CHECK-NEXT: RET
define i32 @successor(i32 %a) {
  %even = and i32 %a, -2
  %q = udiv i32 %even, 7
  ret i32 %q
}

; The multiplier has 32 bits.
; CHECK-LABEL: {{^}}remainder:
; CHECK: IMADHI.U32 [[H:R[0-9]+]], R4, -0x33333333, RZ
; CHECK-NEXT: SHR.U32 [[Q:R[0-9]+]], [[H]], 3
; CHECK-NEXT: IMAD R4, [[Q]], -10, R4
; CHECK-NEXT: RET
define i32 @remainder(i32 %a) {
  %r = urem i32 %a, 10
  ret i32 %r
}

; CHECK-LABEL: {{^}}signed_remainder:
; CHECK: IMAD R4, {{R[0-9]+}}, -7, R4
; CHECK-NEXT: RET
define i32 @signed_remainder(i32 %a) {
  %r = srem i32 %a, 7
  ret i32 %r
}

; The same computation with a multiplier that is none of a division.
; CHECK-LABEL: {{^}}no_quotient:
; CHECK-NOT: SAT
; CHECK: RET
define i32 @no_quotient(i32 %a) {
  %wide = zext i32 %a to i64
  %product = mul i64 %wide, 305419897
  %shifted = lshr i64 %product, 32
  %high = trunc i64 %shifted to i32
  %rest = sub i32 %a, %high
  %half = lshr i32 %rest, 1
  %sum = add i32 %half, %high
  %r = lshr i32 %sum, 2
  ret i32 %r
}
