//===- ModuleFile.h - A module from a file ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tools take code objects and PTX text in the same places.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLING_MODULEFILE_H
#define HEDDLE_TOOLING_MODULEFILE_H

#include "heddle/Options/CompileOptions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace heddle {

/// Whether \p Bytes begin as a code object does, and are not PTX text.
bool isCodeObject(llvm::StringRef Bytes);

/// The code object in the file at \p Path, or what becomes of the PTX text in
/// it with \p Options. The compiler's messages go to standard error.
llvm::Expected<llvm::SmallVector<char, 0>>
readModule(llvm::StringRef Path, const CompileOptions &Options);

/// A code object of the program that the files at \p Paths make together: PTX,
/// LLVM bitcode, relocatable objects or archives of such. Errors and messages
/// as of readModule.
llvm::Expected<llvm::SmallVector<char, 0>>
linkModules(llvm::ArrayRef<std::string> Paths, const CompileOptions &Options);

} // namespace heddle

#endif // HEDDLE_TOOLING_MODULEFILE_H
