//===- Key.cpp - What an entry is found by ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hashes and the encoding of key records.
//
//===----------------------------------------------------------------------===//

// The digest functions of OpenSSL's older interface need no provider to be
// loaded, which would take longer than a whole look-up; they use the
// processor's SHA instructions all the same.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "heddle-cache/Key.h"

#include "Hash.h"
#include "heddle-cache/Bytes.h"

#include <openssl/sha.h>
#ifdef __x86_64__
#define _Bool bool // NOLINT: the header is for C
#include <sys/platform/x86.h>
#undef _Bool
#endif
// Compiled in, since the distribution's library is half as fast.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace heddle::cache {

std::string_view entryKindName(EntryKind Kind) {
  switch (Kind) {
  case EntryKind::Module:
    return "module";
  case EntryKind::Function:
    return "function";
  case EntryKind::TuningRecord:
    return "tuning-record";
  case EntryKind::Profile:
    return "profile";
  }
  return {};
}

static std::string toHex(const uint8_t *Bytes, size_t Size) {
  static constexpr char Digits[] = "0123456789abcdef";
  std::string Text;
  Text.reserve(2 * Size);
  for (size_t I = 0; I != Size; ++I) {
    Text += Digits[Bytes[I] >> 4];
    Text += Digits[Bytes[I] & 15];
  }
  return Text;
}

std::string Hash128::str() const { return toHex(Bytes.data(), Bytes.size()); }
std::string Hash256::str() const { return toHex(Bytes.data(), Bytes.size()); }

static int hexValue(char C) {
  if (C >= '0' && C <= '9')
    return C - '0';
  if (C >= 'a' && C <= 'f')
    return C - 'a' + 10;
  return -1;
}

std::optional<Hash128> Hash128::parse(std::string_view Hex) {
  Hash128 Result;
  if (Hex.size() != 2 * Result.Bytes.size())
    return std::nullopt;
  for (size_t I = 0; I != Result.Bytes.size(); ++I) {
    int High = hexValue(Hex[2 * I]), Low = hexValue(Hex[2 * I + 1]);
    if (High < 0 || Low < 0)
      return std::nullopt;
    Result.Bytes[I] = static_cast<uint8_t>(16 * High + Low);
  }
  return Result;
}

/// Vectors are used for more than 240 bytes; below, all forms are the same.
[[maybe_unused]] static constexpr size_t WorthWideVectors = 241;

Hash128 fastHash(std::string_view Bytes) {
  Hash128 Result;
#ifdef __x86_64__
  // The C library knows it already; to ask the processor takes microseconds.
  if (Bytes.size() >= WorthWideVectors && CPU_FEATURE_ACTIVE(AVX2)) {
    hashWithAVX2(Bytes.data(), Bytes.size(), Result.Bytes.data());
    return Result;
  }
#endif
  XXH128_canonical_t Canonical;
  XXH128_canonicalFromHash(&Canonical,
                           XXH3_128bits(Bytes.data(), Bytes.size()));
  std::copy(std::begin(Canonical.digest), std::end(Canonical.digest),
            Result.Bytes.begin());
  return Result;
}

Hash256 sha256(std::string_view Bytes) {
  Hash256 Result;
  SHA256_CTX Context;
  SHA256_Init(&Context);
  SHA256_Update(&Context, Bytes.data(), Bytes.size());
  SHA256_Final(Result.Bytes.data(), &Context);
  return Result;
}

KeyFields &KeyFields::add(std::string_view Name, std::string_view Value) {
  Name = Name.substr(0, 255);
  appendNumber<uint8_t>(Encoded, Name.size());
  Encoded += Name;
  appendNumber<uint32_t>(Encoded, Value.size());
  Encoded += Value;
  return *this;
}

std::optional<std::vector<KeyField>> decodeKeyRecord(std::string_view Record) {
  std::vector<KeyField> Fields;
  ByteReader Reader(Record);
  while (!Reader.atEnd()) {
    KeyField F;
    F.Name = Reader.take(Reader.number<uint8_t>());
    F.Value = Reader.take(Reader.number<uint32_t>());
    if (!Reader.ok() || F.Name.empty())
      return std::nullopt;
    Fields.push_back(F);
  }
  return Fields;
}

Key::Key(EntryKind Kind, const KeyFields &TheFields, std::string_view Input)
    : Kind(Kind), Input(Input) {
  KeyFields All;
  All.add("kind", entryKindName(Kind));
  Fields.reserve(All.encoded().size() + TheFields.encoded().size() +
                 sizeof(Hash128) + sizeof(uint64_t));
  Fields = All.encoded();
  Fields += TheFields.encoded();
  // The fields say where they end, so nothing is ambiguous here.
  Hash128 OfInput = fastHash(Input);
  size_t Size = Fields.size();
  Fields.append(reinterpret_cast<const char *>(OfInput.Bytes.data()),
                OfInput.Bytes.size());
  appendNumber<uint64_t>(Fields, Input.size());
  Find = fastHash(Fields);
  Fields.resize(Size);
}

const std::string &Key::record() const {
  if (Record.empty()) {
    KeyFields Last;
    Last.add("input_size", std::to_string(Input.size()));
    Last.add("input_sha256", sha256(Input).str());
    Record = Fields + Last.encoded();
  }
  return Record;
}

const Hash256 &Key::digest() const {
  if (!Digest)
    Digest = sha256(record());
  return *Digest;
}

} // namespace heddle::cache
