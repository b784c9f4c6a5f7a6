; Types and operations that the ISA does not have, made of those it has.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O0 \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s --check-prefix=O0

; O0: RET R2

; CHECK-LABEL: {{^}}v2i16:
; CHECK: PRMT
define <2 x i16> @v2i16(<2 x i16> %a, <2 x i16> %b) {
  %c = add <2 x i16> %a, %b
  %d = shl <2 x i16> %c, <i16 3, i16 4>
  ret <2 x i16> %d
}

; CHECK-LABEL: {{^}}sw:
; CHECK: ISETP.
define i32 @sw(i32 %x) {
  switch i32 %x, label %d [ i32 1, label %a
   i32 2, label %b
   i32 3, label %c
   i32 4, label %a
   i32 9, label %b ]
a: 
  ret i32 10
b:
  ret i32 20
c:
  ret i32 30
d:
  ret i32 40
}

; CHECK-LABEL: {{^}}mul128:
; CHECK: IMADW.U32
define i128 @mul128(i128 %a, i128 %b) {
  %r = mul i128 %a, %b
  ret i128 %r
}

; CHECK-LABEL: {{^}}shl128:
; CHECK-DAG: SHL64 [[HIGH:R[0-9]+]], R6, R8
; CHECK-DAG: SHR64.U64 [[CARRY:R[0-9]+]], R4,
; CHECK-DAG: ISETP.LT.U32.AND [[SMALL:P[0-9]]], R8, 64,
; CHECK-DAG: ISETP.EQ.U32.AND [[NONE:P[0-9]]], R8, RZ,
; CHECK-COUNT-2: LOP3 {{.*}}, RZ, 0xfc
; CHECK: @![[SMALL]] SHL64 [[HIGH]], R4,
; CHECK: SEL64 R6, R6, [[HIGH]], [[NONE]]
; CHECK: RET
define i128 @shl128(i128 %a, i128 %b) {
  %r = shl i128 %a, %b
  ret i128 %r
}

; CHECK-LABEL: {{^}}cpy:
; CHECK: STG
define void @cpy(ptr addrspace(1) %a, ptr addrspace(5) %b, i64 %n) {
  call void @llvm.memcpy.p1.p5.i64(ptr addrspace(1) %a, ptr addrspace(5) %b, i64 100, i1 false)
  call void @llvm.memcpy.p1.p5.i64(ptr addrspace(1) %a, ptr addrspace(5) %b, i64 %n, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %a, i8 0, i64 %n, i1 false)
  ret void
}

; CHECK-LABEL: {{^}}f2i8:
; CHECK: F2I.S8.F32.RZ
define i8 @f2i8(float %f, double %g) {
  %a = call i8 @llvm.fptosi.sat.i8.f32(float %f)
  %b = fptoui double %g to i8
  %c = add i8 %a, %b
  ret i8 %c
}

; CHECK-LABEL: {{^}}v4:
; CHECK: SEL64
define <4 x float> @v4(<4 x float> %a, <4 x float> %b, i1 %c) {
  %x = fadd <4 x float> %a, %b
  %y = select i1 %c, <4 x float> %x, <4 x float> %b
  %z = shufflevector <4 x float> %y, <4 x float> %a, <4 x i32> <i32 0, i32 5, i32 2, i32 7>
  ret <4 x float> %z
}

; CHECK-LABEL: {{^}}v4h:
; CHECK: HADD2.F16 {{.*}}, R4, R6
define <4 x half> @v4h(<4 x half> %a, <4 x half> %b) {
  %x = fadd <4 x half> %a, %b
  ret <4 x half> %x
}

; CHECK-LABEL: {{^}}bits:
; CHECK-NOT: {{[A-Z]}}{{[A-Z0-9.]+}} R4
; CHECK: RET R2
define i64 @bits(<4 x half> %a) {
  %x = bitcast <4 x half> %a to i64
  ret i64 %x
}

; CHECK-LABEL: {{^}}cmpsel:
; CHECK: HSETP2.F16.LT.AND [[LOW:P[0-9]]], [[HIGH:P[0-9]]], R4, R5
; CHECK-DAG: SEL {{.*}}, RZ, 1, ![[LOW]]
; CHECK-DAG: SEL {{.*}}, RZ, 1, ![[HIGH]]
; CHECK-COUNT-2: PRMT {{.*}}, R{{[45]}}, 30514, RZ
; CHECK: SEL R4, R4, R5, P
; CHECK: PRMT R4, R4, 21520,
; CHECK: RET
define <2 x half> @cmpsel(<2 x half> %a, <2 x half> %b) {
  %c = fcmp olt <2 x half> %a, %b
  %d = select <2 x i1> %c, <2 x half> %a, <2 x half> %b
  ret <2 x half> %d
}

; CHECK-LABEL: {{^}}sat:
; CHECK-DAG: LOP3 R{{[0-9]+}}, R7, RZ, RZ, 0x0f
; CHECK-DAG: LOP3 [[NOT:R[0-9]+]], R6, RZ, RZ, 0x0f
; CHECK: IMNMX64.MIN.U64 [[LEAST:R[0-9]+]], R4, [[NOT]]
; CHECK: IADD64 {{.*}}, [[LEAST]], R6
; CHECK-COUNT-4: IMADW.U32
; CHECK: ISETP64.NE.U64.AND [[OVER:P[0-9]]], {{.*}}, RZ
; CHECK: SEL64 R4, {{.*}}, R4, [[OVER]]
; CHECK: RET
define i64 @sat(i64 %a, i64 %b) {
  %r = call i64 @llvm.uadd.sat.i64(i64 %a, i64 %b)
  %s = call {i64, i1} @llvm.umul.with.overflow.i64(i64 %r, i64 %b)
  %t = extractvalue {i64,i1} %s, 0
  %u = extractvalue {i64,i1} %s, 1
  %v = select i1 %u, i64 %t, i64 %a
  ret i64 %v
}

