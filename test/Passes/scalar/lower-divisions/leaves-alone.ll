; Protects what the instruction selector makes better code of than a call is,
; and what the library has no function for.
; RUN: %opt-heddle -passes=heddle-lower-divisions -S %s | FileCheck %s --implicit-check-not=__heddle_

; CHECK-LABEL: define i32 @by_constants(
; CHECK-NEXT: udiv i32 %a, 10
; CHECK-NEXT: sdiv i32 %u, -7
; CHECK-NEXT: urem i32 %s, 12
define i32 @by_constants(i32 %a) {
  %u = udiv i32 %a, 10
  %s = sdiv i32 %u, -7
  %r = urem i32 %s, 12
  ret i32 %r
}

; CHECK-LABEL: define i64 @by_powers(
; CHECK-NEXT: sdiv i64 %a, 4096
; CHECK-NEXT: urem i64 %s, 8
define i64 @by_powers(i64 %a) {
  %s = sdiv i64 %a, 4096
  %r = urem i64 %s, 8
  ret i64 %r
}

; CHECK-LABEL: define float @no_division(
; CHECK-NEXT: fmul float %a, %b
; CHECK-NEXT: call float @llvm.fma.f32(
; CHECK-NEXT: frem float
define float @no_division(float %a, float %b) {
  %m = fmul float %a, %b
  %f = call float @llvm.fma.f32(float %m, float %a, float %b)
  %r = frem float %f, %b
  ret float %r
}
