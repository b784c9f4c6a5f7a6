// What has no lowering yet is an error at the place in the PTX.
// RUN: ptx-opt %s --convert-ptx-to-llvm -split-input-file -verify-diagnostics

ptx.func @f(%a: i64) {
  %0 = ptx.ld shared b32 [%a] : (i64) -> i32
  // expected-error @+1 {{not supported yet: cvt.f32.tf32 with these modifiers}}
  %2 = ptx.cvt f32 tf32 %0 : (i32) -> i32
  // expected-error @+1 {{not supported yet: special register %perctamemorysize}}
  %3 = ptx.sreg "perctamemorysize" : i32
  ptx.ret
}
