//===- TestSupport.h - What tests of the cache share ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A directory for one test, and keys and entries that differ by a number.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_UNIT_CACHE_TESTSUPPORT_H
#define HEDDLE_TEST_UNIT_CACHE_TESTSUPPORT_H

#include "heddle-cache/Cache.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace heddle::cache {

class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string Name = testing::TempDir() + "heddle-cache-XXXXXX";
    Path = ::mkdtemp(Name.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(Path); }
  std::string str(const std::string &Below = "") const { return Path + Below; }

private:
  std::string Path;
};

inline Settings settingsFor(const TemporaryDirectory &Directory) {
  Settings S;
  EXPECT_FALSE(S.set(SettingId::Dir, Directory.str("/cache"), "test"));
  return S;
}

inline Key keyOf(std::string_view Input) {
  return Key(EntryKind::Module,
             KeyFields().add("build", "test").add("chip", "hd100"), Input);
}

inline EntryPtr entryOf(const std::string &Code) {
  return std::make_shared<Entry>(Entry{"figures of " + Code, "log", Code});
}

/// The only entry file below a cache directory.
inline std::string onlyEntry(const std::string &Root) {
  std::string Found;
  for (const auto &E : std::filesystem::recursive_directory_iterator(Root))
    if (E.path().filename().string().size() == 30) {
      EXPECT_TRUE(Found.empty());
      Found = E.path();
    }
  return Found;
}

inline std::string contents(const std::string &Path) {
  std::ifstream File(Path, std::ios::binary);
  std::stringstream Bytes;
  Bytes << File.rdbuf();
  return Bytes.str();
}

inline void overwrite(const std::string &Path, const std::string &Bytes) {
  std::ofstream(Path, std::ios::binary | std::ios::trunc) << Bytes;
}

} // namespace heddle::cache

#endif // HEDDLE_TEST_UNIT_CACHE_TESTSUPPORT_H
