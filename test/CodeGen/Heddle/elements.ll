; VALU: halves side by side, saturating arithmetic, and pairs of operations on
; words.
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

; CHECK-LABEL: {{^}}limited_sum:
; CHECK: VALU.ADD.S32.MIN R4, R4, 1, R5
define i32 @limited_sum(i32 %a, i32 %n) {
  %x = add i32 %a, 1
  %y = call i32 @llvm.smin.i32(i32 %x, i32 %n)
  ret i32 %y
}

; CHECK-LABEL: {{^}}byte_range:
; CHECK: VALU.MAX.S32.MIN R4, R4, RZ, 255
define i32 @byte_range(i32 %a) {
  %x = call i32 @llvm.smax.i32(i32 %a, i32 0)
  %y = call i32 @llvm.smin.i32(i32 %x, i32 255)
  ret i32 %y
}

; Two constants that are no zero: one would need a register.
; CHECK-LABEL: {{^}}two_limits:
; CHECK: IMNMX.MAX.S32 [[R:R[0-9]+]], R4, -128
; CHECK: IMNMX.MIN.S32 R4, [[R]], 127
define i32 @two_limits(i32 %a) {
  %x = call i32 @llvm.smax.i32(i32 %a, i32 -128)
  %y = call i32 @llvm.smin.i32(i32 %x, i32 127)
  ret i32 %y
}

; A product is added by IMAD.
; CHECK-LABEL: {{^}}product:
; CHECK: IMAD [[R:R[0-9]+]], R4, R5, R6
; CHECK: IMNMX.MIN.S32 R4, [[R]], R7
define i32 @product(i32 %a, i32 %b, i32 %c, i32 %n) {
  %p = mul i32 %a, %b
  %x = add i32 %p, %c
  %y = call i32 @llvm.smin.i32(i32 %x, i32 %n)
  ret i32 %y
}

; CHECK-LABEL: {{^}}condition:
; CHECK: VALU.LT.S32.ACC R4, R4, R5, RZ
define i32 @condition(i32 %a, i32 %b) {
  %x = icmp slt i32 %a, %b
  %y = zext i1 %x to i32
  ret i32 %y
}

; CHECK-LABEL: {{^}}mask:
; CHECK: VALU.GE.U32 R4, R4, R5, RZ
define i32 @mask(i32 %a, i32 %b) {
  %x = icmp uge i32 %a, %b
  %y = sext i1 %x to i32
  ret i32 %y
}

; CHECK-LABEL: {{^}}count:
; CHECK: VALU.EQ.U32.ACC R4, R4, 5, R5
define i32 @count(i32 %a, i32 %n) {
  %x = icmp eq i32 %a, 5
  %y = zext i1 %x to i32
  %z = add i32 %n, %y
  ret i32 %z
}

; CHECK-LABEL: {{^}}floor_of_sum:
; CHECK: VALU.SUB.S32.RELU R4, R4, R5, RZ
define i32 @floor_of_sum(i32 %a, i32 %b) {
  %x = sub i32 %a, %b
  %y = call i32 @llvm.smax.i32(i32 %x, i32 0)
  ret i32 %y
}

; An unsigned comparison selects any word or zero, a signed one does not.
; CHECK-LABEL: {{^}}chosen_unsigned:
; CHECK: VALU.GT.U32.MIN R4, R4, R5, R6
define i32 @chosen_unsigned(i32 %a, i32 %b, i32 %c) {
  %x = icmp ugt i32 %a, %b
  %y = select i1 %x, i32 %c, i32 0
  ret i32 %y
}
; CHECK-LABEL: {{^}}chosen_signed:
; CHECK: ISETP.GT.S32.AND
; CHECK: SEL
define i32 @chosen_signed(i32 %a, i32 %b, i32 %c) {
  %x = icmp sgt i32 %a, %b
  %y = select i1 %x, i32 %c, i32 0
  ret i32 %y
}

; The predicate is needed beside.
; CHECK-LABEL: {{^}}two_users:
; CHECK: ISETP.LT.S32.AND
; CHECK-NOT: VALU
; CHECK: RET
define i32 @two_users(i32 %a, i32 %b, i32 %c, i32 %d) {
  %x = icmp slt i32 %a, %b
  %y = zext i1 %x to i32
  %z = select i1 %x, i32 %c, i32 %d
  %w = mul i32 %y, %z
  ret i32 %w
}

; Bits that are masked to be compared with zero are tested by the comparison.
; CHECK-LABEL: {{^}}bits:
; CHECK-NOT: LOP3
; CHECK: ISETP.{{ANY|NONE}}.U32.AND [[P:P[0-9]]], R4, 20, PT
; CHECK: SEL R4, {{R[56]}}, {{R[56]}}, {{!?}}[[P]]
define i32 @bits(i32 %a, i32 %b, i32 %c) {
  %x = and i32 %a, 20
  %y = icmp ne i32 %x, 0
  %z = select i1 %y, i32 %b, i32 %c
  ret i32 %z
}
; CHECK-LABEL: {{^}}bits_of_both:
; CHECK: ISETP.NONE.U32.AND [[P:P[0-9]]], R4, R5, PT
; CHECK: @![[P]] STG
define void @bits_of_both(i32 %a, i32 %b, ptr addrspace(1) %p) {
  %x = and i32 %a, %b
  %y = icmp eq i32 %x, 0
  br i1 %y, label %end, label %store

store:
  store i32 %a, ptr addrspace(1) %p
  br label %end

end:
  ret void
}

; They are needed beside.
; CHECK-LABEL: {{^}}bits_of_use:
; CHECK: LOP3 [[M:R[0-9]+]], R4, 20, RZ, 0xc0
; CHECK: ISETP.NE.U32.AND {{P[0-9]}}, [[M]], RZ, PT
define i32 @bits_of_use(i32 %a, i32 %b, i32 %c) {
  %x = and i32 %a, 20
  %y = icmp ne i32 %x, 0
  %z = select i1 %y, i32 %b, i32 %c
  %w = mul i32 %z, %x
  ret i32 %w
}
