//===- ActionResult.cpp - Bazel's record of an action -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes and reads the few fields.
//
//===----------------------------------------------------------------------===//

#include "ActionResult.h"

#include <algorithm>

namespace heddle::cache {

namespace {

enum WireType { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

void appendVarint(std::string &Out, uint64_t Value) {
  for (; Value >= 0x80; Value >>= 7)
    Out += static_cast<char>(Value | 0x80);
  Out += static_cast<char>(Value);
}

void appendBytes(std::string &Out, unsigned Field, std::string_view Value) {
  appendVarint(Out, Field << 3 | Bytes);
  appendVarint(Out, Value.size());
  Out += Value;
}

bool takeVarint(std::string_view &In, uint64_t &Value) {
  Value = 0;
  for (unsigned Shift = 0; Shift < 64 && !In.empty(); Shift += 7) {
    auto Byte = static_cast<uint8_t>(In.front());
    In.remove_prefix(1);
    Value |= uint64_t(Byte & 0x7f) << Shift;
    if (!(Byte & 0x80))
      return true;
  }
  return false;
}

bool skip(std::string_view &In, uint64_t Size) {
  if (Size > In.size())
    return false;
  In.remove_prefix(Size);
  return true;
}

/// The first field of a message with this number and length-delimited contents.
std::optional<std::string_view> findBytes(std::string_view In, unsigned Field) {
  uint64_t Tag, Value;
  while (!In.empty()) {
    if (!takeVarint(In, Tag))
      return std::nullopt;
    bool Good = true;
    switch (Tag & 7) {
    case Varint:
      Good = takeVarint(In, Value);
      break;
    case Fixed64:
      Good = skip(In, 8);
      break;
    case Fixed32:
      Good = skip(In, 4);
      break;
    case Bytes:
      if (!takeVarint(In, Value) || Value > In.size())
        return std::nullopt;
      if (Tag >> 3 == Field)
        return In.substr(0, Value);
      In.remove_prefix(Value);
      break;
    default:
      return std::nullopt;
    }
    if (!Good)
      return std::nullopt;
  }
  return std::nullopt;
}

} // namespace

std::string encodeActionResult(const Hash256 &Digest, uint64_t Size) {
  std::string DigestMessage, File, Result;
  appendBytes(DigestMessage, 1, Digest.str());
  appendVarint(DigestMessage, 2 << 3 | Varint);
  appendVarint(DigestMessage, Size);
  appendBytes(File, 1, "entry");
  appendBytes(File, 2, DigestMessage);
  appendBytes(Result, 2, File);
  return Result;
}

std::optional<std::string> decodeActionResult(std::string_view In) {
  auto File = findBytes(In, 2);
  auto DigestMessage = File ? findBytes(*File, 2) : std::nullopt;
  auto Hash = DigestMessage ? findBytes(*DigestMessage, 1) : std::nullopt;
  bool IsHex = Hash && Hash->size() == 64 &&
               std::all_of(Hash->begin(), Hash->end(), [](char C) {
                 return (C >= '0' && C <= '9') || (C >= 'a' && C <= 'f');
               });
  if (!IsHex)
    return std::nullopt;
  return std::string(*Hash);
}

} // namespace heddle::cache
