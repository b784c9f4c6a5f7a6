//===- Origin.cpp - Versions of what is linked ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares by numbers first, so that 10.0 is above 9.0 and sm_100 above sm_90a.
//
//===----------------------------------------------------------------------===//

#include "Origin.h"

#include <tuple>

using namespace llvm;

namespace heddle::link {

static std::tuple<unsigned, unsigned, StringRef> rank(StringRef Text) {
  Text.consume_front("sm_");
  unsigned Major = 0, Minor = 0;
  Text.consumeInteger(10, Major);
  if (Text.consume_front("."))
    Text.consumeInteger(10, Minor);
  return {Major, Minor, Text};
}

void raiseOrigin(std::string &Kept, StringRef Other) {
  if (rank(Other) > rank(Kept))
    Kept = Other.str();
}

} // namespace heddle::link
