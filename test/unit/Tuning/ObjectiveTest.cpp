//===- ObjectiveTest.cpp - What configurations cost -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the emulator's objective makes of configurations, limits and results.
//
//===----------------------------------------------------------------------===//

#include "Objective.h"
#include "Orders.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace heddle;
using namespace heddle::tune;
using namespace llvm;

namespace {

constexpr StringLiteral Header = ".version 8.0\n.target sm_80\n"
                                 ".address_size 64\n";

/// twice(Out): Out[i] = 2 * i, by a function that is not part of the kernel if
/// that is what -X or a decision says; `last` becomes 7.
constexpr StringLiteral Twice = R"(
.visible .global .align 4 .u32 last = 5;
.func (.param .b32 Result) twofold(.param .b32 A)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [A];
  add.s32 %r2, %r1, %r1;
  st.param.b32 [Result], %r2;
  ret;
}
.visible .entry twice(.param .u64 Out)
{
  .reg .b32 %r<4>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [Out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.s64 %d3, %d1, %d2;
  { .param .b32 A; .param .b32 Result;
    st.param.b32 [A], %r1;
    call (Result), twofold, (A);
    ld.param.b32 %r2, [Result]; }
  st.global.u32 [%d3], %r2;
  mov.u32 %r3, 7;
  st.global.u32 [last], %r3;
  ret;
}
)";

constexpr StringLiteral TwiceManifest = R"({ "module": "k.ptx",
  "entry": "twice", "grid": [1], "block": [32],
  "args": [ {"buffer": "out", "type": "u32", "count": 32, "init": "zero"} ] })";

class ObjectiveTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("objective", Folder));
    O.CompilerLibrary = HEDDLE_COMPILER_LIBRARY;
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  std::string write(StringRef Name, const Twine &Text) {
    SmallString<128> Path(Folder);
    sys::path::append(Path, Name);
    std::error_code Code;
    raw_fd_ostream(Path, Code) << Text;
    EXPECT_FALSE(Code);
    return Path.str().str();
  }

  /// The objective of options whose one manifest is given.
  void create(StringRef Manifest) {
    O.Workloads = {{write("m.json", Manifest)}};
    auto Made = createEmulatorObjective(O);
    ASSERT_TRUE(bool(Made)) << toString(Made.takeError());
    Where = std::move(*Made);
  }

  Measurement measure(StringRef Kernel, tuning::Configuration C = {}) {
    tuning::Document D;
    D.Kernels[Kernel.str()] = std::move(C);
    Expected<Measurement> M = Where->measure(Kernel, D, tuning::Unusable);
    EXPECT_TRUE(bool(M)) << toString(M.takeError());
    return M ? *M : Measurement();
  }

  void limit(LimitKind Kind, StringRef Text) {
    ASSERT_EQ(toString(O.Bounds.set(Kind, Text)), "");
  }

  SmallString<128> Folder;
  Options O;
  std::unique_ptr<Objective> Where;
};

TEST_F(ObjectiveTest, TheUntunedKernelCostsOne) {
  write("k.ptx", Header + Twice);
  create(TwiceManifest);
  ASSERT_EQ(Where->kernels().size(), 1u);
  const KernelToTune &K = Where->kernels().front();
  Measurement M = measure("twice");
  EXPECT_EQ(M.Became, Verdict::Correct);
  EXPECT_EQ(M.Cost, 1);
  EXPECT_EQ(M.Cycles, K.UntunedCycles);
  EXPECT_EQ(M.Code.CodeBytes, K.UntunedCode.CodeBytes);
  EXPECT_GT(M.Code.Registers, 0u);
}

TEST_F(ObjectiveTest, FunctionsThatAreCalledCountAsCode) {
  write("k.ptx", Header + Twice);
  create(TwiceManifest);
  Measurement Inlined = measure("twice", {{"inline", 2}});
  Measurement Called = measure("twice", {{"inline", 1}});
  ASSERT_EQ(Called.Became, Verdict::Correct);
  // The call itself, and the function with its return.
  EXPECT_GT(Called.Code.CodeBytes, Inlined.Code.CodeBytes + 16);
}