; CHECK-LABEL: {{^}}odd:
; CHECK-DAG: MOV {{.*}}, R5
; CHECK-DAG: LOP3 [[C:R[0-9]+]], R6, 1, RZ, 0xc0
; CHECK-DAG: LEA64.UX [[SUM:R[0-9]+]], R4, {{.*}}, 0
; CHECK: IADD64 R4, [[SUM]], [[C]]
; CHECK: RET
define i33 @odd(i32 %a, i32 %b, i1 %c) {
  %x = zext i32 %a to i33
  %y = zext i32 %b to i33
  %z = zext i1 %c to i33
  %1 = add i33 %x, %y
  %2 = add i33 %1, %z
  ret i33 %2
}

; CHECK-LABEL: {{^}}odd65:
; CHECK: IADDC {{.*}}, P
define i65 @odd65(i64 %a, i64 %b, i1 %c) {
  %x = zext i64 %a to i65
  %y = zext i64 %b to i65
  %z = zext i1 %c to i65
  %1 = add i65 %x, %y
  %2 = add i65 %1, %z
  ret i65 %2
}

; CHECK-LABEL: {{^}}rem:
; CHECK-DAG: F2D.F16 [[H:R[0-9]+]], R6
; CHECK-DAG: F2D.BF16 [[B:R[0-9]+]], R7
; CHECK: DADD [[SUM:R[0-9]+]], [[H]], [[B]]
; CHECK: D2F.F16 [[ROUND:R[0-9]+]], [[SUM]]
; CHECK: F2D.F16 [[G:R[0-9]+]], [[ROUND]]
; CHECK-DAG: DSETP.NAN.AND [[NAN:P[0-9]]], [[G]], R4
; CHECK-DAG: DMNMX.MIN {{.*}}, [[G]], R4
; CHECK: @[[NAN]] MOV64W {{.*}}, 0x7ff8000000000000
; CHECK: RET
define double @rem(double %a, half %h, bfloat %b) {
  %c = fpext half %h to double
  %d = fpext bfloat %b to double
  %e = fadd double %c, %d
  %f = fptrunc double %e to half
  %g = fpext half %f to double
  %i = call double @llvm.minimum.f64(double %g, double %a)
  ret double %i
}

; CHECK-LABEL: {{^}}hd:
; CHECK: FRND.RM
define float @hd(half %a) {
  %b = call half @llvm.floor.f16(half %a)
  %c = sitofp i16 3 to half
  %d = fadd half %b, %c
  %e = fpext half %d to float
  ret float %e
}

; Elements at positions known at run time are chosen among registers.
; CHECK-LABEL: {{^}}element:
; CHECK-NOT: LDL
; CHECK: SEL R{{[0-9]+}}
; CHECK: SEL R{{[0-9]+}}
; CHECK-NOT: SEL
; CHECK: RET
define i32 @element(<4 x i32> %v, i32 %i) {
  %e = extractelement <4 x i32> %v, i32 %i
  ret i32 %e
}

; CHECK-LABEL: {{^}}set_element:
; CHECK-NOT: STL
; CHECK: PRMT
; CHECK: RET
define <2 x half> @set_element(<2 x half> %v, half %x, i32 %i) {
  %r = insertelement <2 x half> %v, half %x, i32 %i
  ret <2 x half> %r
}

; Vectors of predicates that come from elsewhere are words of their width.
; CHECK-LABEL: {{^}}choose:
; CHECK-COUNT-2: SEL R{{[0-9]+}}
; CHECK: RET
define <2 x half> @choose(<2 x half> %a, <2 x half> %b, <2 x i1> %c, i1 %w) {
  br i1 %w, label %other, label %end
other:
  %d = fcmp olt <2 x half> %a, %b
  br label %end
end:
  %e = phi <2 x i1> [%c, %0], [%d, %other]
  %r = select <2 x i1> %e, <2 x half> %a, <2 x half> %b
  ret <2 x half> %r
}

; CHECK-LABEL: {{^}}choose_three:
; CHECK-COUNT-6: BFE.S32
; CHECK-COUNT-3: VALU.LT.S32
; CHECK-DAG: SEL R6, R6, R9
; CHECK-DAG: SEL R5, R5, R8
; CHECK-DAG: SEL R4, R4, R7
; CHECK: RET
define <3 x i16> @choose_three(<3 x i16> %a, <3 x i16> %b) {
  %c = icmp slt <3 x i16> %a, %b
  %r = select <3 x i1> %c, <3 x i16> %a, <3 x i16> %b
  ret <3 x i16> %r
}

; CHECK-LABEL: {{^}}element_of_predicates:
; CHECK: ISETP.EQ.U32.AND [[SECOND:P[0-9]]], R5, 1
; CHECK: @[[SECOND]] PRMT R4, R4, 30514, RZ
; CHECK: LOP3 R4, R4, 1, RZ, 0xc0
; CHECK: RET
define i1 @element_of_predicates(<2 x i1> %v, i32 %i) {
  %e = extractelement <2 x i1> %v, i32 %i
  ret i1 %e
}
