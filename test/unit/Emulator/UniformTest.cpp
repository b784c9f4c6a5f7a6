//===- UniformTest.cpp - The uniform path -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each uniform operation gives what the operation of the threads gives that it
// is defined by; IntegerTest.cpp checks those.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include <random>

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;

namespace {

std::vector<Sources> makeCases() {
  std::mt19937_64 Random(8);
  std::vector<Sources> Cases;
  auto Value = [&] { return Random() >> (Random() & 63); };
  for (int N = 0; N < 300; ++N)
    Cases.push_back(
        {Value(), N % 3 ? Value() : Value() & 63, Value(), bool(Random() & 1)});
  return Cases;
}

TEST(Uniform, OperationsMeanWhatThoseOfThreadsMean) {
  struct {
    const char *Name;
    Fields F;
  } Operations[] = {
      {"IADD3_r", {{Role::ma, 1}, {Role::mc, 1}}},
      {"IADD3_i", {{Role::b, 0xFFFFFFF0}}},
      {"IADD3_ci", {{Role::c, 1000}}},
      {"IADD64_r", {{Role::mb, 1}}},
      {"IADD64_i", {{Role::b, 0xFFFFFFF0}}},
      {"LEA_r", {{Role::sh, 5}}},
      {"LEA64_r", {{Role::sh, 3}, {Role::ext, 1}}},
      {"IMAD_r", {{Role::mc, 1}}},
      {"IMADHI_r", {{Role::sgn, 1}}},
      {"IMADW_r", {{Role::sgn, 1}}},
      {"IMADW_ci", {{Role::sgn, 0}, {Role::c, 0x80000000}}},
      {"ISETP_r", {{Role::cmp, 1}, {Role::sgn, 1}, {Role::bop, 2}}},
      {"ISETP64_r", {{Role::cmp, 6}, {Role::bop, 1}, {Role::sn, 1}}},
      {"IMNMX_r", {{Role::minmax, 1}, {Role::sgn, 1}}},
      {"SEL_r", {}},
      {"SEL64_r", {{Role::sn, 1}}},
      {"LOP3_r", {{Role::lut, 0x96}}},
      {"SHL_r", {}},
      {"SHR_r", {{Role::sgn, 1}}},
      {"SHL64_r", {}},
      {"SHR64_r", {{Role::sgn, 1}}},
      {"BFE_r", {{Role::sgn, 1}}},
      {"PRMT_r", {{Role::fn, 0}}},
      {"MOV_r", {}},
      {"MOV_i", {{Role::b, 0x89ABCDEF}}},
      {"MOV64_r", {}},
      {"MOV64_i", {{Role::b, 0x89ABCDEF}}},
      {"MOV64W", {{Role::wide, 0x0123456789ABCDEF}}},
      {"PLOP3", {{Role::b, 0xF0}, {Role::t, PT}, {Role::v, PT}}}};
  std::vector<Sources> Cases = makeCases();
  for (const auto &O : Operations) {
    auto Want = evaluate(O.Name, O.F, Cases);
    auto Got = evaluateUniform("U" + std::string(O.Name), O.F, Cases);
    bool HasPredicate = false;
    for (const isa::InstInfo &I : isa::instructions())
      if (I.Name == O.Name)
        HasPredicate = I.operand(Role::p) != nullptr;
    for (size_t N = 0; N < Cases.size(); ++N) {
      ASSERT_EQ(uint64_t(Got[N].D), uint64_t(Want[N].D)) << O.Name;
      if (HasPredicate) {
        ASSERT_EQ(Got[N].P, Want[N].P) << O.Name;
      }
    }
  }
}

TEST(Uniform, TakesValuesOfTheLowestExecutingLane) {
  // Lanes 0 to 4 leave; then the lane number, the thread number and whether
  // some lane is 7 go to the uniform path and back.
  KernelBuilder K;
  K.param64(4, 0).special(0, 12);
  auto Compare = [&](unsigned P, unsigned Code, unsigned Value) {
    K.inst("ISETP_i", {{Role::p, P},
                       {Role::a, 0},
                       {Role::b, Value},
                       {Role::cmp, Code},
                       {Role::s, PT}});
  };
  Compare(0, 1, 5);
  K.guarded(0, false, "EXIT");
  Compare(1, 2, 7);
  Compare(2, 2, 3);
  K.inst("R2UR", {{Role::d, 1}, {Role::a, 0}});
  K.inst("S2UR", {{Role::d, 2}, {Role::b, 12}});
  K.inst("P2UP", {{Role::p, 3}, {Role::s, 1}});
  K.inst("P2UP", {{Role::p, 4}, {Role::s, 2}});
  // A guard that does not hold leaves the register alone.
  K.inst("UMOV_i", {{Role::d, 1}, {Role::b, 99}, {Role::pg, 4}});
  K.inst("USEL_i", {{Role::d, 3}, {Role::a, URZ}, {Role::b, 1}, {Role::s, 3}});
  K.inst("USEL_i", {{Role::d, 4}, {Role::a, URZ}, {Role::b, 1}, {Role::s, 4}});
  for (unsigned N = 1; N <= 4; ++N) {
    K.inst("MOV_u", {{Role::d, 6}, {Role::b, N}});
    K.inst("STG_r", {{Role::a, 4},
                     {Role::c, 6},
                     {Role::imm, 4 * (N - 1)},
                     {Role::size, 4}});
  }
  K.exit();
  Machine M;
  uint64_t Out = M.allocate(16);
  M.run(K, Params().add(Out), {.Block = {32, 1, 1}});
  EXPECT_EQ(M.download<uint32_t>(Out, 4), (std::vector<uint32_t>{5, 5, 0, 1}));
}

TEST(Uniform, BranchesTakeTheWholeWarp) {
  KernelBuilder K;
  K.param64(4, 0).mov(6, 1);
  K.inst("UISETP_i", {{Role::p, 0},
                      {Role::a, URZ},
                      {Role::b, 0},
                      {Role::cmp, 2},
                      {Role::s, UPT}});
  K.jump("UBRA", "skip", {{Role::pg, 0}, {Role::pgn, 1}});
  K.mov(6, 2);
  K.jump("UBRA", "skip", {{Role::pg, 0}});
  K.mov(6, 3);
  K.label("skip");
  K.inst("STG_r", {{Role::a, 4}, {Role::c, 6}, {Role::size, 4}}).exit();
  Machine M;
  uint64_t Out = M.allocate(4);
  M.run(K, Params().add(Out), {.Block = {32, 1, 1}});
  EXPECT_EQ(M.download<uint32_t>(Out, 1)[0], 2u);
}

TEST(Uniform, LoadsOfConstants) {
  Machine M;
  std::vector<uint8_t> Constants(32);
  for (unsigned N = 0; N < 32; ++N)
    Constants[N] = 0x80 + N;
  uint64_t Out = M.allocate(48);
  KernelBuilder K;
  K.param64(4, 0);
  unsigned Bank = isa::abi::ConstBank, At = 0;
  auto Store = [&](unsigned UR) {
    K.inst("MOV_u", {{Role::d, 6}, {Role::b, UR}});
    K.inst("STG_r",
           {{Role::a, 4}, {Role::c, 6}, {Role::imm, At}, {Role::size, 4}});
    At += 4;
  };
  for (unsigned Size = 0; Size < 5; ++Size) {
    K.inst("ULDC", {{Role::d, 1}, {Role::bank, Bank}, {Role::size, Size}});
    Store(1);
  }
  K.inst("ULDC64", {{Role::d, 2}, {Role::bank, Bank}, {Role::imm, 8}});
  Store(3);
  K.inst("UMOV_i", {{Role::d, 1}, {Role::b, 24}});
  K.inst("ULDC128", {{Role::d, 8},
                     {Role::bank, Bank},
                     {Role::b, 1},
                     {Role::imm, uint32_t(-8)}});
  Store(11);
  K.exit();
  M.run(K, Params().add(Out), {.Constants = Constants});
  EXPECT_EQ(M.download<uint32_t>(Out, 7),
            (std::vector<uint32_t>{0x80, 0xFFFFFF80, 0x8180, 0xFFFF8180,
                                   0x83828180, 0x8F8E8D8C, 0x9F9E9D9C}));
}

TEST(Uniform, UndefinedCombinationsOfModifiersAreIllegal) {
  struct {
    const char *Name;
    Fields F;
  } Bad[] = {{"F2FP_r", {{Role::dty, 0}}},
             {"F2FP_r", {{Role::dty, 3}}},
             {"I2F", {{Role::dty, 3}}},
             {"D2F", {{Role::dty, 5}}},
             {"F2I", {{Role::sty, 3}}},
             {"F2F", {{Role::sty, 3}}},
             {"ATOMG_r", {{Role::aop, 5}, {Role::aty, 2}}},
             {"ATOMG_r", {{Role::aop, 9}}},
             {"ATOMG_r", {{Role::aop, 3}, {Role::aty, 1}}},
             {"LDG_r", {{Role::size, 6}}},
             {"MUFU", {{Role::fn, 9}}},
             {"MMA64", {{Role::mshape, 6}}}, // Four registers of F32.
             {"LDSM64", {{Role::a, 255}, {Role::mcount, 2}}}};
  Machine M;
  for (const auto &B : Bad) {
    KernelBuilder K;
    K.inst(B.Name, B.F).exit();
    M.runToFault(rt::FaultKind::IllegalInstruction, K, {}, {.Block = {32}});
  }
}

} // namespace
