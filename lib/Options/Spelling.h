//===- Spelling.h - The nearest of several words ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Suggestions for misspelt options, without LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_OPTIONS_SPELLING_H
#define HEDDLE_LIB_OPTIONS_SPELLING_H

#include <span>
#include <string_view>
#include <vector>

namespace heddle {

/// The candidate that the fewest edits make of \p Name; empty when none is
/// close. The first of several wins.
std::string_view findNearestSpelling(std::string_view Name,
                                     std::span<const std::string_view> From);

} // namespace heddle

#endif // HEDDLE_LIB_OPTIONS_SPELLING_H
