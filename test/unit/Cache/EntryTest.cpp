//===- EntryTest.cpp - Tests of the form of entries -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry comes back as it was stored, and nothing else comes back at all.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

using namespace heddle::cache;

namespace {

class EntryTest : public testing::Test {
protected:
  EntryTest() : Codec(1, 1 << 20) {}

  /// The entry of K with a right checksum after Change.
  template <typename ChangeT>
  std::string changed(std::string Bytes, ChangeT Change) {
    Bytes.resize(Bytes.size() - format::ChecksumSize);
    Change(Bytes);
    Hash128 Sum = fastHash(Bytes);
    Bytes.append(reinterpret_cast<const char *>(Sum.Bytes.data()), 16);
    return Bytes;
  }
  Counter refusal(const std::string &Bytes, const Key &K) {
    Result<Entry> E = Codec.decode(Bytes, K);
    EXPECT_FALSE(E);
    return E ? Counter::Miss : E.fault().Reason;
  }

  EntryCodec Codec;
};

} // namespace

TEST_F(EntryTest, RoundTrip) {
  for (const std::string &Code :
       {std::string(), std::string("x"), std::string(50000, 'a'),
        std::string("\0\1\2", 3)}) {
    Key K = keyOf("input");
    std::string Bytes =
        Codec.encode(K.kind(), K.record(), {"metadata", "log", Code});
    Result<Entry> E = Codec.decode(Bytes, K);
    ASSERT_TRUE(E) << E.fault().Text;
    EXPECT_EQ(E->Metadata, "metadata");
    EXPECT_EQ(E->Log, "log");
    EXPECT_EQ(E->Code, Code);
  }
}

TEST_F(EntryTest, SameEntrySameBytes) {
  Key K = keyOf("input");
  Entry E{"m", "l", std::string(10000, 'c')};
  EXPECT_EQ(Codec.encode(K.kind(), K.record(), E),
            Codec.encode(K.kind(), K.record(), E));
}

TEST_F(EntryTest, EveryFlippedBitIsRefused) {
  Key K = keyOf("input");
  std::string Bytes =
      Codec.encode(K.kind(), K.record(), {"m", "l", std::string(500, 'c')});
  for (size_t Bit = 0; Bit != 8 * Bytes.size(); ++Bit) {
    std::string Damaged = Bytes;
    Damaged[Bit / 8] = static_cast<char>(Damaged[Bit / 8] ^ (1 << Bit % 8));
    EXPECT_FALSE(Codec.decode(Damaged, K)) << "bit " << Bit;
  }
}

TEST_F(EntryTest, EveryOtherLengthIsRefused) {
  Key K = keyOf("input");
  std::string Bytes = Codec.encode(K.kind(), K.record(), {"m", "l", "code"});
  for (size_t Size = 0; Size != Bytes.size(); ++Size)
    EXPECT_EQ(refusal(Bytes.substr(0, Size), K), Counter::EntryTruncated);
  EXPECT_EQ(refusal(Bytes + "x", K), Counter::EntryTruncated);
}

TEST_F(EntryTest, AnotherKeysEntryIsRefused) {
  Key K = keyOf("input"), Other = keyOf("other");
  std::string Bytes =
      Codec.encode(Other.kind(), Other.record(), {"", "", "code"});
  EXPECT_EQ(refusal(Bytes, K), Counter::EntryOtherKey);
  // The right digest over another record is no way in either.
  std::string Forged = changed(Bytes, [&](std::string &B) {
    const auto &D = K.digest().Bytes;
    std::copy(D.begin(), D.end(), B.begin() + 16);
  });
  EXPECT_EQ(refusal(Forged, K), Counter::EntryFormat);
}

TEST_F(EntryTest, HostileHeadersAreRefused) {
  Key K = keyOf("input");
  std::string Bytes =
      Codec.encode(K.kind(), K.record(), {"", "", std::string(9000, 'c')});
  auto With = [&](size_t At, unsigned char Value) {
    return changed(Bytes,
                   [&](std::string &B) { B[At] = static_cast<char>(Value); });
  };
  EXPECT_EQ(refusal(With(8, 2), K), Counter::EntryFormat);        // schema
  EXPECT_EQ(refusal(With(10, 99), K), Counter::EntryFormat);      // kind
  EXPECT_EQ(refusal(With(12, 7), K), Counter::EntryFormat);       // coding
  EXPECT_EQ(refusal(With(12, 0), K), Counter::EntryFormat);       // not stored
  EXPECT_EQ(refusal(With(51, 0xff), K), Counter::EntryTruncated); // key size
  EXPECT_EQ(refusal(With(67, 0xff), K), Counter::EntryTruncated); // stored size
}

TEST_F(EntryTest, BombsAreBounded) {
  Key K = keyOf("input");
  std::string Bytes =
      Codec.encode(K.kind(), K.record(), {"", "", std::string(9000, 'c')});
  // A few bytes that say that they unpack to 512 KiB, below max_entry_size.
  std::string Bomb = changed(Bytes, [&](std::string &B) { B[70] = 8; });
  EXPECT_EQ(refusal(Bomb, K), Counter::EntryTooLarge);
  // What says 16 MiB is above it.
  Bomb = changed(Bytes, [&](std::string &B) { B[71] = 1; });
  EXPECT_EQ(refusal(Bomb, K), Counter::EntryTooLarge);
  // A size that is allowed but not the frame's.
  Bomb = changed(Bytes, [&](std::string &B) { B[68] = 1; });
  EXPECT_EQ(refusal(Bomb, K), Counter::EntryFormat);
}

TEST_F(EntryTest, ShortCodeIsStoredAsItIs) {
  Key K = keyOf("input");
  auto StoredSize = [&](size_t Size) {
    Result<EntryHeader> H = Codec.inspect(
        Codec.encode(K.kind(), K.record(), {"", "", std::string(Size, 'c')}));
    return H ? H->StoredSize : 0;
  };
  EXPECT_EQ(StoredSize(2048), 2048u);
  EXPECT_LT(StoredSize(2049), 100u);
}

TEST_F(EntryTest, WhatPacksTooWellIsStoredAsItIs) {
  Key K = keyOf("input");
  Entry Zeros{"", "", std::string(1000000, '\0')};
  std::string Bytes = Codec.encode(K.kind(), K.record(), Zeros);
  Result<Entry> E = Codec.decode(Bytes, K);
  ASSERT_TRUE(E) << E.fault().Text;
  EXPECT_EQ(E->Code, Zeros.Code);
}
