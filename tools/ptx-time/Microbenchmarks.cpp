//===- Microbenchmarks.cpp - Programs that find figures ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels as text: registers, parameters, and a body for each.
//
//===----------------------------------------------------------------------===//

#include "Microbenchmarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace heddle::timing {

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static std::string head(StringRef Target) {
  return (".version 8.0\n.target " + Target +
          "\n.address_size 64\n"
          ".shared .align 16 .b8 words[4096];\n")
      .str();
}

/// A kernel whose parameters are in %rd0 (results), %rd1 (buffer), %rd2 and
/// %rd3.
static std::string kernel(const Twine &Name, const Twine &Body,
                          StringRef Directives = "") {
  return (".visible .entry " + Name +
          "(.param .u64 out, .param .u64 buffer, .param .u64 count, "
          ".param .u64 extra) " +
          Directives +
          " {\n"
          "  .reg .pred %p<8>; .reg .b32 %r<48>; .reg .b64 %rd<24>;\n"
          "  .reg .b64 %x<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>;\n"
          "  .reg .f32 %m<96>; .reg .b64 %c<4>;\n"
          "  ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [buffer];\n"
          "  ld.param.u64 %rd2, [count]; ld.param.u64 %rd3, [extra];\n" +
          Body + "DONE:\n  ret;\n}\n")
      .str();
}

/// A loop of as many rounds as \p Rounds says, whose number is in %rd9.
static std::string loop(StringRef Label, StringRef Rounds, const Twine &Body) {
  return ("  mov.u64 %rd9, 0;\n" + Label + ":\n  .pragma \"nounroll\";\n" +
          Body + "  add.u64 %rd9, %rd9, 1; setp.lt.u64 %p7, %rd9, " + Rounds +
          "; @%p7 bra " + Label + ";\n")
      .str();
}

