//===- HazardTest.cpp - The strict mode -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each rule of docs/hazards.md the tightest code that keeps it, and code
// that breaks it by one cycle or one missing wait.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;
using isa::Control;

namespace {

constexpr unsigned Word = 4; // MemSize

Control stall(unsigned Cycles) {
  Control C;
  C.Stall = Cycles;
  return C;
}
Control counts(unsigned Write, unsigned Read = isa::NoCounter) {
  Control C;
  C.WriteCounter = Write;
  C.ReadCounter = Read;
  return C;
}
Control waits(unsigned Mask) {
  Control C;
  C.WaitMask = Mask;
  return C;
}

class Hazard : public testing::Test {
protected:
  /// Runs a kernel on hd100 with a parameter that is a buffer's address.
  rt::LaunchResult run(KernelBuilder K, bool Strict = true,
                       unsigned Threads = 1) {
    K.inst("NOP").exit();
    EmulatorOptions Options;
    Options.StrictHazards = Strict;
    Machine M(Options);
    uint64_t Block = M.upload(std::vector<uint32_t>(64, 5));
    return M.launch(K, Params().add(Block),
                    {.Block = {Threads}, .SharedBytes = 256, .LocalBytes = 64});
  }
  void expectClean(const KernelBuilder &K) {
    rt::LaunchResult R = run(K);
    EXPECT_FALSE(R.Fault) << (R.Fault ? R.Fault->str() : "");
  }
  void expectHazard(const KernelBuilder &K, uint64_t PC,
                    const std::string &Text) {
    rt::LaunchResult R = run(K);
    ASSERT_TRUE(R.Fault) << "not found: " << Text;
    EXPECT_EQ(R.Fault->Kind, rt::FaultKind::Hazard) << R.Fault->str();
    EXPECT_EQ(R.Fault->PC, PC) << R.Fault->str();
    EXPECT_NE(R.Fault->Message.find(Text), std::string::npos)
        << R.Fault->Message;
    EXPECT_FALSE(run(K, false).Fault);
  }
  static unsigned latency(isa::LatencyClass C) {
    return isa::findChip("hd100")->Timings[static_cast<size_t>(C)].Latency;
  }
};

TEST_F(Hazard, FixedLatencyReadTooEarly) {
  unsigned ALU = latency(isa::LatencyClass::ALU);
  auto Kernel = [](unsigned Stall) {
    KernelBuilder K;
    K.inst("MOV_i", {{Role::d, 4}, {Role::b, 1}}, stall(Stall));
    K.inst("MOV_r", {{Role::d, 5}, {Role::b, 4}});
    return K;
  };
  expectClean(Kernel(ALU));
  expectHazard(Kernel(ALU - 1), 16, "of MOV at PC 0x0000, register R4");
}

TEST_F(Hazard, StallsOfInstructionsInBetweenAddUp) {
  unsigned ALU = latency(isa::LatencyClass::ALU);
  auto Kernel = [](unsigned Between) {
    KernelBuilder K;
    K.inst("MOV_i", {{Role::d, 4}, {Role::b, 1}}, stall(0)); // Acts as 1.
    for (unsigned N = 0; N < Between; ++N)
      K.inst("NOP", {}, stall(1));
    K.inst("MOV_r", {{Role::d, 5}, {Role::b, 4}});
    return K;
  };
  expectClean(Kernel(ALU - 1));
  expectHazard(Kernel(ALU - 2), 16 * (ALU - 1), "register R4");
}

TEST_F(Hazard, PredicatesGuardsAndConvergenceRegisters) {
  unsigned Pred = latency(isa::LatencyClass::PRED);
  auto Guard = [](unsigned Stall) {
    KernelBuilder K;
    K.inst("ISETP_i",
           {{Role::p, 0}, {Role::a, RZ}, {Role::b, 1}, {Role::cmp, 7}},
           stall(Stall));
    K.guarded(0, true, "NOP");
    return K;
  };
  expectClean(Guard(Pred));
  expectHazard(Guard(Pred - 1), 16, "register P0");

  unsigned Converge = latency(isa::LatencyClass::CONVERGE);
  auto Sync = [](unsigned Stall) {
    KernelBuilder K;
    K.inst("BSSY", {{Role::d, 2}}, stall(Stall));
    K.inst("BSYNC", {{Role::a, 2}});
    return K;
  };
  expectClean(Sync(Converge));
  expectHazard(Sync(Converge - 1), 16, "register B2");
}

TEST_F(Hazard, UniformRegisters) {
  unsigned UALU = latency(isa::LatencyClass::UALU);
  auto Kernel = [](unsigned Stall) {
    KernelBuilder K;
    K.inst("UMOV_i", {{Role::d, 4}, {Role::b, 1}}, stall(Stall));
    K.inst("MOV_u", {{Role::d, 5}, {Role::b, 4}});
    return K;
  };
  expectClean(Kernel(UALU));
  expectHazard(Kernel(UALU - 1), 16, "register UR4");
}

/// R4,R5 = the buffer, waited for.
KernelBuilder withBuffer() {
  KernelBuilder K;
  return K.param64(4, 0);
}

TEST_F(Hazard, VariableLatencyNeedsAWait) {
  auto Kernel = [](Control Producer, Control Reader) {
    KernelBuilder K = withBuffer();
    K.inst("LDG_r", {{Role::d, 8}, {Role::a, 4}, {Role::size, Word}}, Producer);
    for (unsigned N = 0; N < 100; ++N)
      K.inst("NOP", {}, stall(15)); // However long it waits.
    K.inst("MOV_r", {{Role::d, 9}, {Role::b, 8}}, Reader);
    return K;
  };
  // The parameter's load counts on 0 and is waited for by the first of these.
  auto Producer = [](unsigned Write, unsigned Read) {
    Control C = counts(Write, Read);
    C.WaitMask = 1;
    return C;
  };
  expectClean(Kernel(Producer(3, isa::NoCounter), waits(1 << 3)));
  uint64_t Reader = 102 * 16;
  expectHazard(Kernel(Producer(3, isa::NoCounter), waits(1 << 2)), Reader,
               "reads a register before the result arrived of LDG at PC "
               "0x0010, register R8");
  expectHazard(Kernel(Producer(isa::NoCounter, isa::NoCounter), waits(63)),
               Reader, "register R8");
  // The read counter says nothing about the result.
  expectHazard(Kernel(Producer(isa::NoCounter, 3), waits(1 << 3)), Reader,
               "register R8");
}

// What is beside a pair of sums is none of the product's.
TEST_F(Hazard, MatrixResultsHaveAWidth) {
  constexpr unsigned WholeWarp = 32, M16N8K16 = 6, Halves = 1, X2 = 1;
  auto Kernel = [](llvm::StringRef Name, unsigned Read) {
    KernelBuilder K = withBuffer();
    Control C = counts(1);
    C.WaitMask = 1;
    if (Name.starts_with("MMA"))
      K.inst(Name,
             {{Role::d, 8},
              {Role::a, 12},
              {Role::b, 16},
              {Role::c, 20},
              {Role::mshape, M16N8K16},
              {Role::mtd, Halves}},
             C);
    else
      K.inst(Name, {{Role::d, 8}, {Role::a, 255}, {Role::mcount, X2}}, C);
    K.inst("MOV_r", {{Role::d, 24}, {Role::b, Read}}, waits(1 << 2));
    return K;
  };
  for (llvm::StringRef Name : {"MMA64", "LDSM64"}) {
    for (unsigned Read : {8, 9}) {
      rt::LaunchResult R = run(Kernel(Name, Read), true, WholeWarp);
      ASSERT_TRUE(R.Fault) << Name.str();
      EXPECT_EQ(R.Fault->Kind, rt::FaultKind::Hazard) << R.Fault->str();
    }
    for (unsigned Read : {7, 10, 11})
      EXPECT_FALSE(run(Kernel(Name, Read), true, WholeWarp).Fault)
          << Name.str() << " and R" << Read;
  }
}

TEST_F(Hazard, SourceOverwritten) {
  auto Kernel = [](unsigned Write, unsigned Read, unsigned Mask,
                   unsigned Target) {
    KernelBuilder K = withBuffer();
    Control C = counts(Write, Read);
    C.WaitMask = 1;
    K.inst("STG_r", {{Role::a, 4}, {Role::c, 9}, {Role::size, Word}}, C);
    K.inst("MOV_i", {{Role::d, Target}, {Role::b, 1}}, waits(Mask));
    return K;
  };
  unsigned None = isa::NoCounter;
  for (unsigned Source : {4, 5, 9}) { // The address and the value.
    expectHazard(Kernel(None, None, 63, Source), 32,
                 "overwrites, before it was read, a source of STG");
    expectHazard(Kernel(2, 1, 0, Source), 32, "source of STG");
    expectClean(Kernel(None, 1, 1 << 1, Source));
    expectClean(Kernel(2, None, 1 << 2, Source));
  }
  expectClean(Kernel(None, None, 0, 10));
}

TEST_F(Hazard, PredicatesAreReadAtIssue) {
  KernelBuilder K = withBuffer();
  Control C = counts(1);
  C.WaitMask = 1;
  isa::Control Six = stall(latency(isa::LatencyClass::PRED));
  K.inst("ISETP_i",
         {{Role::p, 0},
          {Role::a, RZ},
          {Role::b, 0},
          {Role::cmp, 2},
          {Role::s, PT}},
         Six);
  K.inst("LDG_r",
         {{Role::d, 8}, {Role::a, 4}, {Role::size, Word}, {Role::pg, 0}}, C);
  K.inst("ISETP_i",
         {{Role::p, 0},
          {Role::a, RZ},
          {Role::b, 0},
          {Role::cmp, 0},
          {Role::s, PT}},
         waits(0));
  expectClean(K);
}

TEST_F(Hazard, ResultOverwritten) {
  // Rule 3: over a result that a load will bring.
  KernelBuilder Load = withBuffer();
  Control C = counts(1);
  C.WaitMask = 1;
  Load.inst("LDG_r", {{Role::d, 8}, {Role::a, 4}, {Role::size, Word}}, C);
  Load.inst("MOV_i", {{Role::d, 8}, {Role::b, 1}}, waits(0));
  expectHazard(Load, 32,
               "writes a register while on its way is the result of "
               "LDG");
  // Rule 4: a load over a fixed-latency result.
  auto LoadAfter = [](unsigned Stall) {
    KernelBuilder K = withBuffer();
    Control First = waits(1);
    First.Stall = Stall;
    K.inst("MOV_i", {{Role::d, 8}, {Role::b, 1}}, First);
    K.inst("LDG_r", {{Role::d, 8}, {Role::a, 4}, {Role::size, Word}},
           counts(1));
    return K;
  };
  unsigned ALU = latency(isa::LatencyClass::ALU);
  expectClean(LoadAfter(ALU));
  expectHazard(LoadAfter(ALU - 1), 32, "result of MOV");
  // Rule 5: a faster operation may not overtake a slower one.
  unsigned Vote = latency(isa::LatencyClass::VOTE);
  auto Overtake = [](unsigned Stall) {
    KernelBuilder K;
    K.inst("VOTE_i", {{Role::d, 8}, {Role::fn, 3}, {Role::b, 1}}, stall(Stall));
    K.inst("MOV_i", {{Role::d, 8}, {Role::b, 1}}, stall(15));
    return K;
  };
  expectClean(Overtake(Vote - ALU + 1));
  expectHazard(Overtake(Vote - ALU), 16, "result of VOTE");
}

TEST_F(Hazard, GuardedOffInstructionsHaveNoHazards) {
  KernelBuilder K;
  K.inst("MOV_i", {{Role::d, 4}, {Role::b, 1}}, stall(1));
  K.guarded(PT, true, "MOV_r", {{Role::d, 5}, {Role::b, 4}});
  expectClean(K);
  // P0 is false: the load is not executed and leaves nothing behind.
  KernelBuilder Load;
  Load.inst("LDG_r",
            {{Role::d, 8}, {Role::a, RZ}, {Role::size, Word}, {Role::pg, 0}},
            counts(1));
  Load.inst("MOV_r", {{Role::d, 9}, {Role::b, 8}}, waits(0));
  expectClean(Load);
}

TEST_F(Hazard, LanesHaveHazardsOfTheirOwn) {
  // Lane 0 writes R6 and the others read it in the next cycle.
  KernelBuilder K;
  K.special(0, 12);
  K.inst("ISETP_i", {{Role::p, 0},
                     {Role::a, 0},
                     {Role::b, 0},
                     {Role::cmp, 2},
                     {Role::s, PT}});
  auto Guarded = [&](bool Negated, std::string_view Name, Fields F, Control C) {
    F.push_back({Role::pg, 0});
    F.push_back({Role::pgn, Negated});
    K.inst(Name, F, C);
  };
  Guarded(false, "MOV_i", {{Role::d, 6}, {Role::b, 1}}, stall(1));
  Guarded(true, "MOV_r", {{Role::d, 7}, {Role::b, 6}}, stall(1));
  EmulatorOptions Options;
  Machine M(Options);
  K.exit();
  M.run(K, {}, {.Block = {32, 1, 1}});
}

TEST_F(Hazard, CallsStartWithACleanSlate) {
  auto Kernel = [](unsigned Stall) {
    KernelBuilder K;
    K.inst("MOV_i", {{Role::d, 8}, {Role::b, 1}}, stall(1));
    K.inst("CALL", {{Role::d, 2}}, stall(Stall));
    return K;
  };
  unsigned ALU = latency(isa::LatencyClass::ALU);
  expectClean(Kernel(ALU - 1));
  expectHazard(Kernel(ALU - 2), 16, "transfers control");
}

TEST_F(Hazard, OtherChipsHaveOtherLatencies) {
  KernelBuilder K;
  K.inst("MOV_i", {{Role::d, 4}, {Role::b, 1}}, stall(4));
  K.inst("MOV_r", {{Role::d, 5}, {Role::b, 4}}).exit();
  EmulatorOptions Options;
  Options.Chip = "hd10";
  Machine M(Options);
  M.runToFault(rt::FaultKind::Hazard, K, {}, {});
}

} // namespace
