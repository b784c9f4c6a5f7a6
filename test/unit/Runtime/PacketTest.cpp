//===- PacketTest.cpp - Tests of the packets of the launch protocol -------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of packets against the table in docs/launch-protocol.md, and what
// comes back from them.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/PacketCoding.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace heddle::rt;
using llvm::Expected;

namespace {

/// The number at some bytes of a packet.
template <typename Number> Number at(const Packet &P, size_t Offset) {
  Number N;
  std::memcpy(&N, reinterpret_cast<const char *>(&P) + Offset, sizeof(N));
  return N;
}

KernelOp wideLaunch() {
  KernelOp Op;
  Op.Config.Grid = {0x7FFFFFFF, 65535, 3};
  Op.Config.Block = {1024, 65535, 64};
  Op.Config.Cluster = Dim3{2, 4, 65535};
  Op.Config.DynamicSharedBytes = 0xFFFFFFFF;
  Op.Config.Cooperative = true;
  Op.Params = {1, 2, 3};
  return Op;
}

std::string refusal(const KernelOp &Op) {
  Expected<DispatchPacket> P = encode(Op, nullptr);
  return P ? "" : toString(P.takeError());
}

TEST(Packet, ADispatchHasTheBytesOfTheProtocol) {
  KernelOp Op = wideLaunch();
  LaunchObserver Observer;
  Expected<DispatchPacket> Encoded = encode(Op, &Observer);
  ASSERT_TRUE(static_cast<bool>(Encoded));
  Packet P = *Encoded;
  EXPECT_EQ(at<uint8_t>(P, 0), 1);
  EXPECT_EQ(at<uint8_t>(P, 1), 4); // cooperative
  EXPECT_EQ(at<uint16_t>(P, 2), 0);
  EXPECT_EQ(at<uint32_t>(P, 4), 0xFFFFFFFFu);
  EXPECT_EQ(at<uint32_t>(P, 8), 0x7FFFFFFFu);
  EXPECT_EQ(at<uint32_t>(P, 12), 65535u);
  EXPECT_EQ(at<uint32_t>(P, 16), 3u);
  EXPECT_EQ(at<uint16_t>(P, 20), 1024);
  EXPECT_EQ(at<uint16_t>(P, 22), 65535);
  EXPECT_EQ(at<uint16_t>(P, 24), 64);
  EXPECT_EQ(at<uint16_t>(P, 26), 2);
  EXPECT_EQ(at<uint16_t>(P, 28), 4);
  EXPECT_EQ(at<uint16_t>(P, 30), 65535);
  EXPECT_EQ(at<uint64_t>(P, 32), reinterpret_cast<uintptr_t>(&Op.Kernel));
  EXPECT_EQ(at<uint64_t>(P, 40), reinterpret_cast<uintptr_t>(Op.Params.data()));
  EXPECT_EQ(at<uint32_t>(P, 48), 3u);
  EXPECT_EQ(at<uint32_t>(P, 52), 0u);
  EXPECT_EQ(at<uint64_t>(P, 56), reinterpret_cast<uintptr_t>(&Observer));
}

TEST(Packet, ALaunchThatIsNotTimedSaysSo) {
  KernelOp Op = wideLaunch();
  Op.Config.IsUntimed = true;
  Expected<DispatchPacket> P = encode(Op, nullptr);
  ASSERT_TRUE(static_cast<bool>(P));
  EXPECT_EQ(at<uint8_t>(*P, 1), 4 | 8);
  EXPECT_TRUE(decode(*P).IsUntimed);
  EXPECT_TRUE(decode(*P).Cooperative);
}

TEST(Packet, ADispatchComesBackAsItWas) {
  KernelOp Op = wideLaunch();
  Expected<DispatchPacket> P = encode(Op, nullptr);
  ASSERT_TRUE(static_cast<bool>(P));
  EXPECT_EQ(P->Observer, 0u);
  LaunchConfig C = decode(*P);
  EXPECT_EQ(C.Grid, Op.Config.Grid);
  EXPECT_EQ(C.Block, Op.Config.Block);
  EXPECT_EQ(C.Cluster, Op.Config.Cluster);
  EXPECT_EQ(C.DynamicSharedBytes, Op.Config.DynamicSharedBytes);
  EXPECT_TRUE(C.Cooperative);
  EXPECT_EQ(C.Params.data(), Op.Params.data());
  EXPECT_EQ(C.Params.size(), 3u);
  Op.Config.Cluster = std::nullopt;
  P = encode(Op, nullptr);
  ASSERT_TRUE(static_cast<bool>(P));
  EXPECT_EQ(decode(*P).Cluster, std::nullopt);
}

TEST(Packet, ADispatchIsNotCutToItsFields) {
  KernelOp Op = wideLaunch();
  EXPECT_EQ(refusal(Op), "");
  Op.Config.Block.Y = 65536 + 1;
  EXPECT_EQ(refusal(Op),
            "a block of (1024, 65537, 64) threads cannot be launched");
  Op = wideLaunch();
  Op.Config.Cluster->Z = 65536;
  EXPECT_EQ(refusal(Op), "a cluster of (2, 4, 65536) CTAs cannot be launched");
  Op.Config.Cluster = Dim3{0, 1, 1};
  EXPECT_EQ(refusal(Op), "a cluster of (0, 1, 1) CTAs cannot be launched");
  Op = wideLaunch();
  Op.Config.DynamicSharedBytes = uint64_t(1) << 32;
  EXPECT_EQ(refusal(Op), "a CTA with 4294967296 bytes of dynamic shared memory "
                         "cannot be launched");
}

TEST(Packet, ACopyHasTheBytesOfTheProtocol) {
  CopyOp Op;
  Op.Destination = {0x1000, /*IsHost=*/true, 16, 256};
  Op.Source = {0x2000, /*IsHost=*/false, 32, 512};
  Op.RowBytes = 5;
  Op.Rows = 6;
  Packet P = encode(Op, /*Slice=*/3);
  EXPECT_EQ(at<uint8_t>(P, 0), 2);
  EXPECT_EQ(at<uint8_t>(P, 1), 1); // the destination is of the host
  EXPECT_EQ(at<uint64_t>(P, 8), 0x1000u + 3 * 256);
  EXPECT_EQ(at<uint64_t>(P, 16), 0x2000u + 3 * 512);
  EXPECT_EQ(at<uint64_t>(P, 24), 5u);
  EXPECT_EQ(at<uint64_t>(P, 32), 6u);
  EXPECT_EQ(at<uint64_t>(P, 40), 16u);
  EXPECT_EQ(at<uint64_t>(P, 48), 32u);
  RowCopy Copy = decode(P.Copy);
  EXPECT_EQ(Copy.To.Address, 0x1000u + 3 * 256);
  EXPECT_TRUE(Copy.To.IsHost);
  EXPECT_EQ(Copy.To.Pitch, 16u);
  EXPECT_EQ(Copy.From.Address, 0x2000u + 3 * 512);
  EXPECT_FALSE(Copy.From.IsHost);
  EXPECT_EQ(Copy.From.Pitch, 32u);
  EXPECT_EQ(Copy.RowBytes, 5u);
  EXPECT_EQ(Copy.Rows, 6u);
}

TEST(Packet, AFillHasTheBytesOfTheProtocol) {
  FillOp Op;
  Op.Destination = 0x3000;
  Op.Pattern = 0xABCD;
  Op.PatternBytes = 2;
  Op.Count = 7;
  Op.Rows = 8;
  Op.Pitch = 64;
  Packet P = encode(Op);
  EXPECT_EQ(at<uint8_t>(P, 0), 3);
  EXPECT_EQ(at<uint32_t>(P, 4), 2u);
  EXPECT_EQ(at<uint64_t>(P, 8), 0x3000u);
  EXPECT_EQ(at<uint64_t>(P, 16), 0xABCDu);
  EXPECT_EQ(at<uint64_t>(P, 24), 7u);
  EXPECT_EQ(at<uint64_t>(P, 32), 8u);
  EXPECT_EQ(at<uint64_t>(P, 40), 64u);
  RowFill Fill = decode(P.Fill);
  EXPECT_EQ(Fill.To, 0x3000u);
  EXPECT_EQ(Fill.Pattern, (llvm::ArrayRef<uint8_t>{0xCD, 0xAB}));
  EXPECT_EQ(Fill.Count, 7u);
  EXPECT_EQ(Fill.Rows, 8u);
  EXPECT_EQ(Fill.Pitch, 64u);
}

TEST(Packet, NumbersInMemoryAreStoredOrAwaited) {
  Packet Store = encode(MemoryOp::Step{std::nullopt, 8, 0x4000, 9});
  EXPECT_EQ(at<uint8_t>(Store, 0), 7);
  EXPECT_EQ(at<uint32_t>(Store, 4), 8u);
  EXPECT_EQ(at<uint64_t>(Store, 8), 0x4000u);
  EXPECT_EQ(at<uint64_t>(Store, 16), 9u);
  Packet Await = encode(MemoryOp::Step{Comparison::AnyBit, 4, 0x4000, 9});
  EXPECT_EQ(at<uint8_t>(Await, 0), 8);
  EXPECT_EQ(at<uint8_t>(Await, 1), 2);
  EXPECT_EQ(at<uint32_t>(Await, 4), 4u);
  EXPECT_EQ(at<uint64_t>(Await, 8), 0x4000u);
  EXPECT_EQ(at<uint64_t>(Await, 16), 9u);
}

} // namespace
