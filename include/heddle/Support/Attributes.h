//===- Attributes.h - Attributes of LLVM IR ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of Attributes.def.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_ATTRIBUTES_H
#define HEDDLE_SUPPORT_ATTRIBUTES_H

namespace heddle::attr {

#define HEDDLE_ATTRIBUTE(Id, Text, Meaning) inline constexpr char Id[] = Text;
#include "heddle/Support/Attributes.def"

} // namespace heddle::attr

#endif // HEDDLE_SUPPORT_ATTRIBUTES_H
