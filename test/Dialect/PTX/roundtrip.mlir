// The operations of the dialect print and parse back to the same text.
// RUN: ptx-opt %s | FileCheck %s
// RUN: ptx-opt %s | ptx-opt | FileCheck %s
// RUN: ptx-opt %s -mlir-print-op-generic | ptx-opt | FileCheck %s

// CHECK: ptx.global linkage(external) shared b8 @ws size(0) align(16)
ptx.global linkage(external) shared b8 @ws size(0) align(16)
// CHECK: ptx.global global u64 @tab size(16) align(8) relocs [#ptx.reloc<0, @f, 0, false>, #ptx.reloc<8, @f, 0, true>]
ptx.global global u64 @tab size(16) align(8) relocs [#ptx.reloc<0, @f, 0, false>, #ptx.reloc<8, @f, 0, true>]
// CHECK: ptx.global const b8 @c size(8) align(4) init "\01\02\00"
ptx.global const b8 @c size(8) align(4) init "\01\02\00"

// CHECK: ptx.func external noreturn @stop(i32)
ptx.func external noreturn @stop(i32)

// CHECK: ptx.func visible @f(%{{.*}}: i32, %{{.*}}: i64 {ptx.aggregate = #ptx.aggregate<16, 8, false, b8>}) -> i32 {
ptx.func visible @f(%a: i32, %b: i64 {ptx.aggregate = #ptx.aggregate<16, 8, false, b8>}) -> i32 {
  // CHECK: ptx.add s32 %{{.*}}, %{{.*}} : (i32, i32) -> i32
  %0 = ptx.add s32 %a, %a : (i32, i32) -> i32
  // CHECK: ptx.add f32 rnd(rn) ftz %{{.*}} : (i32, i32) -> f32
  %1 = ptx.add f32 rnd(rn) ftz %0, %a : (i32, i32) -> f32
  // CHECK: ptx.fma f32 rnd(rz) sat
  %2 = ptx.fma f32 rnd(rz) sat %1, %1, %1 : (f32, f32, f32) -> f32
  // CHECK: ptx.mad s32 mode(wide)
  %w = ptx.mad s32 mode(wide) %a, %a, %b : (i32, i32, i64) -> i64
  // CHECK: ptx.setp lt s32 %{{.*}}, %{{.*}} : (i32, i32) -> i1
  %p = ptx.setp lt s32 %0, %a : (i32, i32) -> i1
  // CHECK: ptx.setp lt boolop(and) s32 %{{.*}}, %{{.*}} with %{{.*}} : (i32, i32, i1) -> (i1, i1)
  %p2, %q2 = ptx.setp lt boolop(and) s32 %0, %a with %p : (i32, i32, i1) -> (i1, i1)
  // CHECK: ptx.add_carry u32 %{{.*}}, %{{.*}} : (i32, i32) -> (i32, i1)
  %lo, %cc = ptx.add_carry u32 %a, %a : (i32, i32) -> (i32, i1)
  // CHECK: ptx.add_carry u32 %{{.*}}, %{{.*}} carry %{{.*}} : (i32, i32, i1) -> (i32, i1)
  %hi, %cc2 = ptx.add_carry u32 %a, %a carry %cc : (i32, i32, i1) -> (i32, i1)
  // CHECK: ptx.cvt s32 f32 rnd(rzi) ftz
  %cv = ptx.cvt s32 f32 rnd(rzi) ftz %1 : (f32) -> i32
  // CHECK: ptx.cvta to shared u64
  %cs = ptx.cvta to shared u64 %b : (i64) -> i64
  // CHECK: ptx.lop3 b32 lut(150)
  %l3 = ptx.lop3 b32 lut(150) %a, %a, %a : (i32, i32, i32) -> i32
  // CHECK: ptx.pack b64
  %pk = ptx.pack b64 %a, %a : (i32, i32) -> i64
  // CHECK: ptx.unpack b64
  %up:2 = ptx.unpack b64 %pk : (i64) -> (i32, i32)
  // CHECK: ptx.cond_bra %{{.*}}, ^bb1(%{{.*}} : i32), ^bb2
  ptx.cond_bra %p, ^a(%0 : i32), ^b
^a(%x: i32):
  // CHECK: ptx.ret %{{.*}} : i32
  ptx.ret %x : i32
^b:
  // CHECK: ptx.brx_idx %{{.*}} [^bb3, ^bb1(%{{.*}} : i32)]
  ptx.brx_idx %0 [^c, ^a(%a : i32)]
^c:
  // CHECK: ptx.ld global u32 sem(relaxed) scope(gpu) cache(cg) [%{{.*}} + 8] : (i64) -> (i32, i32)
  %v:2 = ptx.ld global u32 sem(relaxed) scope(gpu) cache(cg) [%b + 8] : (i64) -> (i32, i32)
  // CHECK: ptx.st shared u32 [%{{.*}} + -4], %{{.*}}#0, %{{.*}}#1 : (i32, i32, i32) -> ()
  ptx.st shared u32 [%a + -4], %v#0, %v#1 : (i32, i32, i32) -> ()
  // CHECK: ptx.constant 5 : i32
  %k = ptx.constant 5 : i32
  // CHECK: ptx.addr_of @tab : i64
  %g = ptx.addr_of @tab : i64
  // CHECK: ptx.call uni @f(%{{.*}}, %{{.*}}) aggregates [unit, #ptx.aggregate<16, 8, false, b8>] : (i32, i64) -> i32
  %r = ptx.call uni @f(%k, %b) aggregates [unit, #ptx.aggregate<16, 8, false, b8>] : (i32, i64) -> i32
  // CHECK: ptx.call_indirect %{{.*}}(%{{.*}}) : i64, (i32) -> i32
  %ri = ptx.call_indirect %g(%k) : i64, (i32) -> i32
  // CHECK: ptx.atom cas global b32 sem(relaxed) scope(gpu) [%{{.*}}], %{{.*}}, %{{.*}} : (i64, i32, i32) -> i32
  %at = ptx.atom cas global b32 sem(relaxed) scope(gpu) [%g], %k, %r : (i64, i32, i32) -> i32
  // CHECK: ptx.red add global u32 sem(relaxed) scope(gpu) [
  ptx.red add global u32 sem(relaxed) scope(gpu) [%g + 16], %k : (i64, i32) -> ()
  // CHECK: ptx.sreg "tid.x" : i32
  %i = ptx.sreg "tid.x" : i32
  // CHECK: ptx.shfl up b32 %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} : (i32, i32, i32, i32) -> (i32, i1)
  %d, %pp = ptx.shfl up b32 %i, %k, %k mask %k : (i32, i32, i32, i32) -> (i32, i1)
  // CHECK: ptx.vote ballot
  %vt = ptx.vote ballot %pp mask %k : (i1, i32) -> i32
  // CHECK: ptx.barrier sync aligned %{{.*}} : (i32) -> ()
  ptx.barrier sync aligned %k : (i32) -> ()
  // CHECK: ptx.barrier red_popc aligned %{{.*}} pred %{{.*}} : (i32, i1) -> i32
  %bp = ptx.barrier red_popc aligned %k pred %pp : (i32, i1) -> i32
  // CHECK: ptx.alloca b8 "buf" size(80) align(16) : i64
  %al = ptx.alloca b8 "buf" size(80) align(16) : i64
  // CHECK: ptx.undef : i1
  %u = ptx.undef : i1
  // CHECK: ptx.fence seq_cst gpu
  ptx.fence seq_cst gpu
  // CHECK: ptx.exit
  ptx.exit
}

// CHECK: ptx.entry linkage(visible) @k [#ptx.param<"p0", u64, 0, 8>, #ptx.param<"p1", b8, 12, 4>] attributes {maxntid = array<i32: 128, 1, 1>} {
ptx.entry linkage(visible) @k [#ptx.param<"p0", u64, 0, 8>, #ptx.param<"p1", b8, 12, 4>] attributes {maxntid = array<i32: 128, 1, 1>} {
  // CHECK: ptx.param_addr 1 : i64
  %a = ptx.param_addr 1 : i64
  ptx.ret
}

// Every form of operand of any instruction.
// CHECK-LABEL: ptx.func @inst
ptx.func @inst(%a: i64, %k: i32) {
  // CHECK: ptx.inst "elect.sync" [] (= | =, %{{.*}}) : (i32) -> (i32, i1)
  %e:2 = ptx.inst "elect.sync" [] (= | =, %k) : (i32) -> (i32, i1)
  // CHECK: ptx.inst "elect.sync" [] (_ | =, %{{.*}}) : (i32) -> i1
  %s = ptx.inst "elect.sync" [] (_ | =, %k) : (i32) -> i1
  // CHECK: ptx.inst "cp.async" ["ca", "shared", "global"] ([%{{.*}} + 8], [%{{.*}} + -8], 4, none, none) : (i64, i64) -> ()
  ptx.inst "cp.async" ["ca", "shared", "global"] ([%a + 8], [%a + -8], 4, none, none) : (i64, i64) -> ()
  // CHECK: ptx.inst "ldmatrix" ["sync", "aligned", "m8n8", "x2", "b16"] ({=, =}, [%{{.*}}]) : (i64) -> (i32, i32)
  %m:2 = ptx.inst "ldmatrix" ["sync", "aligned", "m8n8", "x2", "b16"] ({=, =}, [%a]) : (i64) -> (i32, i32)
  ptx.ret
}
