//===- MemoryFile.h - Memory that several processes map ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file in memory without a name. It lives as long as a process has a
// descriptor or a mapping of it, so that nothing is left of a process that
// dies.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_MEMORYFILE_H
#define HEDDLE_SUPPORT_MEMORYFILE_H

#include <cstdint>
#include <optional>
#include <utility>

namespace heddle {

/// Owns a descriptor of the file.
class MemoryFile {
public:
  /// What tells a file from all others that exist at the same time.
  using Identity = std::pair<uint64_t, uint64_t>;

  /// Whose memory the bytes are.
  enum class Place : uint8_t { Device, Host };

  /// A new file of \p Size zero bytes; none if the host refuses.
  static std::optional<MemoryFile> create(uint64_t Size,
                                          Place Of = Place::Device);
  /// A descriptor of a file is duplicated; none if it is no regular file.
  static std::optional<MemoryFile> open(int Descriptor);
  /// The file of which another process has a descriptor; none if this process
  /// may not open it, or if it is not the one that is meant.
  static std::optional<MemoryFile> openOf(int64_t Process, int Descriptor,
                                          Identity Meant);

  MemoryFile(MemoryFile &&Other)
      : Descriptor(std::exchange(Other.Descriptor, -1)) {}
  MemoryFile &operator=(MemoryFile &&Other) {
    std::swap(Descriptor, Other.Descriptor);
    return *this;
  }
  ~MemoryFile();

  int descriptor() const { return Descriptor; }
  /// Another descriptor, which the caller closes; -1 if there are no more.
  int duplicate() const;
  Identity identity() const;
  /// In bytes.
  uint64_t size() const;
  /// What create was told, in whichever process.
  Place place() const;
  /// Makes the file larger or smaller. False if the host refuses.
  bool resize(uint64_t Size);
  /// Makes bytes of the file zero, and gives their memory back. \p Offset and
  /// \p Size are multiples of a page.
  void clear(uint64_t Offset, uint64_t Size);

  /// Maps bytes of the file, at \p Place where it is not null. \p Offset is a
  /// multiple of a page. Null if the host refuses.
  uint8_t *map(uint64_t Offset, uint64_t Size, void *Place = nullptr) const;
  /// Ends a mapping of \p Size bytes.
  static void unmap(void *Mapped, uint64_t Size);

private:
  explicit MemoryFile(int Descriptor) : Descriptor(Descriptor) {}

  int Descriptor;
};

} // namespace heddle

#endif // HEDDLE_SUPPORT_MEMORYFILE_H
