//===- CheckerTest.cpp - Tests of the PTX checker ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that are accepted, and for those that are not the exact message.
// The verdicts are those of ptxas 13.0.
//
//===----------------------------------------------------------------------===//

#include "ParseTest.h"

using namespace heddle::ptx;

namespace {

const std::string Globals = ".global .align 8 .b64 g; .shared .b32 sh;\n"
                            ".const .b32 cn; .func callee(.param .b32 a);\n";

Parsed parse(const std::string &Line, llvm::StringRef Target = "sm_90",
             llvm::StringRef Version = "8.0") {
  std::string Head =
      (".version " + Version + "\n.target " + Target + "\n.address_size 64\n")
          .str();
  return Parsed(
      withBody(".local .b64 lo; .param .b64 pa;\n" + Line, Head + Globals));
}

void accepts(const std::string &Line) {
  Parsed P = parse(Line);
  EXPECT_TRUE(P.M) << Line << "\n" << P.messages();
}

void rejects(const std::string &Line, const std::string &Message,
             llvm::StringRef Target = "sm_90",
             llvm::StringRef Version = "8.0") {
  Parsed P = parse(Line, Target, Version);
  ASSERT_FALSE(P.M) << Line;
  ASSERT_EQ(P.Diags.getDiagnostics().size(), 1u) << P.messages();
  EXPECT_EQ(P.Diags.getDiagnostics()[0].Message, Message);
}

} // namespace

TEST(PTXChecker, RegisterTypes) {
  accepts("add.s32 %r1, %u1, %r2;"); // Signedness does not matter.
  accepts("add.f32 %f1, %r2, %f2;"); // .b32 agrees with .f32.
  accepts("add.f16x2 %r1, %r2, %r3;");
  accepts("mad.wide.s32 %s1, %r1, %u2, %rd1;");
  rejects("add.s32 %r1, %f2, 1;",
          "'%f2' has type '.f32', but operand 'a' of 'add.s32' needs a "
          "register for '.s32'");
  rejects("add.f32 %f1, %u2, %f2;",
          "'%u2' has type '.u32', but operand 'a' of 'add.f32' needs a "
          "register for '.f32'");
  rejects("add.s16 %h1, %r1, %h2;",
          "'%r1' has type '.b32', but operand 'a' of 'add.s16' needs a "
          "register for '.s16'");
  rejects("mul.wide.s32 %r1, %r2, %r3;",
          "'%r1' has type '.b32', but operand 'd' of 'mul.wide.s32' needs a "
          "register for '.s64'");
  rejects("add.f16x2 %u1, %r2, %r3;",
          "'%u1' has type '.u32', but operand 'd' of 'add.f16x2' needs a "
          "register for '.f16x2'");
  rejects("selp.b32 %r1, %r2, %r3, %r4;",
          "'%r4' has type '.b32', but operand 'p' of 'selp.b32' needs a "
          "register for '.pred'");
}

TEST(PTXChecker, WiderRegisters) {
  accepts("ld.global.u8 %r1, [%rd1]; st.global.s16 [%rd1], %rd2;");
  accepts("cvt.u8.u32 %r1, %r2; cvt.s64.s8 %rd1, %r2;");
  rejects("ld.global.u32 %h1, [%rd1];",
          "'%h1' has type '.b16', but operand 'd' of 'ld.global.u32' needs at "
          "least the width of '.u32'");
  rejects("ld.global.f32 %d1, [%rd1];",
          "'%d1' has type '.f64', but operand 'd' of 'ld.global.f32' needs a "
          "register for '.f32'");
}

TEST(PTXChecker, Constants) {
  accepts("mov.b32 %r1, 0f3F800000; mov.b64 %rd1, 0d3FF0000000000000;");
  accepts("mov.f32 %f1, 1.5; mov.f32 %f1, 0d3FF0000000000000;");
  accepts("and.pred %p1, 1, %p2; add.s32 %r1, %r2, WARP_SZ;");
  rejects("mov.f32 %f1, 1;",
          "operand 'a' has type '.f32' and needs a floating-point constant");
  rejects("mov.b32 %r1, 1.0;",
          "operand 'a' has type '.b32' and cannot be a floating-point "
          "constant");
  rejects("add.s32 %r1, %r2, 1.0;",
          "operand 'b' has type '.s32' and cannot be a floating-point "
          "constant");
  rejects("add.f16 %h1, %h2, 1.0;",
          "operand 'b' has type '.f16' and cannot be a constant");
  rejects("add.s32 5, %r1, %r2;",
          "operand 'd' of 'add.s32' must be a register");
  rejects("lop3.b32 %r1, %r2, %r3, %r4, %r5;",
          "operand 'immLut' of 'lop3.b32' must be an integer constant");
  rejects("cp.async.ca.shared.global [%r1], [%rd1], 5;",
          "operand 'cp_size' of 'cp.async.ca.shared.global' must be one of 4, "
          "8, 16");
}

