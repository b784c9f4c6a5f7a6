//===- ObjectMerge.h - Puts code objects together ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the code objects of parts of one module together into the module's code
// object. This is no linker: the parts come from one compilation, so that a
// name means one thing in all of them, and nothing is resolved or moved.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OBJECT_OBJECTMERGE_H
#define HEDDLE_OBJECT_OBJECTMERGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace heddle {

/// Merges code objects: their variables, in the order of the parts, and their
/// functions in the order of \p Functions, functions that are not named there
/// last. A symbol that one part leaves undefined and another defines is that
/// one. A function that several parts bring with the same code, such as one of
/// the device library, is there once. The metadata is the first part's, with
/// the kernels of all. Debug information is laid out (layOutDebugInfo).
llvm::Expected<std::string>
mergeObjects(llvm::ArrayRef<llvm::ArrayRef<uint8_t>> Parts,
             llvm::ArrayRef<llvm::StringRef> Functions);

} // namespace heddle

#endif // HEDDLE_OBJECT_OBJECTMERGE_H
