//===- EmulatorBenchmark.cpp - Speed of the emulator ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thread instructions a second of kernels of each class, by the number of host
// threads, with strict hazards and without, and under the timing model; and
// what the host's own code makes of the same loops. `per_core` divides by the
// time that the process had of all cores, so it says the same on a machine that
// does other work too; `rounds_per_core` counts the loops' rounds, which the
// emulator and the host's code have in common.
//
//===----------------------------------------------------------------------===//

#include "heddle-c/heddle.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/Support/Check.h"
#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <benchmark/benchmark.h>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <thread>
#include <vector>

using namespace llvm;
using namespace heddle;

namespace {

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// A kernel whose loop runs %n times; its threads have numbers %i of their own,
/// and a word at %x and one at %y.
struct KernelText {
  const char *Name;
  const char *Declarations;
  const char *Loop;
};

/// Iterations of each loop.
constexpr uint32_t Rounds = 256;
constexpr uint32_t Threads = 256;
constexpr uint32_t CTAs = 64;
constexpr uint64_t Words = uint64_t(CTAs) * Threads;
/// Of the first buffer: for each CTA a page of its own.
constexpr uint64_t WordsOfX = CTAs * 1024;

/// Eight chains of multiply-adds.
constexpr KernelText FloatKernel = {"fma", "", R"(
  fma.rn.f32 %f0, %f0, %f8, %f9; fma.rn.f32 %f1, %f1, %f8, %f9;
  fma.rn.f32 %f2, %f2, %f8, %f9; fma.rn.f32 %f3, %f3, %f8, %f9;
  fma.rn.f32 %f4, %f4, %f8, %f9; fma.rn.f32 %f5, %f5, %f8, %f9;
  fma.rn.f32 %f6, %f6, %f8, %f9; fma.rn.f32 %f7, %f7, %f8, %f9;
)"};
/// Multiplication, logic, shifts, comparison and selection.
constexpr KernelText IntegerKernel = {"integer", "", R"(
  mad.lo.u32 %r0, %r0, 1664525, %r1; xor.b32 %r1, %r1, %r0;
  shl.b32 %r2, %r0, 7; add.u32 %r3, %r3, %r2; min.u32 %r4, %r3, %r1;
  and.b32 %r5, %r4, %r0; shr.u32 %r2, %r5, 3; add.u32 %r0, %r0, %r2;
  setp.lt.u32 %p1, %r0, %r3; selp.u32 %r1, %r1, %r5, %p1;
)"};
/// Loads and stores of neighbouring words, as saxpy.
constexpr KernelText StreamKernel = {"stream", "", R"(
  ld.global.f32 %f1, [%x]; ld.global.f32 %f2, [%y];
  fma.rn.f32 %f2, %f1, %f8, %f2; st.global.f32 [%y], %f2;
  add.u64 %x, %x, 65536; and.b64 %x, %x, %mask; or.b64 %x, %x, %x0;
)"};
/// Loads at addresses that depend on data.
constexpr KernelText GatherKernel = {"gather", "", R"(
  mad.lo.u32 %r0, %r0, 1664525, 1013904223; and.b32 %r1, %r0, 16380;
  cvt.u64.u32 %a, %r1; add.u64 %a, %a, %x0; ld.global.u32 %r2, [%a];
  add.u32 %r3, %r3, %r2;
)"};
/// A transposition in shared memory.
constexpr KernelText SharedKernel = {"shared",
                                     ".shared .align 4 .b8 tile[1024];", R"(
  st.shared.u32 [%s], %r0; bar.sync 0; ld.shared.u32 %r1, [%t];
  add.u32 %r0, %r0, %r1; bar.sync 0;
)"};
/// Each lane goes round its own number of times.
constexpr KernelText DivergentKernel = {"divergent", "", R"(
  mad.lo.u32 %r0, %r0, 1664525, 1013904223; shr.u32 %r1, %r0, 29;
INNER:
  setp.eq.u32 %p1, %r1, 0; @%p1 bra OUT;
  xor.b32 %r2, %r2, %r1; mul.lo.u32 %r2, %r2, %r0; sub.u32 %r1, %r1, 1;
  bra INNER;
OUT:
)"};
/// Reductions to 1024 words of global memory, and to 256 of shared memory.
constexpr KernelText AtomicKernel = {"atomics",
                                     ".shared .align 4 .b8 tile[1024];", R"(
  mad.lo.u32 %r0, %r0, 1664525, 1013904223; and.b32 %r1, %r0, 4092;
  cvt.u64.u32 %a, %r1; add.u64 %a, %a, %x0; red.global.add.u32 [%a], 1;
  and.b32 %r1, %r0, 1020; add.u32 %r1, %r1, %sb;
  atom.shared.add.u32 %r2, [%r1], 1;
)"};

/// The same, but that each CTA has 256 words of global memory of its own, in
/// a page that no other touches.
constexpr KernelText OwnAtomicKernel = {"own-atomics",
                                        ".shared .align 4 .b8 tile[1024];", R"(
  mad.lo.u32 %r0, %r0, 1664525, 1013904223; and.b32 %r1, %r0, 1020;
  cvt.u64.u32 %a, %r1; add.u64 %a, %a, %own; red.global.add.u32 [%a], 1;
  add.u32 %r1, %r1, %sb; atom.shared.add.u32 %r2, [%r1], 1;
)"};

/// A class of instructions each, several at a time, for which the host's code
/// has no counterpart or an own instruction.
constexpr KernelText Others[] = {
    {"f64",
     ".reg .f64 %d<6>; cvt.rn.f64.u32 %d0, %i; mov.f64 %d1, %d0;"
     "mov.f64 %d2, %d0; mov.f64 %d3, %d0; mov.f64 %d4, 0d3FE0000000000000;",
     R"(
  fma.rn.f64 %d0, %d0, %d4, %d4; fma.rn.f64 %d1, %d1, %d4, %d4;
  add.f64 %d2, %d2, %d0; mul.f64 %d3, %d3, %d4; max.f64 %d2, %d2, %d3;
  cvt.rn.f32.f64 %f0, %d2;
)"},
    {"f64-division", ".reg .f64 %d<4>; cvt.rn.f64.u32 %d0, %u;", R"(
  add.f64 %d0, %d0, 0d3FF0000000000000; div.rn.f64 %d1, %d0, 0d400921FB54442D18;
  sqrt.rn.f64 %d2, %d0; add.f64 %d0, %d1, %d2; cvt.rn.f32.f64 %f0, %d0;
)"},
    {"f32-division", "", R"(
  add.f32 %f0, %f0, 0f3F800000; div.rn.f32 %f1, %f0, 0f40490FDB;
  sqrt.rn.f32 %f2, %f0; add.f32 %f0, %f1, %f2; rcp.rn.f32 %f3, %f0;
)"},
    {"transcendental", "", R"(
  sin.approx.f32 %f1, %f0; cos.approx.f32 %f2, %f0; ex2.approx.f32 %f3, %f1;
  lg2.approx.f32 %f4, %f0; rsqrt.approx.f32 %f5, %f0; tanh.approx.f32 %f6, %f2;
  rcp.approx.f32 %f7, %f3; add.f32 %f0, %f7, %f6;
)"},
    {"directed-rounding", "", R"(
  fma.rz.f32 %f0, %f0, %f8, %f9; add.rm.f32 %f1, %f1, %f8;
  mul.rp.f32 %f2, %f2, %f8; fma.rn.ftz.sat.f32 %f3, %f3, %f8, %f9;
)"},
    {"half",
     ".reg .b32 %h<4>; mov.b32 %h0, 0x3C003800; mov.b32 %h1, %h0;"
     "mov.b32 %h2, %h0; mov.b32 %h3, %h0;",
     R"(
  fma.rn.f16x2 %h0, %h0, %h1, %h2; add.f16x2 %h2, %h2, %h1;
  mul.f16x2 %h3, %h3, %h1; fma.rn.bf16x2 %h2, %h2, %h1, %h3;
  max.f16x2 %h3, %h3, %h0; mov.b32 %r0, %h3;
)"},
    {"conversions", ".reg .b16 %q; .reg .b64 %w;", R"(
  cvt.rn.f32.s32 %f0, %r0; cvt.rzi.s32.f32 %r0, %f0; cvt.rn.f16.f32 %q, %f0;
  cvt.f32.f16 %f1, %q; cvt.u64.u32 %w, %r0; cvt.rn.f32.u64 %f2, %w;
  cvt.rni.f32.f32 %f3, %f2; add.u32 %r0, %r0, %i;
)"},
    {"bits", "", R"(
  popc.b32 %r1, %r0; clz.b32 %r2, %r0; brev.b32 %r3, %r0;
  bfe.u32 %r4, %r0, %r1, %r2; bfi.b32 %r5, %r4, %r3, %r1, %r2;
  prmt.b32 %r6, %r5, %r0, %r3; shf.l.wrap.b32 %r7, %r6, %r5, %r1;
  bfind.u32 %r1, %r7; add.u32 %r0, %r7, %r1;
)"},
    {"integers-64",
     ".reg .b64 %w<4>; cvt.u64.u32 %w0, %u; mov.u64 %w1, 77;"
     "mov.u64 %w2, 3;",
     R"(
  mad.lo.u64 %w0, %w0, %w1, %w2; mul.hi.u64 %w2, %w0, %w1;
  shr.u64 %w1, %w1, 1; xor.b64 %w1, %w1, %w0; min.s64 %w2, %w2, %w1;
  mad.wide.u32 %w2, %r0, %r1, %w2; cvt.u32.u64 %r0, %w2;
)"},
    {"division", "", R"(
  div.u32 %r1, %r0, %r2; rem.s32 %r3, %r1, 77; add.u32 %r0, %r0, %r3;
  or.b32 %r2, %r3, 5;
)"},
    {"dot-products", "", R"(
  dp4a.s32.s32 %r0, %r0, %r1, %r2; dp4a.u32.u32 %r1, %r0, %r1, %r3;
  dp2a.lo.s32.s32 %r2, %r0, %r1, %r2; dp4a.s32.u32 %r3, %r2, %r1, %r0;
)"},
    {"video", "", R"(
  vadd.s32.s32.s32.sat %r0, %r0.b0, %r1.h1; vabsdiff4.u32.u32.u32.add %r1, %r0, %r2, %r1;
  vmax4.u32.u32.u32 %r2, %r1, %r0, %r2; vadd2.s32.s32.s32 %r3, %r2, %r1, %r0;
)"},
    {"shuffles", "", R"(
  shfl.sync.bfly.b32 %r1, %r0, 16, 31, -1; add.u32 %r0, %r0, %r1;
  shfl.sync.down.b32 %r2, %r0, 1, 31, -1; shfl.sync.idx.b32 %r3, %r2, %r0, 31, -1;
  shfl.sync.up.b32 %r4, %r3, 2, 0, -1; xor.b32 %r0, %r0, %r4;
)"},
    {"votes", ".reg .pred %v;", R"(
  setp.lt.u32 %p1, %r0, %r1; vote.sync.ballot.b32 %r2, %p1, -1;
  vote.sync.any.pred %v, %p1, -1; selp.u32 %r3, %r2, %r1, %v;
  redux.sync.add.u32 %r4, %r0, -1; redux.sync.min.s32 %r5, %r0, -1;
  activemask.b32 %r6; add.u32 %r0, %r4, %r5;
)"},
    {"matches", ".reg .pred %v;", R"(
  and.b32 %r1, %r0, 3; match.any.sync.b32 %r2, %r1, -1;
  match.all.sync.b32 %r3|%v, %r2, -1; add.u32 %r0, %r0, %r3; add.u32 %r0, %r0, %i;
)"},
    {"barriers", ".reg .pred %v;", R"(
  setp.lt.u32 %p1, %r0, %r1; bar.red.popc.u32 %r2, 1, %p1;
  bar.red.or.pred %v, 1, %p1; bar.sync 0; selp.u32 %r0, %r2, %r0, %v;
)"},
    {"local", ".local .align 16 .b8 array[64]; .reg .b32 %l, %k;", R"(
  and.b32 %k, %r0, 60; mov.u32 %l, array; add.u32 %l, %l, %k;
  st.local.u32 [%l], %r0; ld.local.u32 %r1, [array+16];
  ld.local.v4.u32 {%r2, %r3, %r4, %r5}, [array+32]; add.u32 %r0, %r1, %r2;
)"},
    {"wide-accesses", "", R"(
  and.b64 %a, %y, -16; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%a];
  ld.global.v2.u32 {%r4, %r5}, [%a]; add.u32 %r0, %r0, %r4;
  st.global.v4.u32 [%a], {%r0, %r1, %r2, %r3};
)"},
    {"bytes", ".reg .b16 %q<3>;", R"(
  ld.global.u8 %q0, [%x]; ld.global.s16 %q1, [%x+2]; add.u16 %q2, %q0, %q1;
  st.global.u8 [%y], %q2; cvt.u32.u16 %r0, %q2;
)"},
    {"constants", ".reg .b32 %l, %k; mov.u32 %k, table;", R"(
  and.b32 %l, %r0, 12; add.u32 %l, %l, %k; ld.const.u32 %r1, [%l];
  ld.const.u32 %r2, [table+8]; add.u32 %r0, %r1, %r2;
)"},
    {"compare-and-swap", "", R"(
  atom.global.cas.b32 %r1, [%x], %r0, %r2; atom.global.exch.b32 %r2, [%x], %r0;
  atom.global.add.f32 %f1, [%x], %f0; add.u32 %r0, %r1, %r2;
)"},
    {"one-counter", "", R"(
  atom.global.add.u32 %r1, [%own], 1; add.u32 %r0, %r0, %r1;
)"},
    {"quad-atomics", ".reg .b128 %v<2>; .reg .b64 %w<2>; mov.u64 %w0, 1;", R"(
  mov.b128 %v0, {%w0, %w0}; and.b64 %a, %y, -16;
  atom.relaxed.gpu.global.exch.b128 %v1, [%a], %v0; add.u64 %w0, %w0, 1;
)"},
    {"fences", "", R"(
  st.global.u32 [%x], %r0; fence.acq_rel.gpu; ld.acquire.gpu.global.u32 %r1, [%x];
  st.release.gpu.global.u32 [%y], %r1; add.u32 %r0, %r0, %r1;
)"},
    {"textures", ".reg .b64 %tex; ld.param.u64 %tex, [pt];", R"(
  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%tex, {%f0, %f5}];
  add.f32 %f0, %f0, %f1; add.f32 %f5, %f5, %f6;
)"},
    {"matrices",
     ".reg .b32 %m<6>; .reg .f32 %z<4>;"
     "mov.b32 %m0, 0; mov.b32 %m1, 0; mov.b32 %m2, 0; mov.b32 %m3, 0;"
     "mov.b32 %m4, 0; mov.b32 %m5, 0; mov.f32 %z0, %f0;"
     "mov.f32 %z1, %f0; mov.f32 %z2, %f0; mov.f32 %z3, %f0;",
     R"(
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%z0, %z1, %z2, %z3},
      {%m0, %m1, %m2, %m3}, {%m4, %m5}, {%z0, %z1, %z2, %z3};
  add.f32 %f0, %f0, %z0;
)"},
};