TEST_F(ObjectiveTest, CodeOverALimitIsNotRun) {
  write("k.ptx", Header + Twice);
  limit(LimitKind::Registers, "2");
  limit(LimitKind::CodeBytes, "8");
  create(TwiceManifest);
  Measurement M = measure("twice");
  EXPECT_EQ(M.Became, Verdict::Constraints);
  EXPECT_EQ(M.Cost, tuning::Unusable);
  EXPECT_EQ(M.Cycles, 0u);
  EXPECT_EQ(M.Over, (std::vector{LimitKind::Registers, LimitKind::CodeBytes}));
  EXPECT_FALSE(M.isWrong());
  EXPECT_GT(Where->kernels().front().UntunedCycles, 0u);
}

TEST_F(ObjectiveTest, CompilationsThatTakeTooLongAreOverALimit) {
  write("k.ptx", Header + Twice);
  limit(LimitKind::CompileTime, "0.001");
  create(TwiceManifest);
  Measurement M = measure("twice");
  EXPECT_EQ(M.Became, Verdict::Constraints);
  EXPECT_EQ(M.Over, std::vector{LimitKind::CompileTime});
  EXPECT_EQ(M.Fault, "over the limit on compile time: more than 0.001 ms in "
                     "each of 3 attempts");
}

TEST_F(ObjectiveTest, AWideLimitOnTimeChangesNothing) {
  write("k.ptx", Header + Twice);
  create(TwiceManifest);
  Measurement Free = measure("twice");
  limit(LimitKind::CompileTime, "1000x");
  create(TwiceManifest);
  Measurement M = measure("twice");
  EXPECT_EQ(M.Became, Verdict::Correct);
  EXPECT_EQ(M.Cycles, Free.Cycles);
  EXPECT_EQ(M.Code.CodeBytes, Free.Code.CodeBytes);
}

TEST_F(ObjectiveTest, LimitsAndDataAreInTheIdentity) {
  write("k.ptx", Header + Twice);
  create(TwiceManifest);
  uint64_t Free = Where->identity();
  limit(LimitKind::Registers, "64");
  create(TwiceManifest);
  EXPECT_NE(Where->identity(), Free);

  std::string WithFile = R"({ "module": "k.ptx", "entry": "twice",
    "grid": [1], "block": [32],
    "args": [ {"buffer": "out", "type": "u32", "count": 32,
               "init": {"file": "in.bin"}} ] })";
  write("in.bin", std::string(128, 'a'));
  create(WithFile);
  uint64_t Before = Where->identity();
  create(WithFile);
  EXPECT_EQ(Where->identity(), Before);
  write("in.bin", std::string(128, 'b'));
  create(WithFile);
  EXPECT_NE(Where->identity(), Before);
}

TEST_F(ObjectiveTest, KernelsOfLinkedModulesAreTuned) {
  StringRef Body = Twice;
  size_t Kernel = Body.find(".visible .entry");
  size_t Function = Body.find(".func");
  write("a.ptx", Header + Body.take_front(Function) +
                     ".extern .func (.param .b32 Result) twofold"
                     "(.param .b32 A);\n" +
                     Body.substr(Kernel));
  write("b.ptx", Header + ".visible " + Body.slice(Function, Kernel));
  create(R"({ "modules": ["a.ptx", "b.ptx"], "entry": "twice", "grid": [1],
    "block": [32],
    "args": [ {"buffer": "out", "type": "u32", "count": 32, "init": "zero"} ],
    "expect": [ {"buffer": "out", "values": [0, 2, 4], "first": 3} ] })");
  ASSERT_EQ(Where->kernels().size(), 1u);
  EXPECT_EQ(Where->kernels().front().Texts.size(), 1u);
  EXPECT_EQ(measure("twice", {{"compact", 0}}).Became, Verdict::Correct);
  EXPECT_GT(measure("twice", {{"compact", 0}}).Code.CodeBytes,
            measure("twice").Code.CodeBytes);
}

