//===- TurnsTest.cpp - How warps take turns ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that lack a barrier get by with how a chip's warps take turns. The
// emulator's do it in a way that such a program gets what it gets there.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;

namespace {

constexpr unsigned Word = 4; // MemSize
constexpr unsigned SRTid = 0;
constexpr uint32_t Threads = 256;
constexpr size_t Rounds = 4;
constexpr unsigned Work = 16;

/// In each round the first word of shared memory gets the round's number, and
/// behind a barrier all threads read the word. Some work stands between that
/// and the next round's write, as of a sum over a warp, and no barrier.
KernelBuilder readBehindBarriers() {
  KernelBuilder K;
  K.param64(4, 0).special(0, SRTid).address(6, 4, 0, 2);
  K.inst("ISETP_i", {{Role::p, 0},
                     {Role::a, 0},
                     {Role::b, 1},
                     {Role::cmp, 1}, // Less: the first thread.
                     {Role::s, PT}});
  for (unsigned Round = 0; Round < Rounds; ++Round) {
    K.mov(2, 100 + Round);
    K.guarded(0, false, "STS_r",
              {{Role::a, RZ}, {Role::c, 2}, {Role::size, Word}});
    K.inst("BAR_i", {{Role::b, 0}, {Role::c, RZ}});
    K.inst("LDS_r", {{Role::d, 3}, {Role::a, RZ}, {Role::size, Word}});
    K.inst("STG_r", {{Role::a, 6},
                     {Role::c, 3},
                     {Role::size, Word},
                     {Role::imm, Round * Threads * 4}});
    for (unsigned Step = 0; Step < Work; ++Step)
      K.inst("IADD3_r",
             {{Role::d, 3}, {Role::a, 3}, {Role::b, 3}, {Role::c, RZ}});
  }
  return K.exit();
}

TEST(Turns, WarpsReadBehindABarrierBeforeOthersAreFarBehindIt) {
  KernelBuilder K = readBehindBarriers();
  for (unsigned HostThreads : {1, 2}) {
    EmulatorOptions Options;
    Options.HostThreads = HostThreads;
    Machine M(Options);
    uint64_t Out = M.allocate(Rounds * Threads * 4);
    M.run(K, Params().add(Out), {.Block = {Threads}, .SharedBytes = 16});
    std::vector<uint32_t> Read = M.download<uint32_t>(Out, Rounds * Threads);
    for (unsigned N = 0; N < Read.size(); ++N)
      ASSERT_EQ(Read[N], 100 + N / Threads) << "thread " << N % Threads;
  }
}

} // namespace
