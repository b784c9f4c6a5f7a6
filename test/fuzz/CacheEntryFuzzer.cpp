//===- CacheEntryFuzzer.cpp - Fuzzes cache entries --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads any bytes as an entry, and everything that is behind the checksum by
// putting the right checksum and digest on bytes that have none; then the
// metadata and the log as a compilation's.
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/Entry.h"
#include "heddle/Driver/ResultCodec.h"

#include <cstdlib>

using namespace heddle;
using namespace heddle::cache;

/// Large enough for what is to be found, small enough for quick runs.
static constexpr uint64_t MaxSize = 1 << 20;

static void readEntry(const EntryCodec &Codec, std::string_view Bytes) {
  Result<EntryHeader> H = Codec.inspect(Bytes);
  if (!H)
    return;
  if (H->CodeSize > MaxSize)
    std::abort(); // inspect promised otherwise
  (void)decodeKeyRecord(H->Record);
  Result<Entry> E = Codec.unpack(*H);
  if (!E)
    return;
  if (E->Code.size() != H->CodeSize)
    std::abort();
  Rendering How;
  (void)decodeResult(*E, How);
}

/// Puts the magic, the digest of what would be the key, and the checksum in
/// place.
static std::string repaired(std::string Bytes) {
  constexpr size_t DigestAt = 16, SizeAt = 48;
  if (Bytes.size() < format::HeaderSize + format::ChecksumSize)
    return Bytes;
  Bytes.replace(0, format::Magic.size(), format::Magic);
  uint32_t KeySize = 0;
  for (unsigned I = 0; I != 4; ++I)
    KeySize |= uint32_t(static_cast<uint8_t>(Bytes[SizeAt + I])) << 8 * I;
  Bytes.resize(Bytes.size() - format::ChecksumSize);
  Hash256 Digest =
      sha256(std::string_view(Bytes).substr(format::HeaderSize, KeySize));
  std::copy(Digest.Bytes.begin(), Digest.Bytes.end(), Bytes.begin() + DigestAt);
  Hash128 Sum = fastHash(Bytes);
  Bytes.append(Sum.Bytes.begin(), Sum.Bytes.end());
  return Bytes;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const EntryCodec Codec(1, MaxSize);
  std::string Bytes(reinterpret_cast<const char *>(Data), Size);
  readEntry(Codec, Bytes);
  readEntry(Codec, repaired(Bytes));
  return 0;
}