std::string ptxOf(const KernelText &K) {
  std::string Text =
      ".version 8.4\n.target sm_90\n.address_size 64\n"
      ".const .align 4 .u32 table[8] = {3, 1, 4, 1, 5, 9, 2, 6};\n";
  Text += ".visible .entry kernel(.param .u64 px, .param .u64 py, "
          ".param .u32 pn, .param .u64 pt) {\n";
  Text += ".reg .b32 %r<8>, %i, %n, %s, %t, %sb, %u; .reg .f32 %f<10>;\n"
          ".reg .b64 %x, %y, %x0, %o, %a, %mask, %own; .reg .pred %p<3>;\n";
  Text += "mov.u32 %i, %tid.x; mov.u32 %u, %ctaid.x;\n";
  bool UsesTile = StringRef(K.Declarations).contains("tile");
  if (UsesTile)
    Text += StringRef(K.Declarations).str() +
            "mov.u32 %sb, tile; shl.b32 %s, %i, 2; add.u32 %s, %s, %sb;\n"
            "xor.b32 %t, %i, 37; shl.b32 %t, %t, 2; add.u32 %t, %t, %sb;\n"
            "st.shared.u32 [%s], 0; bar.sync 0;\n";
  Text +=
      "mad.lo.u32 %u, %u, 256, %i; ld.param.u64 %x0, [px];\n"
      "ld.param.u64 %y, [py]; ld.param.u32 %n, [pn];\n"
      "cvta.to.global.u64 %x0, %x0; cvta.to.global.u64 %y, %y;\n"
      "mul.wide.u32 %o, %u, 4; add.u64 %y, %y, %o; mov.u64 %mask, 65535;\n"
      "add.u64 %x, %x0, %o; and.b64 %own, %o, -1024; shl.b64 %own, %own, 2;\n"
      "add.u64 %own, %own, %x0;\n";
  for (unsigned N = 0; N < 10; ++N)
    Text += "cvt.rn.f32.u32 %f" + std::to_string(N) + ", %u;\n";
  for (unsigned N = 0; N < 8; ++N)
    Text +=
        "add.u32 %r" + std::to_string(N) + ", %u, " + std::to_string(N) + ";\n";
  if (!UsesTile)
    Text += K.Declarations;
  Text += "LOOP:\n";
  Text += K.Loop;
  Text += "sub.u32 %n, %n, 1; setp.ne.u32 %p0, %n, 0; @%p0 bra LOOP;\n";
  for (unsigned N = 1; N < 8; ++N)
    Text += "add.f32 %f0, %f0, %f" + std::to_string(N) +
            "; xor.b32 %r0, %r0, %r" + std::to_string(N) + ";\n";
  Text += "mov.b32 %r1, %f0; xor.b32 %r0, %r0, %r1;\n"
          "st.global.u32 [%y], %r0; ret; }\n";
  return Text;
}

