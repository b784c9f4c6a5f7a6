//===- Warnings.cpp - Which warnings are given ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the texts after -W mean.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/Warnings.h"

#include "Spelling.h"

namespace heddle {

WarningSettings::WarningSettings() {
  for (const WarningInfo &W : warningTable())
    at(W.Id).Given = W.IsDefault;
}

static bool consume(std::string_view &Text, std::string_view Prefix) {
  if (!Text.starts_with(Prefix))
    return false;
  Text.remove_prefix(Prefix.size());
  return true;
}

std::optional<std::string> WarningSettings::apply(std::string_view Text) {
  bool Negated = consume(Text, "no-");
  if (Text == "error") {
    AreErrors = !Negated;
    return std::nullopt;
  }
  bool OfErrors = consume(Text, "error=");
  bool Found = false;
  std::vector<std::string_view> Names;
  for (const WarningInfo &W : warningTable()) {
    Names.push_back(W.Name);
    if (Text != W.Name && Text != "all")
      continue;
    Found = true;
    if (OfErrors)
      at(W.Id).IsError = !Negated;
    // -Werror=NAME gives the warning, -Wno-error=NAME leaves it as it is.
    if (!OfErrors || !Negated)
      at(W.Id).Given = !Negated;
  }
  if (Found)
    return std::nullopt;
  std::string_view Near = findNearestSpelling(Text, Names);
  return "there is no warning '" + std::string(Text) + "'" +
         (Near.empty() ? "; see --help"
                       : "; did you mean '" + std::string(Near) + "'?");
}

} // namespace heddle
