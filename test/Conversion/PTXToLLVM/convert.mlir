// cvt: rounding, saturation, NaN, and registers wider than the types.
// RUN: ptx-opt %s --convert-ptx-to-llvm | mlir-translate --mlir-to-llvmir | FileCheck %s

// CHECK-LABEL: define void @ints
ptx.func visible @ints(%a: i32, %h: i16, %w: i64) {
  // CHECK: %[[T:.*]] = trunc i16 %1 to i8
  // CHECK: zext i8 %[[T]] to i32
  %0 = ptx.cvt u32 u8 %h : (i16) -> i32
  // CHECK: %[[T2:.*]] = trunc i32 %0 to i8
  // CHECK: sext i8 %[[T2]] to i16
  %1 = ptx.cvt s8 u32 %a : (i32) -> i16
  // CHECK: sext i32 %0 to i64
  %2 = ptx.cvt u64 s32 %a : (i32) -> i64
  // A negative number saturates at 0, and only the source's range is cut.
  // CHECK: %[[M:.*]] = call i32 @llvm.smax.i32(i32 %0, i32 0)
  // CHECK: call i32 @llvm.smin.i32(i32 %[[M]], i32 65535)
  %3 = ptx.cvt u16 s32 sat %a : (i32) -> i16
  // CHECK: call i64 @llvm.umin.i64(i64 %2, i64 2147483647)
  %4 = ptx.cvt s32 u64 sat %w : (i64) -> i32
  // CHECK: call i32 @llvm.smax.i32(i32 %0, i32 0)
  // CHECK: sext i32
  // CHECK-NEXT: zext i32 %0 to i64
  %5 = ptx.cvt u64 s32 sat %a : (i32) -> i64
  %6 = ptx.cvt u64 u32 sat %a : (i32) -> i64
  ptx.ret
}

// CHECK-LABEL: define void @float_to_int
ptx.func visible @float_to_int(%a: f32, %d: f64, %h: f16) {
  // CHECK: call i32 @llvm.fptosi.sat.i32.f32(float %0)
  %0 = ptx.cvt s32 f32 rnd(rzi) %a : (f32) -> i32
  // NaN is not 0 where 64 bits are involved, so these are not LLVM's.
  // CHECK: call i64 @llvm.nvvm.f2ull.rz(float %0)
  %1 = ptx.cvt u64 f32 rnd(rzi) %a : (f32) -> i64
  // CHECK: %[[D:.*]] = call i32 @llvm.nvvm.d2i.rz(double %1)
  // CHECK: %[[NAN32:.*]] = fcmp uno double %1, %1
  // CHECK: select i1 %[[NAN32]], i32 -2147483648, i32 %[[D]]
  %2 = ptx.cvt s32 f64 rnd(rzi) %d : (f64) -> i32
  // CHECK: call i32 @llvm.nvvm.f2ui.rm.ftz(float %0)
  %3 = ptx.cvt u32 f32 rnd(rmi) ftz %a : (f32) -> i32
  // CHECK: fpext half %2 to float
  // CHECK: call i32 @llvm.nvvm.f2i.rn
  // CHECK: call i32 @llvm.smax.i32(i32 %{{.*}}, i32 -128)
  // CHECK: call i32 @llvm.smin.i32(i32 %{{.*}}, i32 127)
  %4 = ptx.cvt s8 f16 rnd(rni) %h : (f16) -> i32
  // CHECK: %[[U:.*]] = call i32 @llvm.nvvm.d2ui.rz(double %1)
  // CHECK: call i32 @llvm.umin.i32(i32 %[[U]], i32 65535)
  // CHECK: %[[NAN:.*]] = fcmp uno double %1, %1
  // CHECK: select i1 %[[NAN]], i16 -32768
  %5 = ptx.cvt u16 f64 rnd(rzi) %d : (f64) -> i16
  ptx.ret
}

// CHECK-LABEL: define void @int_to_float
ptx.func visible @int_to_float(%a: i32, %w: i64) {
  // CHECK: uitofp i32 %0 to float
  %0 = ptx.cvt f32 u32 rnd(rn) %a : (i32) -> f32
  // CHECK: call float @llvm.nvvm.ll2f.rz(i64 %1)
  %1 = ptx.cvt f32 s64 rnd(rz) %w : (i64) -> f32
  // CHECK: %[[S:.*]] = trunc i32 %0 to i16
  // CHECK: %[[E:.*]] = sext i16 %[[S]] to i32
  // CHECK: call double @llvm.nvvm.i2d.rm(i32 %[[E]])
  %2 = ptx.cvt f64 s16 rnd(rm) %a : (i32) -> f64
  // CHECK: sitofp i32 %0 to half
  %3 = ptx.cvt f16 s32 rnd(rn) %a : (i32) -> f16
  // CHECK: uitofp i32 %0 to float
  // CHECK: call float @__heddle_sat_f32
  %4 = ptx.cvt f32 u32 rnd(rn) sat %a : (i32) -> f32
  ptx.ret
}

// CHECK-LABEL: define void @floats
ptx.func visible @floats(%a: f32, %d: f64, %h: i16) {
  // CHECK: call float @llvm.roundeven.f32(float %0)
  %0 = ptx.cvt f32 f32 rnd(rni) %a : (f32) -> f32
  // CHECK: %[[F:.*]] = call float @__heddle_ftz_f32(float %0)
  // CHECK: call float @llvm.trunc.f32(float %[[F]])
  %1 = ptx.cvt f32 f32 rnd(rzi) ftz %a : (f32) -> f32
  // CHECK: call float @__heddle_sat_f32(float %0)
  %2 = ptx.cvt f32 f32 sat %a : (f32) -> f32
  // CHECK: fpext float %0 to double
  %3 = ptx.cvt f64 f32 %a : (f32) -> f64
  // CHECK: fptrunc double %1 to float
  %4 = ptx.cvt f32 f64 rnd(rn) %d : (f64) -> f32
  // CHECK: call float @llvm.nvvm.d2f.rz.ftz(double %1)
  %5 = ptx.cvt f32 f64 rnd(rz) ftz %d : (f64) -> f32
  // CHECK: bitcast i16 %2 to bfloat
  // CHECK: fpext bfloat %{{.*}} to float
  %6 = ptx.cvt f32 bf16 %h : (i16) -> f32
  // CHECK: fptrunc float %0 to half
  %7 = ptx.cvt f16 f32 rnd(rn) %a : (f32) -> i16
  // CHECK: call i32 @__heddle_narrow_f32(float %0, i32 1, i32 9)
  %8 = ptx.cvt f16 f32 rnd(rz) relu %a : (f32) -> i16
  // The first operand is the upper half.
  // CHECK: %[[B:.*]] = fptrunc float %{{.*}} to half
  // CHECK: insertelement <2 x half> poison, half %[[B]], i32 0
  // CHECK: %[[A:.*]] = fptrunc float %0 to half
  // CHECK: insertelement <2 x half> %{{.*}}, half %[[A]], i32 1
  %9 = ptx.cvt f16x2 f32 rnd(rn) %a, %5 : (f32, f32) -> i32
  // CHECK: call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn.relu(float %0, float %{{.*}})
  %10 = ptx.cvt bf16x2 f32 rnd(rn) relu %a, %5 : (f32, f32) -> i32
  ptx.ret
}
