//===- DevicesLitmusTest.cpp - The memory model across devices ------------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Litmus tests of kernels that run on several devices at the same time: the
// scope of the system reaches the others, that of a device does not. Places are
// memory of one device, of two, or of the host. Each test runs on one and on
// two host threads a device, where what is forbidden must not show, and on
// weakly ordered memory, where what is allowed must show, too.
//
//===----------------------------------------------------------------------===//

#include "CompileKernel.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/Native/ChooseExecution.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <array>
#include <cstring>
#include <map>
#include <thread>

using namespace llvm;
using namespace heddle;

namespace {

/// The body of each CTA, by device. A body has two observations, %a and %b, and
/// the addresses of three places that hold 0 at first, %x, %y and %z.
using Litmus = std::vector<std::vector<std::string>>;

/// %a and %b of each CTA in the order of devices, then x, y and z.
using Outcome = std::vector<uint32_t>;
using Outcomes = std::map<Outcome, unsigned>;

/// Whose memory the places are.
enum class Home { FirstDevice, XOfTheLast, Host };

/// How devices execute.
enum class Way { OneThread, TwoThreads, WeakMemory };

struct Setting {
  Home Where = Home::FirstDevice;
  Way How = Way::OneThread;
  unsigned OptLevel = 3;
};

/// Rounds of a launch, each of which has places of its own, and launches of a
/// test: of what must not show, and at most until what must show does.
constexpr unsigned Rounds = 32, Launches = 4, MostLaunches = 400;
constexpr uint64_t PlaceStep = 64;

/// All CTAs meet at the beginning of each round, which orders nothing.
std::string moduleOf(const Litmus &L) {
  std::string Text = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry litmus(.param .u64 xs, .param .u64 ys, .param .u64 zs,
                       .param .u64 meet, .param .u64 out, .param .u32 first,
                       .param .u32 all) {
  .reg .u64 %x, %y, %z, %o, %m;
  .reg .u32 %who, %a, %b, %t, %i, %n, %q;
  .reg .pred %p, %r;
  ld.param.u64 %x, [xs];
  ld.param.u64 %y, [ys];
  ld.param.u64 %z, [zs];
  ld.param.u64 %m, [meet];
  ld.param.u64 %o, [out];
  ld.param.u32 %who, [first];
  ld.param.u32 %n, [all];
  mov.u32 %t, %ctaid.x;
  add.u32 %who, %who, %t;
  mad.wide.u32 %o, %who, 8, %o;
  mov.u32 %i, 0;
ROUND:
  mov.u32 %a, 0;
  mov.u32 %b, 0;
  red.relaxed.sys.global.add.u32 [%m], 1;
MEET:
  ld.relaxed.sys.global.u32 %t, [%m];
  setp.lo.u32 %p, %t, %n;
  @%p bra MEET;
)";
  unsigned N = 0;
  for (const auto &Device : L)
    for (unsigned I = 0; I != Device.size(); ++I, ++N)
      Text += formatv("  setp.eq.u32 %p, %who, {0};\n  @%p bra T{0};\n", N);
  N = 0;
  for (const auto &Device : L)
    for (const std::string &Body : Device)
      Text += formatv("T{0}:\n{1}\n  bra DONE;\n", N++, Body);
  return Text + formatv(R"(DONE:
  st.global.v2.u32 [%o], {{%a, %b};
  mad.wide.u32 %o, %n, 8, %o;
  add.u64 %x, %x, {0};
  add.u64 %y, %y, {0};
  add.u64 %z, %z, {0};
  add.u64 %m, %m, {0};
  add.u32 %i, %i, 1;
  setp.lo.u32 %r, %i, {1};
  @%r bra ROUND;
  exit;
}
)",
                        PlaceStep, Rounds)
                    .str();
}