std::string compile(const std::string &PTX) {
  HeddleCompilerConfig Config;
  heddleCompilerConfigInit(&Config);
  Config.CacheMode = HEDDLE_CACHE_OFF;
  HeddleCompiler Compiler = nullptr;
  auto Check = [](HeddleError E) {
    if (E)
      std::fprintf(stderr, "%s\n", heddleErrorGetMessage(E));
    HEDDLE_CHECK(!E, "a kernel of the benchmark does not compile");
  };
  Check(heddleCompilerCreate(&Config, &Compiler));
  HeddleInput Input = {sizeof(Input), PTX.data(), PTX.size(), "benchmark.ptx"};
  HeddleCompileOptions Options;
  heddleCompileOptionsInit(&Options);
  HeddleCodeObject Code = nullptr;
  Check(heddleCompile(Compiler, &Input, &Options, &Code));
  std::string Bytes(static_cast<const char *>(heddleCodeObjectGetData(Code)),
                    heddleCodeObjectGetSize(Code));
  heddleCodeObjectDestroy(Code);
  heddleCompilerDestroy(Compiler);
  return Bytes;
}

//===----------------------------------------------------------------------===//
// The emulator
//===----------------------------------------------------------------------===//

/// A kernel whose threads do little: what each element needs, with a word at %x
/// and one at %y, and its number %i.
struct ShortText {
  const char *Name;
  const char *Element;
};

