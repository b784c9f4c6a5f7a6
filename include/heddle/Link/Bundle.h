//===- Bundle.h - Several inputs as one ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is linked goes to the compiler as one input, so that the cache's key,
// the helper process and a reproducer cover all of it. A bundle is the line
// "!heddle-link-2" and, for each input, the lengths of its name, its limit and
// its bytes as 64-bit little-endian numbers, the name, the limit, the bytes.
// Depends on the standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LINK_BUNDLE_H
#define HEDDLE_LINK_BUNDLE_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// PTX, LLVM bitcode, a code object, or an archive of such.
struct LinkInput {
  std::string_view Name; ///< for messages
  std::string_view Bytes;
  /// The limit of registers that its own build asked for, as -maxrregcount
  /// takes it; empty: none.
  std::string_view RegisterLimit = {};
};

/// Whether \p Input begins as a bundle does.
bool isLinkBundle(std::string_view Input);

/// \p Inputs as one input of the compiler.
std::string makeLinkBundle(std::span<const LinkInput> Inputs);

/// The inputs in \p Bundle, into which they point; none if it is not one, or is
/// cut off.
std::optional<std::vector<LinkInput>> readLinkBundle(std::string_view Bundle);

} // namespace heddle

#endif // HEDDLE_LINK_BUNDLE_H