/// Devices that reach each other's memory, with one module each.
class Machine {
public:
  Machine(size_t Count, Way How, ArrayRef<char> Object) {
    auto Space = emu::createAddressSpace();
    for (unsigned D = 0; D != Count; ++D) {
      emu::EmulatorOptions Options;
      Options.Space = Space;
      Options.Ordinal = D;
      Options.HostThreads = How == Way::TwoThreads ? 2 : 1;
      if (How == Way::WeakMemory) {
        Options.Seed = D + 1;
        Options.RelaxedMemory = true;
      } else {
        Options.StrictHazards = false;
        cantFail(native::chooseExecution(
            Options, cantFail(native::executionOfEnvironment())));
      }
      Devices.push_back(cantFail(emu::createEmulatorDevice(Options)));
      Modules.push_back(cantFail(Devices.back()->loadModule(
          {reinterpret_cast<const uint8_t *>(Object.data()), Object.size()})));
    }
    for (unsigned D = 0; D != Count; ++D)
      for (unsigned Peer = 0; Peer != Count; ++Peer)
        if (D != Peer)
          cantFail(Devices[D]->setPeerAccess(Peer, true));
  }
  ~Machine() {
    Modules.clear();
    for (auto &H : OfHost)
      cantFail(Devices[0]->unmapHost(H.get()));
  }

  uint64_t allocate(size_t Device, uint64_t Bytes) {
    return cantFail(Devices[Device]->allocate(Bytes));
  }
  uint64_t allocateOnHost(uint64_t Bytes) {
    OfHost.push_back(std::make_unique<uint8_t[]>(Bytes));
    cantFail(Devices[0]->mapHost({OfHost.back().get(), Bytes}));
    return reinterpret_cast<uintptr_t>(OfHost.back().get());
  }

  std::vector<std::unique_ptr<rt::Device>> Devices;
  std::vector<std::unique_ptr<rt::Module>> Modules;

private:
  std::vector<std::unique_ptr<uint8_t[]>> OfHost;
};

rt::LaunchConfig configOf(ArrayRef<uint64_t> Words, unsigned CTAs,
                          std::vector<uint8_t> &Params) {
  Params.resize(8 * Words.size());
  std::memcpy(Params.data(), Words.data(), Params.size());
  rt::LaunchConfig Config;
  Config.Params = Params;
  Config.Grid.X = CTAs;
  Config.Cooperative = true; // They wait for each other.
  return Config;
}

/// Runs a kernel on each device at the same time; the last two parameters are
/// the number of the device's first CTA and of all.
void launchOnAll(Machine &M, const Litmus &L, ArrayRef<uint64_t> Places) {
  uint32_t All = 0, First = 0;
  for (const auto &Device : L)
    All += Device.size();
  std::vector<std::thread> Threads;
  for (size_t D = 0; D != L.size(); First += L[D].size(), ++D)
    Threads.emplace_back([&, D, First] {
      SmallVector<uint64_t> Words(Places);
      Words.push_back(uint64_t(All) << 32 | First);
      std::vector<uint8_t> Params;
      rt::LaunchConfig Config = configOf(Words, L[D].size(), Params);
      auto R = cantFail(M.Devices[D]->launch(*M.Modules[D], 0, Config));
      EXPECT_FALSE(R.Fault) << R.Fault->str();
    });
  for (std::thread &T : Threads)
    T.join();
}

/// How often an outcome showed of which the leading values are known; Any
/// matches every value.
constexpr uint32_t Any = ~0u;
unsigned count(const Outcomes &Seen, const Outcome &Pattern) {
  unsigned Total = 0;
  for (const auto &[O, Times] : Seen) {
    bool Matches = true;
    for (size_t N = 0; N < Pattern.size(); ++N)
      Matches &= Pattern[N] == Any || Pattern[N] == O[N];
    Total += Matches ? Times : 0;
  }
  return Total;
}

/// Where a test's values are.
struct Memory {
  std::array<uint64_t, 3> Places;
  uint64_t Meet, Out;
  uint64_t Bytes = Rounds * PlaceStep, OutBytes = 0;
};

