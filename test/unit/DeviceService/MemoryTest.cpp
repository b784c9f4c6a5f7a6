//===- MemoryTest.cpp - Who has how much memory -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds of devices, processes and users.
//
//===----------------------------------------------------------------------===//

#include "DeviceTable.h"

#include "gtest/gtest.h"

using namespace heddle::deviced;

namespace {

MemoryUser user(uint32_t User, uint64_t Most = 0, uint64_t MostOfUser = 0) {
  MemoryUser U;
  U.Owner = "0";
  U.DeviceBytes = 1000;
  U.User = User;
  U.Limits.Memory = Most;
  U.Limits.UserMemory = MostOfUser;
  return U;
}

TEST(MemoryTable, TheDeviceIsAllProcesses) {
  MemoryTable T;
  MemoryUser A = user(1), B = user(2);
  EXPECT_TRUE(T.take(A, 600));
  EXPECT_EQ(T.left(B), 400u);
  EXPECT_FALSE(T.take(B, 401));
  EXPECT_TRUE(T.take(B, 400));
  EXPECT_EQ(T.left(A), 0u);
  EXPECT_TRUE(T.give(A, 600));
  EXPECT_EQ(T.left(B), 600u);
  EXPECT_TRUE(T.give(B, 400));
  EXPECT_TRUE(T.isEmpty());
  EXPECT_EQ(A.MostBytes, 600u);
}

TEST(MemoryTable, DevicesAreApart) {
  MemoryTable T;
  MemoryUser A = user(1), B = user(1);
  B.Owner = "1";
  EXPECT_TRUE(T.take(A, 1000));
  EXPECT_TRUE(T.take(B, 1000));
}

TEST(MemoryTable, QuotasAreOfProcessesAndUsers) {
  MemoryTable T;
  MemoryUser A = user(1, 300, 500), B = user(1, 300, 500), C = user(2);
  EXPECT_FALSE(T.take(A, 301));
  EXPECT_TRUE(T.take(A, 300));
  EXPECT_EQ(T.left(B), 200u);
  EXPECT_FALSE(T.take(B, 201));
  EXPECT_EQ(T.left(C), 700u);
}

TEST(MemoryTable, NobodyGivesBackWhatItDoesNotHave) {
  MemoryTable T;
  MemoryUser A = user(1), B = user(2);
  EXPECT_TRUE(T.take(A, 10));
  EXPECT_FALSE(T.give(B, 1));
  EXPECT_FALSE(T.give(A, 11));
  EXPECT_FALSE(T.take(A, UINT64_MAX));
  EXPECT_EQ(T.used("0"), 10u);
}

} // namespace