constexpr ShortText ShortKernels[] = {
    {"saxpy", R"(
  ld.global.f32 %f1, [%x]; ld.global.f32 %f2, [%y];
  fma.rn.f32 %f2, %f1, 0f40000000, %f2; st.global.f32 [%y], %f2;
)"},
    {"relu", R"(
  ld.global.f32 %f1, [%x]; max.f32 %f1, %f1, 0f00000000;
  st.global.f32 [%y], %f1;
)"},
    {"cast", R"(
  ld.global.f32 %f1, [%x]; cvt.rn.f16.f32 %h, %f1; st.global.b16 [%y], %h;
)"},
    {"bias-add", R"(
  ld.global.f32 %f1, [%x]; and.b32 %r1, %i, 1023; mul.wide.u32 %o, %r1, 4;
  add.u64 %o, %o, %x0; ld.global.f32 %f2, [%o]; add.f32 %f1, %f1, %f2;
  st.global.f32 [%y], %f1;
)"},
    {"gather", R"(
  ld.global.u32 %r1, [%x]; and.b32 %r1, %r1, 65535; mul.wide.u32 %o, %r1, 4;
  add.u64 %o, %o, %x0; ld.global.f32 %f1, [%o]; st.global.f32 [%y], %f1;
)"},
};

/// A launch of such a kernel.
struct ShortLaunch {
  const ShortText *Kernel; ///< Null: it is empty.
  unsigned Elements;       ///< Of each thread.
  uint32_t CTAs = 16384, Threads = 256;
};

