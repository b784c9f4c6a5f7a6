; VALU: arithmetic on halves side by side, and saturating arithmetic.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O0 \
; RUN:   -mcpu=hd10 -verify-machineinstrs %s -o /dev/null

; CHECK-LABEL: {{^}}halves:
; CHECK: VALU.ADD.S16X2.MAX.RELU R4, R4, R5, R6
define <2 x i16> @halves(<2 x i16> %a, <2 x i16> %b, <2 x i16> %c) {
  %x = add <2 x i16> %a, %b
  %y = call <2 x i16> @llvm.smax.v2i16(<2 x i16> %x, <2 x i16> %c)
  %z = call <2 x i16> @llvm.smax.v2i16(<2 x i16> %y, <2 x i16> zeroinitializer)
  ret <2 x i16> %z
}

; A word with a minimum of another signedness takes two instructions.
; CHECK-LABEL: {{^}}mixed_signs:
; CHECK: VALU.MIN.U16X2 [[R:R[0-9]+]], R4, R5, RZ
; CHECK: VALU.MAX.S16X2 R4, [[R]], R6, RZ
define <2 x i16> @mixed_signs(<2 x i16> %a, <2 x i16> %b, <2 x i16> %c) {
  %x = call <2 x i16> @llvm.umin.v2i16(<2 x i16> %a, <2 x i16> %b)
  %y = call <2 x i16> @llvm.smax.v2i16(<2 x i16> %x, <2 x i16> %c)
  ret <2 x i16> %y
}

; CHECK-LABEL: {{^}}three_halves:
; CHECK: VALU.MIN.U16X2.MIN R4, R4, R5, R6
define <2 x i16> @three_halves(<2 x i16> %a, <2 x i16> %b, <2 x i16> %c) {
  %x = call <2 x i16> @llvm.umin.v2i16(<2 x i16> %a, <2 x i16> %b)
  %y = call <2 x i16> @llvm.umin.v2i16(<2 x i16> %x, <2 x i16> %c)
  ret <2 x i16> %y
}

; CHECK-LABEL: {{^}}saturating:
; CHECK: VALU.SUB.S16X2.SAT R4, R4, 0x20003, RZ
define <2 x i16> @saturating(<2 x i16> %a) {
  %x = call <2 x i16> @llvm.ssub.sat.v2i16(<2 x i16> %a, <2 x i16> <i16 3, i16 2>)
  ret <2 x i16> %x
}

; CHECK-LABEL: {{^}}saturating_word:
; CHECK: VALU.ADD.S32.SAT R4, R4, R5, RZ
define i32 @saturating_word(i32 %a, i32 %b) {
  %x = call i32 @llvm.sadd.sat.i32(i32 %a, i32 %b)
  ret i32 %x
}

; CHECK-LABEL: {{^}}logic:
; CHECK: LOP3 R4, R4, R5, R6, 0x80
define <2 x i16> @logic(<2 x i16> %a, <2 x i16> %b, <2 x i16> %c) {
  %x = and <2 x i16> %a, %b
  %y = and <2 x i16> %x, %c
  ret <2 x i16> %y
}
