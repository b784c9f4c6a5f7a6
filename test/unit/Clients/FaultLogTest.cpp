//===- FaultLogTest.cpp - Kernels that failed, for monitors -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one process notes is there for others, also when it has ended.
//
//===----------------------------------------------------------------------===//

#include "heddle/Clients/FaultLog.h"
#include "RecordFixture.h"

#include <fstream>

using namespace heddle;
using namespace heddle::clients;

namespace {

class FaultLogTest : public RecordTest {
protected:
  /// In a process that then ends.
  static pid_t noteElsewhere(char Device, rt::FaultKind Kind) {
    pid_t Child = ::fork();
    if (Child == 0) {
      noteFault(uuidOf(Device), Kind);
      ::_exit(0);
    }
    ::waitpid(Child, nullptr, 0);
    return Child;
  }
};

TEST_F(FaultLogTest, NoFaultNoFile) {
  EXPECT_EQ(lastFault(), 0u);
  EXPECT_TRUE(listFaults(0).empty());
  EXPECT_EQ(countFiles(), 0u);
}

TEST_F(FaultLogTest, FaultsOutliveTheirProcesses) {
  pid_t First = noteElsewhere('d', rt::FaultKind::OutOfBounds);
  noteElsewhere('e', rt::FaultKind::Trap);
  std::vector<NotedFault> All = listFaults(0);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].Process, First);
  EXPECT_EQ(All[0].Device, uuidOf('d'));
  EXPECT_EQ(All[0].Xid, 31u);
  EXPECT_EQ(All[1].Xid, 43u);
  EXPECT_EQ(lastFault(), All[1].Number);
  // Who knows the first gets the second.
  std::vector<NotedFault> Behind = listFaults(All[0].Number);
  ASSERT_EQ(Behind.size(), 1u);
  EXPECT_EQ(Behind[0].Device, uuidOf('e'));
  EXPECT_TRUE(listFaults(lastFault()).empty());
}

TEST_F(FaultLogTest, TheOldestGo) {
  for (unsigned I = 0; I != MaxNotedFaults + 3; ++I)
    noteFault(uuidOf('d'), rt::FaultKind::Misaligned);
  std::vector<NotedFault> All = listFaults(0);
  ASSERT_EQ(All.size(), MaxNotedFaults);
  EXPECT_EQ(All.front().Number, 4u);
  EXPECT_EQ(All.back().Number, MaxNotedFaults + 3);
}

TEST_F(FaultLogTest, ManyProcessesLoseNone) {
  std::vector<pid_t> Children;
  for (unsigned I = 0; I != 8; ++I) {
    Children.push_back(::fork());
    if (Children.back() == 0) {
      for (unsigned J = 0; J != 20; ++J)
        noteFault(uuidOf('d'), rt::FaultKind::Assert);
      ::_exit(0);
    }
  }
  for (pid_t Child : Children)
    ::waitpid(Child, nullptr, 0);
  std::vector<NotedFault> All = listFaults(0);
  ASSERT_EQ(All.size(), 160u);
  for (size_t I = 0; I != All.size(); ++I)
    EXPECT_EQ(All[I].Number, I + 1);
}

TEST_F(FaultLogTest, WhatIsNoListIsNone) {
  std::ofstream(Folder + "/faults") << std::string(1000, 'x');
  EXPECT_TRUE(listFaults(0).empty());
  noteFault(uuidOf('d'), rt::FaultKind::Null);
  EXPECT_EQ(lastFault(), 1u);
}

TEST_F(FaultLogTest, AKernelsFaultIsNotedAsItEnds) {
  std::string Fault;
  std::unique_ptr<OwnRecord> Own = OwnRecord::create(Fault);
  DeviceMeter &Meter = Own->open(0, uuidOf('d'));
  Meter.begin();
  Meter.end(false, std::nullopt);
  // One that could not run is none of the device's.
  Meter.begin();
  Meter.end(true, std::nullopt);
  EXPECT_EQ(lastFault(), 0u);
  Meter.begin();
  Meter.end(true, rt::FaultKind::IllegalInstruction);
  std::vector<NotedFault> All = listFaults(0);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Device, uuidOf('d'));
  EXPECT_EQ(All[0].Xid, 13u);
}

} // namespace