Memory allocate(Machine &M, Home Where, size_t NumCTAs) {
  Memory At = {};
  auto On = [&](size_t Device) {
    return Where == Home::Host ? M.allocateOnHost(At.Bytes)
                               : M.allocate(Device, At.Bytes);
  };
  size_t OfX = Where == Home::XOfTheLast ? M.Devices.size() - 1 : 0;
  At.Places = {On(OfX), On(0), On(0)};
  At.Meet = On(0);
  At.OutBytes = Rounds * NumCTAs * 8;
  At.Out = M.allocate(0, At.OutBytes);
  return At;
}

/// Adds what the rounds of the last launch have shown.
void collect(Machine &M, const Memory &At, size_t NumCTAs, Outcomes &Seen) {
  auto Read = [&](MutableArrayRef<uint8_t> To, uint64_t From) {
    cantFail(M.Devices[0]->copyFromDevice(To, From));
  };
  std::vector<uint32_t> Observed(2 * NumCTAs * Rounds);
  std::array<std::vector<uint8_t>, 3> Last;
  Read({reinterpret_cast<uint8_t *>(Observed.data()), At.OutBytes}, At.Out);
  for (size_t P = 0; P != 3; ++P) {
    Last[P].resize(At.Bytes);
    Read(Last[P], At.Places[P]);
  }
  for (unsigned Round = 0; Round != Rounds; ++Round) {
    auto From = Observed.begin() + 2 * NumCTAs * Round;
    Outcome O(From, From + 2 * NumCTAs);
    for (const auto &P : Last)
      std::memcpy(&O.emplace_back(), &P[Round * PlaceStep], 4);
    ++Seen[O];
  }
}

/// What shows in some launches, or until an outcome does.
Outcomes observe(const Litmus &L, const Setting &S,
                 const Outcome *Until = nullptr) {
  SmallVector<char, 0> Object = compile(moduleOf(L), S.OptLevel);
  if (Object.empty())
    return {};
  Machine M(L.size(), S.How, Object);
  size_t NumCTAs = 0;
  for (const auto &Device : L)
    NumCTAs += Device.size();
  Memory At = allocate(M, S.Where, NumCTAs);
  Outcomes Seen;
  for (unsigned N = 0; N != (Until ? MostLaunches : Launches); ++N) {
    uint8_t Zero = 0;
    for (uint64_t Address : {At.Places[0], At.Places[1], At.Places[2], At.Meet})
      cantFail(M.Devices[0]->fill(Address, Zero, At.Bytes));
    launchOnAll(M, L,
                {At.Places[0], At.Places[1], At.Places[2], At.Meet, At.Out});
    collect(M, At, NumCTAs, Seen);
    if (Until && count(Seen, *Until))
      break;
  }
  return Seen;
}

/// Each test for all places and ways.
class AcrossDevices : public testing::TestWithParam<Setting> {
protected:
  void SetUp() override {
    S = GetParam();
    if (S.How == Way::WeakMemory &&
        cantFail(native::executionOfEnvironment()) != emu::Execution::Emulate)
      GTEST_SKIP() << "code of the host has the host's order";
  }
  void expectForbidden(const Litmus &L, const Outcome &Pattern) {
    Outcomes Seen = observe(L, S);
    EXPECT_EQ(count(Seen, {}), Rounds * Launches);
    EXPECT_EQ(count(Seen, Pattern), 0u) << L.front().front();
  }
  /// Must show on weakly ordered memory, and may elsewhere.
  void expectAllowed(const Litmus &L, const Outcome &Pattern) {
    if (S.How == Way::WeakMemory)
      EXPECT_GT(count(observe(L, S, &Pattern), Pattern), 0u)
          << L.front().front();
  }
  /// How often anything else than an outcome shows.
  unsigned countOthers(const Litmus &L, const Outcome &Pattern) const {
    unsigned Others = 0;
    for (unsigned N = 0; N != MostLaunches && !Others; N += Launches)
      Others = Rounds * Launches - count(observe(L, S), Pattern);
    return Others;
  }
  Setting S;
};

