//===- VirtualTimeTest.cpp - Tests of virtual time --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device here has one kernel. What it takes by the model, and what it
// really takes, are its parameters, so that every modelled time can be computed
// by hand.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/VirtualTime.h"
#include "heddle/Runtime/Context.h"
#include "heddle/Runtime/Profile.h"
#include "gtest/gtest.h"
#include <chrono>
#include <thread>

using namespace heddle::rt;
using llvm::cantFail;
using llvm::Error;
using llvm::Expected;

namespace {

/// In nanoseconds.
struct Work {
  uint64_t Modelled = 0, Real = 0;
};

class WorkModule : public Module {
public:
  WorkModule() {
    Kernels[0].Name = "work";
    Kernels[0].ParamBytes = sizeof(Work);
  }
  llvm::ArrayRef<KernelInfo> kernels() const override { return Kernels; }
  llvm::ArrayRef<SymbolInfo> symbols() const override { return {}; }

private:
  KernelInfo Kernels[1];
};

/// Four cores, each with room for one CTA of 32 threads.
DeviceProperties properties() {
  DeviceProperties P;
  P.Cores = 4;
  P.ClockMHz = 1000;
  P.WarpsPerCore = 1;
  P.CTAsPerCore = 1;
  P.ThreadsPerCTA = 32;
  P.RegistersPerCore = 65536;
  P.SharedBytesPerCore = 1024;
  P.SharedBytesPerCTA = 1024;
  P.MemoryBytesPerSecond = 1'000'000'000; // a byte in a nanosecond
  P.LaunchCallNs = 30;
  P.DispatchNs = 100;
  P.WakeNs = 1000;
  P.DispatchGapNs = 7;
  P.GraphGapNs = 3;
  P.LinkLatencyNs = 50;
  P.LinkBytesPerSecond = 500'000'000; // two nanoseconds a byte
  return P;
}

class WorkDevice : public Device {
public:
  WorkDevice(ProgramClock &Clock, bool Exactly)
      : Time(Clock, ::properties(), Exactly) {}

  llvm::StringRef name() const override { return "test"; }
  llvm::StringRef chip() const override { return "none"; }
  DeviceProperties properties() const override { return Time.Properties; }
  VirtualTime *virtualTime() const override { return &Time; }

  Expected<DeviceAddress> allocate(uint64_t, uint64_t) override { return 0; }
  Error free(DeviceAddress) override { return Error::success(); }
  Error copyToDevice(DeviceAddress, llvm::ArrayRef<uint8_t>) override {
    return Error::success();
  }
  Error copyFromDevice(llvm::MutableArrayRef<uint8_t>, DeviceAddress) override {
    return Error::success();
  }
  Error copyOnDevice(DeviceAddress, DeviceAddress, uint64_t) override {
    return Error::success();
  }
  Error fill(DeviceAddress, llvm::ArrayRef<uint8_t>, uint64_t) override {
    return Error::success();
  }
  Expected<std::unique_ptr<Module>>
  loadModule(llvm::ArrayRef<uint8_t>) override {
    return std::make_unique<WorkModule>();
  }
  void setOutputSink(OutputSink) override {}

  Expected<LaunchResult> launch(Module &, unsigned,
                                const LaunchConfig &Config) override {
    Work W;
    std::memcpy(&W, Config.Params.data(), sizeof(W));
    std::this_thread::sleep_for(std::chrono::nanoseconds(W.Real));
    LaunchResult Result;
    if (Config.IsUntimed) {
      ++Untimed;
      return Result;
    }
    auto Profile = std::make_shared<LaunchProfile>();
    Profile->ClockMHz = ::properties().ClockMHz;
    Profile->Cycles = W.Modelled;
    Result.Profile = std::move(Profile);
    return Result;
  }

  std::atomic<unsigned> Untimed{0};

private:
  mutable VirtualTime Time;
};

uint64_t realTime() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

class VirtualTimeTest : public testing::Test {
protected:
  explicit VirtualTimeTest(bool Exactly = true) {
    Clock.RealTime = realTime;
    Clock.set(1000);
    Clock.Latest = 1000;
    Clock.IsStill = true;
    auto D = std::make_unique<WorkDevice>(Clock, Exactly);
    Dev = D.get();
    Ctx = std::make_unique<Context>(std::move(D));
    Loaded = cantFail(Dev->loadModule({}));
    Kernel = {Loaded.get(), 0};
  }

  void launch(Stream &S, Work W, uint32_t CTAs = 4) {
    KernelOp Op;
    Op.Kernel = Kernel;
    Op.Config.Grid = {CTAs, 1, 1};
    Op.Config.Block = {32, 1, 1};
    Op.Params.resize(sizeof(W));
    std::memcpy(Op.Params.data(), &W, sizeof(W));
    cantFail(S.enqueue(std::move(Op)));
  }
  static std::shared_ptr<Event> record(Stream &S) {
    auto E = std::make_shared<Event>();
    cantFail(S.enqueue(RecordOp{E}));
    return E;
  }
  static uint64_t timeOf(const std::shared_ptr<Event> &E) {
    E->synchronize();
    return E->timestamp().value_or(0);
  }
  Stream &stream() { return Ctx->createStream(Stream::Kind::NonBlocking); }