/// The kernel as nvcc writes it.
std::string ptxOf(const ShortLaunch &L) {
  std::string Text = ".version 8.4\n.target sm_90\n.address_size 64\n"
                     ".visible .entry kernel(.param .u64 px, .param .u64 py, "
                     ".param .u32 pn) {\n";
  if (L.Kernel)
    Text += ".reg .b32 %r<4>, %i, %n, %c, %t; .reg .b64 %x, %y, %x0, %y0, %o;\n"
            ".reg .f32 %f<3>; .reg .b16 %h; .reg .pred %p;\n"
            "mov.u32 %c, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %t, %tid.x;\n"
            "mad.lo.s32 %i, %c, %n, %t; ld.param.u32 %n, [pn];\n"
            "ld.param.u64 %x0, [px]; ld.param.u64 %y0, [py];\n"
            "cvta.to.global.u64 %x0, %x0; cvta.to.global.u64 %y0, %y0;\n";
  for (unsigned N = 0; N < L.Elements; ++N)
    Text += "setp.ge.u32 %p, %i, %n; @%p bra DONE;\n"
            "mul.wide.s32 %o, %i, 4; add.s64 %x, %x0, %o;\n"
            "add.s64 %y, %y0, %o;\n" +
            std::string(L.Kernel->Element) + "add.s32 %i, %i, " +
            std::to_string(L.CTAs * L.Threads) + ";\n";
  return Text + "DONE: ret; }\n";
}

