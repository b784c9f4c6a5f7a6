; Floating-point operations of every width, with the modifiers they fold.
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown \
; RUN:   -verify-machineinstrs %s -o - | FileCheck %s
; RUN: llc -load %build/lib/HeddleLLC.so -mtriple=heddle-unknown-unknown -O0 \
; RUN:   -mcpu=hd10 -verify-machineinstrs %s -o /dev/null

; CHECK-LABEL: {{^}}arith:
; CHECK-DAG: FMUL [[X:R[0-9]+]], |R4|, -R5
; CHECK-DAG: FADD [[Y:R[0-9]+]], [[X]], -R6
; CHECK-DAG: FADD R4, [[Y]], 2.0
define float @arith(float %a, float %b, float %c) {
  %n = fneg float %b
  %ab = call float @llvm.fabs.f32(float %a)
  %x = fmul float %ab, %n
  %y = fsub float %x, %c
  %z = fadd float %y, 2.0
  ret float %z
}

; CHECK-LABEL: {{^}}contract:
; CHECK-DAG: FFMA R4, -R4, R5, R6
define float @contract(float %a, float %b, float %c) {
  %x = fmul contract float %a, %b
  %y = fsub contract float %c, %x
  ret float %y
}

; CHECK-LABEL: {{^}}modes:
; CHECK-DAG: FADD.RZ.FTZ
; CHECK-DAG: FMUL.RP
; CHECK-DAG: FFMA.RM.FTZ.SAT
define float @modes(float %a, float %b) {
  %x = call float @llvm.nvvm.add.rz.ftz.f(float %a, float %b)
  %y = call float @llvm.nvvm.mul.rp.f(float %x, float %b)
  %z = call float @llvm.nvvm.fma.rm.ftz.sat.f(float %x, float %y, float %b)
  ret float %z
}

; CHECK-LABEL: {{^}}minmax:
; CHECK-DAG: FMNMX.MIN {{.*}}, R4, R5
; CHECK-DAG: FMNMX.MAX.NAN {{.*}}, 1.0
define float @minmax(float %a, float %b) {
  %x = call float @llvm.minimumnum.f32(float %a, float %b)
  %y = call float @llvm.maximum.f32(float %x, float 1.0)
  ret float %y
}

; A constant is second, whichever it was, with the sign of the first.
; CHECK-LABEL: {{^}}constant_first:
; CHECK-NOT: MOV
; CHECK: FMNMX.MIN.FTZ R4, -R4, 3.0
; CHECK-NOT: MOV
; CHECK: RET
define float @constant_first(float %a) {
  %n = fneg float %a
  %x = call float @llvm.nvvm.fmin.ftz.f(float 3.0, float %n)
  ret float %x
}

; CHECK-LABEL: {{^}}cmp:
; CHECK-DAG: DSETP.NEU.AND [[P:P[0-9]]], R6, 0x3ff00000, PT
; CHECK-DAG: FSETP.LTU.AND {{P[0-9]}}, R4, R5, [[P]]
define i1 @cmp(float %a, float %b, double %c) {
  %x = fcmp olt float %a, %b
  %y = fcmp uno float %a, %b
  %z = fcmp une double %c, 1.0
  %w = or i1 %x, %y
  %v = and i1 %w, %z
  ret i1 %v
}

; CHECK-LABEL: {{^}}approx:
; CHECK-DAG: MUFU.RSQ.FTZ
; CHECK-DAG: MUFU.EX2
; CHECK-DAG: MUFU.SIN
define float @approx(float %a) {
  %x = call float @llvm.nvvm.rsqrt.approx.ftz.f(float %a)
  %y = call float @llvm.nvvm.ex2.approx.f32(float %x)
  %z = call float @llvm.nvvm.sin.approx.f(float %y)
  ret float %z
}

; CHECK-LABEL: {{^}}round:
; CHECK-DAG: FRND.RM
; CHECK-DAG: FRND.RN
define float @round(float %a) {
  %x = call float @llvm.floor.f32(float %a)
  %y = call float @llvm.roundeven.f32(float %x)
  ret float %y
}

