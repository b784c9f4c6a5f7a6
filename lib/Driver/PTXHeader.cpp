//===- PTXHeader.cpp - What PTX says of itself ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comments, `.version` and `.target`.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/PTXHeader.h"
#include "heddle/Link/Bundle.h"
#include "heddle/Support/CUDAVersion.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

using namespace heddle;

using Version = std::pair<unsigned, unsigned>;

static std::string_view skipSpace(std::string_view Text) {
  Text.remove_prefix(
      std::min(Text.find_first_not_of(" \t\n\v\f\r"), Text.size()));
  return Text;
}

/// PTX from its first directive on.
static std::string_view skipComments(std::string_view PTX) {
  for (PTX = skipSpace(PTX); PTX.starts_with("//") || PTX.starts_with("/*");
       PTX = skipSpace(PTX)) {
    std::string_view End = PTX.starts_with("//") ? "\n" : "*/";
    size_t At = PTX.find(End, 2);
    PTX.remove_prefix(At == PTX.npos ? PTX.size() : At + End.size());
  }
  return PTX;
}

static bool consume(std::string_view &Text, std::string_view Prefix) {
  if (!Text.starts_with(Prefix))
    return false;
  Text.remove_prefix(Prefix.size());
  return true;
}

static bool consumeNumber(std::string_view &Text, unsigned &Number) {
  auto [End, Error] =
      std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  Text.remove_prefix(End - Text.data());
  return Error == std::errc();
}

/// Takes the `.version` that PTX begins with; none if it does not say one.
static std::optional<Version> consumeVersion(std::string_view &PTX) {
  PTX = skipComments(PTX);
  if (!consume(PTX, ".version") || skipSpace(PTX).size() == PTX.size())
    return std::nullopt;
  PTX = skipSpace(PTX);
  Version V;
  if (!consumeNumber(PTX, V.first) || !consume(PTX, ".") ||
      !consumeNumber(PTX, V.second))
    return std::nullopt;
  return V;
}

unsigned heddle::targetOfPTX(std::string_view Input) {
  std::optional<std::vector<LinkInput>> Parts = readLinkBundle(Input);
  std::string_view PTX = Input;
  if (Parts && !Parts->empty())
    PTX = Parts->front().Bytes;
  unsigned GPU;
  if (!consumeVersion(PTX))
    return 0;
  PTX = skipComments(PTX);
  if (!consume(PTX, ".target"))
    return 0;
  PTX = skipSpace(PTX);
  return consume(PTX, "sm_") && consumeNumber(PTX, GPU) ? GPU : 0;
}

bool heddle::isNewerPTX(std::string_view Input) {
  std::vector<LinkInput> Inputs =
      readLinkBundle(Input).value_or(std::vector<LinkInput>{{"", Input}});
  return std::any_of(Inputs.begin(), Inputs.end(), [&](const LinkInput &I) {
    std::string_view PTX = I.Bytes;
    std::optional<Version> Wanted = consumeVersion(PTX);
    return Wanted && *Wanted > Version(PTXMajor, PTXMinor);
  });
}