enum class Mode { Fast, Strict, Timing };

/// 128 x 128 floats, between which lookups interpolate.
rt::ImageDesc imageAt(uint64_t Address) {
  rt::ImageDesc Image;
  Image.Base = Address;
  Image.Width = Image.Height = 128;
  Image.RowPitch = 4 * Image.Width;
  Image.SlicePitch = uint64_t(Image.RowPitch) * Image.Height;
  return Image;
}
rt::SamplerDesc filtered() {
  rt::SamplerDesc Sampler;
  Sampler.Filter = texture::FilterMode::Linear;
  return Sampler;
}

void runKernel(benchmark::State &State, const KernelText &K, Mode M) {
  std::string Code = compile(ptxOf(K));
  emu::EmulatorOptions Options;
  Options.StrictHazards = M == Mode::Strict;
  Options.Timing = M == Mode::Timing;
  Options.HostThreads = State.range(0);
  auto Device = cantFail(emu::createEmulatorDevice(Options));
  auto Module = cantFail(Device->loadModule(
      {reinterpret_cast<const uint8_t *>(Code.data()), Code.size()}));
  uint64_t X = cantFail(Device->allocate(WordsOfX * 4, 1 << 20));
  uint64_t Y = cantFail(Device->allocate(Words * 4, 1 << 20));
  const uint8_t Zero[4] = {};
  cantFail(Device->fill(X, Zero, WordsOfX));
  cantFail(Device->fill(Y, Zero, Words));
  uint64_t Texture = cantFail(Device->createTexture(imageAt(X), filtered()));
  uint8_t Params[32];
  std::memcpy(Params, &X, 8);
  std::memcpy(Params + 8, &Y, 8);
  std::memcpy(Params + 16, &Rounds, 4);
  std::memcpy(Params + 24, &Texture, 8);
  rt::LaunchConfig Config;
  Config.Grid = {CTAs, 1, 1};
  Config.Block = {Threads, 1, 1};
  Config.Params = Params;
  uint64_t Instructions = 0, WarpInstructions = 0;
  std::clock_t Start = std::clock();
  for (auto _ : State) {
    rt::LaunchResult R = cantFail(Device->launch(*Module, 0, Config));
    if (R.Fault)
      std::fprintf(stderr, "%s\n", R.Fault->str().c_str());
    HEDDLE_CHECK(!R.Fault, "a kernel of the benchmark ends with a fault");
    Instructions += R.Statistics.ThreadInstructions;
    WarpInstructions += R.Statistics.WarpInstructions;
  }
  double Seconds = double(std::clock() - Start) / CLOCKS_PER_SEC;
  State.counters["thread_instructions"] =
      benchmark::Counter(Instructions, benchmark::Counter::kIsRate);
  State.counters["per_core"] = Instructions / Seconds;
  State.counters["warp_per_core"] = WarpInstructions / Seconds;
  State.counters["rounds_per_core"] =
      double(State.iterations()) * Words * Rounds / Seconds;
}

/// What a CTA costs whose threads end soon, in processor time.
void runShortKernel(benchmark::State &State, const ShortLaunch &L) {
  std::string Code = compile(ptxOf(L));
  emu::EmulatorOptions Options;
  Options.StrictHazards = false;
  Options.HostThreads = State.range(0);
  auto Device = cantFail(emu::createEmulatorDevice(Options));
  auto Module = cantFail(Device->loadModule(
      {reinterpret_cast<const uint8_t *>(Code.data()), Code.size()}));
  uint32_t Count = L.CTAs * L.Threads * L.Elements;
  uint8_t Params[20];
  for (unsigned N = 0; N < 2; ++N) {
    uint64_t Buffer = cantFail(Device->allocate(uint64_t(Count) * 4));
    const uint8_t Zero[4] = {};
    cantFail(Device->fill(Buffer, Zero, Count)); // Its pages are there then.
    std::memcpy(Params + 8 * N, &Buffer, 8);
  }
  std::memcpy(Params + 16, &Count, 4);
  rt::LaunchConfig Config;
  Config.Grid = {L.CTAs, 1, 1};
  Config.Block = {L.Threads, 1, 1};
  Config.Params = Params;
  std::clock_t Start = std::clock();
  for (auto _ : State) {
    rt::LaunchResult R = cantFail(Device->launch(*Module, 0, Config));
    HEDDLE_CHECK(!R.Fault, "a kernel of the benchmark ends with a fault");
  }
  double Seconds = double(std::clock() - Start) / CLOCKS_PER_SEC;
  State.counters["ns_per_cta"] =
      Seconds * 1e9 / (double(State.iterations()) * L.CTAs);
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)
#define HEDDLE_BEST_TARGET                                                     \
  __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define HEDDLE_BEST_TARGET