TEST(PTXChecker, SpecialRegisters) {
  accepts("mov.u32 %r1, %tid.x; mov.u16 %h1, %ctaid.z; mov.b32 %r1, %laneid;");
  accepts("cvt.u64.u32 %rd1, %tid.x; mov.u64 %rd1, %globaltimer;");
  rejects("mov.u32 %r1, %tid;",
          "'%tid' is a vector; write '%tid.x', '.y' or '.z'");
  rejects("add.u32 %r1, %tid.x, 1;",
          "'add.u32' cannot read special register '%tid'; move it to a "
          "register first");
  rejects("mov.u64 %rd1, %tid.x;",
          "special register '%tid' has type '.u32', not '.u64'");
  rejects("mov.u32 %r1, %laneid.x;", "'%laneid' has no components");
  rejects("mov.u32 %r1, %cluster_ctarank;",
          "'%cluster_ctarank' needs sm_90; .target is sm_80", "sm_80");
}

TEST(PTXChecker, Sinks) {
  accepts("ld.global.v2.u32 {%r1, _}, [%rd1]; setp.eq.s32 _|%p1, %r1, %r2;");
  accepts("atom.global.add.u32 _, [%rd1], %r2; mov.b64 {%r1, _}, %rd1;");
  rejects("add.s32 _, %r1, %r2;", "'add.s32' does not allow '_' here");
  rejects("st.global.u32 [%rd1], _;",
          "'st.global.u32' does not allow '_' here");
  rejects("shfl.sync.idx.b32 _|%p1, %r1, %r2, 31, -1;",
          "'shfl.sync.idx.b32' does not allow '_' here");
}

TEST(PTXChecker, Pairs) {
  accepts("shfl.sync.up.b32 %r1|%p1, %r2, 1, 0, -1; elect.sync _|%p1, -1;");
  rejects("add.s32 %r1|%p1, %r2, %r3;", "'add.s32' has only one destination");
  rejects("elect.sync %r1, -1;",
          "'elect.sync' needs a predicate as second destination: 'd|p'");
  rejects("setp.eq.s32 %p1|%r1, %r2, %r3;",
          "'%r1' has type '.b32', but operand 'p' of 'setp.eq.s32' needs a "
          "register for '.pred'");
}

TEST(PTXChecker, Predicates) {
  accepts("@%p1 exit; @!%p1 ret; vote.sync.all.pred %p1, !%p2, -1;");
  rejects("@%r1 ret;",
          "a guard must be a predicate, and '%r1' has type '.b32'");
  rejects("add.s32 %r1, !%r2, 1;", "'%r2' cannot be negated here");
  rejects("not.pred !%p1, %p2;", "'%p1' cannot be negated here");
}

TEST(PTXChecker, Vectors) {
  accepts("st.global.v4.f32 [%rd1], {%f1, %f2, 0f00000000, %f3};");
  accepts("mov.b32 {%h1, %h2}, %r1; mov.b64 %rd1, {%f1, %r1};");
  rejects("ld.global.v4.u32 {%r1, %r2}, [%rd1];",
          "operand 'd' of 'ld.global.v4.u32' must have 4 elements; there are "
          "2");
  rejects("ld.global.v2.u32 %r1, [%rd1];",
          "operand 'd' of 'ld.global.v2.u32' must be a vector of 2");
  rejects("mov.b32 %r1, {%h1, %h2, %h3};",
          "a vector of 3 elements does not make up '.b32'");
  rejects("mov.u32 %r1, {%h1, %h2};",
          "'mov.u32' takes no vector; use type '.b32' to pack or unpack");
  rejects("ld.shared.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%rd1];",
          "'ld.shared.v4.u64' is too wide: a vector may have at most 128 "
          "bits");
}

TEST(PTXChecker, Addresses) {
  accepts("ld.u64 %rd1, [g]; ld.global.u64 %rd1, [g]; ld.shared.b32 %r1, "
          "[%r2+4]; ld.local.b64 %rd1, [lo]; ld.local.u32 %r1, [16];");
  accepts("ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%r2];");
  accepts("st.param.b64 [pa], 0; ld.const.b32 %r1, [cn]; "
          "atom.shared::cta.inc.u32 %r1, [sh], 7;");
  rejects("ld.shared.u64 %rd1, [g];",
          "'g' is in .global, but 'ld.shared.u64' accesses .shared");
  rejects("ld.u64 %rd1, [pa];",
          "'pa' is in .param, but 'ld.u64' uses a generic address");
  rejects("ld.global.u32 %r1, [%r2];",
          "an address must be an integer register of 64 bits, and '%r' has "
          "type '.b32'");
  rejects("ld.global.u32 %r1, [%d1];",
          "an address must be an integer register of 64 bits, and '%d' has "
          "type '.f64'");
  rejects("ld.global.u32 %r1, [16];",
          "a constant address is allowed only in .local");
  rejects("ld.global.u32 %r1, %rd1;",
          "operand 'a' of 'ld.global.u32' must be an address in brackets");
  rejects("ld.global.u32 %r1, [%rd1-4];",
          "an offset must be added: write '+-' for a negative one");
  rejects("add.s32 %r1, [%rd1], 1;", "'add.s32' takes no address here");
}

