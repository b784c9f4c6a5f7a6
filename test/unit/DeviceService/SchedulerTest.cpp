//===- SchedulerTest.cpp - Who may run CTAs, and when -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time is a number here: a host with clients whose threads run whenever they
// have a place, and leave it when they are asked to.
//
//===----------------------------------------------------------------------===//

#include "heddle/DeviceService/Scheduler.h"

#include "gtest/gtest.h"

#include <memory>

using namespace heddle::deviced;

namespace {

constexpr Ns Millisecond = 1'000'000;

/// A client that always has work for some threads.
struct Worker {
  LeasePage Page{};
  unsigned Threads = 1;
  bool Leaves = true; ///< When it is asked to.
  Ns Ran = 0;

  unsigned granted() const {
    unsigned Count = 0;
    for (const auto &Slot : Page.Slots)
      Count += Slot & LeasePage::Granted && !(Slot & LeasePage::Lost);
    return Count;
  }
};

class SchedulerTest : public testing::Test {
protected:
  void make(unsigned Places) {
    Settings.Places = Places;
    S = std::make_unique<Scheduler>(Settings);
  }
  Worker &add(unsigned Id, const TimeLimits &Limits = {},
              const std::string &Device = "one", double Weight = 1) {
    Workers.push_back({Id, std::make_unique<Worker>()});
    S->add(Id, Device, Weight, Limits, Workers.back().second->Page, Now);
    return *Workers.back().second;
  }
  void start(unsigned Id, Worker &W, unsigned Threads = 1) {
    W.Threads = Threads;
    for (unsigned I = 0; I != Threads; ++I)
      S->wait(Id, 1, Now);
  }
  /// Threads take what they have been granted, and give back what is wanted.
  void step(unsigned Id, Worker &W) {
    for (auto &Slot : W.Page.Slots) {
      uint32_t State = Slot;
      if (!(State & LeasePage::Granted))
        continue;
      Slot |= LeasePage::Busy | LeasePage::Taken;
      if (!(State & LeasePage::Busy))
        W.Page.BusySince[&Slot - W.Page.Slots.data()] = Now;
      if (!W.Leaves || !(Slot & (LeasePage::WantedNow | LeasePage::Lost)))
        continue;
      auto &Since = W.Page.BusySince[&Slot - W.Page.Slots.data()];
      W.Page.BusyNs += Now - Since.exchange(0);
      Slot &= ~uint32_t(LeasePage::Busy);
      S->update(Now);
      S->wait(Id, 1, Now);
    }
  }
  void run(Ns Length, Ns Step = Millisecond) {
    for (Ns End = Now + Length; Now < End; Now += Step) {
      for (auto &[Id, W] : Workers)
        step(Id, *W);
      for (auto &[Id, W] : Workers)
        W->Ran += W->granted() * Step;
      S->update(Now);
    }
  }