; CHECK-LABEL: {{^}}toint:
; CHECK-DAG: F2I.S32.F32.RZ
; CHECK-DAG: D2I.U32.RZ
; CHECK-DAG: F2I.S32.F32.RP.FTZ
; CHECK-DAG: F2I.S32.F16.RZ
define i32 @toint(float %a, double %b, half %h) {
  %x = call i32 @llvm.fptosi.sat.i32.f32(float %a)
  %y = call i32 @llvm.fptoui.sat.i32.f64(double %b)
  %z = call i32 @llvm.nvvm.f2i.rp.ftz(float %a)
  %w = fptosi half %h to i32
  %1 = add i32 %x, %y
  %2 = add i32 %1, %z
  %3 = add i32 %2, %w
  ret i32 %3
}

; CHECK-LABEL: {{^}}todouble:
; CHECK-DAG: I2D.S32
; CHECK-DAG: I642D.U64
; CHECK-DAG: F2D.F32
; CHECK-DAG: DADD {{.*}}, 0x3fe00000
; CHECK-DAG: MOV64W R{{[0-9]+}}, 0x3fe0000000000001
define double @todouble(i32 %a, i64 %b, float %c) {
  %x = sitofp i32 %a to double
  %y = uitofp i64 %b to double
  %z = fpext float %c to double
  %1 = fadd double %x, %y
  %2 = fmul double %1, %z
  %3 = fadd double %2, 0x3FE0000000000000
  %4 = fadd double %3, 0x3FE0000000000001
  ret double %4
}

; CHECK-LABEL: {{^}}dmod:
; CHECK-DAG: DFMA R{{[0-9]+}}, -R4, R6, 0x3ff00000
; CHECK-DAG: DMNMX.MAX
; CHECK-DAG: LOP3 R5, R5, 0x7fffffff, RZ, 0xc0
define double @dmod(double %a, double %b) {
  %n = fneg double %a
  %m = call double @llvm.fma.f64(double %n, double %b, double 1.0)
  %x = call double @llvm.maxnum.f64(double %m, double %b)
  %ab = call double @llvm.fabs.f64(double %x)
  ret double %ab
}

; CHECK-LABEL: {{^}}half:
; CHECK-DAG: HADD2.F16
; CHECK-DAG: HFMA2.F16 {{.*}}, -R{{[0-9]+}}, R5, 15360
; CHECK-DAG: LOP3 R4, R{{[0-9]+}}, 1, RZ, 0x3c
define half @half(half %a, half %b) {
  %x = fadd half %a, %b
  %n = fneg half %x
  %y = call half @llvm.fma.f16(half %n, half %b, half 0xH3C00)
  %i = bitcast half %y to i16
  %j = xor i16 %i, 1
  %k = bitcast i16 %j to half
  ret half %k
}

; CHECK-LABEL: {{^}}half2:
; CHECK-DAG: HMUL2.F16 {{.*}}, R4, R5
; CHECK-DAG: HADD2.F16
define <2 x half> @half2(<2 x half> %a, <2 x half> %b) {
  %x = fmul <2 x half> %a, %b
  %y = fadd <2 x half> %x, <half 1.0, half 2.0>
  %h = extractelement <2 x half> %y, i32 1
  %z = insertelement <2 x half> %y, half %h, i32 0
  ret <2 x half> %z
}

; CHECK-LABEL: {{^}}bf2:
; CHECK-DAG: F2FP.BF16 {{.*}}, R5, R6
; CHECK-DAG: HMUL2.BF16
define <2 x bfloat> @bf2(<2 x bfloat> %a, float %f, float %g) {
  %p = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float %f, float %g)
  %x = fmul <2 x bfloat> %a, %p
  ret <2 x bfloat> %x
}

; CHECK-LABEL: {{^}}hcmp:
; CHECK-DAG: HSETP2.F16.GE.AND P{{[0-9]}}, PT, R4, R5, PT
define i1 @hcmp(half %a, half %b) {
  %c = fcmp oge half %a, %b
  ret i1 %c
}

