//===- JSON.cpp - Reading JSON of unknown origin ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts brackets before LLVM's parser sees them.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/JSON.h"

#include "heddle/Support/PlainNumbers.h"

using namespace llvm;

namespace heddle {

/// The place of the first bracket that is too deep inside others; npos if none
/// is.
static size_t findTooDeep(StringRef Text) {
  unsigned Depth = 0;
  bool InString = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (InString && C == '\\')
      ++I;
    else if (C == '"')
      InString = !InString;
    else if (!InString && (C == '[' || C == '{') && ++Depth > MaxJSONDepth)
      return I;
    else if (!InString && (C == ']' || C == '}') && Depth)
      --Depth;
  }
  return StringRef::npos;
}

Expected<json::Value> parseJSON(StringRef Text) {
  PlainNumbers Plain;
  size_t At = findTooDeep(Text);
  if (At == StringRef::npos)
    return json::parse(Text);
  StringRef Before = Text.take_front(At);
  size_t Line = Before.count('\n') + 1;
  size_t Column = At - (Before.rfind('\n') + 1); // npos + 1 is 0
  return createStringError("[" + Twine(Line) + ":" + Twine(Column) + ", byte=" +
                           Twine(At) + "]: arrays and objects nest too deeply");
}

} // namespace heddle
