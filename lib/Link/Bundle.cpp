//===- Bundle.cpp - Several inputs as one -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes and reads bundles; the reader trusts no number.
//
//===----------------------------------------------------------------------===//

#include "heddle/Link/Bundle.h"

#include <cstdint>

namespace heddle {

static constexpr std::string_view Magic = "!heddle-link-2\n";

bool isLinkBundle(std::string_view Input) { return Input.starts_with(Magic); }

static void appendNumber(std::string &Out, uint64_t Value) {
  for (unsigned Byte = 0; Byte != sizeof(Value); ++Byte)
    Out += static_cast<char>(Value >> 8 * Byte);
}

std::string makeLinkBundle(std::span<const LinkInput> Inputs) {
  size_t Size = Magic.size();
  for (const LinkInput &I : Inputs)
    Size += 3 * sizeof(uint64_t) + I.Name.size() + I.RegisterLimit.size() +
            I.Bytes.size();
  std::string Bundle(Magic);
  Bundle.reserve(Size);
  for (const LinkInput &I : Inputs) {
    appendNumber(Bundle, I.Name.size());
    appendNumber(Bundle, I.RegisterLimit.size());
    appendNumber(Bundle, I.Bytes.size());
    Bundle += I.Name;
    Bundle += I.RegisterLimit;
    Bundle += I.Bytes;
  }
  return Bundle;
}

static bool takeNumber(std::string_view &Rest, uint64_t &Value) {
  if (Rest.size() < sizeof(Value))
    return false;
  Value = 0;
  for (unsigned Byte = 0; Byte != sizeof(Value); ++Byte)
    Value |= uint64_t(static_cast<unsigned char>(Rest[Byte])) << 8 * Byte;
  Rest.remove_prefix(sizeof(Value));
  return true;
}

static bool takeText(std::string_view &Rest, uint64_t Size,
                     std::string_view &Text) {
  if (Size > Rest.size())
    return false;
  Text = Rest.substr(0, Size);
  Rest.remove_prefix(Size);
  return true;
}

std::optional<std::vector<LinkInput>> readLinkBundle(std::string_view Bundle) {
  if (!isLinkBundle(Bundle))
    return std::nullopt;
  std::vector<LinkInput> Inputs;
  std::string_view Rest = Bundle.substr(Magic.size());
  while (!Rest.empty()) {
    uint64_t NameSize, LimitSize, Size;
    LinkInput &I = Inputs.emplace_back();
    if (!takeNumber(Rest, NameSize) || !takeNumber(Rest, LimitSize) ||
        !takeNumber(Rest, Size) || !takeText(Rest, NameSize, I.Name) ||
        !takeText(Rest, LimitSize, I.RegisterLimit) ||
        !takeText(Rest, Size, I.Bytes))
      return std::nullopt;
  }
  return Inputs;
}

} // namespace heddle
