//===- SeverityName.h - How messages call their level ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The word for the level of a message, the same in all ways to write messages.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_SEVERITYNAME_H
#define HEDDLE_SUPPORT_SEVERITYNAME_H

#include "heddle/Support/Message.h"
#include "llvm/ADT/StringRef.h"

namespace heddle {

llvm::StringRef severityName(Severity Level);

} // namespace heddle

#endif // HEDDLE_SUPPORT_SEVERITYNAME_H