#endif

constexpr unsigned Lanes = 32;
typedef uint32_t Words32 __attribute__((ext_vector_type(Lanes)));
typedef float Floats32 __attribute__((ext_vector_type(Lanes)));

/// What the threads of one CTA do in all rounds of a kernel's loop: X and Y are
/// the buffers, First is the number of its first thread.
using HostLoop = void (*)(uint32_t *X, uint32_t *Y, uint32_t First);

HEDDLE_BEST_TARGET void hostFMA(uint32_t *, uint32_t *Y, uint32_t First) {
  constexpr unsigned Chains = 8;
  for (unsigned T = 0; T < Threads; T += Lanes) {
    Floats32 V[Chains], B = float(First + T), C = 1.25f, Sum = 0;
    for (unsigned N = 0; N < Chains; ++N)
      V[N] = float(N);
    for (uint32_t R = 0; R < Rounds; ++R)
      for (Floats32 &F : V)
        F = __builtin_elementwise_fma(F, B, C);
    for (Floats32 &F : V)
      Sum += F;
    std::memcpy(Y + First + T, &Sum, sizeof(Sum));
  }
}

HEDDLE_BEST_TARGET void hostInteger(uint32_t *, uint32_t *Y, uint32_t First) {
  for (unsigned T = 0; T < Threads; T += Lanes) {
    Words32 R0 = First + T, R1 = R0 + 1, R2, R3 = R0 + 3, R4, R5;
    for (uint32_t R = 0; R < Rounds; ++R) {
      R0 = R0 * 1664525 + R1;
      R1 ^= R0;
      R2 = R0 << 7;
      R3 += R2;
      R4 = __builtin_elementwise_min(R3, R1);
      R5 = R4 & R0;
      R2 = R5 >> 3;
      R0 += R2;
      R1 = R0 < R3 ? R1 : R5;
    }
    R0 ^= R1 ^ R3;
    std::memcpy(Y + First + T, &R0, sizeof(R0));
  }
}

HEDDLE_BEST_TARGET void hostStream(uint32_t *X, uint32_t *Y, uint32_t First) {
  auto *From = reinterpret_cast<float *>(X) + First;
  auto *To = reinterpret_cast<float *>(Y) + First;
  for (uint32_t R = 0; R < Rounds; ++R) {
    for (unsigned T = 0; T < Threads; ++T)
      To[T] += From[T] * 0.5f;
    benchmark::ClobberMemory();
  }
}

HEDDLE_BEST_TARGET void hostGather(uint32_t *X, uint32_t *Y, uint32_t First) {
  for (unsigned T = 0; T < Threads; T += Lanes) {
    uint32_t R0[Lanes], R3[Lanes] = {};
    for (unsigned L = 0; L < Lanes; ++L)
      R0[L] = First + T + L;
    for (uint32_t R = 0; R < Rounds; ++R)
      for (unsigned L = 0; L < Lanes; ++L) {
        R0[L] = R0[L] * 1664525 + 1013904223;
        R3[L] += X[(R0[L] & 16380) / 4];
      }
    std::memcpy(Y + First + T, R3, sizeof(R3));
  }
}

HEDDLE_BEST_TARGET void hostShared(uint32_t *, uint32_t *Y, uint32_t First) {
  uint32_t Tile[Threads], R0[Threads];
  for (unsigned T = 0; T < Threads; ++T)
    R0[T] = First + T;
  for (uint32_t R = 0; R < Rounds; ++R) {
    std::memcpy(Tile, R0, sizeof(Tile));
    benchmark::ClobberMemory();
    for (unsigned T = 0; T < Threads; ++T)
      R0[T] += Tile[T ^ 37];
  }
  std::memcpy(Y + First, R0, sizeof(R0));
}

