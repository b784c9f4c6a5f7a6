//===- Pack.cpp - Many entries in one file ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes packs. See Pack.h for the grammar.
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/Pack.h"

#include "File.h"
#include "heddle-cache/Bytes.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::cache {

static constexpr std::string_view Magic = "\x89HDLP\r\n\x1a";
static constexpr uint64_t RowSize = 16 + 8 + 8;
static constexpr uint64_t FanOutAt = 8 + 8 + 16;
static constexpr uint64_t IndexAt = FanOutAt + uint64_t(256) * 8;

static Fault damaged(const char *What) { return {Counter::PackError, What}; }

Pack::~Pack() { ::close(FD); }

Result<std::unique_ptr<Pack>> Pack::open(const std::string &Path, bool Verify) {
  Descriptor File = openAt(AT_FDCWD, Path.c_str(), O_RDONLY | O_NONBLOCK);
  struct stat Info;
  if (!File || ::fstat(File.get(), &Info) != 0)
    return Fault{Counter::PackError,
                 Path + ": " + systemFault(Counter::PackError).Text};
  uint64_t Size = static_cast<uint64_t>(Info.st_size);
  char Head[16];
  size_t Read;
  if (!S_ISREG(Info.st_mode) || Size < IndexAt ||
      !readAllAt(File.get(), Head, sizeof(Head), 0, Read) ||
      Read != sizeof(Head) ||
      !std::string_view(Head, sizeof(Head)).starts_with(Magic))
    return Fault{Counter::PackError, Path + ": not a pack"};
  uint64_t Count = numberAt<uint64_t>({Head, sizeof(Head)}, 8);
  if (Count > (Size - IndexAt) / RowSize)
    return Fault{Counter::PackError, Path + ": shorter than its index"};
  int FD = ::fcntl(File.get(), F_DUPFD_CLOEXEC, 0);
  if (FD < 0)
    return Fault{Counter::PackError,
                 Path + ": " + systemFault(Counter::PackError).Text};
  std::unique_ptr<Pack> P(new Pack(FD, Size, Count));
  if (Verify)
    if (Status F = P->verifyIndex())
      return Fault{Counter::PackError, Path + ": " + F->Text};
  return P;
}

Status Pack::verifyIndex() const {
  std::string Head(IndexAt, '\0'), Index(Count * RowSize, '\0');
  size_t Read;
  if (!readAllAt(FD, Head.data(), Head.size(), 0, Read) ||
      Read != Head.size() ||
      !readAllAt(FD, Index.data(), Index.size(), IndexAt, Read) ||
      Read != Index.size())
    return damaged("its index cannot be read");
  Hash128 Sum = fastHash(Head.substr(8, 8) + Head.substr(FanOutAt) + Index);
  if (!std::equal(Sum.Bytes.begin(), Sum.Bytes.end(),
                  reinterpret_cast<const uint8_t *>(Head.data()) + 16))
    return damaged("its index does not match its checksum");
  return std::nullopt;
}

Result<Pack::Row> Pack::row(uint64_t Index) const {
  char Bytes[RowSize];
  size_t Read;
  if (!readAllAt(FD, Bytes, RowSize, IndexAt + Index * RowSize, Read) ||
      Read != RowSize)
    return damaged("its index cannot be read");
  Row R;
  std::copy(Bytes, Bytes + 16, R.Find.Bytes.begin());
  R.Offset = numberAt<uint64_t>({Bytes, RowSize}, 16);
  R.Size = numberAt<uint64_t>({Bytes, RowSize}, 24);
  return R;
}

Result<std::string> Pack::readEntry(const Row &R, uint64_t MaxSize) const {
  if (R.Size > MaxSize)
    return Fault{Counter::EntryTooLarge, "larger than max_entry_size"};
  if (R.Offset > FileSize || R.Size > FileSize - R.Offset)
    return damaged("an entry lies behind its end");
  std::string Bytes(R.Size, '\0');
  size_t Read;
  if (!readAllAt(FD, Bytes.data(), Bytes.size(), R.Offset, Read) ||
      Read != Bytes.size())
    return damaged("an entry cannot be read");
  return Bytes;
}

