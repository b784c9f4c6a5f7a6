//===- Bytes.h - Numbers in bytes -------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Little-endian numbers in files, read and written a byte at a time, so that
// neither alignment nor the host's byte order matters.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_BYTES_H
#define HEDDLE_CACHE_BYTES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace heddle::cache {

template <typename T> void appendNumber(std::string &Out, T Value) {
  for (size_t I = 0; I != sizeof(T); ++I)
    Out += static_cast<char>(static_cast<uint64_t>(Value) >> (8 * I));
}

/// The number at Offset; the caller has checked that it is there.
template <typename T> T numberAt(std::string_view Bytes, size_t Offset) {
  uint64_t Value = 0;
  for (size_t I = 0; I != sizeof(T); ++I)
    Value |= uint64_t(static_cast<uint8_t>(Bytes[Offset + I])) << (8 * I);
  return static_cast<T>(Value);
}

/// Takes pieces off the front of bytes that nothing is known of. After a piece
/// that is not there, ok() is false and everything is empty.
class ByteReader {
public:
  explicit ByteReader(std::string_view Bytes) : Rest(Bytes) {}

  std::string_view take(uint64_t Size) {
    if (Size > Rest.size()) {
      Good = false;
      Rest = {};
      return {};
    }
    std::string_view Piece = Rest.substr(0, Size);
    Rest.remove_prefix(Size);
    return Piece;
  }
  template <typename T> T number() {
    std::string_view Piece = take(sizeof(T));
    return Piece.size() == sizeof(T) ? numberAt<T>(Piece, 0) : T(0);
  }
  bool ok() const { return Good; }
  bool atEnd() const { return Good && Rest.empty(); }
  size_t remaining() const { return Rest.size(); }

private:
  std::string_view Rest;
  bool Good = true;
};

} // namespace heddle::cache

#endif // HEDDLE_CACHE_BYTES_H
