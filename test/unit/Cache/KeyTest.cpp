//===- KeyTest.cpp - Tests of keys ------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A key tells apart whatever differs in any field or in the input.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include <set>

using namespace heddle::cache;

TEST(Key, HashesAreTheStandardOnes) {
  // FIPS 180-2, appendix B.1; xxhash's own test vector for no bytes.
  EXPECT_EQ(sha256("abc").str(), "ba7816bf8f01cfea414140de5dae2223b00361a39617"
                                 "7a9cb410ff61f20015ad");
  EXPECT_EQ(fastHash("").str(), "99aa06d3014798d86001c324468d497f");
}

// What sha256sum says.
TEST(Key, DigestsAreOfAllBytesWhateverTheirNumber) {
  EXPECT_EQ(sha256("").str(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934c"
                              "a495991b7852b855");
  EXPECT_EQ(sha256(std::string(1000000, 'a')).str(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  std::string Digests;
  for (size_t Size = 0; Size != 200; ++Size) {
    Hash256 H = sha256(std::string(Size, 'a'));
    Digests.append(H.Bytes.begin(), H.Bytes.end());
  }
  EXPECT_EQ(sha256(Digests).str(),
            "752c007f38611cfbf5fa42cb1cea3d8e086491c844d0cc4defd632cb81423506");
}

TEST(Key, RecordNamesEverything) {
  Key K = keyOf("input");
  auto Fields = decodeKeyRecord(K.record());
  ASSERT_TRUE(Fields);
  ASSERT_EQ(Fields->size(), 5u);
  EXPECT_EQ((*Fields)[0].Value, "module");
  EXPECT_EQ((*Fields)[2].Name, "chip");
  EXPECT_EQ((*Fields)[2].Value, "hd100");
  EXPECT_EQ((*Fields)[3].Value, "5");
  EXPECT_EQ((*Fields)[4].Value, sha256("input").str());
  EXPECT_EQ(K.digest(), sha256(K.record()));
}

TEST(Key, EveryDifferenceChangesBothHashes) {
  auto Make = [](EntryKind Kind, KeyFields F, std::string_view Input) {
    return Key(Kind, std::move(F), Input);
  };
  Key Keys[] = {
      Make(EntryKind::Module, KeyFields().add("a", "b"), "x"),
      Make(EntryKind::Function, KeyFields().add("a", "b"), "x"),
      Make(EntryKind::Module, KeyFields().add("a", "c"), "x"),
      Make(EntryKind::Module, KeyFields().add("ab", ""), "x"),
      Make(EntryKind::Module, KeyFields().add("a", "b").add("c", ""), "x"),
      Make(EntryKind::Module, KeyFields().add("a", "b"), "y"),
      Make(EntryKind::Module, KeyFields().add("a", "b"), ""),
      Make(EntryKind::Module, KeyFields().add("a", "bx"), ""),
  };
  std::set<Hash128> Finds;
  std::set<Hash256> Digests;
  for (const Key &K : Keys) {
    Finds.insert(K.find());
    Digests.insert(K.digest());
  }
  EXPECT_EQ(Finds.size(), std::size(Keys));
  EXPECT_EQ(Digests.size(), std::size(Keys));
}

TEST(Key, MalformedRecordsAreRefused) {
  std::string Record = keyOf("x").record();
  for (size_t Size = 1; Size != Record.size(); ++Size)
    if (auto Fields = decodeKeyRecord(std::string_view(Record).substr(0, Size)))
      EXPECT_LT(Fields->size(), 5u); // cut between two fields
  EXPECT_FALSE(decodeKeyRecord(std::string("\0\0\0\0\0", 5)));
}

TEST(Key, HexadecimalRoundTrip) {
  Hash128 H = fastHash("x");
  EXPECT_EQ(Hash128::parse(H.str()), H);
  EXPECT_FALSE(Hash128::parse("00"));
  EXPECT_FALSE(Hash128::parse(std::string(32, 'G')));
}
