//===- UnwindTable.cpp - Where functions without names are ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formats are the Linux Standard Base's. A description of a function (FDE)
// points back to one that is common to many (CIE), which says how addresses are
// written.
//
//===----------------------------------------------------------------------===//

#include "StaticRuntime/UnwindTable.h"

using namespace heddle::cuda;

namespace {

/// How an address is written: its form in the lower four bits, what it is
/// relative to above.
enum Encoding : unsigned char {
  Form = 0x0F,
  Absolute = 0x00,
  Unsigned4 = 0x03,
  Signed4 = 0x0B,
  Signed8 = 0x0C,
  RelativeSigned4 = 0x3B ///< To the table.
};

/// What stands before the entries of the table.
struct TableHeader {
  unsigned char Version, FrameEncoding, CountEncoding, EntryEncoding;
  int32_t Frame;
  uint32_t Count;
};

/// Reads the bytes of a description one after the other; zeros past the end.
struct Reader {
  const ElfFile &File;
  uint64_t Offset;

  unsigned char next() {
    auto *Byte = File.at<unsigned char>(Offset++);
    return Byte ? *Byte : 0;
  }
  void skipNumber() {
    while (next() & 0x80)
      ;
  }
};

} // namespace

static unsigned sizeOf(unsigned char Encoding) {
  switch (Encoding & Form) {
  case Unsigned4:
  case Signed4:
    return 4;
  case Absolute:
  case Signed8:
    return 8;
  default:
    return 0;
  }
}

UnwindTable::UnwindTable(const ElfFile &File) : File(File) {
  const Elf64_Phdr *Segment = File.findSegment(
      PT_GNU_EH_FRAME, [](const Elf64_Phdr &) { return true; });
  auto *Header = Segment ? File.at<TableHeader>(Segment->p_offset) : nullptr;
  if (!Header || Header->Version != 1 || sizeOf(Header->FrameEncoding) != 4 ||
      Header->CountEncoding != Unsigned4 ||
      Header->EntryEncoding != RelativeSigned4)
    return;
  Address = Segment->p_vaddr;
  Entries =
      File.at<Entry>(Segment->p_offset + sizeof(TableHeader), Header->Count);
  // Linkers may put descriptions into another segment, whose distance in the
  // file is another one.
  const Elf64_Phdr *Descriptions =
      Entries && Header->Count
          ? File.segmentAt(Address +
                           static_cast<int64_t>(Entries[0].Description))
          : nullptr;
  if (!Descriptions)
    return;
  Offset = Address - Descriptions->p_vaddr + Descriptions->p_offset;
  Count = Header->Count;
}

unsigned UnwindTable::pointerSize(uint64_t Common) const {
  Reader R{File, Common + 2 * sizeof(uint32_t)};
  unsigned char Version = R.next();
  constexpr unsigned Most = 8;
  char Augmentation[Most] = {};
  for (unsigned I = 0; (Augmentation[I] = static_cast<char>(R.next())); ++I)
    if (I + 1 == Most)
      return 0;
  if (Augmentation[0] != 'z')
    return Augmentation[0] ? 0 : sizeOf(Absolute);
  R.skipNumber(); // Alignment of code,
  R.skipNumber(); // of data,
  if (Version == 1)
    R.next(); // the register of the return address,
  else
    R.skipNumber();
  R.skipNumber(); // and the length of what follows.
  for (const char *Letter = Augmentation + 1; *Letter; ++Letter) {
    if (*Letter == 'R')
      return sizeOf(R.next());
    if (*Letter == 'L')
      R.next();
    else if (*Letter == 'P') {
      unsigned Size = sizeOf(R.next());
      if (!Size)
        return 0;
      R.Offset += Size;
    } else if (*Letter != 'S' && *Letter != 'B')
      return 0;
  }
  return sizeOf(Absolute);
}

uint64_t UnwindTable::length(unsigned I) const {
  uint64_t At = description(I);
  auto *Words = File.at<uint32_t>(At, 2);
  if (!Words)
    return 0;
  uint64_t Back = At + sizeof(uint32_t);
  uint64_t Start = Back + sizeof(uint32_t);
  unsigned Size = Words[1] <= Back ? pointerSize(Back - Words[1]) : 0;
  if (Size == 4) {
    auto *Length = File.at<uint32_t>(Start + Size);
    return Length ? *Length : 0;
  }
  auto *Low = Size ? File.at<uint32_t>(Start + Size, 2) : nullptr;
  return Low ? Low[0] | static_cast<uint64_t>(Low[1]) << 32 : 0;
}
