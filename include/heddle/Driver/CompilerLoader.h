//===- CompilerLoader.h - Finds and loads the compiler ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the compiler's library is, what identifies it, and loading it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DRIVER_COMPILERLOADER_H
#define HEDDLE_DRIVER_COMPILERLOADER_H

#include "heddle/Compiler/CompilerInterface.h"

#include <string>

namespace heddle {

/// What a compiler binary says of itself in its ELF notes, read without loading
/// it.
struct CompilerIdentity {
  /// The linker's hash of the library's contents (GNU build id), hexadecimal:
  /// any change of the compiler, LLVM or the device library changes it. Empty
  /// if the library is not there or has none.
  std::string Build;
  /// SHA-256 of the ISA definitions that the compiler was made from.
  std::string ISA;
};

/// The path of libheddle-compiler.so beside the program or library that this
/// function is linked into, in the folder above, or in the folder of libraries
/// next to its folder.
std::string compilerLibraryPath();

/// The path of libheddle-cache-remote.so, found in the same way.
std::string remoteLibraryPath();
/// That of libheddle-native.so.
std::string nativeLibraryPath();

CompilerIdentity readCompilerIdentity(const std::string &Path);

/// Loads the library, once for each path. Null with Error set if it cannot be
/// loaded or belongs to another build. It stays loaded.
const CompilerInterface *loadCompiler(const std::string &Path,
                                      std::string &Error);

} // namespace heddle

#endif // HEDDLE_DRIVER_COMPILERLOADER_H
