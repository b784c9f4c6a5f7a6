//===- TearingTest.cpp - One access is seen as a whole --------------------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A writer stores vectors whose elements are equal, again and again, and a
// reader must never see two elements that differ: an aligned access of up to 16
// bytes is one access, whatever its order. On several host threads, on one, in
// random time slices and on weakly ordered memory.
//
//===----------------------------------------------------------------------===//

#include "CompileKernel.h"
#include "heddle/Emulator/Emulator.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace llvm;
using namespace heddle;

namespace {

/// What is stored and loaded: Count elements, each in a register.
struct Shape {
  const char *Type;     ///< Of the access, with .v2 or .v4.
  const char *Register; ///< Of an element.
  unsigned Count;
};

/// The words in front of the type.
struct Words {
  const char *Load, *Store;
};

const Shape Shapes[] = {{".v2.u8", ".u16", 2},  {".v4.u8", ".u16", 4},
                        {".v2.u16", ".u16", 2}, {".v4.u16", ".u16", 4},
                        {".v2.u32", ".u32", 2}, {".v4.u32", ".u32", 4},
                        {".v2.f32", ".f32", 2}, {".v4.f32", ".f32", 4},
                        {".v2.u64", ".u64", 2}, {".v2.f64", ".f64", 2}};
const Words Orders[] = {{"ld.global", "st.global"},
                        {"ld.volatile.global", "st.volatile.global"},
                        {"ld.relaxed.gpu.global", "st.relaxed.gpu.global"},
                        {"ld.acquire.gpu.global", "st.release.gpu.global"},
                        {"ld.relaxed.sys", "st.relaxed.sys"},
                        {"ld.global.cv", "st.global.wt"}};

std::string list(StringRef Name, unsigned Count) {
  std::string Text = "{";
  for (unsigned N = 0; N != Count; ++N)
    Text += formatv("{0}%{1}{2}", N ? ", " : "", Name, N);
  return Text + "}";
}

/// %i as the value of every element, %v0 and so on; and back, into %e.
std::string fromNumber(const Shape &S) {
  std::string Text;
  for (unsigned N = 0; N != S.Count; ++N)
    Text += formatv(StringRef(S.Register).starts_with(".f")
                        ? "  cvt.rn{0}.u32 %v{1}, %i;\n"
                        : "  cvt{0}.u32 %v{1}, %i;\n",
                    S.Register, N);
  return Text;
}
std::string countDifferent(const Shape &S) {
  std::string Text;
  for (unsigned N = 1; N != S.Count; ++N)
    Text += formatv("  setp.ne{0} %p, %v0, %v{1};\n"
                    "  @%p add.u32 %torn, %torn, 1;\n",
                    S.Register, N);
  return Text;
}

constexpr unsigned Rounds = 1000;

/// CTA 0 stores and CTA 1 loads, both as soon as the other one runs.
std::string moduleOf(const Shape &S, const Words &W) {
  return formatv(R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry tearing(.param .u64 place) {{
  .reg .u64 %x;
  .reg .u32 %i, %who, %all, %torn;
  .reg {0} %v<4>;
  .reg .pred %p;
  ld.param.u64 %x, [place];
  cvta.to.global.u64 %x, %x;
  mov.u32 %who, %ctaid.x;
  mov.u32 %torn, 0;
  mov.u32 %i, 0;
  red.relaxed.gpu.global.add.u32 [%x+256], 1;
WAIT:
  ld.relaxed.gpu.global.u32 %all, [%x+256];
  setp.lt.u32 %p, %all, 2;
  @%p bra WAIT;
  setp.eq.u32 %p, %who, 1;
  @%p bra READ;
WRITE:
  add.u32 %i, %i, 1;
{1}  {2}{3} [%x], {4};
  setp.lt.u32 %p, %i, {8};
  @%p bra WRITE;
  exit;
READ:
  add.u32 %i, %i, 1;
  {5}{3} {6}, [%x];
{7}  setp.lt.u32 %p, %i, {8};
  @%p bra READ;
  st.global.u32 [%x+512], %torn;
  exit;
}
)",
                 S.Register, fromNumber(S), W.Store, S.Type, list("v", S.Count),
                 W.Load, list("v", S.Count), countDifferent(S), Rounds);
}

/// How many vectors the reader saw torn.
uint32_t countTorn(ArrayRef<char> Object, const emu::EmulatorOptions &Options) {
  auto Device = cantFail(emu::createEmulatorDevice(Options));
  auto Module = cantFail(Device->loadModule(
      {reinterpret_cast<const uint8_t *>(Object.data()), Object.size()}));
  constexpr uint64_t Bytes = 768, TornAt = 512;
  uint64_t Place = cantFail(Device->allocate(Bytes));
  uint8_t Zero = 0;
  cantFail(Device->fill(Place, Zero, Bytes));
  std::vector<uint8_t> Params(sizeof(Place));
  std::memcpy(Params.data(), &Place, sizeof(Place));
  rt::LaunchConfig Config;
  Config.Params = Params;
  Config.Grid.X = 2;
  rt::LaunchResult R = cantFail(Device->launch(*Module, 0, Config));
  EXPECT_FALSE(R.Fault) << R.Fault->str();
  uint32_t Torn = 0;
  cantFail(Device->copyFromDevice(
      {reinterpret_cast<uint8_t *>(&Torn), sizeof(Torn)}, Place + TornAt));
  return Torn;
}

/// On every kind of schedule, with vector code of the host and without.
void expectWhole(ArrayRef<char> Object, const std::string &What) {
  emu::EmulatorOptions Options;
  Options.StrictHazards = false;
  auto Expect = [&](const char *How) {
    EXPECT_EQ(countTorn(Object, Options), 0u) << What << How;
  };
  Options.HostThreads = 1;
  Expect(" on one host thread");
  Options.HostThreads = 2;
  Expect(" on two host threads");
  Options.Vectors = emu::HostVectors::None;
  Expect(" on two host threads, lane by lane");
  Options = {};
  Options.Seed = 1;
  Expect(" in random time slices");
  Options.RelaxedMemory = true;
  Expect(" on weakly ordered memory");
}

class Tearing : public testing::TestWithParam<Shape> {};

TEST_P(Tearing, DoesNotShow) {
  for (const Words &W : Orders)
    for (unsigned OptLevel : {0, 3}) {
      SmallVector<char, 0> Object = compile(moduleOf(GetParam(), W), OptLevel);
      ASSERT_FALSE(Object.empty());
      expectWhole(Object, W.Load + std::string(GetParam().Type) + " at -O" +
                              std::to_string(OptLevel));
    }
}

INSTANTIATE_TEST_SUITE_P(Vectors, Tearing, testing::ValuesIn(Shapes),
                         [](const auto &Info) {
                           std::string Name = Info.param.Type + 1;
                           std::replace(Name.begin(), Name.end(), '.', '_');
                           return Name;
                         });

// What the tests above would see: the same with two stores.
TEST(TornPairs, ShowWhereTheProgramTearsThem) {
  std::string Text =
      moduleOf({".v2.u32", ".u32", 2},
               {"ld.relaxed.gpu.global", "st.relaxed.gpu.global"});
  std::string Store = "st.relaxed.gpu.global.v2.u32 [%x], {%v0, %v1};";
  size_t At = Text.find(Store);
  ASSERT_NE(At, std::string::npos);
  Text.replace(At, Store.size(),
               "st.relaxed.gpu.global.u32 [%x], %v0;\n"
               "  st.relaxed.gpu.global.u32 [%x+4], %v1;");
  emu::EmulatorOptions Options;
  Options.Seed = 1;
  EXPECT_GT(countTorn(compile(Text), Options), 0u);
}

} // namespace