constexpr StringLiteral Sum = R"(
.visible .entry sum(.param .u64 In, .param .u64 Out)
{
  .reg .b32 %r<6>;
  .reg .b64 %d<6>;
  .reg .f32 %f<3>;
  ld.param.u64 %d1, [In];
  ld.param.u64 %d2, [Out];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %d3, %r4, 4;
  add.s64 %d4, %d1, %d3;
  ld.global.f32 %f1, [%d4];
  add.f32 %f1, %f1, %f1;
  red.global.add.f32 [%d2], %f1;
  ret;
}
)";

constexpr StringLiteral SumManifest = R"({ "module": "k.ptx",
  "entry": "sum", "grid": [8], "block": [64],
  "args": [ {"buffer": "in", "type": "f32", "count": 512,
             "init": {"random": {"seed": 1, "low": 0, "high": 1}}},
            {"buffer": "out", "type": "f32", "count": 1, "init": "zero"} ] })";

TEST_F(ObjectiveTest, LimitsHoldForEachKernelByItself) {
  write("k.ptx", Header + Twice + Sum);
  StringRef Launches = R"({ "module": "k.ptx", "launches": [
    { "entry": "twice", "grid": [1], "block": [32],
      "args": [ {"buffer": "a", "type": "u32", "count": 32, "init": "zero"} ]},
    { "entry": "sum", "grid": [1], "block": [32],
      "args": [ {"buffer": "a"},
                {"buffer": "b", "type": "f32", "count": 1,
                 "init": "zero"} ]} ] })";
  create(Launches);
  ASSERT_EQ(Where->kernels().size(), 2u);
  uint64_t First = Where->kernels()[0].UntunedCode.CodeBytes,
           Second = Where->kernels()[1].UntunedCode.CodeBytes;
  ASSERT_NE(First, Second);
  limit(LimitKind::CodeBytes, std::to_string(std::min(First, Second)));
  create(Launches);
  EXPECT_EQ(measure("twice").Became,
            First < Second ? Verdict::Correct : Verdict::Constraints);
  EXPECT_EQ(measure("sum").Became,
            First < Second ? Verdict::Constraints : Verdict::Correct);
}

class OrderTest : public ObjectiveTest {
protected:
  /// Reads the case of a manifest and runs it untuned.
  void read(StringRef Manifest) {
    Expected<rt::Manifest> M = rt::readManifest(write("m.json", Manifest));
    ASSERT_TRUE(bool(M)) << toString(M.takeError());
    Workload = std::move(*M);
    auto P = Program::read(Workload.Modules);
    ASSERT_TRUE(bool(P)) << toString(P.takeError());
    Source = std::move(*P);
    Expected<LoadedCompiler> Compiler = LoadedCompiler::load(O.CompilerLibrary);
    ASSERT_TRUE(bool(Compiler)) << toString(Compiler.takeError());
    auto Code =
        CandidateMaker(O, *Compiler).makeAnyway(*Source, "hd100", nullptr);
    ASSERT_TRUE(bool(Code)) << toString(Code.takeError());
    C = {&Workload, 1, "hd100", Source.get(), std::move(*Code), {}};
    C.Untuned = run({});
  }

  CaseResult run(const RunMode &Mode) {
    Expected<CaseResult> R = runCase(C, Workload, C.UntunedCode, Mode);
    EXPECT_TRUE(bool(R)) << toString(R.takeError());
    return R ? std::move(*R) : CaseResult();
  }

  /// The untuned result with another sum.
  CaseResult withSum(float Value) {
    CaseResult R = C.Untuned;
    std::memcpy(R.Buffers[1].data(), &Value, sizeof(Value));
    return R;
  }

  float sumOf(const CaseResult &R) {
    float Value;
    std::memcpy(&Value, R.Buffers[1].data(), sizeof(Value));
    return Value;
  }

  rt::Manifest Workload;
  std::unique_ptr<Program> Source;
  Case C;
};

