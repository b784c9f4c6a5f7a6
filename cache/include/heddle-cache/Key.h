//===- Key.h - What an entry is found by ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A key says everything that an entry's contents depend on. It has three forms:
//
//   record  the fields in order, each a name and a value, and last the size and
//           the SHA-256 of the input. This is what an entry holds, and what
//           `ptx-cache why` compares.
//   find    XXH3-128 of the fields and the input: where to look. Fast, and not
//           safe against somebody who looks for collisions.
//   digest  SHA-256 of the record: compared on every hit, so that whatever lies
//           where find leads is used only if it belongs to this very key.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_KEY_H
#define HEDDLE_CACHE_KEY_H

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cache {

/// What an entry holds.
enum class EntryKind : uint16_t {
  Module = 1,       ///< the output for a whole input
  Function = 2,     ///< the machine code of a part of an input
  TuningRecord = 3, ///< what a search found best for a kernel
  Profile = 4,      ///< what was measured while a kernel ran
};

/// The kind's name; empty if there is no such kind.
std::string_view entryKindName(EntryKind Kind);

struct Hash128 {
  std::array<uint8_t, 16> Bytes{};
  auto operator<=>(const Hash128 &) const = default;
  /// 32 hexadecimal digits.
  std::string str() const;
  static std::optional<Hash128> parse(std::string_view Hex);
};

struct Hash256 {
  std::array<uint8_t, 32> Bytes{};
  auto operator<=>(const Hash256 &) const = default;
  /// 64 hexadecimal digits.
  std::string str() const;
};

/// XXH3-128, in its canonical byte order.
Hash128 fastHash(std::string_view Bytes);
Hash256 sha256(std::string_view Bytes);

/// The fields of a key record, in order.
class KeyFields {
public:
  /// Name has 1 to 255 bytes. Names need not differ.
  KeyFields &add(std::string_view Name, std::string_view Value);
  const std::string &encoded() const { return Encoded; }

private:
  std::string Encoded;
};

struct KeyField {
  std::string_view Name;
  std::string_view Value;
};

/// The fields of an encoded record, which they point into; none if it is not
/// well-formed.
std::optional<std::vector<KeyField>> decodeKeyRecord(std::string_view Record);

/// A key. It refers to the input's bytes, which must outlive it. The digest is
/// computed when first asked for, so a key belongs to one thread at a time.
class Key {
public:
  Key(EntryKind Kind, const KeyFields &Fields, std::string_view Input);
  /// Other over a copy of its input.
  Key(const Key &Other, std::string_view SameInput) : Key(Other) {
    Input = SameInput;
  }

  EntryKind kind() const { return Kind; }
  const Hash128 &find() const { return Find; }
  std::string_view fields() const { return Fields; }
  std::string_view input() const { return Input; }
  const std::string &record() const;
  const Hash256 &digest() const;

private:
  EntryKind Kind;
  std::string Fields;
  std::string_view Input;
  Hash128 Find;
  mutable std::string Record; ///< empty until asked for
  mutable std::optional<Hash256> Digest;
};

} // namespace heddle::cache

#endif // HEDDLE_CACHE_KEY_H
