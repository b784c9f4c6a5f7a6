//===- InitialDataTest.cpp - Tests of the data generators -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every way to initialise an array gives the elements that the manual says, in
// pieces as in one go.
//
//===----------------------------------------------------------------------===//

#include "heddle/Manifest/Manifest.h"
#include "heddle/Manifest/Random.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace heddle::rt;

/// The bits of the elements that {"type": ..., "count": ..., "init": ...}
/// makes.
static std::vector<uint64_t> elements(const std::string &Array) {
  std::string Text = R"({"module": "m", "entry": "e", "args": [
      {"buffer": "b", )" +
                     Array + "}]}";
  llvm::Expected<Manifest> M = parseManifest(Text, "test.json");
  if (!M) {
    ADD_FAILURE() << llvm::toString(M.takeError());
    return {};
  }
  const ArraySpec &Spec = M->Buffers[0];
  llvm::Expected<InitialData> Data = InitialData::open(Spec);
  if (!Data) {
    ADD_FAILURE() << llvm::toString(Data.takeError());
    return {};
  }
  std::vector<uint8_t> Whole(Spec.bytes()), Pieces(Spec.bytes());
  Data->generate(0, Whole);
  unsigned Size = elementSize(Spec.Type);
  for (uint64_t I = 0; I < Spec.Count; ++I)
    Data->generate(
        I, llvm::MutableArrayRef<uint8_t>(Pieces).slice(I * Size, Size));
  EXPECT_EQ(Whole, Pieces);
  std::vector<uint64_t> Result;
  for (uint64_t I = 0; I < Spec.Count; ++I)
    Result.push_back(loadElement(Spec.Type, Whole.data() + I * Size));
  return Result;
}

using Bits = std::vector<uint64_t>;

TEST(InitialData, Zero) {
  EXPECT_EQ(elements(R"("type": "f64", "count": 2, "init": "zero")"),
            (Bits{0, 0}));
}

TEST(InitialData, Fill) {
  EXPECT_EQ(elements(R"("type": "f32", "count": 2, "init": {"fill": 1.5})"),
            (Bits{0x3fc00000, 0x3fc00000}));
  EXPECT_EQ(elements(R"("type": "s16", "count": 1, "init": {"fill": -2})"),
            (Bits{0xfffe}));
  EXPECT_EQ(
      elements(R"("type": "f16", "count": 1, "init": {"fill": "0x7e01"})"),
      (Bits{0x7e01}));
}

TEST(InitialData, Iota) {
  EXPECT_EQ(
      elements(R"("type": "f32", "count": 3, "init": {"iota": [1, 0.5]})"),
      (Bits{0x3f800000, 0x3fc00000, 0x40000000}));
  EXPECT_EQ(elements(R"("type": "u8", "count": 3, "init": {"iota": [1, -1]})"),
            (Bits{1, 0, 255}));
  EXPECT_EQ(elements(R"("type": "s8", "count": 3, "init": {"iota": [-1, 1]})"),
            (Bits{255, 0, 1}));
  EXPECT_EQ(elements(R"("type": "u64", "count": 2,
                        "init": {"iota": [18446744073709551615, 2]})"),
            (Bits{UINT64_MAX, 1}));
}

TEST(InitialData, Lists) {
  EXPECT_EQ(elements(R"("type": "bf16", "init": {"values": [1, "0xffff"]})"),
            (Bits{0x3f80, 0xffff}));
  EXPECT_EQ(elements(R"("type": "b32", "init": {"bits": ["0x1", "0xFF"]})"),
            (Bits{1, 255}));
}

// The first outputs of SplitMix64 with seed 1234567, as published with the
// algorithm's reference implementations.
TEST(InitialData, RandomBitsAreSplitMix64) {
  EXPECT_EQ(heddle::randomBits(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(heddle::randomBits(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(heddle::randomBits(1234567, 2), 9817491932198370423u);
  EXPECT_EQ(heddle::randomBits(1234567, 3), 4593380528125082431u);
  EXPECT_EQ(heddle::randomBits(1234567, 4), 16408922859458223821u);
}

TEST(InitialData, RandomReals) {
  Bits Found = elements(R"("type": "f64", "count": 2,
      "init": {"random": {"seed": 1234567, "low": -1, "high": 3}})");
  for (unsigned I = 0; I < 2; ++I) {
    double U =
        double(heddle::randomBits(1234567, I) >> 11) / 9007199254740992.0;
    EXPECT_EQ(floatValue(ElementType::F64, Found[I]), -1 + 4 * U);
  }
}

TEST(InitialData, RandomIntegersStayInTheirRange) {
  Bits Found = elements(R"("type": "s8", "count": 400,
      "init": {"random": {"seed": 3, "low": -2, "high": 2}})");
  unsigned Seen[5] = {};
  for (uint64_t Element : Found) {
    int Value = static_cast<int8_t>(Element);
    ASSERT_TRUE(Value >= -2 && Value <= 2);
    ++Seen[Value + 2];
  }
  for (unsigned Count : Seen)
    EXPECT_GT(Count, 40u);
}

TEST(InitialData, RandomIntegersOfTheWholeRange) {
  EXPECT_EQ(elements(R"("type": "u64", "count": 1, "init": {"random":
      {"seed": 1234567, "low": 0, "high": 18446744073709551615}})"),
            (Bits{6457827717110365317u}));
}

TEST(InitialData, FilesMustHaveTheRightSize) {
  llvm::SmallString<128> Path;
  int FD;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("heddle", "bin", FD, Path));
  llvm::raw_fd_ostream(FD, /*shouldClose=*/true) << "abcdef";
  ArraySpec Spec;
  Spec.Type = ElementType::U16;
  Spec.Count = 3;
  Spec.Init = FileInit{std::string(Path)};
  Spec.Place = "here";

  llvm::Expected<InitialData> Data = InitialData::open(Spec);
  ASSERT_TRUE(bool(Data)) << llvm::toString(Data.takeError());
  uint8_t Last[2];
  Data->generate(2, Last);
  EXPECT_EQ(Last[0], 'e');
  EXPECT_EQ(Last[1], 'f');

  Spec.Count = 2;
  EXPECT_EQ(llvm::toString(InitialData::open(Spec).takeError()),
            "here: '" + std::string(Path) +
                "' has 6 bytes, but 2 elements of u16 need 4");
  EXPECT_TRUE(bool(InitialData::open(Spec, /*MayBeLonger=*/true)));
  Spec.Count = 4;
  EXPECT_TRUE(llvm::errorToBool(
      InitialData::open(Spec, /*MayBeLonger=*/true).takeError()));
  ASSERT_FALSE(llvm::sys::fs::remove(Path));
  Spec.Count = 3;
  EXPECT_NE(llvm::toString(InitialData::open(Spec).takeError())
                .find("here: cannot read '"),
            std::string::npos);
}
