//===- MetadataTest.cpp - Tests of the metadata -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The metadata survives its way through MessagePack and the note, and bytes
// that are not well formed give an error and nothing worse.
//
//===----------------------------------------------------------------------===//

#include "SampleMetadata.h"
#include "heddle/Object/Format.h"
#include "llvm/BinaryFormat/MsgPackWriter.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace heddle;
using namespace llvm;

/// The error that decoding gives; empty if there is none.
static std::string decodeError(StringRef Bytes) {
  Expected<ModuleMetadata> Decoded = decodeMetadata(Bytes);
  return Decoded ? "" : toString(Decoded.takeError());
}

static std::string errorAfter(void (*Change)(ModuleMetadata &)) {
  ModuleMetadata Metadata = sampleMetadata();
  Change(Metadata);
  return decodeError(encodeMetadata(Metadata));
}

TEST(Metadata, RoundTrips) {
  ModuleMetadata Metadata = sampleMetadata();
  Expected<ModuleMetadata> Decoded = decodeMetadata(encodeMetadata(Metadata));
  ASSERT_TRUE(!!Decoded) << toString(Decoded.takeError());
  EXPECT_EQ(*Decoded, Metadata);
  Decoded = decodeMetadataNote(encodeMetadataNote(Metadata));
  ASSERT_TRUE(!!Decoded) << toString(Decoded.takeError());
  EXPECT_EQ(*Decoded, Metadata);
}

TEST(Metadata, AbsentIsNotZero) {
  ModuleMetadata Metadata = sampleMetadata();
  Expected<ModuleMetadata> Decoded = decodeMetadata(encodeMetadata(Metadata));
  ASSERT_TRUE(!!Decoded);
  EXPECT_FALSE(Decoded->Kernels[1].MaxBlock.has_value());
  EXPECT_FALSE(Decoded->Kernels[1].MinCTAs.has_value());
}

TEST(Metadata, EveryTruncationIsAnError) {
  std::string Bytes = encodeMetadata(sampleMetadata());
  for (size_t Size = 0; Size != Bytes.size(); ++Size)
    EXPECT_NE(decodeError(StringRef(Bytes).take_front(Size)), "") << Size;
  std::string Note = encodeMetadataNote(sampleMetadata());
  for (size_t Size = 0; Size + 4 < Note.size(); ++Size) {
    Expected<ModuleMetadata> Decoded =
        decodeMetadataNote(StringRef(Note).take_front(Size));
    EXPECT_FALSE(!!Decoded) << Size;
    consumeError(Decoded.takeError());
  }
}

TEST(Metadata, AnyByteMayBeWrong) {
  // Whatever comes out, reading ends and does not touch other memory.
  std::string Bytes = encodeMetadata(sampleMetadata());
  for (size_t I = 0; I != Bytes.size(); ++I)
    for (unsigned Value : {0x00, 0x7f, 0x80, 0xc1, 0xdb, 0xdd, 0xdf, 0xff}) {
      std::string Wrong = Bytes;
      Wrong[I] = static_cast<char>(Value);
      decodeError(Wrong);
    }
}

TEST(Metadata, ErrorsNameTheField) {
  std::string Bytes = encodeMetadata(sampleMetadata());
  EXPECT_EQ(decodeError(Bytes + "x"), "metadata: bytes follow the metadata");

  // Make `registers` of the first kernel a string: fixint 40 becomes "".
  size_t At = Bytes.find("registers") + strlen("registers");
  ASSERT_EQ(Bytes[At], 40);
  Bytes[At] = static_cast<char>(0xa0);
  EXPECT_EQ(decodeError(Bytes),
            "metadata field 'kernels[0].registers': is no unsigned number");
}

TEST(Metadata, MissingAndRepeatedFields) {
  std::string Bytes;
  raw_string_ostream Stream(Bytes);
  msgpack::Writer Writer(Stream);
  Writer.writeMapSize(1);
  Writer.write(StringRef("chip"));
  Writer.write(StringRef("hd100"));
  EXPECT_EQ(decodeError(Bytes), "metadata: lacks 'isa_version'");
  Bytes.clear();
  Writer.writeMapSize(2);
  for (int I = 0; I != 2; ++I) {
    Writer.write(StringRef("chip"));
    Writer.write(StringRef("hd100"));
  }
  EXPECT_EQ(decodeError(Bytes), "metadata field 'chip': appears twice");
}

TEST(Metadata, UnknownFieldsAreSkipped) {
  std::string Known = encodeMetadata(sampleMetadata());
  ASSERT_EQ(static_cast<uint8_t>(Known[0]), 0x87); // a map of seven
  std::string Bytes;
  raw_string_ostream Stream(Bytes);
  msgpack::Writer Writer(Stream);
  Writer.writeMapSize(8);
  Writer.write(StringRef("from_the_future"));
  Writer.writeArraySize(2);
  Writer.writeNil();
  Writer.writeMapSize(1);
  Writer.write(1.5);
  Writer.write(StringRef("x"));
  Bytes += Known.substr(1);
  EXPECT_EQ(decodeError(Bytes), "");
}

TEST(Metadata, DeepNestingEnds) {
  std::string Bytes("\x87\xa1z", 3);
  Bytes.append(1000000, static_cast<char>(0x91)); // arrays of one in each other
  EXPECT_EQ(decodeError(Bytes), "metadata field 'z': is nested too deeply");
}

TEST(Metadata, ValuesAreChecked) {
  EXPECT_EQ(
      errorAfter([](ModuleMetadata &M) { M.Kernels[0].Params[1].Size = 40; }),
      "metadata of kernel 'full': parameter 'q' is outside the block of "
      "40 bytes");
  EXPECT_EQ(
      errorAfter([](ModuleMetadata &M) { M.Kernels[0].Params[0].Align = 3; }),
      "metadata of kernel 'full': parameter 'p' has alignment 3");
  EXPECT_EQ(
      errorAfter([](ModuleMetadata &M) { M.Kernels[0].Params[1].Offset = 10; }),
      "metadata of kernel 'full': parameter 'q' is misaligned");
  EXPECT_EQ(errorAfter([](ModuleMetadata &M) { M.Kernels[0].MaxBlock->Y = 0; }),
            "metadata of kernel 'full': a launch bound is zero");
  EXPECT_EQ(errorAfter([](ModuleMetadata &M) { M.Kernels[1].Name = "full"; }),
            "metadata: two kernels named 'full'");
}

TEST(Metadata, NotesOfOthersAreSkipped) {
  std::string Other = encodeMetadataNote(sampleMetadata());
  Other[8] = 9; // another type
  Expected<ModuleMetadata> Decoded = decodeMetadataNote(Other);
  EXPECT_EQ(toString(Decoded.takeError()), ".note.heddle has no metadata note");
  Decoded = decodeMetadataNote(Other + encodeMetadataNote(sampleMetadata()));
  EXPECT_TRUE(!!Decoded);
  std::string Twice = encodeMetadataNote(sampleMetadata()) +
                      encodeMetadataNote(sampleMetadata());
  Decoded = decodeMetadataNote(Twice);
  EXPECT_NE(toString(Decoded.takeError()).find("repeats"), std::string::npos);
}
