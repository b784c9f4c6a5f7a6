//===- JSON.h - Reading JSON of unknown origin ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's parser recurses, so that a hostile file could exhaust the stack.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_JSON_H
#define HEDDLE_SUPPORT_JSON_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace heddle {

/// Arrays and objects that may be inside each other.
inline constexpr unsigned MaxJSONDepth = 64;

/// What llvm::json::parse returns, but an error for text whose arrays and
/// objects are more than MaxJSONDepth inside each other. The error's message
/// begins with "[LINE:COLUMN, byte=N]: ".
llvm::Expected<llvm::json::Value> parseJSON(llvm::StringRef Text);

} // namespace heddle

#endif // HEDDLE_SUPPORT_JSON_H
