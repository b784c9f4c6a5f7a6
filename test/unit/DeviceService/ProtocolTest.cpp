//===- ProtocolTest.cpp - Messages over the service's socket ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is a message, and what is none.
//
//===----------------------------------------------------------------------===//

#include "heddle/DeviceService/Protocol.h"

#include "gtest/gtest.h"

#include <random>
#include <sys/socket.h>

using namespace heddle::deviced;

namespace {

TEST(Protocol, MessagesComeOutAsTheyWentIn) {
  Message M = {MessageKind::Open, 1, 1ULL << 63};
  for (size_t I = 0; I != M.Device.size(); ++I)
    M.Device[I] = char(I * 17);
  std::optional<Message> Same = decodeRequest(encode(M));
  ASSERT_TRUE(Same);
  EXPECT_EQ(Same->Kind, M.Kind);
  EXPECT_EQ(Same->First, M.First);
  EXPECT_EQ(Same->Second, M.Second);
  EXPECT_EQ(Same->Device, M.Device);
  Message A = {MessageKind::Answer};
  A.Text = "text";
  ASSERT_TRUE(decodeAnswer(encode(A)));
  EXPECT_EQ(decodeAnswer(encode(A))->Text, "text");
}

TEST(Protocol, EachSideHasItsOwn) {
  EXPECT_FALSE(decodeRequest(encode({MessageKind::Welcome})));
  EXPECT_FALSE(decodeAnswer(encode({MessageKind::Take})));
  Message WithText = {MessageKind::Take};
  WithText.Text = "more";
  EXPECT_FALSE(decodeRequest(encode(WithText)));
}

TEST(Protocol, WrongBytesAreNoMessage) {
  std::string Good = encode({MessageKind::Take, 5});
  for (size_t Length = 0; Length != Good.size(); ++Length)
    EXPECT_FALSE(decodeRequest(llvm::StringRef(Good).take_front(Length)));
  EXPECT_FALSE(decodeRequest(Good + "x"));
  for (size_t At : {size_t(0), size_t(7), size_t(9), size_t(11), size_t(12)}) {
    std::string Bad = Good;
    Bad[At] = char(Bad[At] ^ 0x55);
    EXPECT_FALSE(decodeRequest(Bad)) << At;
  }
  std::mt19937 Chance(1);
  for (unsigned Round = 0; Round != 20000; ++Round) {
    std::string Random = Good.substr(0, 8);
    Random.resize(Chance() % 80);
    for (size_t I = 8; I < Random.size(); ++I)
      Random[I] = char(Chance());
    if (std::optional<Message> M = decodeRequest(Random))
      EXPECT_EQ(encode(*M), Random);
    if (std::optional<Message> M = decodeAnswer(Random))
      EXPECT_EQ(encode(*M), Random);
  }
}

/// A service that refuses everybody does not read what it is asked.
TEST(Protocol, ReasonsAreReadThoughNothingWasTaken) {
  for (bool AsksFirst : {true, false}) {
    int Ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, Ends), 0);
    Descriptor Own(Ends[0]);
    {
      Descriptor Service(Ends[1]);
      if (AsksFirst)
        sendPacket(Own.get(), encode({MessageKind::Open}), 0);
      Message No = {MessageKind::Refused};
      No.Text = "no more are served";
      sendPacket(Service.get(), encode(No), 0);
    }
    if (!AsksFirst)
      sendPacket(Own.get(), encode({MessageKind::Open}), 0);
    llvm::Expected<Message> M = receiveAnswer(Own.get(), MaxReasonBytes);
    ASSERT_FALSE(bool(M));
    EXPECT_EQ(llvm::toString(M.takeError()),
              "the device service: no more are served")
        << AsksFirst;
    M = receiveAnswer(Own.get(), MaxReasonBytes);
    EXPECT_EQ(llvm::toString(M.takeError()), "the device service is gone");
  }
}

} // namespace
