// Floating-point arithmetic.
// RUN: ptx-opt %s --convert-ptx-to-llvm | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefixes=CHECK,FMAD
// RUN: ptx-opt %s --convert-ptx-to-llvm=contract=false | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefixes=CHECK,NOFMAD

// CHECK-LABEL: define void @sums
ptx.func visible @sums(%a: f32, %d: f64, %h: i16, %p: i32) {
  // Without a rounding modifier PTX allows contraction.
  // FMAD: fadd contract float %0, %0
  // NOFMAD: fadd float %0, %0
  %0 = ptx.add f32 %a, %a : (f32, f32) -> f32
  // CHECK: fsub float %{{.*}}, %0
  %1 = ptx.sub f32 rnd(rn) %0, %a : (f32, f32) -> f32
  // CHECK: %[[N:.*]] = fneg float %0
  // CHECK: call float @llvm.nvvm.add.rm.ftz.sat.f(float %{{.*}}, float %[[N]])
  %2 = ptx.sub f32 rnd(rm) ftz sat %1, %a : (f32, f32) -> f32
  // CHECK: call double @llvm.nvvm.add.rp.d
  %3 = ptx.add f64 rnd(rp) %d, %d : (f64, f64) -> f64
  // CHECK: call float @llvm.nvvm.mul.rn.ftz.f
  // CHECK: call float @__heddle_sat_f32
  %4 = ptx.mul f32 ftz sat %a, %a : (f32, f32) -> f32
  // CHECK: call float @llvm.fma.f32
  %5 = ptx.fma f32 rnd(rn) %a, %4, %4 : (f32, f32, f32) -> f32
  // CHECK: call double @llvm.nvvm.fma.rz.d
  %6 = ptx.fma f64 rnd(rz) %d, %d, %d : (f64, f64, f64) -> f64
  // CHECK: bitcast i16 %2 to half
  // FMAD: fadd contract half
  // NOFMAD: fadd half
  %7 = ptx.add f16 %h, %h : (i16, i16) -> i16
  // CHECK: call <2 x half> @llvm.nvvm.fma.rn.relu.f16x2
  %8 = ptx.fma f16x2 rnd(rn) relu %p, %p, %p : (i32, i32, i32) -> i32
  // CHECK: call bfloat @llvm.fma.bf16
  %9 = ptx.fma bf16 rnd(rn) %h, %h, %h : (i16, i16, i16) -> i16
  // CHECK: call half @llvm.nvvm.fma.rn.sat.f16(half %{{.*}}, half %{{.*}}, half 0xH8000)
  %10 = ptx.mul f16 sat %h, %h : (i16, i16) -> i16
  ptx.ret
}

// CHECK-LABEL: define void @quotients
ptx.func visible @quotients(%a: f32, %d: f64) {
  // CHECK: fdiv float
  %0 = ptx.div f32 rnd(rn) %a, %a : (f32, f32) -> f32
  // CHECK: call float @__heddle_div_rn_ftz_f32
  %1 = ptx.div f32 rnd(rn) ftz %a, %a : (f32, f32) -> f32
  // CHECK: call double @__heddle_div_rz_f64
  %2 = ptx.div f64 rnd(rz) %d, %d : (f64, f64) -> f64
  // CHECK: call float @__heddle_div_full_f32
  %3 = ptx.div f32 full %a, %a : (f32, f32) -> f32
  // CHECK: call float @__heddle_div_approx_ftz_f32
  %4 = ptx.div f32 approx ftz %a, %a : (f32, f32) -> f32
  // CHECK: fdiv double 1.000000e+00, %1
  %5 = ptx.rcp f64 rnd(rn) %d : (f64) -> f64
  // CHECK: call float @llvm.nvvm.rcp.approx.ftz.f
  %6 = ptx.rcp f32 approx ftz %a : (f32) -> f32
  // CHECK: call float @__heddle_rcp_approx_f32
  %7 = ptx.rcp f32 approx %a : (f32) -> f32
  // CHECK: call float @llvm.sqrt.f32
  %8 = ptx.sqrt f32 rnd(rn) %a : (f32) -> f32
  // CHECK: call float @__heddle_sqrt_rp_f32
  %9 = ptx.sqrt f32 rnd(rp) %a : (f32) -> f32
  // CHECK: call float @llvm.nvvm.sqrt.approx.ftz.f
  %10 = ptx.sqrt f32 approx ftz %a : (f32) -> f32
  // CHECK: call double @__heddle_rsqrt_approx_f64
  %11 = ptx.rsqrt f64 approx %d : (f64) -> f64
  // CHECK: call float @llvm.nvvm.ex2.approx.ftz.f32
  %12 = ptx.ex2 f32 approx ftz %a : (f32) -> f32
  // CHECK: call float @llvm.nvvm.lg2.approx.f
  %13 = ptx.lg2 f32 approx %a : (f32) -> f32
  // CHECK: call float @llvm.nvvm.sin.approx.f
  %14 = ptx.sin f32 approx %a : (f32) -> f32
  // CHECK: call float @__heddle_tanh_approx_f32
  %15 = ptx.tanh f32 approx %a : (f32) -> f32
  ptx.ret
}

