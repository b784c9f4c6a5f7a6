; Sequences that one instruction does.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O2 %s -o - | FileCheck %s

declare double @llvm.copysign.f64(double, double)
declare float @llvm.copysign.f32(float, float)

; CHECK-LABEL: field:
; CHECK: BFE.U32 {{R[0-9]+}}, {{R[0-9]+}}, 1283
; CHECK: BFE.S32 {{R[0-9]+}}, {{R[0-9]+}}, 5128
; CHECK: RET
define i32 @field(i32 %a) {
  %shifted = lshr i32 %a, 3
  %unsigned = and i32 %shifted, 31
  %up = shl i32 %a, 4
  %signed = ashr i32 %up, 12
  %sum = mul i32 %unsigned, %signed
  ret i32 %sum
}

; CHECK-LABEL: pack:
; CHECK: PRMT {{R[0-9]+}}, [[A:R[0-9]+]], 21520, {{R[0-9]+}}
; CHECK-NEXT: RET
define i32 @pack(i32 %a, i32 %b) {
  %low = and i32 %a, 65535
  %up = shl i32 %b, 16
  %r = or i32 %up, %low
  ret i32 %r
}

; Both halves of one product.
; CHECK-LABEL: product:
; CHECK: IMADW.U32
; CHECK-NOT: IMAD
; CHECK: RET
define i32 @product(i32 %a, i32 %b) {
  %x = zext i32 %a to i64
  %y = zext i32 %b to i64
  %wide = mul i64 %x, %y
  %shifted = lshr i64 %wide, 32
  %high = trunc i64 %shifted to i32
  %low = mul i32 %a, %b
  %r = xor i32 %low, %high
  ret i32 %r
}

; CHECK-LABEL: sign64:
; CHECK: LOP3 {{R[0-9]+}}, {{R[0-9]+}}, -0x80000000, {{R[0-9]+}}, 0xb8
; CHECK: RET
define double @sign64(double %a, double %b) {
  %r = call double @llvm.copysign.f64(double %a, double %b)
  ret double %r
}

; The sign of a float is where that of a double's high word is.
; CHECK-LABEL: sign_mixed:
; CHECK: LOP3 {{R[0-9]+}}, {{R[0-9]+}}, -0x80000000, {{R[0-9]+}}, 0xb8
; CHECK-NOT: F2F
; CHECK: RET
define double @sign_mixed(double %a, float %b) {
  %wide = fpext float %b to double
  %r = call double @llvm.copysign.f64(double %a, double %wide)
  ret double %r
}

; CHECK-LABEL: sign_half:
; CHECK: SHL [[S:R[0-9]+]], {{R[0-9]+}}, 16
; CHECK: LOP3 {{R[0-9]+}}, {{R[0-9]+}}, -0x80000000, [[S]], 0xb8
; CHECK: RET
define float @sign_half(float %a, half %b) {
  %wide = fpext half %b to float
  %r = call float @llvm.copysign.f32(float %a, float %wide)
  ret float %r
}

; High words that are zero are not compared.
; CHECK-LABEL: narrow_compare:
; CHECK: VALU.EQ.U32.ACC
; CHECK-NOT: ISETP64
; CHECK: RET
define i1 @narrow_compare(i64 %a) {
  %low = and i64 %a, 4294967280
  %r = icmp eq i64 %low, 1024
  ret i1 %r
}

; One selection, whose condition the second comparison finishes.
; CHECK-LABEL: conditions:
; CHECK: ISETP.GT.S32.AND [[P:P[0-9]]], {{R[0-9]+}}, 7, PT
; CHECK: ISETP.LT.S32.AND {{P[0-9]}}, {{R[0-9]+}}, 5, [[P]]
; CHECK: SEL64
; CHECK-NOT: SEL64
; CHECK: RET
define i64 @conditions(i32 %a, i32 %b, i64 %x, i64 %y) {
  %p = icmp slt i32 %a, 5
  %q = icmp sgt i32 %b, 7
  %both = and i1 %p, %q
  %r = select i1 %both, i64 %x, i64 %y
  ret i64 %r
}
