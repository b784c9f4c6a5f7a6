//===- PackTest.cpp - Tests of packs ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pack gives every entry back, and damage is found.
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/Pack.h"
#include "TestSupport.h"

using namespace heddle::cache;

namespace {

std::map<Hash128, std::string> makeEntries(unsigned N) {
  std::map<Hash128, std::string> Entries;
  for (unsigned I = 0; I != N; ++I)
    Entries[fastHash(std::to_string(I))] = "entry " + std::to_string(I);
  return Entries;
}

constexpr uint64_t Large = 1 << 20;

} // namespace

TEST(Pack, EveryEntryIsFoundAndNothingElse) {
  TemporaryDirectory D;
  for (unsigned N : {0u, 1u, 2u, 1000u}) {
    auto Entries = makeEntries(N);
    ASSERT_FALSE(writePack(D.str("/p"), Entries));
    auto P = Pack::open(D.str("/p"), true);
    ASSERT_TRUE(P) << P.fault().Text;
    EXPECT_EQ((*P)->size(), N);
    for (const auto &[Find, Bytes] : Entries) {
      auto Got = (*P)->read(Find, Large);
      ASSERT_TRUE(Got);
      EXPECT_EQ(*Got, Bytes);
    }
    for (unsigned I = 0; I != 1000; ++I)
      EXPECT_EQ(
          (*P)->read(fastHash("no" + std::to_string(I)), Large).fault().Reason,
          Counter::Miss);
    unsigned Seen = 0;
    EXPECT_FALSE(
        (*P)->forEach(Large, [&](const Hash128 &F, std::string_view B) {
          ++Seen;
          return Entries[F] == B;
        }));
    EXPECT_EQ(Seen, N);
  }
}

TEST(Pack, SameEntriesSameBytes) {
  TemporaryDirectory D;
  ASSERT_FALSE(writePack(D.str("/a"), makeEntries(50)));
  ASSERT_FALSE(writePack(D.str("/b"), makeEntries(50)));
  EXPECT_EQ(contents(D.str("/a")), contents(D.str("/b")));
}

TEST(Pack, DamageIsFoundAndHarmless) {
  TemporaryDirectory D;
  auto Entries = makeEntries(3);
  ASSERT_FALSE(writePack(D.str("/p"), Entries));
  std::string Good = contents(D.str("/p"));
  size_t IndexEnd = Good.find("entry");
  for (size_t At = 0; At < Good.size(); At += At < 200 ? 1 : 13) {
    std::string Bad = Good;
    Bad[At] = static_cast<char>(Bad[At] ^ 0x41);
    overwrite(D.str("/p"), Bad);
    EXPECT_EQ(bool(Pack::open(D.str("/p"), true)), At >= IndexEnd) << At;
    if (auto P = Pack::open(D.str("/p"), false))
      for (const auto &[Find, Bytes] : Entries)
        (void)(*P)->read(Find, Large);
  }
  for (size_t Size = 0; Size < Good.size(); Size += 23) {
    overwrite(D.str("/p"), Good.substr(0, Size));
    EXPECT_EQ(bool(Pack::open(D.str("/p"), true)), Size >= IndexEnd);
  }
  EXPECT_EQ(Pack::open(D.str("/none"), false).fault().Reason,
            Counter::PackError);
  EXPECT_FALSE(Pack::open(D.str(), false));
}
