// What PTX requires of an instruction, the verifiers require.
// RUN: ptx-opt %s -split-input-file -verify-diagnostics

ptx.func @f(%a: i32, %b: i64) {
  // expected-error @+1 {{operand must have 32 bits, but is 'i64'}}
  %0 = ptx.add s32 %a, %b : (i32, i64) -> i32
  ptx.ret
}

// -----

ptx.func @f(%a: i32) {
  // expected-error @+1 {{an integer product needs .lo, .hi or .wide}}
  %0 = ptx.mul s32 %a, %a : (i32, i32) -> i32
  ptx.ret
}

// -----

ptx.func @f(%a: i32) {
  // expected-error @+1 {{result or addend must have 64 bits, but is 'i32'}}
  %0 = ptx.mul s32 mode(wide) %a, %a : (i32, i32) -> i32
  ptx.ret
}

// -----

ptx.func @f(%a: i32) {
  // expected-error @+1 {{an untyped or predicate type}}
  %0 = ptx.and s32 %a, %a : (i32, i32) -> i32
  ptx.ret
}

// -----

ptx.func @f(%a: i32) {
  // expected-error @+1 {{.ltu does not compare .s32}}
  %0 = ptx.setp ltu s32 %a, %a : (i32, i32) -> i1
  ptx.ret
}

// -----

ptx.func @f(%a: i32, %p: i1) {
  // expected-error @+1 {{a predicate operand and its operation go together}}
  %0 = ptx.setp lt s32 %a, %a with %p : (i32, i32, i1) -> i1
  ptx.ret
}

// -----

ptx.func @f(%a: i64) {
  // expected-error @+1 {{a scope goes with an ordering, and only with one}}
  %0 = ptx.ld global u32 sem(acquire) [%a] : (i64) -> i32
  ptx.ret
}

// -----

ptx.func @f(%a: i64) {
  // expected-error @+1 {{register of type 'i16' cannot hold a .u32}}
  %0 = ptx.ld global u32 [%a] : (i64) -> i16
  ptx.ret
}

// -----

ptx.func @f(%a: i64) {
  // expected-error @+1 {{accesses 1, 2, 4 or 8 registers}}
  %0:3 = ptx.ld global u32 [%a] : (i64) -> (i32, i32, i32)
  ptx.ret
}

// -----

ptx.func @f(%a: i64, %b: i32) {
  // expected-error @+1 {{cas, and only cas, takes a third operand}}
  %0 = ptx.atom cas global b32 [%a], %b : (i64, i32) -> i32
  ptx.ret
}

// -----

ptx.func @f(%a: i32) -> i32 {
  // expected-error @+1 {{values do not match the function's results}}
  ptx.ret
}

// -----

ptx.func @g(i32)
ptx.func @f(%a: i64) {
  // expected-error @+1 {{does not match the type of @g}}
  ptx.call @g(%a) : (i64) -> ()
  ptx.ret
}

// -----

ptx.func @f() {
  // expected-error @+1 {{@nothing is not a variable or function}}
  %0 = ptx.addr_of @nothing : i64
  ptx.ret
}

// -----

ptx.entry @k [#ptx.param<"p", u64, 0, 8>] {
  // expected-error @+1 {{there is no parameter 1}}
  %0 = ptx.param_addr 1 : i64
  ptx.ret
}

// -----

// expected-error @+1 {{a .shared variable has no initial value}}
ptx.global shared b8 @s size(4) align(4) init "\01"

// -----

// expected-error @+1 {{an address needs elements of 32 or 64 bits}}
ptx.global global u8 @narrow size(8) align(8) relocs [#ptx.reloc<0, @f, 0, false>]

// -----

// expected-error @+1 {{initial value is longer than the variable}}
ptx.global global b8 @s size(1) align(1) init "\01\02"

// -----

ptx.func @f() {
  // expected-error @+1 {{PTX has no 'cp.async.wait_none'}}
  ptx.inst "cp.async.wait_none" [] () : () -> ()
  ptx.ret
}

// -----

// The modifiers stand in the order of the row.
ptx.func @f(%a: i64) {
  // expected-error @+1 {{PTX has no 'discard.L2.global'}}
  ptx.inst "discard" ["L2", "global"] ([%a], 128) : (i64) -> ()
  ptx.ret
}

// -----

ptx.func @f(%a: i64) {
  // expected-error @+1 {{operand 'size' cannot be 64}}
  ptx.inst "discard" ["L2"] ([%a], 64) : (i64) -> ()
  ptx.ret
}

// -----

ptx.func @f(%a: i64) {
  // expected-error @+1 {{operand 'size' must be an integer constant}}
  ptx.inst "discard" ["L2"] ([%a], %a) : (i64, i64) -> ()
  ptx.ret
}

// -----

ptx.func @f(%a: i64) {
  // expected-error @+1 {{takes 2 operands, not 1}}
  ptx.inst "discard" ["L2"] ([%a]) : (i64) -> ()
  ptx.ret
}

// -----

ptx.func @f(%a: i64) {
  // expected-error @+1 {{operand 'r' must be a vector of 2}}
  %m = ptx.inst "ldmatrix" ["sync", "aligned", "m8n8", "x2", "b16"] (=, [%a]) : (i64) -> i32
  ptx.ret
}

// -----

ptx.func @f(%a: i64) {
  // expected-error @+1 {{operand 'membermask' must have 32 bits, but has 64}}
  %e:2 = ptx.inst "elect.sync" [] (= | =, %a) : (i64) -> (i32, i1)
  ptx.ret
}

// -----

ptx.func @f(%a: i32) {
  // expected-error @+1 {{operand 'd' needs a predicate beside it}}
  %e = ptx.inst "elect.sync" [] (=, %a) : (i32) -> i32
  ptx.ret
}

// -----

ptx.func @f(%a: i32) {
  // expected-error @+1 {{has registers that stand in no operand}}
  %e:3 = ptx.inst "elect.sync" [] (= | =, %a) : (i32) -> (i32, i1, i32)
  ptx.ret
}
