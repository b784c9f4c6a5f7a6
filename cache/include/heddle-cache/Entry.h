//===- Entry.h - The form of an entry ---------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry is one file, and the same bytes in a pack and on a remote. Numbers
// are little-endian, nothing is aligned:
//
//   entry    = header key metadata log code checksum
//   header   = magic schema kind coding digest
//              key-size metadata-size log-size stored-size code-size
//   magic    = 89 48 44 4C 45 0D 0A 1A   what copying as text would damage
//   schema   = u16                       1
//   kind     = u16                       EntryKind
//   coding   = u32                       0: code is stored as it is
//                                        1: as one zstd frame
//   digest   = 32 bytes                  SHA-256 of key
//   key-size, metadata-size, log-size    u32, in bytes
//   stored-size, code-size               u64, bytes of code here and unpacked
//   key      = field*
//   field    = name-size name value-size value    u8, bytes, u32, bytes
//   metadata = bytes                     the producer's; text of a code
//   object's log      = bytes                     figures and the messages of
//   the
//                                        compilation
//   code     = bytes
//   checksum = 16 bytes                  XXH3-128 of all that stands before
//
// A reader takes nothing on trust: the sizes must add up to the file's size,
// and code-size is at most 1024 times stored-size with coding 1, so that a few
// bytes cannot ask for a lot of memory; the writer stores what packs better as
// it is.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_ENTRY_H
#define HEDDLE_CACHE_ENTRY_H

#include "heddle-cache/Key.h"
#include "heddle-cache/Result.h"

#include <memory>

namespace heddle::cache {

/// What an entry holds for its user. Metadata and Log are the producer's own
/// forms; the cache does not look into them.
struct Entry {
  std::string Metadata;
  std::string Log;
  std::string Code;
};

using EntryPtr = std::shared_ptr<const Entry>;

namespace format {
inline constexpr std::string_view Magic = "\x89HDLE\r\n\x1a";
inline constexpr uint16_t Schema = 1;
inline constexpr size_t HeaderSize = 8 + 2 + 2 + 4 + 32 + 3 * 4 + 2 * 8;
inline constexpr size_t ChecksumSize = 16;
/// The most that zstd-coded bytes may unfold to, as a multiple.
inline constexpr uint64_t MaxRatio = 1024;
/// The largest key record; the longest field is the canonical options.
inline constexpr uint32_t MaxKeySize = 1 << 20;
} // namespace format

/// The header of an entry, checked against the bytes it stands in.
struct EntryHeader {
  EntryKind Kind;
  uint32_t Coding;
  Hash256 Digest;
  uint64_t StoredSize; ///< of the code, in bytes
  uint64_t CodeSize;   ///< of the code unpacked, in bytes
  std::string_view Record;
  std::string_view Metadata;
  std::string_view Log;
  std::string_view StoredCode;
};

/// Packs and unpacks entries. One object serves any number of threads.
class EntryCodec {
public:
  /// Level: of zstd, 1 to 19, or 0: its fast mode. MaxSize: the largest entry
  /// that is read, in bytes, packed or unpacked.
  EntryCodec(int Level, uint64_t MaxSize);
  ~EntryCodec();

  std::string encode(EntryKind Kind, std::string_view Record,
                     const Entry &E) const;

  /// Reads the header of Bytes, which the result points into, and checks the
  /// sizes, the checksum and that the digest is the record's.
  Result<EntryHeader> inspect(std::string_view Bytes) const;

  /// Reads what inspect has passed.
  Result<Entry> unpack(const EntryHeader &Header) const;

  /// Reads the entry of K; any other is refused.
  Result<Entry> decode(std::string_view Bytes, const Key &K) const;

private:
  struct Contexts;
  std::string compress(std::string_view Code) const;
  Result<EntryHeader> check(std::string_view Bytes) const;
  std::unique_ptr<Contexts> Pool;
  int Level;
  uint64_t MaxSize;
};

} // namespace heddle::cache

#endif // HEDDLE_CACHE_ENTRY_H