void hostDivergent(uint32_t *, uint32_t *Y, uint32_t First) {
  for (unsigned T = 0; T < Threads; ++T) {
    uint32_t R0 = First + T, R2 = R0;
    for (uint32_t R = 0; R < Rounds; ++R) {
      R0 = R0 * 1664525 + 1013904223;
      for (uint32_t R1 = R0 >> 29; R1; --R1)
        R2 = (R2 ^ R1) * R0;
    }
    Y[First + T] = R2;
  }
}

void hostAtomics(uint32_t *X, uint32_t *Y, uint32_t First) {
  uint32_t Tile[Threads] = {}, R2 = 0;
  for (unsigned T = 0; T < Threads; ++T) {
    uint32_t R0 = First + T;
    for (uint32_t R = 0; R < Rounds; ++R) {
      R0 = R0 * 1664525 + 1013904223;
      __atomic_fetch_add(X + (R0 & 4092) / 4, 1, __ATOMIC_RELAXED);
      R2 ^= Tile[(R0 & 1020) / 4]++;
    }
  }
  Y[First] = R2;
}

void benchmarkHost(benchmark::State &State, HostLoop Loop) {
  std::vector<uint32_t> X(Words), Y(Words);
  std::clock_t Start = std::clock();
  for (auto _ : State) {
    std::atomic<uint32_t> Next{0};
    auto Work = [&] {
      for (uint32_t N; (N = Next++) < CTAs;)
        Loop(X.data(), Y.data(), N * Threads);
    };
    std::vector<std::thread> Others;
    for (int N = 1; N < State.range(0); ++N)
      Others.emplace_back(Work);
    Work();
    for (std::thread &T : Others)
      T.join();
    benchmark::DoNotOptimize(Y.data());
  }
  double Seconds = double(std::clock() - Start) / CLOCKS_PER_SEC;
  State.counters["rounds_per_core"] =
      double(State.iterations()) * Words * Rounds / Seconds;
}

void registerThreads(const std::string &Name, int MaxThreads,
                     std::function<void(benchmark::State &)> Run) {
  benchmark::RegisterBenchmark(Name.c_str(), Run)
      ->ArgName("threads")
      ->DenseRange(1, MaxThreads)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

void registerKernel(const KernelText &K, Mode M, const char *Name,
                    int MaxThreads) {
  registerThreads(std::string(K.Name) + Name, MaxThreads,
                  [&K, M](benchmark::State &S) { runKernel(S, K, M); });
}

void registerShort(const std::string &Name, const ShortLaunch &L) {
  registerThreads(Name, 2, [L](benchmark::State &S) { runShortKernel(S, L); });
}

} // namespace

int main(int Argc, char **Argv) {
  constexpr std::pair<const KernelText *, HostLoop> Kernels[] = {
      {&FloatKernel, hostFMA},      {&IntegerKernel, hostInteger},
      {&StreamKernel, hostStream},  {&GatherKernel, hostGather},
      {&SharedKernel, hostShared},  {&DivergentKernel, hostDivergent},
      {&AtomicKernel, hostAtomics}, {&OwnAtomicKernel, nullptr}};
  for (auto [K, Loop] : Kernels) {
    registerKernel(*K, Mode::Fast, "/fast", 2);
    registerKernel(*K, Mode::Strict, "/strict", 2);
    registerKernel(*K, Mode::Timing, "/timing", 1);
    if (Loop)
      registerThreads(
          std::string(K->Name) + "/host", 2,
          [Loop = Loop](benchmark::State &S) { benchmarkHost(S, Loop); });
  }
  for (const KernelText &K : Others) {
    registerKernel(K, Mode::Fast, "/fast", 1);
    registerKernel(K, Mode::Timing, "/timing", 1);
  }
  registerShort("empty", {nullptr, 0});
  registerShort("empty/22M", {nullptr, 0, 22'000'000});
  registerShort("saxpy/1M", {&ShortKernels[0], 1, 1'000'000, 32});
  for (const ShortText &K : ShortKernels)
    for (unsigned Elements : {1, 4})
      registerShort(std::string(K.Name) + "/" + std::to_string(Elements),
                    {&K, Elements});
  benchmark::Initialize(&Argc, Argv);
  if (benchmark::ReportUnrecognizedArguments(Argc, Argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
