//===- Pack.h - Many entries in one file ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pack is a read-only archive of entries, to ship with a product or in a
// container image. Numbers are little-endian:
//
//   pack     = magic count index-sum fan-out index entry*
//   magic    = 89 48 44 4C 50 0D 0A 1A
//   count    = u64                    entries
//   index-sum = 16 bytes              XXH3-128 of count, fan-out and index
//   fan-out  = (u64){256}             number of keys whose first byte is at
//   most
//                                     the number's place
//   index    = (find offset size){count}   16 bytes, u64, u64; ascending by
//   find;
//                                     offset from the start of the file
//   entry    as in Entry.h
//
// A look-up reads two numbers of the fan-out and then a few rows of the index,
// never the whole. The index's checksum is verified by `ptx-cache verify` and
// `import`, not by each process: a damaged row leads to bytes that are not the
// entry, which its own checksum and digest show.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_PACK_H
#define HEDDLE_CACHE_PACK_H

#include "heddle-cache/Key.h"
#include "heddle-cache/Result.h"

#include <functional>
#include <map>
#include <memory>

namespace heddle::cache {

class Pack {
public:
  /// Opens a pack; it is verified whole only if asked.
  static Result<std::unique_ptr<Pack>> open(const std::string &Path,
                                            bool Verify);
  ~Pack();

  uint64_t size() const { return Count; }
  /// The bytes of an entry, at most MaxSize; the fault Miss if there is none.
  Result<std::string> read(const Hash128 &Find, uint64_t MaxSize) const;
  /// Calls Visit for each entry's bytes until it returns false.
  Status forEach(uint64_t MaxSize,
                 const std::function<bool(const Hash128 &, std::string_view)>
                     &Visit) const;

private:
  struct Row {
    Hash128 Find;
    uint64_t Offset;
    uint64_t Size;
  };
  Pack(int FD, uint64_t FileSize, uint64_t Count)
      : FD(FD), FileSize(FileSize), Count(Count) {}
  Result<Row> row(uint64_t Index) const;
  Result<std::string> readEntry(const Row &R, uint64_t MaxSize) const;
  Status verifyIndex() const;

  int FD;
  uint64_t FileSize, Count;
};

/// Writes the pack of some entries' bytes, by find hash, to a file that appears
/// when it is complete.
Status writePack(const std::string &Path,
                 const std::map<Hash128, std::string> &Entries);

} // namespace heddle::cache

#endif // HEDDLE_CACHE_PACK_H
