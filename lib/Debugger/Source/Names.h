//===- Names.h - Names as people write them ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a demangled name is made of, and whether a name that a person wrote
// means it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEBUGGER_NAMES_H
#define HEDDLE_LIB_DEBUGGER_NAMES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle::debug {

/// `f<int>(int*)` of `void f<int>(int*)`: a template's demangled name begins
/// with the type of its result.
llvm::StringRef withoutResult(llvm::StringRef Name);

/// `ns::f` of `ns::f(int)`, and `f<int>` of `void f<int>(int*)`.
llvm::StringRef plainName(llvm::StringRef Name);

/// The name of a variable, a type or an enumerator: nvcc's are mangled where
/// they are in a namespace.
std::string sourceName(llvm::StringRef Name);

/// Whether \p Wanted means \p Name: it is the same but for spaces, or what is
/// behind a `::` of it.
bool isMeant(llvm::StringRef Name, llvm::StringRef Wanted);

} // namespace heddle::debug

#endif // HEDDLE_LIB_DEBUGGER_NAMES_H