TEST(PTXChecker, AddressOf) {
  accepts("mov.u64 %rd1, g; mov.u32 %r1, sh; cvta.global.u64 %rd1, g;");
  rejects("mov.u32 %r1, g;", "the address of 'g' has 64 bits and no type "
                             "'.u32'");
  rejects("add.u64 %rd1, g, 8;",
          "operand 'a' of 'add.u64' must be a register or a constant; the "
          "address of 'g' has to be moved to one first");
}

TEST(PTXChecker, OperandCount) {
  rejects("add.s32 %r1, %r2;",
          "'add.s32' takes the operands d, a, b; there are 2");
  rejects("ret %r1;", "'ret' takes no operands; there are 1");
  rejects("bar.sync;", "'bar.sync' takes the operands a, {b}; there are 0");
  rejects("ld.global.u32 %r1, [%rd1], %rd2;",
          "'ld.global.u32' takes the operands d, a; there are 3");
  accepts("ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;");
}

TEST(PTXChecker, VersionsAndTargets) {
  rejects("fence.acq_rel.gpu;",
          "'fence.acq_rel.gpu' needs sm_70; .target is sm_60", "sm_60");
  rejects("fence.acq_rel.cluster;",
          "'fence.acq_rel.cluster' needs sm_90; .target is sm_80", "sm_80");
  rejects("redux.sync.min.f32 %f1, %f2, -1;",
          "'redux.sync.min.f32' needs sm_100a or sm_100f; .target is sm_90",
          "sm_90", "8.6");
  rejects("activemask.b32 %r1;",
          "'activemask.b32' needs .version 6.2; .version is 6.0", "sm_70",
          "6.0");
  rejects("ld.global.L1::no_allocate.u32 %r1, [%rd1];",
          "'ld.global.L1::no_allocate.u32' needs .version 7.4; .version is "
          "7.0",
          "sm_80", "7.0");
}

TEST(PTXChecker, Mnemonics) {
  rejects("ad.s32 %r1, %r2, %r3;",
          "unknown instruction 'ad'; did you mean 'add'?");
  rejects("add.s3 %r1, %r2, %r3;",
          "unknown modifier '.s3' on 'add'; did you mean '.s32'?");
  rejects("add %r1, %r2, %r3;",
          "'add' is incomplete: expected .u16, .u32, .u64, .s16, .s32, .s64, "
          ".u16x2, .s16x2 ...");
  rejects("div.f32 %f1, %f2, %f3;",
          "'div.f32' is incomplete: expected .approx, "
          ".full, .rn, .rz, .rm or .rp");
  rejects("setp.eq %p1, %r1, %r2;",
          "'setp.eq' is incomplete: expected .b16, .b32, .b64, .s16, .s32, "
          ".s64, .u16, .u32 ...");
  rejects("cvt.f32.s32 %f1, %r1;", "'cvt.f32.s32' is incomplete: expected "
                                   ".rn, .rz, .rm or .rp");
  rejects("and.u32 %r1, %r2, %r3;", "'.u32' is not allowed on 'and' here; "
                                    "expected .pred, .b16, .b32 or .b64");
  rejects("fabric.submit;",
          "'fabric.submit' needs .version 9.3; .version is 8.0");
  rejects("setp.lt.b32 %p1, %r1, %r2;",
          "'.lt' is not allowed on 'setp' here; expected .eq or .ne");
  // What a modifier would allow is told.
  rejects("ld.global.u32 %r1, [%rd1], %rd2;",
          "'ld.global.u32' takes the operands d, a; there are 3");
}

TEST(PTXChecker, Names) {
  rejects("mov.b32 %r1, %r9;",
          "'%r9' is not declared; '%r' has only 9 registers");
  rejects("mov.b32 %r1, %x1;", "'%x1' is not declared");
  rejects("mov.b32 %r1, %tidx.x;",
          "'%tidx' is not declared; did you mean '%tid'?");
  rejects("bra nowhere;", "'nowhere' is not declared");
  rejects("bra DONR; DONE:", "'DONR' is not declared; did you mean 'DONE'?");
  rejects("bra g;", "'g' is not a label");
  rejects("{ L: } bra L;", "'L' is not declared");
  rejects("A: A:", "'A' is declared already in this scope");
  rejects(".reg .b32 %r<3>;", "'%r' is declared already in this scope");
  rejects(".reg .b32 %r3;", "'%r3' is declared already in this scope");
  accepts("{ .reg .b32 %r3; mov.b32 %r3, %r1; }");
}

TEST(PTXChecker, Calls) {
  accepts(".param .b32 x; call callee, (x); call callee, (%r1);");
  rejects("call callee;", "'callee' has 1 parameter; 0 are given here");
  rejects("call (%r1), callee, (%r2);",
          "'callee' has 0 return values; 1 is given here");
  rejects("call callee, (pa);",
          "'pa' has 8 bytes, but this argument of 'callee' has 4");
  rejects("call callee, (%h1);",
          "'%h1' has type '.b16', which does not fit type '.b32' of this "
          "argument of 'callee'");
  rejects("call %rd1, (%r1);",
          "an indirect call needs the label of a .callprototype or "
          ".calltargets as its last operand");
  rejects("call g, (%r1);", "'g' is not a .func");
}
