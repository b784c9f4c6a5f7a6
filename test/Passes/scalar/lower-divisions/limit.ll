; Protects the limits of width: 32 bits is the widest division by a constant that
; stays, and 64 bits the widest that becomes a call. Zero is no such constant. A
; vector may have elements of both kinds.
; RUN: %opt-heddle -passes=heddle-lower-divisions -S %s | FileCheck %s

; CHECK-LABEL: define i64 @by_ten(
; CHECK-NEXT: [[N:%.*]] = udiv i32 %a, 10
; CHECK-NEXT: [[W:%.*]] = zext i32 [[N]] to i33
; CHECK-NEXT: [[L:%.*]] = zext i33 [[W]] to i64
; CHECK-NEXT: [[Q:%.*]] = call i64 @__heddle_udiv64(i64 [[L]], i64 10)
; CHECK-NEXT: trunc i64 [[Q]] to i33
; CHECK: call i64 @__heddle_udiv64(i64 {{.*}}, i64 10)
define i64 @by_ten(i32 %a) {
  %n = udiv i32 %a, 10
  %w = zext i32 %n to i33
  %q = udiv i33 %w, 10
  %l = zext i33 %q to i64
  %r = udiv i64 %l, 10
  ret i64 %r
}

; CHECK-LABEL: define i32 @by_zero(
; CHECK-NEXT: call i32 @__heddle_udiv32(i32 %a, i32 0)
define i32 @by_zero(i32 %a) {
  %q = udiv i32 %a, 0
  ret i32 %q
}

; CHECK-LABEL: define i65 @too_wide(
; CHECK-NEXT: udiv i65 %a, %b
define i65 @too_wide(i65 %a, i65 %b) {
  %q = udiv i65 %a, %b
  ret i65 %q
}

; CHECK-LABEL: define <2 x i64> @mixed(
; CHECK: [[A0:%.*]] = extractelement <2 x i64> %a, i64 0
; CHECK: [[Q0:%.*]] = udiv i64 [[A0]], 8
; CHECK: insertelement <2 x i64> poison, i64 [[Q0]], i64 0
; CHECK: [[A1:%.*]] = extractelement <2 x i64> %a, i64 1
; CHECK: [[Q1:%.*]] = call i64 @__heddle_udiv64(i64 [[A1]], i64 10)
; CHECK: insertelement <2 x i64> {{.*}}, i64 [[Q1]], i64 1
define <2 x i64> @mixed(<2 x i64> %a) {
  %q = udiv <2 x i64> %a, <i64 8, i64 10>
  ret <2 x i64> %q
}
