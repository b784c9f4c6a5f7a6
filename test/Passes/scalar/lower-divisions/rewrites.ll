; Protects the calls that integer divisions, floating-point divisions and square
; roots become: by width and sign, narrow integers and halves by way of 32 bits,
; vectors one element at a time.
; RUN: %opt-heddle -passes=heddle-lower-divisions -S %s | FileCheck %s

; CHECK-LABEL: define i32 @quotients(
; CHECK-NEXT: [[U:%.*]] = call i32 @__heddle_udiv32(i32 %a, i32 %b)
; CHECK-NEXT: [[S:%.*]] = call i32 @__heddle_sdiv32(i32 [[U]], i32 %b)
; CHECK-NEXT: [[R:%.*]] = call i32 @__heddle_urem32(i32 [[S]], i32 %b)
; CHECK-NEXT: [[T:%.*]] = call i32 @__heddle_srem32(i32 [[R]], i32 %b)
; CHECK-NEXT: ret i32 [[T]]
define i32 @quotients(i32 %a, i32 %b) {
  %u = udiv i32 %a, %b
  %s = sdiv i32 %u, %b
  %r = urem i32 %s, %b
  %t = srem i32 %r, %b
  ret i32 %t
}

; CHECK-LABEL: define i64 @wide(
; CHECK-NEXT: [[R:%.*]] = call i64 @__heddle_srem64(i64 %a, i64 %b)
; CHECK-NEXT: ret i64 [[R]]
define i64 @wide(i64 %a, i64 %b) {
  %r = srem i64 %a, %b
  ret i64 %r
}

; The sign of a narrow value goes into the wide one.
; CHECK-LABEL: define i16 @narrow(
; CHECK-NEXT: [[A:%.*]] = sext i16 %a to i32
; CHECK-NEXT: [[B:%.*]] = sext i16 %b to i32
; CHECK-NEXT: [[Q:%.*]] = call i32 @__heddle_sdiv32(i32 [[A]], i32 [[B]])
; CHECK-NEXT: [[S:%.*]] = trunc i32 [[Q]] to i16
; CHECK-NEXT: [[C:%.*]] = zext i16 [[S]] to i32
; CHECK-NEXT: [[D:%.*]] = zext i16 %b to i32
; CHECK-NEXT: [[R:%.*]] = call i32 @__heddle_urem32(i32 [[C]], i32 [[D]])
; CHECK-NEXT: [[T:%.*]] = trunc i32 [[R]] to i16
; CHECK-NEXT: ret i16 [[T]]
define i16 @narrow(i16 %a, i16 %b) {
  %s = sdiv i16 %a, %b
  %r = urem i16 %s, %b
  ret i16 %r
}

; CHECK-LABEL: define double @floats(
; CHECK: call float @__heddle_div_rn_f32(float %a, float %b)
; CHECK: call float @__heddle_sqrt_rn_f32(float
; CHECK: call double @__heddle_div_rn_f64(double %c, double
; CHECK: call double @__heddle_sqrt_rn_f64(double
define double @floats(float %a, float %b, double %c) {
  %q = fdiv float %a, %b
  %r = call float @llvm.sqrt.f32(float %q)
  %d = fpext float %r to double
  %e = fdiv double %c, %d
  %f = call double @llvm.sqrt.f64(double %e)
  ret double %f
}

; CHECK-LABEL: define half @halves(
; CHECK-NEXT: [[A:%.*]] = fpext half %a to float
; CHECK-NEXT: [[B:%.*]] = fpext half %b to float
; CHECK-NEXT: [[Q:%.*]] = call float @__heddle_div_rn_f32(float [[A]], float [[B]])
; CHECK-NEXT: [[H:%.*]] = fptrunc float [[Q]] to half
; CHECK-NEXT: ret half [[H]]
define half @halves(half %a, half %b) {
  %q = fdiv half %a, %b
  ret half %q
}

; CHECK-LABEL: define <2 x i32> @vector(
; CHECK: [[A0:%.*]] = extractelement <2 x i32> %a, i64 0
; CHECK: [[B0:%.*]] = extractelement <2 x i32> %b, i64 0
; CHECK: call i32 @__heddle_udiv32(i32 [[A0]], i32 [[B0]])
; CHECK: [[A1:%.*]] = extractelement <2 x i32> %a, i64 1
; CHECK: [[B1:%.*]] = extractelement <2 x i32> %b, i64 1
; CHECK: call i32 @__heddle_udiv32(i32 [[A1]], i32 [[B1]])
; CHECK-NOT: udiv <2
define <2 x i32> @vector(<2 x i32> %a, <2 x i32> %b) {
  %q = udiv <2 x i32> %a, %b
  ret <2 x i32> %q
}

; A call neither throws nor touches memory, and returns.
; CHECK: declare i32 @__heddle_udiv32(i32, i32) [[PURE:#[0-9]+]]
; CHECK: attributes [[PURE]] = { nounwind willreturn memory(none) }