TEST_F(OrderTest, AnOrderOfASumIsNearOthersAndAWrongSumIsNot) {
  write("k.ptx", Header + Sum);
  read(SumManifest);
  CaseResult Other = run({.Order = ThreadOrder::Chance, .Seed = 100});
  EXPECT_NE(sumOf(Other), sumOf(C.Untuned)); // 512 numbers, added differently
  EXPECT_EQ(difference(C, Other).value_or(Difference()).Buffer, "out");
  OrderSpread Spread(C);
  // Code that cannot be run in a fixed order: only nearness counts.
  CompileResult None;
  EXPECT_TRUE(Spread.explains(Other, {true, true}, Workload, None));
  EXPECT_FALSE(
      Spread.explains(withSum(sumOf(Other) + 1), {true, true}, Workload, None));
  EXPECT_FALSE(Spread.explains(withSum(NAN), {true, true}, Workload, None));
  // Without atomic operations there is nothing to come in another order.
  EXPECT_FALSE(Spread.explains(Other, {false, false}, Workload, None));
}

TEST_F(OrderTest, TheSameInAFixedOrderIsExplained) {
  write("k.ptx", Header + Sum);
  read(SumManifest);
  OrderSpread Spread(C);
  EXPECT_TRUE(
      Spread.explains(withSum(1e9f), {true, true}, Workload, C.UntunedCode));
}

TEST_F(OrderTest, SumsOfIntegersKnowNoOrder) {
  std::string Integers = (Header + Sum).str();
  size_t At = Integers.find("red.global.add.f32 [%d2], %f1");
  Integers.replace(At, 29, "red.global.add.u32 [%d2], %r4");
  write("k.ptx", Integers);
  std::string Manifest = SumManifest.str();
  Manifest.replace(Manifest.find("\"out\", \"type\": \"f32\""), 20,
                   "\"out\", \"type\": \"u32\"");
  read(Manifest);
  CaseResult Off = C.Untuned;
  ++Off.Buffers[1][0];
  EXPECT_FALSE(OrderSpread(C).explains(Off, {true, false}, Workload, {}));
}

TEST_F(OrderTest, ElementsWithoutAToleranceAndVariablesAreCompared) {
  write("k.ptx", Header + Twice);
  std::string Manifest = TwiceManifest.str();
  Manifest.insert(Manifest.rfind('}'),
                  R"(, "expect": [ {"buffer": "out", "values": [0, 2, 4],
                       "first": 3, "atol": 1},
                      {"buffer": "out", "values": [20], "first": 1,
                       "offset": 40} ])");
  read(Manifest);
  auto Changed = [&](size_t Element) {
    CaseResult R = C.Untuned;
    ++R.Buffers[0][4 * Element];
    return R;
  };
  EXPECT_FALSE(difference(C, C.Untuned));
  EXPECT_FALSE(difference(C, Changed(2)));
  EXPECT_TRUE(difference(C, Changed(3)));
  EXPECT_TRUE(difference(C, Changed(10)));
  EXPECT_TRUE(difference(C, Changed(31)));
  CaseResult R = C.Untuned;
  ASSERT_EQ(R.Variables.count("last"), 1u);
  ++R.Variables["last"][0];
  EXPECT_EQ(difference(C, R).value_or(Difference()).Text,
            "variable 'last' differs from the untuned result");
  R.Variables.clear(); // it holds what it held before
  EXPECT_TRUE(difference(C, R));
}

TEST(AtomicsOfTest, AreFoundInTheText) {
  auto Find = [](StringRef Text) {
    AtomicsOf A = AtomicsOf::find(Text);
    return std::pair(A.Any, A.AddFloats);
  };
  EXPECT_EQ(Find("ld . f32 ; add.f32 %f1 , %f2 , %f3 ; ret ;"),
            std::pair(false, false));
  EXPECT_EQ(Find("@ %p red.global.add.f32 [ %d1 ] , %f1 ;"),
            std::pair(true, true));
  EXPECT_EQ(Find("L : atom.global.add.noftz.bf16x2 %r1 , [ %d1 ] , %r2 ;"),
            std::pair(true, true));
  EXPECT_EQ(Find("red.shared : : cta.add.f64 [ %d1 ] , %f1 ;"),
            std::pair(true, true));
  EXPECT_EQ(
      Find("atom.global.add.u32 %r1 , [ %d1 ] , 1 ; add.f32 %f , %f , %f ;"),
      std::pair(true, false));
  EXPECT_EQ(Find("red.global.max.f32 [ %d1 ] , %f1 ;"), std::pair(true, false));
}

} // namespace