// CHECK-LABEL: define void @orders
ptx.func visible @orders(%a: f32, %b: f32, %i: i32, %p: i1) {
  // CHECK: call float @llvm.minimumnum.f32(float %0, float %1)
  %0 = ptx.min f32 %a, %b : (f32, f32) -> f32
  // CHECK: call float @llvm.nvvm.fmax.ftz.nan.f(float %0, float %1)
  %1 = ptx.max f32 ftz nan %a, %b : (f32, f32) -> f32
  // CHECK: call i32 @llvm.umin.i32
  %2 = ptx.min u32 %i, %i : (i32, i32) -> i32
  // CHECK: fcmp one float
  %3 = ptx.setp ne f32 %a, %b : (f32, f32) -> i1
  // CHECK: %[[C:.*]] = fcmp ule float
  // CHECK: %[[NC:.*]] = xor i1 %[[C]], true
  // CHECK: and i1 %[[C]], %3
  // CHECK: and i1 %[[NC]], %3
  %4, %q = ptx.setp leu boolop(and) f32 %a, %b with %p : (f32, f32, i1) -> (i1, i1)
  // CHECK: fcmp uno float
  %5 = ptx.setp nan f32 %a, %b : (f32, f32) -> i1
  // CHECK: icmp uge i32
  %6 = ptx.setp hs u32 %i, %i : (i32, i32) -> i1
  // CHECK: %[[S:.*]] = icmp slt i32
  // CHECK: sext i1 %[[S]] to i32
  %7 = ptx.set lt u32 s32 %i, %i : (i32, i32) -> i32
  // CHECK: select i1 %{{.*}}, float 1.000000e+00, float 0.000000e+00
  %8 = ptx.set gt f32 f32 %a, %b : (f32, f32) -> f32
  // CHECK: %[[L:.*]] = fcmp olt half
  // CHECK: %[[H:.*]] = fcmp olt half
  // CHECK: %[[LS:.*]] = select i1 %[[L]], i32 65535, i32 0
  // CHECK: %[[HS:.*]] = select i1 %[[H]], i32 -65536, i32 0
  // CHECK: or i32 %[[LS]], %[[HS]]
  %80 = ptx.set lt u32 f16x2 %i, %i : (i32, i32) -> i32
  // CHECK: fcmp oge float %0, 0.000000e+00
  %9 = ptx.slct b32 f32 %i, %i, %a : (i32, i32, f32) -> i32
  // CHECK: call float @llvm.copysign.f32(float %1, float %0)
  %10 = ptx.copysign f32 %a, %b : (f32, f32) -> f32
  // Zeros count as normal.
  // CHECK: call i1 @llvm.is.fpclass.f32(float %0, i32 360)
  %11 = ptx.testp normal f32 %a : (f32) -> i1
  ptx.ret
}
