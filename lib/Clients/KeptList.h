//===- KeptList.h - Lists that processes keep in files ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is an array of entries of one size, which changes under a lock. What
// is no entry, of a version that is not this one for example, is passed over.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CLIENTS_KEPTLIST_H
#define HEDDLE_LIB_CLIENTS_KEPTLIST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <string>
#include <vector>

namespace heddle::clients {

/// A file that is locked for as long as this lives.
class LockedFile {
public:
  /// \p Flags are those of open.
  LockedFile(const std::string &Path, int Flags);
  ~LockedFile() { close(); }
  LockedFile(const LockedFile &) = delete;
  LockedFile &operator=(const LockedFile &) = delete;

  explicit operator bool() const { return Descriptor >= 0; }
  uint64_t size() const;
  /// How many bytes were read.
  size_t read(void *To, size_t Bytes) const;
  /// Replaces what is there.
  void write(const void *From, size_t Bytes) const;

private:
  void close();
  int Descriptor;
};

/// T has a constant MagicNumber, and a member Magic that is it.
template <typename T> class KeptList {
public:
  KeptList(const std::string &Path, int Flags, size_t Most)
      : File(Path, Flags), Most(Most) {}

  explicit operator bool() const { return bool(File); }
  std::vector<T> read() const {
    std::vector<T> Entries(
        std::min<uint64_t>(File.size() / sizeof(T), 2 * Most));
    Entries.resize(File.read(Entries.data(), Entries.size() * sizeof(T)) /
                   sizeof(T));
    llvm::erase_if(Entries,
                   [](const T &E) { return E.Magic != T::MagicNumber; });
    return Entries;
  }
  /// Replaces what is there by the last of these.
  void write(llvm::ArrayRef<T> Entries) const {
    if (Entries.size() > Most)
      Entries = Entries.take_back(Most);
    File.write(Entries.data(), Entries.size() * sizeof(T));
  }

private:
  LockedFile File;
  const size_t Most;
};

} // namespace heddle::clients

#endif // HEDDLE_LIB_CLIENTS_KEPTLIST_H
