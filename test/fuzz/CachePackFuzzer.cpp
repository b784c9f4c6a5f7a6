//===- CachePackFuzzer.cpp - Fuzzes the reader of packs ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads any bytes as a pack of the cache: looks a key up, and reads all
// entries. Packs are opened by path, so that the bytes go into a file that has
// no name.
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/Pack.h"

#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

using namespace heddle::cache;

/// Large enough for what is to be found, small enough for quick runs.
static constexpr uint64_t MaxSize = 1 << 16;

static void readPack(const std::string &Path, bool Verify) {
  Result<std::unique_ptr<Pack>> P = Pack::open(Path, Verify);
  if (!P)
    return;
  Hash128 Find = {};
  for (unsigned First : {0, 0x61, 0xFF}) {
    Find.Bytes[0] = static_cast<uint8_t>(First);
    (void)(*P)->read(Find, MaxSize);
  }
  unsigned Visited = 0;
  (void)(*P)->forEach(MaxSize, [&](const Hash128 &, std::string_view Bytes) {
    if (Bytes.size() > MaxSize)
      std::abort(); // forEach promised otherwise
    return ++Visited != 16;
  });
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  int File = ::memfd_create("pack", MFD_CLOEXEC);
  if (File < 0)
    return 0;
  if (::write(File, Data, Size) == static_cast<ssize_t>(Size)) {
    std::string Path = "/proc/self/fd/" + std::to_string(File);
    readPack(Path, /*Verify=*/false);
    readPack(Path, /*Verify=*/true);
  }
  ::close(File);
  return 0;
}
