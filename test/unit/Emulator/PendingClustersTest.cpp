//===- PendingClustersTest.cpp - Clusters that have not begun ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each cluster begins or is cancelled, once; a cooperative grid has nothing to
// cancel.
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/PendingClusters.h"
#include "gtest/gtest.h"

#include <thread>
#include <vector>

using heddle::emu::PendingClusters;

namespace {

TEST(PendingClusters, AreGivenOutOnceToSeveralThreads) {
  constexpr uint64_t Count = 20000;
  PendingClusters Pending(Count, /*Cooperative=*/false);
  std::vector<std::atomic<unsigned>> Begun(Count), Cancelled(Count);
  std::vector<std::thread> Threads;
  for (unsigned N = 0; N < 4; ++N)
    Threads.emplace_back([&, N] {
      for (unsigned Turn = N;; ++Turn) {
        bool Cancels = Turn % 3 == 0;
        auto Number = Cancels ? Pending.cancel() : Pending.begin();
        if (!Number)
          return;
        ++(Cancels ? Cancelled : Begun)[*Number];
      }
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_TRUE(Pending.isEmpty());
  uint64_t NumCancelled = 0;
  for (uint64_t N = 0; N < Count; ++N) {
    EXPECT_EQ(Begun[N] + Cancelled[N], 1u) << "cluster " << N;
    EXPECT_EQ(Pending.isCancelled(N), Cancelled[N] == 1);
    NumCancelled += Cancelled[N];
  }
  EXPECT_EQ(Pending.cancelled(), NumCancelled);
  EXPECT_GT(NumCancelled, 0u);
}

TEST(PendingClusters, OfACooperativeGridAreNotCancelled) {
  PendingClusters Pending(2, /*Cooperative=*/true);
  EXPECT_EQ(Pending.cancel(), std::nullopt);
  EXPECT_EQ(Pending.begin(), 0u);
  EXPECT_EQ(Pending.cancel(), std::nullopt);
  EXPECT_EQ(Pending.begin(), 1u);
  EXPECT_EQ(Pending.begin(), std::nullopt);
  EXPECT_EQ(Pending.cancelled(), 0u);
}

} // namespace