  Scheduler::Options Settings;
  std::unique_ptr<Scheduler> S;
  std::vector<std::pair<unsigned, std::unique_ptr<Worker>>> Workers;
  Ns Now = 1'000'000 * Millisecond;
};

double ratio(Ns A, Ns B) { return double(A) / double(B); }

TEST_F(SchedulerTest, AloneKeepsItsPlaces) {
  make(2);
  Worker &W = add(1);
  start(1, W, 2);
  run(100 * Millisecond);
  EXPECT_EQ(W.Ran, 200 * Millisecond);
  for (const auto &Slot : W.Page.Slots)
    EXPECT_FALSE(Slot & (LeasePage::WantedNow | LeasePage::WantedAtEnd));
  EXPECT_FALSE(S->nextUpdate(Now)) << "nothing can change by time";
  EXPECT_NEAR(S->figures(1, Now).Used, 200 * Millisecond, 4 * Millisecond);
}

TEST_F(SchedulerTest, EqualsHaveEqualTime) {
  make(2);
  for (unsigned Id = 1; Id != 9; ++Id)
    start(Id, add(Id));
  run(4000 * Millisecond);
  for (auto &[Id, W] : Workers)
    EXPECT_NEAR(ratio(W->Ran, 1000 * Millisecond), 1, 0.02) << Id;
}

TEST_F(SchedulerTest, SharesAreKept) {
  make(1);
  TimeLimits Three;
  Three.Share = 3;
  Worker &A = add(1, Three), &B = add(2);
  start(1, A);
  start(2, B);
  run(4000 * Millisecond);
  EXPECT_NEAR(ratio(A.Ran, B.Ran), 3, 0.1);
}

TEST_F(SchedulerTest, PartsHaveTheirWeightsWhoeverIsInThem) {
  make(1);
  Worker &A = add(1, {}, "large", 0.75);
  start(1, A);
  for (unsigned Id = 2; Id != 6; ++Id)
    start(Id, add(Id, {}, "small", 0.25));
  run(8000 * Millisecond);
  Ns Others = 0;
  for (auto &[Id, W] : Workers)
    Others += Id == 1 ? 0 : W->Ran;
  EXPECT_NEAR(ratio(A.Ran, Others), 3, 0.1);
}

TEST_F(SchedulerTest, HigherPrioritiesComeFirstAndAtOnce) {
  make(1);
  TimeLimits High;
  High.Priority = 1;
  Worker &Low = add(1), &First = add(2, High);
  start(1, Low);
  run(Millisecond);
  EXPECT_EQ(Low.granted(), 1u);
  start(2, First);
  run(2 * Millisecond); // less than a slice
  EXPECT_EQ(First.granted(), 1u);
  EXPECT_EQ(Low.granted(), 0u);
  run(1000 * Millisecond);
  EXPECT_EQ(First.granted(), 1u);
  S->remove(2, Now);
  run(2 * Millisecond);
  EXPECT_EQ(Low.granted(), 1u);
}

TEST_F(SchedulerTest, QuotasOfTimeArePerPeriod) {
  make(2);
  TimeLimits Tenth;
  Tenth.Quota = 20 * Millisecond;
  Tenth.Period = 200 * Millisecond;
  Worker &W = add(1, Tenth);
  start(1, W);
  run(4000 * Millisecond);
  // Nobody else waits, and it has no more all the same.
  EXPECT_NEAR(ratio(W.Ran, 400 * Millisecond), 1, 0.1);
}

TEST_F(SchedulerTest, PlacesAreLimited) {
  make(4);
  TimeLimits One;
  One.Places = 1;
  Worker &W = add(1, One);
  start(1, W, 4);
  run(10 * Millisecond);
  EXPECT_EQ(W.granted(), 1u);
}

TEST_F(SchedulerTest, WhoDoesNotLeaveIsNamedAndOthersGoOn) {
  make(1);
  std::vector<Scheduler::ClientId> Lost;
  S->OnLost = [&](Scheduler::ClientId Id) { Lost.push_back(Id); };
  Worker &Endless = add(1), &Other = add(2);
  Endless.Leaves = false;
  start(1, Endless);
  run(Millisecond);
  start(2, Other);
  run(500 * Millisecond);
  EXPECT_EQ(Other.granted(), 0u);
  EXPECT_TRUE(Lost.empty());
  run(600 * Millisecond);
  EXPECT_EQ(Lost, std::vector<Scheduler::ClientId>{1});
  EXPECT_EQ(Other.granted(), 1u);
  EXPECT_TRUE(S->figures(1, Now).IsLost);
  // When it leaves at last it takes part again.
  Endless.Leaves = true;
  run(1000 * Millisecond);
  EXPECT_FALSE(S->figures(1, Now).IsLost);
  Endless.Ran = 0;
  run(6000 * Millisecond);
  EXPECT_GT(Endless.Ran, 1000 * Millisecond);
}

TEST_F(SchedulerTest, IdlePlacesGoToOthersAtOnce) {
  make(1);
  Worker &A = add(1), &B = add(2);
  start(1, A);
  run(Millisecond);
  A.Page.Slots[0] &= ~uint32_t(LeasePage::Busy); // the launch is over
  start(2, B);
  EXPECT_EQ(B.granted(), 1u);
  EXPECT_EQ(A.granted(), 0u);
}

TEST_F(SchedulerTest, NothingIsLeftOfTheDead) {
  make(3);
  for (unsigned Round = 0; Round != 50; ++Round) {
    Worker &W = add(Round);
    start(Round, W, 1 + Round % 5);
    run(Millisecond);
    S->remove(Round, Now);
    Workers.clear();
  }
  EXPECT_EQ(S->freePlaces(), 3u);
}

TEST_F(SchedulerTest, WhatIsGrantedToWhoNeedsItNoLongerComesBack) {
  make(2);
  Worker &A = add(1), &B = add(2);
  start(1, A, 2);
  // Both places are there before the threads have looked.
  S->wait(1, -1, Now);
  run(Millisecond);
  start(2, B);
  run(Millisecond);
  EXPECT_EQ(B.granted(), 1u);
}

TEST_F(SchedulerTest, WhoSleepsThroughItsTurnStillWaits) {
  make(1);
  Worker &Sleeper = add(1), &Other = add(2);
  S->wait(1, 1, Now);
  S->wait(2, 1, Now);
  EXPECT_EQ(Sleeper.granted(), 1u);
  // Nobody takes it for a long time; then others have their turn.
  for (unsigned Round = 0; Round != 100 && !Other.granted(); ++Round) {
    Now += Millisecond;
    S->update(Now);
  }
  EXPECT_EQ(Other.granted(), 1u);
  EXPECT_EQ(S->figures(1, Now).Waiting, 1u);
  run(100 * Millisecond);
  EXPECT_GT(Sleeper.Ran, 20 * Millisecond);
}

TEST_F(SchedulerTest, WhatAPageSaysHarmsNobodyElse) {
  make(1);
  Worker &Liar = add(1), &Other = add(2);
  Liar.Leaves = false;
  start(2, Other);
  for (unsigned Round = 0; Round != 3000; ++Round) {
    for (auto &Slot : Liar.Page.Slots)
      Slot = Round * 2654435761U;
    Liar.Page.BusyNs = UINT64_MAX - Round;
    for (auto &Since : Liar.Page.BusySince)
      Since = Round % 3 ? 1 : UINT64_MAX;
    S->wait(1, Round % 7 ? 1 : -3, Now);
    step(2, Other);
    Other.Ran += Other.granted() * Millisecond;
    Now += Millisecond;
    S->update(Now);
  }
  EXPECT_GT(Other.Ran, 1000 * Millisecond);
  S->remove(1, Now);
  S->remove(2, Now);
  EXPECT_EQ(S->freePlaces(), 1u);
}

} // namespace
