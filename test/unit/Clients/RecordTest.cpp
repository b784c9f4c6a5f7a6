//===- RecordTest.cpp - What processes tell of devices ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records are read by other processes, go away with theirs however it ends, and
// say how busy a device was.
//
//===----------------------------------------------------------------------===//

#include "RecordFixture.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace heddle::clients;
using namespace llvm;

namespace {

TEST_F(RecordTest, OthersSeeWhatAProcessHas) {
  Process P = start([](int) {});
  ASSERT_GT(P.Child, 0);
  std::vector<Client> Clients = list();
  ASSERT_EQ(Clients.size(), 1u);
  EXPECT_EQ(Clients[0].Process, P.Child);
  EXPECT_NE(Clients[0].CommandLine.find("ClientsTests"), std::string::npos);
  const ClientDevice *D = Clients[0].find(uuidOf('d'));
  ASSERT_NE(D, nullptr);
  EXPECT_TRUE(D->IsOpen);
  EXPECT_EQ(D->Bytes, 4096u);
  EXPECT_EQ(Clients[0].find(uuidOf('e')), nullptr);
  ::close(P.Pipe);
  ::waitpid(P.Child, nullptr, 0);
  EXPECT_EQ(countFiles(), 0u) << "the process takes its record away";
  EXPECT_TRUE(list().empty());
}

TEST_F(RecordTest, AKilledProcessLeavesNothing) {
  Process P = start([](int) {});
  ASSERT_GT(P.Child, 0);
  EXPECT_EQ(list().size(), 1u);
  ::kill(P.Child, SIGKILL);
  ::waitpid(P.Child, nullptr, 0);
  EXPECT_EQ(countFiles(), 1u);
  EXPECT_TRUE(list().empty());
  EXPECT_EQ(countFiles(), 0u) << "who reads takes the record away";
  ::close(P.Pipe);
}

/// Programs that become daemons close everything; a fork's child may live on.
TEST_F(RecordTest, NeitherDescriptorsNorChildrenHoldIt) {
  Process P = start([](int Wait) {
    for (int D = 100; D != 2; --D) {
      struct stat S = {};
      if (::fstat(D, &S) == 0 && S_ISREG(S.st_mode))
        ::close(D);
    }
    if (::fork() == 0) {
      char C;
      while (::read(Wait, &C, 1) < 0)
        continue;
      std::_Exit(0);
    }
  });
  ASSERT_GT(P.Child, 0);
  EXPECT_EQ(list().size(), 1u);
  ::kill(P.Child, SIGKILL);
  ::waitpid(P.Child, nullptr, 0);
  EXPECT_TRUE(list().empty());
  ::close(P.Pipe); // which ends the grandchild
}

TEST_F(RecordTest, AForksChildHarmsNobody) {
  std::string Fault;
  std::unique_ptr<OwnRecord> Own = OwnRecord::create(Fault);
  ASSERT_EQ(Fault, "");
  DeviceMeter &Meter = Own->open(1, uuidOf('d'));
  Meter.setBytes(100);
  pid_t Child = ::fork();
  if (Child == 0) {
    Own->replaceInChild();
    Meter.setBytes(7);
    Own.reset();
    std::_Exit(0);
  }
  int Status = 1;
  ::waitpid(Child, &Status, 0);
  EXPECT_EQ(Status, 0);
  std::vector<Client> Clients = list();
  ASSERT_EQ(Clients.size(), 1u);
  EXPECT_EQ(Clients[0].Process, ::getpid());
  ASSERT_NE(Clients[0].find(uuidOf('d')), nullptr);
  EXPECT_EQ(Clients[0].find(uuidOf('d'))->Bytes, 100u);
  Own->withdraw();
  EXPECT_TRUE(list().empty());
}

TEST_F(RecordTest, OtherFilesAreNoRecords) {
  std::ofstream(Folder + "/client-1-text") << "no record";
  std::ofstream(Folder + "/other") << "none either";
  ASSERT_EQ(::mkfifo((Folder + "/client-2-pipe").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("/etc/passwd", (Folder + "/client-3-link").c_str()), 0);
  EXPECT_TRUE(list().empty());
  EXPECT_EQ(countFiles(), 3u) << "what no process holds is gone, if a file";
}

TEST_F(RecordTest, AFolderThatOthersMayWriteToIsRefused) {
  ASSERT_EQ(::chmod(Folder.c_str(), 0777), 0);
  std::string Fault;
  std::unique_ptr<OwnRecord> Own = OwnRecord::create(Fault);
  EXPECT_NE(Fault.find("others could write there"), std::string::npos) << Fault;
  // The process goes on, for itself.
  Own->open(0, uuidOf('d')).setBytes(1);
  EXPECT_EQ(countFiles(), 0u);
  Expected<std::vector<Client>> Clients = listClients();
  EXPECT_FALSE(bool(Clients));
  consumeError(Clients.takeError());
}

constexpr uint64_t Window = DeviceUse::WindowNs, Second = 8 * Window;

TEST(DeviceUseTest, BusyTimesAreThoseOfTheLastSeconds) {
  auto Use = std::make_unique<DeviceUse>();
  uint64_t Now = 1000 * Window;
  EXPECT_EQ(Use->busyWithin(Now, Second), 0u);
  // Half a window, and three windows and a half.
  Use->addBusy(Now - 2 * Second, Now - 2 * Second + Window / 2);
  Use->addBusy(Now - 4 * Window, Now - Window / 2);
  EXPECT_EQ(Use->BusyNs, 4 * Window);
  EXPECT_NEAR(Use->busyWithin(Now, Second), 3.5 * Window, 10);
  EXPECT_EQ(Use->busyWithin(Now + 2 * Second, Second), 0u);
}

TEST(DeviceUseTest, AKernelThatRunsCounts) {
  auto Use = std::make_unique<DeviceUse>();
  uint64_t Now = 1000 * Window;
  Use->BusySince = Now - Second / 4;
  EXPECT_EQ(Use->busyWithin(Now, Second), Second / 4);
  Use->BusySince = Now - 100 * Second;
  EXPECT_EQ(Use->busyWithin(Now, Second), Second);
  // One that ends after a long time fills all windows and no more.
  Use->BusySince = 0;
  Use->addBusy(Now - 100 * Second, Now);
  EXPECT_EQ(Use->BusyNs, 100 * Second);
  EXPECT_NEAR(Use->busyWithin(Now, Second), Second, Second * 0.01);
}

TEST(DeviceMeterTest, KernelsAtTheSameTimeCountOnce) {
  auto Use = std::make_unique<DeviceUse>();
  DeviceMeter Meter(*Use);
  Meter.begin();
  Meter.begin();
  Meter.end(false, std::nullopt);
  EXPECT_NE(Use->BusySince, 0u);
  EXPECT_EQ(Use->BusyNs, 0u);
  Meter.end(true, std::nullopt);
  EXPECT_EQ(Use->BusySince, 0u);
  EXPECT_EQ(Use->Launches, 2u);
  EXPECT_EQ(Use->Faults, 1u);
  Meter.setBytes(10);
  Meter.setBytes(4);
  EXPECT_EQ(Use->Bytes, 4u);
  EXPECT_EQ(Use->MostBytes, 10u);
}

} // namespace
