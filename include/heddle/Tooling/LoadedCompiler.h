//===- LoadedCompiler.h - The compiler of another library -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiler's functions (heddle/Compiler/Compiler.h) for programs that load the
// compiler's library when there is something to compile. Errors of the library
// come as text: LLVM's errors of one library mean nothing in another.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLING_LOADEDCOMPILER_H
#define HEDDLE_TOOLING_LOADEDCOMPILER_H

#include "heddle/Compiler/CompilerInterface.h"
#include "heddle/Support/Diagnostic.h"
#include "heddle/Tuning/Document.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <map>
#include <string>
#include <vector>

namespace heddle {

/// A handle of the library, which stays loaded. Any number of threads may use
/// one at once.
class LoadedCompiler {
public:
  /// Loads the library that stands in the file at \p Path; empty: the one that
  /// belongs to the program.
  static llvm::Expected<LoadedCompiler> load(const std::string &Path = "");

  /// As Compiler::compile; \p Control may be null.
  CompileResult compile(llvm::MemoryBufferRef Input,
                        const CompileOptions &Options,
                        CompileControl *Control = nullptr) const;

  /// As Compiler::kernelLoops.
  llvm::Expected<std::map<std::string, std::vector<tuning::LoopShape>>>
  kernelLoops(llvm::MemoryBufferRef Input, const CompileOptions &Options,
              DiagnosticHandler Handler) const;

  /// The instructions of \p CodeObject, which is for \p Chip.
  llvm::Expected<Disassembly> disassemble(llvm::ArrayRef<uint8_t> CodeObject,
                                          llvm::StringRef Chip) const;

private:
  explicit LoadedCompiler(const CompilerInterface *Functions)
      : Functions(Functions) {}

  const CompilerInterface *Functions;
};

} // namespace heddle

#endif // HEDDLE_TOOLING_LOADEDCOMPILER_H
