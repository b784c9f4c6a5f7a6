//===- Origin.h - Versions of what is linked --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PTX version and target of a program are the highest of its parts.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_LINK_ORIGIN_H
#define HEDDLE_LIB_LINK_ORIGIN_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle::link {

/// Makes Kept, such as 9.0 or sm_90a, the higher one of itself and Other, which
/// is of the same kind. An empty text is below all.
void raiseOrigin(std::string &Kept, llvm::StringRef Other);

} // namespace heddle::link

#endif // HEDDLE_LIB_LINK_ORIGIN_H