std::string withScope(StringRef Text, StringRef Scope) {
  std::string Result;
  for (; !Text.empty();) {
    auto [Before, After] = Text.split("SCOPE");
    Result += Before;
    if (Before.size() != Text.size())
      Result += Scope;
    Text = After;
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Message passing: the flag is seen, but not the data before it
//===----------------------------------------------------------------------===//

const Outcome StaleMessage = {Any, Any, 1, 0};

Litmus message(StringRef Store, StringRef Load, StringRef Fence = "") {
  return {{formatv("st.relaxed.sys.global.u32 [%x], 1;\n{1}\n{0} [%y], 1;",
                   Store, Fence)},
          {formatv("{0} %a, [%y];\n{1}\nld.relaxed.sys.global.u32 %b, [%x];",
                   Load, Fence)}};
}
constexpr const char *RelaxedStore = "st.relaxed.sys.global.u32",
                     *RelaxedLoad = "ld.relaxed.sys.global.u32";

TEST_P(AcrossDevices, AMessageNeedsTheScopeOfTheSystem) {
  constexpr const char *Release = "st.release.SCOPE.global.u32",
                       *Acquire = "ld.acquire.SCOPE.global.u32";
  auto With = [&](StringRef Giver, StringRef Taker) {
    return message(withScope(Release, Giver), withScope(Acquire, Taker));
  };
  expectForbidden(With("sys", "sys"), StaleMessage);
  expectAllowed(message(RelaxedStore, RelaxedLoad), StaleMessage);
  expectAllowed(With("gpu", "gpu"), StaleMessage);
  expectAllowed(With("sys", "gpu"), StaleMessage);
  expectAllowed(With("gpu", "sys"), StaleMessage);
}

TEST_P(AcrossDevices, AMessageBetweenFences) {
  for (const char *Fence :
       {"fence.acq_rel.sys;", "fence.sc.sys;", "membar.sys;"})
    expectForbidden(message(RelaxedStore, RelaxedLoad, Fence), StaleMessage);
  for (const char *Fence :
       {"fence.acq_rel.gpu;", "fence.sc.gpu;", "membar.gl;"})
    expectAllowed(message(RelaxedStore, RelaxedLoad, Fence), StaleMessage);
}

// Weak data under a strong flag, as programs have it.
TEST_P(AcrossDevices, AMessageOfWeakData) {
  expectForbidden(
      {{"st.global.u32 [%x], 1;\nst.release.sys.global.u32 [%y], 1;"},
       {"ld.acquire.sys.global.u32 %a, [%y];\nld.global.u32 %b, [%x];"}},
      StaleMessage);
  expectForbidden({{"st.global.u32 [%x], 1;\n"
                    "red.release.sys.global.add.u32 [%y], 1;"},
                   {"atom.acquire.sys.global.or.b32 %a, [%y], 0;\n"
                    "ld.global.u32 %b, [%x];"}},
                  StaleMessage);
}

// What one device has from a second, a third has from the first.
TEST_P(AcrossDevices, AMessageIsHandedOn) {
  auto Chain = [](StringRef Release, StringRef Acquire) -> Litmus {
    return {
        {"st.relaxed.sys.global.u32 [%x], 1;"},
        {formatv("ld.relaxed.sys.global.u32 %a, [%x];\n{0} [%y], 1;", Release)},
        {formatv("{0} %a, [%y];\nld.relaxed.sys.global.u32 %b, [%x];",
                 Acquire)}};
  };
  const Outcome EffectBeforeCause = {Any, Any, 1, Any, 1, 0};
  expectForbidden(
      Chain("st.release.sys.global.u32", "ld.acquire.sys.global.u32"),
      EffectBeforeCause);
  expectAllowed(Chain("st.release.gpu.global.u32", "ld.acquire.gpu.global.u32"),
                EffectBeforeCause);
}

//===----------------------------------------------------------------------===//
// Store buffering: neither of two devices sees the other's store
//===----------------------------------------------------------------------===//

Litmus storeBuffering(StringRef Fence) {
  auto Body = [&](StringRef Own, StringRef Other) -> std::string {
    return formatv("st.relaxed.sys.global.u32 [{0}], 1;\n{2}\n"
                   "ld.relaxed.sys.global.u32 %a, [{1}];",
                   Own, Other, Fence);
  };
  return {{Body("%x", "%y")}, {Body("%y", "%x")}};
}
const Outcome BothMissed = {0, Any, 0, Any};

TEST_P(AcrossDevices, StoreBuffering) {
  for (const char *Fence : {"fence.sc.sys;", "membar.sys;"})
    expectForbidden(storeBuffering(Fence), BothMissed);
  for (const char *Fence :
       {"", "fence.acq_rel.sys;", "fence.sc.gpu;", "membar.gl;"})
    expectAllowed(storeBuffering(Fence), BothMissed);
}

//===----------------------------------------------------------------------===//
// Independent reads of independent writes: two readers see two stores in
// opposite orders
//===----------------------------------------------------------------------===//

std::string reader(StringRef First, StringRef Second, StringRef Fence,
                   StringRef Load = RelaxedLoad) {
  return formatv("{3} %a, [{0}];\n{2}\n{3} %b, [{1}];", First, Second, Fence,
                 Load);
}

TEST_P(AcrossDevices, IndependentReads) {
  const std::string WriteX = "st.relaxed.sys.global.u32 [%x], 1;",
                    WriteY = "st.relaxed.sys.global.u32 [%y], 1;";
  auto Apart = [&](StringRef Fence, StringRef Load = RelaxedLoad) -> Litmus {
    return {{WriteX, reader("%x", "%y", Fence, Load)},
            {WriteY, reader("%y", "%x", Fence, Load)}};
  };
  const Outcome Opposite = {Any, Any, 1, 0, Any, Any, 1, 0};
  expectForbidden(Apart("fence.sc.sys;"), Opposite);
  expectAllowed(Apart("fence.sc.gpu;"), Opposite);
  expectAllowed(Apart("fence.acq_rel.sys;"), Opposite);
  expectAllowed(Apart("", "ld.acquire.sys.global.u32"), Opposite);
  // The readers' device is enough where both are on it.
  auto Together = [&](StringRef Fence) -> Litmus {
    return {{WriteX, WriteY},
            {reader("%x", "%y", Fence), reader("%y", "%x", Fence)}};
  };
  const Outcome OppositeThere = {Any, Any, Any, Any, 1, 0, 1, 0};
  expectForbidden(Together("fence.sc.gpu;"), OppositeThere);
  expectAllowed(Together("fence.sc.cta;"), OppositeThere);
}

//===----------------------------------------------------------------------===//
// Coherence: one place has one order
//===----------------------------------------------------------------------===//

TEST_P(AcrossDevices, ReadersAgreeOnThePlace) {
  auto Twice = reader("%x", "%x", "");
  Litmus L = {{"st.relaxed.sys.global.u32 [%x], 1;", Twice},
              {"st.relaxed.sys.global.u32 [%x], 2;", Twice}};
  expectForbidden(L, {Any, Any, 1, 2, Any, Any, 2, 1});
  expectForbidden(L, {Any, Any, 2, 1, Any, Any, 1, 2});
  expectForbidden(L, {Any, Any, 1, 0});
  expectAllowed(L, {Any, Any, 0, 1});
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

Litmus additions(StringRef Scope) {
  std::string Add = withScope("atom.relaxed.SCOPE.global.add.u32 %a, [%x], 1;\n"
                              "red.relaxed.SCOPE.global.add.u32 [%x], 1;",
                              Scope);
  return {{Add, Add}, {Add, Add}};
}

TEST_P(AcrossDevices, UpdatesAreAtomicInTheirScope) {
  Outcome AllCounted(11, Any);
  AllCounted[8] = 8;
  Outcomes Seen = observe(additions("sys"), S);
  EXPECT_EQ(count(Seen, AllCounted), Rounds * Launches);
  if (S.How != Way::WeakMemory)
    return;
  EXPECT_GT(countOthers(additions("gpu"), AllCounted), 0u);
  // One device's alone, in whoever's memory.
  Litmus OnOne = additions("gpu");
  OnOne[0] = {"st.relaxed.sys.global.u32 [%y], 1;"};
  Outcome FourCounted(9, Any);
  FourCounted[6] = 4;
  EXPECT_EQ(count(observe(OnOne, S), FourCounted), Rounds * Launches);
}

TEST_P(AcrossDevices, OneSwapWins) {
  auto Swaps = [](StringRef Scope) -> Litmus {
    std::string Swap =
        withScope("atom.relaxed.SCOPE.global.cas.b32 %a, [%x], 0, 1;", Scope);
    return {{Swap}, {Swap}};
  };
  expectForbidden(Swaps("sys"), {0, Any, 0, Any});
  expectForbidden(Swaps("sys"), {1, Any, 1, Any});
  expectAllowed(Swaps("gpu"), {0, Any, 0, Any});
}

/// Each thread counts %y up while it holds the lock at %x.
Litmus lock(StringRef Scope) {
  auto Body = [&](unsigned N) {
    return withScope(formatv("LOCK{0}:\natom.acquire.SCOPE.global.cas.b32 %q, "
                             "[%x], 0, 1;\nsetp.ne.u32 %p, %q, 0;\n"
                             "@%p bra LOCK{0};\nld.global.u32 %a, [%y];\n"
                             "add.u32 %q, %a, 1;\nst.global.u32 [%y], %q;\n"
                             "st.release.SCOPE.global.u32 [%x], 0;",
                             N)
                         .str(),
                     Scope);
  };
  return {{Body(0), Body(1)}, {Body(2)}};
}

TEST_P(AcrossDevices, ALockHasOneHolder) {
  Outcome AllCounted(9, Any);
  AllCounted[7] = 3;
  EXPECT_EQ(count(observe(lock("sys"), S), AllCounted), Rounds * Launches);
  if (S.How == Way::WeakMemory)
    EXPECT_GT(countOthers(lock("gpu"), AllCounted), 0u);
}

/// Weakly ordered memory with the code of both code generators.
std::vector<Setting> settings() {
  std::vector<Setting> All;
  for (Home Where : {Home::FirstDevice, Home::XOfTheLast, Home::Host}) {
    All.push_back({Where, Way::OneThread, 3});
    All.push_back({Where, Way::TwoThreads, 3});
    All.push_back({Where, Way::WeakMemory, 0});
    All.push_back({Where, Way::WeakMemory, 3});
  }
  return All;
}

INSTANTIATE_TEST_SUITE_P(All, AcrossDevices, testing::ValuesIn(settings()));

//===----------------------------------------------------------------------===//
// Completion
//===----------------------------------------------------------------------===//

/// `put` stores 1 at x; `get` reads x; `serve` waits until y holds 1, then
/// reads x; `stay` runs until z holds 1.
constexpr const char *CompletionModule = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry put(.param .u64 x, .param .u64 y, .param .u64 z,
                    .param .u64 out) {
  .reg .u64 %x;
  ld.param.u64 %x, [x];
  st.global.u32 [%x], 1;
  ret;
}
.visible .entry get(.param .u64 x, .param .u64 y, .param .u64 z,
                    .param .u64 out) {
  .reg .u64 %x, %o;
  .reg .u32 %a;
  ld.param.u64 %x, [x];
  ld.param.u64 %o, [out];
  ld.global.u32 %a, [%x];
  st.global.u32 [%o], %a;
  ret;
}
.visible .entry serve(.param .u64 x, .param .u64 y, .param .u64 z,
                      .param .u64 out) {
  .reg .u64 %x, %y, %o;
  .reg .u32 %a;
  .reg .pred %p;
  ld.param.u64 %x, [x];
  ld.param.u64 %y, [y];
  ld.param.u64 %o, [out];
WAIT:
  ld.acquire.sys.global.u32 %a, [%y];
  setp.eq.u32 %p, %a, 0;
  @%p bra WAIT;
  ld.global.u32 %a, [%x];
  st.global.u32 [%o], %a;
  ret;
}
.visible .entry stay(.param .u64 x, .param .u64 y, .param .u64 z,
                     .param .u64 out) {
  .reg .u64 %z, %o;
  .reg .u32 %a;
  .reg .pred %p;
  ld.param.u64 %z, [z];
  ld.param.u64 %o, [out];
WAIT:
  ld.relaxed.sys.global.u32 %a, [%z];
  setp.eq.u32 %p, %a, 0;
  @%p bra WAIT;
  ret;
}
)";

class Completion : public testing::TestWithParam<Way> {
protected:
  void SetUp() override {
    if (GetParam() == Way::WeakMemory &&
        cantFail(native::executionOfEnvironment()) != emu::Execution::Emulate)
      GTEST_SKIP() << "code of the host has the host's order";
    SmallVector<char, 0> Object = compile(CompletionModule);
    ASSERT_FALSE(Object.empty());
    M.emplace(3, GetParam(), Object);
    // The data are the second device's, the flag is the first's.
    X = M->allocate(1, 4);
    Y = M->allocate(0, 4);
    Z = M->allocate(2, 4);
    Out = M->allocate(1, 4);
  }
  void launch(unsigned Device, StringRef Name) {
    std::vector<uint8_t> Params;
    rt::LaunchConfig Config = configOf({X, Y, Z, Out}, 1, Params);
    Config.Cooperative = false;
    ArrayRef<rt::KernelInfo> Kernels = M->Modules[Device]->kernels();
    size_t Index = 0;
    while (Kernels[Index].Name != Name)
      ++Index;
    auto R = cantFail(
        M->Devices[Device]->launch(*M->Modules[Device], Index, Config));
    EXPECT_FALSE(R.Fault) << R.Fault->str();
  }
  void reset() {
    uint8_t Zero = 0;
    for (uint64_t Address : {X, Y, Z, Out})
      cantFail(M->Devices[0]->fill(Address, Zero, 4));
  }
  uint32_t read(uint64_t Address) {
    uint32_t Value = 0;
    cantFail(M->Devices[0]->copyFromDevice(
        {reinterpret_cast<uint8_t *>(&Value), 4}, Address));
    return Value;
  }
  std::optional<Machine> M;
  uint64_t X = 0, Y = 0, Z = 0, Out = 0;
};

// A launch that begins after another has ended sees its stores, whoever's
// memory they went to; a third one runs all the time.
TEST_P(Completion, ALaunchSeesWhatAnotherDeviceHasDone) {
  for (unsigned N = 0; N != 200; ++N) {
    reset();
    std::thread Other([&] { launch(2, "stay"); });
    launch(0, "put");
    launch(1, "get");
    cantFail(M->Devices[1]->storeNumber(Z, 1, 4));
    Other.join();
    EXPECT_EQ(read(Out), 1u);
  }
}

// What comes before a Store is seen behind an acquire of its number.
TEST_P(Completion, AStoreComesBehindWhatWasDone) {
  for (unsigned N = 0; N != 200; ++N) {
    reset();
    std::thread Other([&] { launch(1, "serve"); });
    launch(0, "put");
    cantFail(M->Devices[0]->storeNumber(Y, 1, 4));
    Other.join();
    EXPECT_EQ(read(Out), 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Completion,
                         testing::Values(Way::OneThread, Way::TwoThreads,
                                         Way::WeakMemory));

} // namespace