Result<std::string> Pack::read(const Hash128 &Find, uint64_t MaxSize) const {
  // The fan-out's number before the byte's own is where its keys begin.
  unsigned Byte = Find.Bytes[0];
  char Numbers[16] = {};
  size_t Read;
  uint64_t At = FanOutAt + 8 * uint64_t(Byte) - (Byte ? 8 : 0);
  size_t Wanted = Byte ? 16 : 8;
  if (!readAllAt(FD, Numbers + 16 - Wanted, Wanted, At, Read) || Read != Wanted)
    return damaged("its index cannot be read");
  uint64_t Low = numberAt<uint64_t>({Numbers, 16}, 0);
  uint64_t High = std::min(numberAt<uint64_t>({Numbers, 16}, 8), Count);
  while (Low < High) {
    uint64_t Middle = Low + (High - Low) / 2;
    Result<Row> R = row(Middle);
    if (!R)
      return R.fault();
    if (R->Find == Find)
      return readEntry(*R, MaxSize);
    if (R->Find < Find)
      Low = Middle + 1;
    else
      High = Middle;
  }
  return Fault{Counter::Miss, "not found"};
}

Status Pack::forEach(
    uint64_t MaxSize,
    const std::function<bool(const Hash128 &, std::string_view)> &Visit) const {
  for (uint64_t I = 0; I != Count; ++I) {
    Result<Row> R = row(I);
    if (!R)
      return R.fault();
    Result<std::string> Bytes = readEntry(*R, MaxSize);
    if (!Bytes)
      return Bytes.fault();
    if (!Visit(R->Find, *Bytes))
      break;
  }
  return std::nullopt;
}

/// Everything of a pack that stands before its entries.
static std::string packHead(const std::map<Hash128, std::string> &Entries) {
  std::string Count, FanOut, Index;
  appendNumber<uint64_t>(Count, Entries.size());
  uint64_t UpTo[256] = {};
  for (const auto &[Find, Bytes] : Entries)
    ++UpTo[Find.Bytes[0]];
  for (unsigned Byte = 0; Byte != 256; ++Byte) {
    UpTo[Byte] += Byte ? UpTo[Byte - 1] : 0;
    appendNumber<uint64_t>(FanOut, UpTo[Byte]);
  }
  uint64_t Offset = IndexAt + RowSize * Entries.size();
  for (const auto &[Find, Bytes] : Entries) {
    Index.append(reinterpret_cast<const char *>(Find.Bytes.data()), 16);
    appendNumber<uint64_t>(Index, Offset);
    appendNumber<uint64_t>(Index, Bytes.size());
    Offset += Bytes.size();
  }
  Hash128 Sum = fastHash(Count + FanOut + Index);
  std::string Head(Magic);
  Head += Count;
  Head.append(reinterpret_cast<const char *>(Sum.Bytes.data()), 16);
  return Head + FanOut + Index;
}

Status writePack(const std::string &Path,
                 const std::map<Hash128, std::string> &Entries) {
  std::string Aside = Path + ".tmp" + std::to_string(::getpid());
  Descriptor File = openAt(AT_FDCWD, Aside.c_str(),
                           O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644);
  bool Good = File && writeAll(File.get(), packHead(Entries));
  for (auto I = Entries.begin(); Good && I != Entries.end(); ++I)
    Good = writeAll(File.get(), I->second);
  if (Good && File.close() && ::rename(Aside.c_str(), Path.c_str()) == 0)
    return std::nullopt;
  Fault F = systemFault(Counter::WriteError);
  ::unlink(Aside.c_str());
  return Fault{F.Reason, Path + ": " + F.Text};
}

} // namespace heddle::cache