; CHECK-LABEL: {{^}}hcmp2:
; CHECK: HSETP2.F16.GE.AND P0, P1, R4, R5, PT
; CHECK-NOT: HSETP2
; CHECK: RET
define <2 x i1> @hcmp2(<2 x half> %a, <2 x half> %b) {
  %c = fcmp oge <2 x half> %a, %b
  ret <2 x i1> %c
}

; CHECK-LABEL: {{^}}sat:
; CHECK-DAG: FADD.SAT {{.*}}, R4, -0.0
; CHECK-DAG: FADD.FTZ {{.*}}, -0.0
define float @sat(float %a) {
  %x = call float @__heddle_sat_f32(float %a)
  %y = call float @__heddle_ftz_f32(float %x)
  ret float %y
}
declare float @llvm.nvvm.fmin.ftz.f(float, float)
declare float @__heddle_sat_f32(float)
declare float @__heddle_ftz_f32(float)

; CHECK-LABEL: {{^}}sel:
; CHECK-DAG: SEL {{.*}}, R5, 0x3f800000, P
define float @sel(i1 %c, float %a, <4 x float> %v) {
  %s = select i1 %c, float %a, float 1.0
  %e = extractelement <4 x float> %v, i32 2
  %r = fadd float %s, %e
  ret float %r
}

; CHECK-LABEL: {{^}}copysign:
define float @copysign(float %a, float %b) {
  %r = call float @llvm.copysign.f32(float %a, float %b)
  ret float %r
}

; A comparison and an addition flush what they read themselves.
; CHECK-LABEL: {{^}}flushed:
; CHECK: FSETP.GT.FTZ.AND P0, |R4|, -20.0, PT
; CHECK-NEXT: FADD.FTZ R0, R4, -R5
; CHECK-NEXT: SEL
define float @flushed(float %a, float %b) {
  %fa = call float @__heddle_ftz_f32(float %a)
  %fb = call float @__heddle_ftz_f32(float %b)
  %n = fneg float %fb
  %sum = call float @llvm.nvvm.add.rn.ftz.f(float %fa, float %n)
  %abs = call float @llvm.fabs.f32(float %fa)
  %c = call float @__heddle_ftz_f32(float -2.0e+01)
  %p = fcmp ogt float %abs, %c
  %s = select i1 %p, float %sum, float 1.0
  ret float %s
}

; CHECK-LABEL: {{^}}by_two:
; CHECK: FMUL.FTZ R4, R4, 0.5
define float @by_two(float %a) {
  %r = call float @llvm.nvvm.rcp.approx.ftz.f(float 2.0)
  %q = call float @llvm.nvvm.mul.rn.ftz.f(float %a, float %r)
  ret float %q
}

; CHECK-LABEL: {{^}}upper_pair:
; CHECK-NOT: {{STL|LDL}}
; CHECK: FADD R4, R6, R7
define float @upper_pair(<4 x float> %v) {
  %p = shufflevector <4 x float> %v, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %q = fadd <2 x float> %p, zeroinitializer
  %a = extractelement <2 x float> %p, i32 0
  %b = extractelement <2 x float> %p, i32 1
  %s = fadd float %a, %b
  ret float %s
}

; CHECK-LABEL: {{^}}packed:
; CHECK: F2FP.F16 R4, R5, R4
; CHECK: F2FP.BF16 R5, R7, R6
; CHECK-NOT: {{PRMT|F2F }}
; CHECK: RET
define {<2 x half>, <2 x bfloat>} @packed(float %a, float %b, float %c, float %d) {
  %ha = fptrunc float %a to half
  %hb = fptrunc float %b to half
  %bc = fptrunc float %c to bfloat
  %bd = fptrunc float %d to bfloat
  %h0 = insertelement <2 x half> poison, half %ha, i32 0
  %h = insertelement <2 x half> %h0, half %hb, i32 1
  %b0 = insertelement <2 x bfloat> poison, bfloat %bc, i32 0
  %v = insertelement <2 x bfloat> %b0, bfloat %bd, i32 1
  %r0 = insertvalue {<2 x half>, <2 x bfloat>} poison, <2 x half> %h, 0
  %r = insertvalue {<2 x half>, <2 x bfloat>} %r0, <2 x bfloat> %v, 1
  ret {<2 x half>, <2 x bfloat>} %r
}