static std::string repeat(unsigned Count, StringRef Text) {
  std::string Result;
  for (unsigned N = 0; N < Count; ++N)
    Result += Text;
  return Result;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static constexpr ArithmeticLink Links[] = {
#define HEDDLE_LINK(Class, Also, HasInterval, Text)                            \
  {isa::LatencyClass::Class, isa::LatencyClass::Also, #Class, HasInterval,     \
   Text},
#include "ArithmeticLinks.def"
};

ArrayRef<ArithmeticLink> arithmeticLinks() { return Links; }

static std::string linkText(StringRef Text, unsigned A, unsigned B) {
  std::string Result;
  while (!Text.empty()) {
    size_t Brace = std::min(Text.find("{a}"), Text.find("{b}"));
    Result += Text.take_front(Brace);
    Text = Text.drop_front(std::min(Brace, Text.size()));
    if (!Text.empty()) {
      Result += utostr(Text[1] == 'a' ? A : B);
      Text = Text.drop_front(3);
    }
  }
  return "  " + Result + "\n";
}

/// \p Count links of each of \p Chains chains.
static std::string chainText(const ArithmeticLink &Link, unsigned Count,
                             unsigned Chains) {
  std::string Body;
  for (unsigned N = 0; N < Count; ++N)
    for (unsigned Chain = 0; Chain < Chains; ++Chain)
      Body += linkText(Link.Text, 2 * Chain + 1 + N % 2, 2 * Chain + 2 - N % 2);
  // All registers start from memory, which holds zeros, and may be wanted.
  std::string Starts, Ends;
  for (unsigned N = 1; N <= 2 * Chains; ++N) {
    std::string I = utostr(N);
    Starts += "  ld.global.u32 %r" + I + ", [%rd1+" + std::to_string(4 * N) +
              "]; mov.b32 %f" + I + ", %r" + I + ";\n  cvt.u64.u32 %x" + I +
              ", %r" + I + "; mov.b64 %fd" + I + ", %x" + I + ";\n";
    Ends += "  st.global.u32 [%rd1], %r" + I + "; st.global.f32 [%rd1+4], %f" +
            I + ";\n  st.global.u64 [%rd1+8], %x" + I +
            "; st.global.f64 [%rd1+16], %fd" + I + ";\n";
    for (unsigned Part = 0; Part < 4; ++Part) {
      std::string M = "%m" + utostr(10 * N + Part);
      Starts += "  mov.f32 " + M + ", %f" + I + ";\n";
      Ends += "  st.global.f32 [%rd1+24], " + M + ";\n";
    }
  }
  return "  mov.u32 %r9, %ctaid.x; mov.u32 %r10, words; mov.u32 %r11, %tid.x;\n"
         "  mov.u32 %r13, %r9; mov.u32 %r14, %r9;\n" +
         Starts +
         "  mad.lo.u32 %r12, %r11, 4, %r10;\n"
         "  add.u32 %r1, %r1, %r12; add.u32 %r2, %r2, %r12;\n"
         "  st.shared.u32 [%r12], %r12; bar.sync 0;\n"
         "  mov.u64 %c0, %clock64;\n" +
         loop("LOOP", "%rd2", Body) +
         "  bar.sync 0; mov.u64 %c1, %clock64; sub.u64 %c1, %c1, %c0;\n"
         "  setp.ne.u32 %p2, %r11, 0; @%p2 bra ENDS;\n"
         "  st.global.u64 [%rd0], %c1;\n"
         "ENDS:\n  setp.eq.u64 %p3, %rd3, 0; @%p3 bra DONE;\n" +
         Ends;
}

std::string arithmeticMicrobenchmarks() {
  std::string Text = head("sm_80");
  for (const ArithmeticLink &Link : Links)
    for (unsigned Count : {ShortChain, LongChain}) {
      std::string Name = ("_" + Link.ClassName + "_" + Twine(Count)).str();
      Text += kernel("chain" + Name, chainText(Link, Count, 1));
      if (Link.HasInterval)
        Text += kernel("rate" + Name, chainText(Link, Count, RateChains));
    }
  return Text;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// One thread writes the addresses; \p Next makes the next place, %rd6, of that
/// in %rd5.
static std::string placesText(StringRef Next) {
  return "  mov.u64 %rd5, 0;\n" +
         loop("LOOP", "%rd2",
              Next + "  mad.lo.u64 %rd7, %rd5, 128, %rd1;\n"
                     "  mad.lo.u64 %rd8, %rd6, 128, %rd1;\n"
                     "  st.global.u64 [%rd7], %rd8; mov.u64 %rd5, %rd6;\n");
}

static std::string chaseText(StringRef Load) {
  std::string Loads = repeat(ChaseLoads, ("  " + Load + "\n").str());
  return "  mov.u64 %x1, %rd1;\n  setp.eq.u64 %p1, %rd2, 0; @%p1 bra WARM;\n" +
         loop("LOOP", "%rd2", Loads) +
         "WARM:\n  setp.eq.u64 %p2, %x1, 1; @%p2 bra DONE;\n"
         "  mov.u64 %c0, %clock64;\n" +
         loop("AGAIN", "%rd3", Loads) +
         "  setp.eq.u64 %p2, %x1, 1; @%p2 bra DONE;\n"
         "  mov.u64 %c1, %clock64; sub.u64 %c1, %c1, %c0;\n"
         "  st.global.u64 [%rd0], %c1;\n";
}

/// A warp reads neighbouring lines, all warps of a grid parts side by side. One
/// addition and few other instructions let the loads come as fast as they can.
static std::string streamText(StringRef Cache) {
  constexpr unsigned Loads = StreamBytes / 16;
  std::string Body;
  for (unsigned N = 0; N < Loads; ++N)
    Body += ("  ld.global." + Cache + ".v4.u32 {%r" + Twine(8 + 4 * N) +
             ", %r" + Twine(9 + 4 * N) + ", %r" + Twine(10 + 4 * N) + ", %r" +
             Twine(11 + 4 * N) + "}, [%rd7+" + Twine(512 * N) + "];\n")
                .str();
  for (unsigned N = 8; N < 8 + 4 * Loads; N += 2)
    Body += ("  lop3.b32 %r7, %r7, %r" + Twine(N) + ", %r" + Twine(N + 1) +
             ", 0x96;\n")
                .str();
  return "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
         "  mov.u32 %r4, %nctaid.x; mul.lo.u32 %r4, %r4, %r2;\n"
         "  mad.lo.u32 %r1, %r1, %r2, %r3; and.b32 %r5, %r1, 31;\n"
         "  sub.u32 %r1, %r1, %r5; mul.wide.u32 %rd4, %r1, " +
         std::to_string(StreamBytes) +
         ";\n  mul.wide.u32 %rd6, %r5, 16; add.u64 %rd4, %rd4, %rd6;\n"
         "  add.u64 %rd4, %rd4, %rd1; mul.wide.u32 %rd5, %r4, " +
         std::to_string(StreamBytes) +
         ";\n  mov.u32 %r7, 0; mov.u64 %rd10, 0;\n"
         "PASS:\n  mov.u64 %rd7, %rd4;\n" +
         loop("LOOP", "%rd2", Body + "  add.u64 %rd7, %rd7, %rd5;\n") +
         "  add.u64 %rd10, %rd10, 1; setp.lt.u64 %p3, %rd10, %rd3;\n"
         "  @%p3 bra PASS;\n"
         "  setp.ne.u32 %p4, %r7, 1; @%p4 bra DONE;\n"
         "  st.global.u32 [%rd0], %r7;\n";
}

std::string memoryMicrobenchmarks() {
  // Of a power of two places, this visits all before it comes back.
  StringRef Scattered = "  mad.lo.u64 %rd6, %rd5, 1664525, 1013904223;\n"
                        "  sub.u64 %rd8, %rd3, 1; and.b64 %rd6, %rd6, %rd8;\n";
  StringRef Following =
      "  add.u64 %rd6, %rd5, 1; setp.ge.u64 %p5, %rd6, %rd2;\n"
      "  selp.u64 %rd6, 0, %rd6, %p5;\n";
  return head("sm_80") + kernel("scatter", placesText(Scattered)) +
         kernel("ring", placesText(Following)) +
         kernel("chase_ca", chaseText("ld.global.ca.u64 %x1, [%x1];")) +
         kernel("chase_cg", chaseText("ld.global.cg.u64 %x1, [%x1];")) +
         kernel("stream_ca", streamText("ca")) +
         kernel("stream_cg", streamText("cg"));
}

std::string clusterMicrobenchmark() {
  std::string Loads =
      repeat(ChaseLoads, "  ld.volatile.shared::cluster.u32 %r5, [%r5];\n");
  std::string Meet = "  barrier.cluster.arrive; barrier.cluster.wait;\n";
  return head("sm_90") +
         kernel("chase_cluster",
                "  mov.u32 %r1, words; mov.u32 %r2, %cluster_ctarank;\n"
                "  mapa.shared::cluster.u32 %r4, %r1, %r2;\n"
                "  st.shared.u32 [%r1], %r4;\n" +
                    Meet +
                    "  xor.b32 %r3, %r2, 1;\n"
                    "  mapa.shared::cluster.u32 %r5, %r1, %r3;\n"
                    "  mov.u64 %c0, %clock64;\n" +
                    loop("LOOP", "%rd3", Loads) +
                    "  setp.eq.u32 %p1, %r5, 1; @%p1 bra DONE;\n"
                    "  mov.u64 %c1, %clock64;\n  sub.u64 %c1, %c1, %c0;\n" +
                    Meet +
                    "  setp.ne.u32 %p2, %r2, 0; @%p2 bra DONE;\n"
                    "  st.global.u64 [%rd0], %c1;\n",
                ".reqnctapercluster 2, 1, 1");
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

std::string launchMicrobenchmarks() {
  std::string Spin =
      "  mov.u64 %c0, %clock64; mov.u64 %x0, %globaltimer;\n"
      "LOOP:\n  mov.u64 %c1, %clock64; sub.u64 %c1, %c1, %c0;\n"
      "  setp.lt.u64 %p1, %c1, %rd2; @%p1 bra LOOP;\n"
      "  mov.u64 %x1, %globaltimer; sub.u64 %x1, %x1, %x0;\n"
      "  st.global.u64 [%rd0], %c1; st.global.u64 [%rd0+8], %x1;\n";
  std::string Places =
      "  mov.u64 %c0, %clock64;\n"
      "  mov.u32 %r1, %smid; cvt.u64.u32 %x0, %r1;\n"
      "  mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd4, %r2, 32;\n"
      "  add.u64 %rd4, %rd4, %rd0;\n"
      "  st.global.u64 [%rd4], %x0;\n"
      "  st.global.u64 [%rd4+8], %c0;\n"
      "LOOP:\n  mov.u64 %c1, %clock64; sub.u64 %c3, %c1, %c0;\n"
      "  setp.lt.u64 %p1, %c3, %rd2; @%p1 bra LOOP;\n"
      "  mov.u64 %c1, %clock64; st.global.u64 [%rd4+16], %c1;\n";
  return head("sm_80") + kernel("empty", "") + kernel("spin", Spin) +
         kernel("places", Places);
}

} // namespace heddle::timing
