//===- AdmissionTest.cpp - Whose turn it is to compile ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds hold, workers go round, and who gives up leaves nothing behind.
//
//===----------------------------------------------------------------------===//

#include "heddle/Farm/Admission.h"

#include "gtest/gtest.h"

#include <atomic>
#include <thread>
#include <vector>

using namespace heddle::farm;

namespace {

bool never() { return false; }

TEST(AdmissionTest, BoundsAllAndEachClient) {
  Admission A({/*Workers=*/1, /*Waiting=*/3, /*PerClient=*/2});
  EXPECT_EQ(A.enter("a"), Admitted::Yes);
  EXPECT_EQ(A.enter("a"), Admitted::Yes);
  EXPECT_EQ(A.enter("a"), Admitted::ClientHasTooMany);
  EXPECT_EQ(A.enter("b"), Admitted::Yes);
  EXPECT_EQ(A.enter("c"), Admitted::Yes);
  EXPECT_EQ(A.enter("d"), Admitted::NoRoom);
  A.leave("a");
  EXPECT_EQ(A.enter("d"), Admitted::Yes);
  EXPECT_EQ(A.figures().Accepted, 4u);
  for (const char *Client : {"a", "b", "c", "d"})
    A.leave(Client);
  EXPECT_EQ(A.figures().Accepted, 0u);
  EXPECT_EQ(A.figures().Clients, 0u);
}

/// With the only worker taken, a hundred requests of one client and a few of
/// another wait; the few do not wait for the hundred.
TEST(AdmissionTest, AClientWithManyRequestsDoesNotKeepOthersWaiting) {
  Admission A({/*Workers=*/1, /*Waiting=*/1000, /*PerClient=*/0});
  ASSERT_TRUE(A.take("first", never));
  std::mutex Guard;
  std::vector<std::string> Order;
  std::atomic<unsigned> Started = 0;
  std::vector<std::thread> Threads;
  auto Add = [&](const std::string &Client) {
    Threads.emplace_back([&, Client] {
      ++Started;
      ASSERT_TRUE(A.take(Client, never));
      {
        std::lock_guard Lock(Guard);
        Order.push_back(Client);
      }
      A.giveBack(Client);
    });
  };
  for (unsigned I = 0; I != 100; ++I)
    Add("many");
  for (unsigned I = 0; I != 3; ++I)
    Add("few");
  // Until all of them wait.
  while (A.figures().Clients != 3 || Started != 103)
    std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  A.giveBack("first");
  for (std::thread &T : Threads)
    T.join();
  ASSERT_EQ(Order.size(), 103u);
  auto Few = [&](size_t End) {
    return std::count(Order.begin(), Order.begin() + End, "few");
  };
  EXPECT_EQ(Few(7), 3) << "of the first turns each second one is theirs";
}

TEST(AdmissionTest, WhoGivesUpLeavesNothingBehind) {
  Admission A({1, 10, 0});
  ASSERT_TRUE(A.take("a", never));
  std::atomic<bool> Stops = false;
  std::thread Waiting(
      [&] { EXPECT_FALSE(A.take("b", [&] { return Stops.load(); })); });
  while (A.figures().Clients != 2)
    std::this_thread::yield();
  Stops = true;
  Waiting.join();
  EXPECT_EQ(A.figures().Clients, 1u);
  A.giveBack("a");
  EXPECT_EQ(A.figures().Clients, 0u);
  EXPECT_TRUE(A.take("c", never));
  A.giveBack("c");
}

TEST(AdmissionTest, NeverMoreWorkersThanThereAre) {
  Admission A({3, 1000, 0});
  std::atomic<int> Working = 0, Most = 0;
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I != 16; ++I)
    Threads.emplace_back([&, Client = std::to_string(I % 4)] {
      for (unsigned Round = 0; Round != 50; ++Round) {
        ASSERT_TRUE(A.take(Client, never));
        int Now = ++Working;
        for (int Seen = Most; Now > Seen;)
          if (Most.compare_exchange_weak(Seen, Now))
            break;
        std::this_thread::yield();
        --Working;
        A.giveBack(Client);
      }
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_LE(Most, 3);
  EXPECT_EQ(A.figures().Compiling, 0u);
}

} // namespace
