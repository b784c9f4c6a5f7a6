// What has no lowering yet is an error at the place in the PTX.
// RUN: ptx-opt %s --convert-ptx-to-llvm -split-input-file -verify-diagnostics

ptx.func @f(%a: i64) {
  // expected-error @+1 {{not supported yet: .shared_cluster in ld}}
  %0 = ptx.ld shared_cluster b32 [%a] : (i64) -> i32
  // expected-error @+1 {{not supported yet: special register %is_explicit_cluster}}
  %1 = ptx.sreg "is_explicit_cluster" : i1
  // expected-error @+1 {{not supported yet: cvt.f16.f32 with these modifiers}}
  %2 = ptx.cvt f16 f32 rnd(rp) %0 : (i32) -> i16
  // expected-error @+1 {{not supported yet: barrier.cluster}}
  ptx.cluster_barrier arrive aligned relaxed : () -> ()
  // expected-error @+1 {{not supported yet: special register %envreg3}}
  %3 = ptx.sreg "envreg3" : i32
  ptx.ret
}
