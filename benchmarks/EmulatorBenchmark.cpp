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

std::string ptxOf(const KernelText &K) {
  std::string Text = ".version 8.0\n.target sm_90\n.address_size 64\n";
  Text += ".visible .entry kernel(.param .u64 px, .param .u64 py, "
          ".param .u32 pn) {\n";
  Text += ".reg .b32 %r<8>, %i, %n, %s, %t, %sb, %u; .reg .f32 %f<10>;\n"
          ".reg .b64 %x, %y, %x0, %o, %a, %mask, %own; .reg .pred %p<3>;\n";
  Text += K.Declarations;
  Text += "mov.u32 %i, %tid.x; mov.u32 %u, %ctaid.x;\n";
  if (*K.Declarations)
    Text += "mov.u32 %sb, tile; shl.b32 %s, %i, 2; add.u32 %s, %s, %sb;\n"
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

enum class Mode { Fast, Strict, Timing };

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
  uint8_t Params[20];
  std::memcpy(Params, &X, 8);
  std::memcpy(Params + 8, &Y, 8);
  std::memcpy(Params + 16, &Rounds, 4);
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
  benchmark::Initialize(&Argc, Argv);
  if (benchmark::ReportUnrecognizedArguments(Argc, Argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