  ProgramClock Clock;
  WorkDevice *Dev;
  std::unique_ptr<Context> Ctx;
  std::unique_ptr<Module> Loaded;
  KernelObject Kernel;
};

class SampledTimeTest : public VirtualTimeTest {
protected:
  SampledTimeTest() : VirtualTimeTest(/*Exactly=*/false) {}
};

TEST_F(VirtualTimeTest, LaunchesOfAStreamFollowEachOther) {
  Stream &S = stream();
  std::shared_ptr<Event> Before = record(S); // at 1010
  launch(S, {500});                          // called at 1040, begins at 1140
  launch(S, {200});                          // begins behind the gap
  std::shared_ptr<Event> After = record(S);
  EXPECT_EQ(timeOf(Before), 1110u);
  EXPECT_EQ(timeOf(After), 1140u + 500 + 7 + 200);
}

TEST_F(VirtualTimeTest, AWaitTakesWhatTheChipTakes) {
  launch(stream(), {500, 30'000'000});
  cantFail(Ctx->synchronize());
  EXPECT_EQ(Clock.now(), 1000u + 30 + 100 + 500 + 1000);
}

TEST_F(VirtualTimeTest, RealTimeOfTheHostCounts) {
  Clock.IsStill = false;
  uint64_t Begin = Clock.now();
  launch(stream(), {500, 200'000'000});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cantFail(Ctx->synchronize());
  uint64_t Taken = Clock.now() - Begin;
  EXPECT_GE(Taken, 20'000'000u);
  // The launch takes 200 ms of real time, of which nothing is left.
  EXPECT_LT(Taken, 200'000'000u);
}

TEST_F(VirtualTimeTest, GridsShareTheChipWhileThereIsRoom) {
  Stream &A = stream(), &B = stream(), &C = stream();
  launch(A, {500}, 2); // from 1130
  launch(B, {500}, 2); // from 1160
  launch(C, {500}, 2); // when the first has ended
  std::shared_ptr<Event> Ends[] = {record(A), record(B), record(C)};
  EXPECT_EQ(timeOf(Ends[0]), 1630u);
  EXPECT_EQ(timeOf(Ends[1]), 1660u);
  EXPECT_EQ(timeOf(Ends[2]), 1630u + 500);
}

TEST_F(VirtualTimeTest, EventsCarryTimeBetweenStreams) {
  Stream &A = stream(), &B = stream();
  launch(A, {500}, 1);
  std::shared_ptr<Event> Middle = record(A);
  // The wait must count although its event is reached in real time.
  Middle->synchronize();
  Clock.Latest = 1000;
  cantFail(B.enqueue(WaitOp{Middle}));
  launch(B, {50}, 1);
  EXPECT_EQ(timeOf(record(B)), 1630u + 50);
}

TEST_F(VirtualTimeTest, ModelledTimesDoNotDependOnTheHost) {
  auto Run = [this](uint64_t RealA, uint64_t RealB) {
    Clock.Latest = 1'000'000;
    Stream &A = stream(), &B = stream();
    for (unsigned N = 0; N != 5; ++N) {
      launch(A, {500, RealA});
      launch(B, {300, RealB});
    }
    return std::pair(timeOf(record(A)), timeOf(record(B)));
  };
  auto First = Run(0, 0);
  auto OfNewDevice = [&](uint64_t RealA, uint64_t RealB) {
    auto D = std::make_unique<WorkDevice>(Clock, true);
    Ctx = std::make_unique<Context>(std::move(D));
    return Run(RealA, RealB);
  };
  for (unsigned Round = 0; Round != 5; ++Round) {
    EXPECT_EQ(OfNewDevice(2'000'000, 0), First);
    EXPECT_EQ(OfNewDevice(0, 2'000'000), First);
  }
}

TEST_F(VirtualTimeTest, CopiesTakeTheLink) {
  Stream &A = stream(), &B = stream();
  CopyOp Up;
  Up.Destination = {4096, false, 0, 0};
  uint8_t Bytes[1000];
  Up.Source = {reinterpret_cast<uint64_t>(Bytes), true, 0, 0};
  Up.RowBytes = sizeof(Bytes);
  cantFail(A.enqueue(Up)); // from 1130, for 50 and 2000
  cantFail(B.enqueue(Up)); // when the link is free
  CopyOp Down = Up;
  std::swap(Down.Destination, Down.Source);
  Stream &C = stream();
  cantFail(C.enqueue(Down)); // the other way is free from 1190
  std::shared_ptr<Event> Ends[] = {record(A), record(B), record(C)};
  EXPECT_EQ(timeOf(Ends[0]), 1130u + 2050);
  EXPECT_EQ(timeOf(Ends[1]), 1130u + 2 * 2050);
  EXPECT_EQ(timeOf(Ends[2]), 1190u + 2050);
}

TEST_F(VirtualTimeTest, WhoAsksMovesOn) {
  Stream &S = stream();
  launch(S, {5000});
  std::shared_ptr<Event> End = record(S);
  unsigned Queries = 1;
  while (!End->isComplete())
    ++Queries;
  // The record was called at 1040, the kernel ends at 6130.
  EXPECT_EQ(Queries, (6130u - 1040) / QueryNs + 1);
  EXPECT_GE(Clock.now(), 6130u);
}

TEST_F(VirtualTimeTest, NodesOfAGraphAreOneCall) {
  Stream &S = stream();
  cantFail(S.beginCapture());
  launch(S, {500});
  launch(S, {200});
  std::shared_ptr<Graph> G = cantFail(S.endCapture());
  uint64_t Begin = Clock.now();
  auto Ready = cantFail(ExecutableGraph::instantiate(*G));
  cantFail(Ready->launch(S));
  EXPECT_EQ(Clock.now(), Begin + 30);
  EXPECT_EQ(timeOf(record(S)), Begin + 130 + 500 + 3 + 200);
}

TEST_F(SampledTimeTest, LaunchesThatRepeatAreNotTimedAgain) {
  Stream &S = stream();
  for (unsigned N = 0; N != 10; ++N)
    launch(S, {500});
  EXPECT_EQ(timeOf(record(S)), 1130u + 10 * 500 + 9 * 7);
  EXPECT_EQ(Dev->Untimed, 10u - LaunchTimes::MinTimed);
}

TEST(ProgramClock, MovesForThoseWhoOnlyLook) {
  ProgramClock Clock;
  Clock.RealTime = realTime;
  Clock.Latest = 1000;
  Clock.IsStill = true;
  EXPECT_EQ(Clock.read(), 1000u);
  EXPECT_EQ(Clock.read(), 1000u);
  unsigned Readings = 0;
  while (Clock.read() < 5000)
    ++Readings;
  EXPECT_GE(Readings, ProgramClock::FreeReadings);
  Clock.set(900); // is in the past
  EXPECT_GE(Clock.now(), 5000u);
}

TEST(PeerLink, CopiesFollowEachOther) {
  constexpr uint64_t ByteInANanosecond = 1'000'000'000;
  PeerLink L(ByteInANanosecond, 5);
  EXPECT_EQ(L.take(0, 100), 105u);
  EXPECT_EQ(L.take(50, 100), 205u);
  EXPECT_EQ(L.take(500, 50), 555u);
  // Between the two that there are.
  EXPECT_EQ(L.take(0, 350), 605u);
}

TEST(PeerLink, KernelsShareIt) {
  constexpr uint64_t ByteInANanosecond = 1'000'000'000;
  PeerLink L(ByteInANanosecond, 5);
  // Each uses three fifths of the link: the second has two of them as long as
  // the first is there, and then what it needs.
  EXPECT_EQ(L.share(1000, 90, 54), 1090u);
  EXPECT_EQ(L.share(1000, 90, 54), 1120u);
  // Nothing is left before 1090, and two fifths until 1120.
  EXPECT_EQ(L.take(1000, 20), 1128u + 5u);
  // Who uses little of a link is not held up by who leaves enough.
  EXPECT_EQ(L.share(2000, 100, 40), 2100u);
  EXPECT_EQ(L.share(2000, 100, 50), 2100u);
  EXPECT_EQ(L.share(2000, 100, 0), 2100u);
  EXPECT_EQ(L.share(2000, 0, 0), 2000u);
}

TEST(LaunchTimes, AreForgottenBeforeThereAreTooMany) {
  LaunchTimes T;
  for (size_t N = 0; N != 3 * LaunchTimes::MaxKeys; ++N) {
    T.add(std::to_string(N), 1000);
    ASSERT_LE(T.size(), LaunchTimes::MaxKeys);
  }
  EXPECT_GT(T.size(), 0u);
}

TEST(LaunchTimes, AreNotPredictedWhereTheyVary) {
  LaunchTimes T;
  for (uint64_t Nanoseconds : {1000, 1100, 1000, 1100, 1000, 1000})
    T.add("kernel", Nanoseconds);
  EXPECT_EQ(T.predict("kernel"), std::nullopt);
  T.add("kernel", 1004);
  EXPECT_EQ(T.predict("kernel"), 1002u);
  EXPECT_EQ(T.predict("other"), std::nullopt);
  // One is timed now and then.
  unsigned Predicted = 1;
  while (T.predict("kernel"))
    ++Predicted;
  EXPECT_EQ(Predicted, LaunchTimes::RetimeEvery - 1);
  T.add("kernel", 2000);
  EXPECT_EQ(T.predict("kernel"), std::nullopt);
}

} // namespace
