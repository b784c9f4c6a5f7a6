//===- RemoteSetTest.cpp - Tests of remotes' handling -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A remote's entries are verified and kept locally; one that fails is left
// alone; uploads do not hold anybody up. The remote is a map in memory.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include "heddle-cache/Remote.h"

#include <map>
#include <mutex>
#include <thread>

using namespace heddle::cache;

namespace {

struct FakeServer {
  std::mutex Guard;
  std::map<Hash256, std::string> Stored;
  std::atomic<unsigned> Gets{0}, Puts{0};
  std::atomic<bool> Down{false}, ReadOnly{false};
  std::atomic<unsigned> PutMilliseconds{0};
};

class FakeRemote : public RemoteTier {
public:
  explicit FakeRemote(FakeServer &S) : S(S) {}
  std::string name() const override { return "fake://server"; }
  bool readOnly() const override { return S.ReadOnly; }
  Result<std::string> get(const Hash256 &Digest, uint64_t, Deadline) override {
    ++S.Gets;
    if (S.Down)
      return Fault{Counter::RemoteTimeout, "down"};
    std::lock_guard Guard(S.Guard);
    auto At = S.Stored.find(Digest);
    if (At == S.Stored.end())
      return Fault{Counter::Miss, "none"};
    return At->second;
  }
  Status put(const Hash256 &Digest, std::string_view Bytes, Deadline) override {
    ++S.Puts;
    std::this_thread::sleep_for(
        std::chrono::milliseconds(S.PutMilliseconds.load()));
    if (S.Down)
      return Fault{Counter::RemoteError, "down"};
    std::lock_guard Guard(S.Guard);
    S.Stored[Digest] = Bytes;
    return std::nullopt;
  }

private:
  FakeServer &S;
};

CacheOptions with(FakeServer &S) {
  CacheOptions O;
  O.OpenRemotes = [&S] {
    std::vector<std::unique_ptr<RemoteTier>> Tiers;
    Tiers.push_back(std::make_unique<FakeRemote>(S));
    return Tiers;
  };
  return O;
}

Made make(const std::string &Code) { return {entryOf(Code), nullptr}; }

} // namespace

TEST(RemoteSet, WhatOneMachineMadeAnotherFinds) {
  FakeServer Server;
  TemporaryDirectory A, B;
  Cache(settingsFor(A), with(Server)).getOrMake(keyOf("in"), [] {
    return make("code");
  });
  EXPECT_EQ(Server.Stored.size(), 1u);
  auto Never = []() -> Made {
    ADD_FAILURE() << "made again";
    return {};
  };
  {
    Cache C(settingsFor(B), with(Server));
    Outcome O = C.getOrMake(keyOf("in"), Never);
    EXPECT_EQ(O.From, Origin::Remote);
    EXPECT_EQ(O.Value->Code, "code");
    EXPECT_EQ(C.counters().get(Counter::HitRemote), 1u);
  }
  // It was stored there, and not uploaded again.
  Outcome O = Cache(settingsFor(B)).getOrMake(keyOf("in"), Never);
  EXPECT_EQ(O.From, Origin::Local);
  EXPECT_EQ(Server.Puts, 1u);
}

TEST(RemoteSet, WhatIsNotTheEntryIsRefusedAndMade) {
  FakeServer Server;
  TemporaryDirectory A;
  Key K = keyOf("in"), Other = keyOf("other");
  EntryCodec Codec(1, 1 << 20);
  for (std::string Bad :
       {std::string(), std::string("<html>"),
        Codec.encode(Other.kind(), Other.record(), *entryOf("evil"))}) {
    TemporaryDirectory D;
    Server.Stored[K.digest()] = Bad;
    Cache C(settingsFor(D), with(Server));
    EXPECT_EQ(C.getOrMake(K, [] { return make("good"); }).Value->Code, "good");
    EXPECT_EQ(C.counters().get(Counter::RemoteBad), 1u);
  }
}

TEST(RemoteSet, ADeadRemoteIsAskedOnceAlsoByOtherProcesses) {
  FakeServer Server;
  Server.Down = true;
  TemporaryDirectory D;
  Cache Warm(settingsFor(D)); // makes the directory
  Warm.insert(keyOf("first"), entryOf("x"));
  for (unsigned Round = 0; Round != 3; ++Round) {
    Cache C(settingsFor(D), with(Server));
    for (unsigned I = 0; I != 5; ++I)
      EXPECT_EQ(C.getOrMake(keyOf(std::to_string(Round * 10 + I)),
                            [] { return make("x"); })
                    .From,
                Origin::Made);
    EXPECT_EQ(C.counters().get(Counter::RemoteSkipped), Round ? 5u : 4u);
  }
  EXPECT_EQ(Server.Gets, 1u);
  EXPECT_EQ(Server.Puts, 0u);
}

TEST(RemoteSet, SlowUploadsHoldNobodyUpForLong) {
  FakeServer Server;
  Server.PutMilliseconds = 100;
  TemporaryDirectory D;
  Settings S = settingsFor(D);
  EXPECT_FALSE(S.set(SettingId::RemoteLinger, "150", "test"));
  auto Start = std::chrono::steady_clock::now();
  {
    Cache C(S, with(Server));
    for (unsigned I = 0; I != 20; ++I)
      C.insert(keyOf(std::to_string(I)), entryOf("x"));
  }
  auto Time = std::chrono::steady_clock::now() - Start;
  EXPECT_LT(Time, std::chrono::milliseconds(1500)); // not 2 s
  EXPECT_GE(Server.Puts, 1u);
  EXPECT_LT(Server.Puts, 20u);
}

TEST(RemoteSet, NothingIsUploadedToReadOnlyRemotesOrInReadOnlyMode) {
  FakeServer Server;
  TemporaryDirectory D;
  Server.ReadOnly = true;
  Cache(settingsFor(D), with(Server)).insert(keyOf("a"), entryOf("x"));
  Server.ReadOnly = false;
  Settings S = settingsFor(D);
  EXPECT_FALSE(S.set(SettingId::Mode, "read-only", "test"));
  Cache(S, with(Server)).getOrMake(keyOf("b"), [] { return make("x"); });
  EXPECT_EQ(Server.Puts, 0u);
}
