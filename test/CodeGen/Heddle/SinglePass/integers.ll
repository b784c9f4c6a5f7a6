; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -O0 -mattr=+single-pass < %s | FileCheck %s

; Integers of 128 bits, carries, divisions by constants, elements.

declare {i32, i1} @llvm.uadd.with.overflow.i32(i32, i32)
declare <2 x i16> @llvm.smax.v2i16(<2 x i16>, <2 x i16>)

; The carry of the low halves is whether the sum is less than a summand.
; CHECK-LABEL: wide_sum:
; CHECK: IADD64 [[D:R[0-9]+]], [[A:R[0-9]+]], {{R[0-9]+}}
; CHECK: ISETP64.LT.U64.AND P6, [[D]], [[A]]
; CHECK: SEL64 [[C:R[0-9]+]], RZ, 1, !P6
; CHECK: IADD64 [[H:R[0-9]+]], {{R[0-9]+}}, {{R[0-9]+}}
; CHECK: IADD64 [[H]], [[H]], [[C]]
; CHECK: RET R2
define i128 @wide_sum(i128 %a, i128 %b) noinline {
  %r = add i128 %a, %b
  ret i128 %r
}

; CHECK-LABEL: carry:
; CHECK: IADD3 [[S:R[0-9]+]], R4, R5
; CHECK: ISETP.LT.U32.AND P0, [[S]], R4
; CHECK: RET R2
define i32 @carry(i32 %a, i32 %b) noinline {
  %s = call {i32, i1} @llvm.uadd.with.overflow.i32(i32 %a, i32 %b)
  %v = extractvalue {i32, i1} %s, 0
  %c = extractvalue {i32, i1} %s, 1
  %r = select i1 %c, i32 7, i32 %v
  ret i32 %r
}

; CHECK-LABEL: tenth:
; CHECK: IMADHI.U32 {{R[0-9]+}}, R4, -0x33333333, RZ
; CHECK: SHR.U32 {{R[0-9]+}}, {{R[0-9]+}}, 3
; CHECK: RET R2
define i32 @tenth(i32 %a) noinline {
  %r = udiv i32 %a, 10
  ret i32 %r
}

; CHECK-LABEL: shorts:
; CHECK: VALU.MAX.S16X2
; CHECK: RET R2
define <2 x i16> @shorts(<2 x i16> %a, <2 x i16> %b) noinline {
  %r = call <2 x i16> @llvm.smax.v2i16(<2 x i16> %a, <2 x i16> %b)
  ret <2 x i16> %r
}

; Many cases are halved.
; CHECK-LABEL: cases:
; CHECK: ISETP.GE.S32.AND P6, R4, 8
; CHECK: BRA
; CHECK: ISETP.EQ
define i32 @cases(i32 %a) noinline {
  switch i32 %a, label %other [
    i32 1, label %one
    i32 2, label %two
    i32 3, label %one
    i32 4, label %two
    i32 8, label %one
    i32 9, label %two
    i32 10, label %one
    i32 11, label %two
  ]
one:
  ret i32 1
two:
  ret i32 2
other:
  ret i32 3
}
