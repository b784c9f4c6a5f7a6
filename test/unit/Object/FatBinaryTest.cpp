//===- FatBinaryTest.cpp - Tests of the reader of fat binaries --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What nvcc wrote (Inputs/make.sh) is read as it was meant, and no byte of it
// can be cut off or changed so that the reader leaves its bounds.
//
//===----------------------------------------------------------------------===//

#include "heddle/Object/FatBinary.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <random>

using namespace heddle::fatbin;
using namespace llvm;

namespace {

std::vector<uint8_t> readInput(StringRef Name) {
  std::string Path = (HEDDLE_FATBINARY_INPUTS "/" + Name).str();
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(Path);
  if (!File) {
    ADD_FAILURE() << Path << ": " << File.getError().message();
    return {};
  }
  StringRef Bytes = (*File)->getBuffer();
  return {Bytes.bytes_begin(), Bytes.bytes_end()};
}

SmallVector<Image, 4> imagesOf(ArrayRef<uint8_t> Bytes) {
  Expected<SmallVector<Image, 4>> Images = readImages(Bytes);
  if (!Images) {
    ADD_FAILURE() << toString(Images.takeError());
    return {};
  }
  return *Images;
}

std::string textOf(const Image &I) {
  Expected<SmallVector<char, 0>> Text = extract(I);
  if (!Text) {
    ADD_FAILURE() << toString(Text.takeError());
    return {};
  }
  return {Text->begin(), Text->end()};
}

template <typename T> std::string errorOf(Expected<T> Result) {
  return Result ? "no error" : toString(Result.takeError());
}

/// A fat binary of our own: images with an empty payload.
class Builder {
public:
  Builder &image(ImageKind Kind, uint16_t GPU, uint64_t Flags = 0x11) {
    std::vector<uint8_t> H(64);
    put<uint16_t>(H, 0, static_cast<uint16_t>(Kind));
    put<uint16_t>(H, 2, 0x101);
    put<uint32_t>(H, 4, 64);
    put<uint16_t>(H, 26, 8);
    put<uint32_t>(H, 28, GPU);
    put<uint64_t>(H, 40, Flags);
    Images.insert(Images.end(), H.begin(), H.end());
    return *this;
  }
  std::vector<uint8_t> bytes() const {
    std::vector<uint8_t> Result(16);
    put<uint32_t>(Result, 0, 0xBA55ED50);
    put<uint16_t>(Result, 4, 1);
    put<uint16_t>(Result, 6, 16);
    put<uint64_t>(Result, 8, Images.size());
    Result.insert(Result.end(), Images.begin(), Images.end());
    return Result;
  }
  template <typename T>
  static void put(std::vector<uint8_t> &Bytes, size_t At, T Value) {
    support::endian::write<T, endianness::little>(&Bytes[At], Value);
  }

private:
  std::vector<uint8_t> Images;
};

class CompressionModes : public testing::TestWithParam<const char *> {};

TEST_P(CompressionModes, EachImageIsTheTextThatNvccWrote) {
  std::vector<uint8_t> Bytes = readInput(std::string(GetParam()) + ".fatbin");
  SmallVector<Image, 4> Images = imagesOf(Bytes);
  ASSERT_EQ(Images.size(), 3u);
  const char *Targets[] = {"sm_80", "sm_90", "sm_90a"};
  for (unsigned N = 0; N != 3; ++N) {
    EXPECT_EQ(Images[N].describe(), std::string("PTX 9.0 for ") + Targets[N]);
    std::string Text = textOf(Images[N]);
    EXPECT_NE(Text.find(std::string(".target ") + Targets[N] + "\n"),
              std::string::npos);
    EXPECT_NE(Text.find(".visible .entry scale("), std::string::npos);
    EXPECT_NE(Text.find("}"), std::string::npos);
    EXPECT_EQ(Text.find('\0'), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Nvcc, CompressionModes,
                         testing::Values("none", "size", "speed"),
                         [](const auto &Info) { return Info.param; });

TEST(FatBinary, CompressionIsAsAskedFor) {
  EXPECT_EQ(imagesOf(readInput("none.fatbin"))[0].Compression,
            Compression::None);
  EXPECT_EQ(imagesOf(readInput("size.fatbin"))[0].Compression,
            Compression::Zstd);
  EXPECT_EQ(imagesOf(readInput("speed.fatbin"))[0].Compression,
            Compression::LZ4);
}

TEST(FatBinary, DebugBuildsTellNameAndOptions) {
  std::vector<uint8_t> Bytes = readInput("debug.fatbin");
  SmallVector<Image, 4> Images = imagesOf(Bytes);
  ASSERT_EQ(Images.size(), 1u);
  EXPECT_TRUE(Images[0].IsDebug);
  EXPECT_EQ(Images[0].Name, "scale.cu");
  EXPECT_TRUE(Images[0].Options.starts_with("-g "));
  EXPECT_EQ(Images[0].describe(), "PTX 9.0 for sm_100f");
}

TEST(FatBinary, SeveralStandOneAfterTheOther) {
  std::vector<uint8_t> Bytes = readInput("size.fatbin");
  std::vector<uint8_t> Second = readInput("debug.fatbin");
  Bytes.resize((Bytes.size() + 63) / 64 * 64); // as a section aligns them
  Bytes.insert(Bytes.end(), Second.begin(), Second.end());
  EXPECT_EQ(imagesOf(Bytes).size(), 4u);
}

TEST(FatBinary, IsFoundThroughItsWrapper) {
  std::vector<uint8_t> Bytes = readInput("none.fatbin");
  struct {
    uint32_t Magic = 0x466243B1, Version = 1;
    const void *Data;
    const void *Names = nullptr;
  } Wrapper;
  Wrapper.Data = Bytes.data();
  for (const void *Start : {static_cast<const void *>(&Wrapper),
                            static_cast<const void *>(Bytes.data())}) {
    Expected<ArrayRef<uint8_t>> Found = locate(Start);
    ASSERT_TRUE(static_cast<bool>(Found)) << toString(Found.takeError());
    EXPECT_EQ(Found->data(), Bytes.data());
    EXPECT_EQ(Found->size(), Bytes.size());
  }
  EXPECT_EQ(errorOf(locate(nullptr)),
            "malformed fat binary: its address is null");
}

TEST(FatBinary, TheNewestAndMostSpecificPTXIsChosen) {
  constexpr uint64_t A = 0x100011, F = 0x200011, Plain = 0x11;
  std::vector<uint8_t> Bytes = Builder()
                                   .image(ImageKind::PTX, 90, A)
                                   .image(ImageKind::PTX, 100, F)
                                   .image(ImageKind::MachineCode, 120)
                                   .image(ImageKind::PTX, 100, A)
                                   .image(ImageKind::PTX, 100, Plain)
                                   .bytes();
  SmallVector<Image, 4> Images = imagesOf(Bytes);
  Expected<const Image &> Best = choosePTX(Images);
  ASSERT_TRUE(static_cast<bool>(Best));
  EXPECT_EQ(Best->describe(), "PTX 8.0 for sm_100a");
  Expected<const Image &> Older = choosePTX(Images, 90);
  ASSERT_TRUE(static_cast<bool>(Older));
  EXPECT_EQ(Older->describe(), "PTX 8.0 for sm_90a");
  Expected<const Image &> Newer = choosePTX(Images, 80);
  ASSERT_TRUE(static_cast<bool>(Newer));
  EXPECT_EQ(Newer->describe(), "PTX 8.0 for sm_90a") << "the oldest there is";
}

TEST(FatBinary, MachineCodeAloneSaysHowToRebuild) {
  std::vector<uint8_t> Bytes = readInput("machine-code.fatbin");
  EXPECT_EQ(errorOf(choosePTX(imagesOf(Bytes))),
            "the fat binary holds no PTX, only machine code for sm_90; rebuild "
            "the program with PTX in it, such as nvcc "
            "-gencode arch=compute_90,code=compute_90");
}

TEST(FatBinary, EveryTruncationIsAnError) {
  for (StringRef Name : {"none.fatbin", "size.fatbin", "debug.fatbin"}) {
    std::vector<uint8_t> Bytes = readInput(Name);
    for (size_t Size = 1; Size < Bytes.size(); ++Size) {
      // A copy of its own, so that a sanitizer sees any access behind it.
      std::vector<uint8_t> Cut(Bytes.begin(), Bytes.begin() + Size);
      Expected<SmallVector<Image, 4>> Images = readImages(Cut);
      EXPECT_FALSE(static_cast<bool>(Images)) << Name.str() << " " << Size;
      consumeError(Images.takeError());
    }
  }
}

TEST(FatBinary, ChangedBytesNeverLeadOutOfBounds) {
  std::mt19937 Random(1);
  unsigned Read = 0, Refused = 0;
  for (StringRef Name : {"none.fatbin", "size.fatbin", "speed.fatbin"}) {
    const std::vector<uint8_t> Bytes = readInput(Name);
    for (unsigned Round = 0; Round != 3000; ++Round) {
      std::vector<uint8_t> Changed = Bytes;
      for (unsigned N = Random() % 4 + 1; N; --N)
        Changed[Random() % Changed.size()] = Random();
      Expected<SmallVector<Image, 4>> Images = readImages(Changed);
      if (!Images) {
        consumeError(Images.takeError());
        ++Refused;
        continue;
      }
      for (const Image &I : *Images) {
        if (I.Size > (1 << 20))
          continue; // only slow
        Expected<SmallVector<char, 0>> Text = extract(I);
        Text ? ++Read : ++Refused;
        consumeError(Text.takeError());
      }
    }
  }
  EXPECT_GT(Read, 0u);
  EXPECT_GT(Refused, 0u);
}

TEST(FatBinary, ADecompressionBombIsRefused) {
  std::vector<uint8_t> Bytes = readInput("size.fatbin");
  Builder::put<uint64_t>(Bytes, 16 + 56, MaxImageSize + 1);
  EXPECT_EQ(errorOf(readImages(Bytes)),
            "malformed fat binary: an image wants 1073741825 bytes when "
            "decompressed; the limit is 1073741824");
  Builder::put<uint64_t>(Bytes, 16 + 56, 10);
  EXPECT_TRUE(StringRef(errorOf(extract(imagesOf(Bytes)[0])))
                  .starts_with("malformed fat binary: the zstd data"));
}

} // namespace
