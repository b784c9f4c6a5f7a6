//===- Compiler.h - PTX in, code object out ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one door to the compiler: the command line, the tools and the JIT reach
// the frontend, MLIR and LLVM only through this interface.
//
// A Compiler holds what every compilation of a process shares. Any number of
// threads may call compile on one Compiler at once.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_COMPILER_COMPILER_H
#define HEDDLE_COMPILER_COMPILER_H

#include "heddle/Compiler/Control.h"
#include "heddle/Compiler/Report.h"
#include "heddle/Options/CompileOptions.h"
#include "heddle/Support/Diagnostic.h"
#include "heddle/Tuning/Document.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

struct CompileOutput : CompileSummary {
  llvm::SmallVector<char, 0> Bytes; ///< what --emit asked for
};

class PartitionStore;

/// The error of a compilation that its CompileControl ended.
class CompileStopped : public llvm::ErrorInfo<CompileStopped> {
public:
  static char ID;
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;
};

/// The error of a compilation that allocated more than its CompileControl
/// allows.
class MemoryLimitReached : public llvm::ErrorInfo<MemoryLimitReached> {
public:
  static char ID;
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;
};

class Compiler {
public:
  Compiler();
  ~Compiler();

  /// Compiles one PTX module as Options say. Messages about the input go to
  /// Handler, the input's name standing before the colon; if any of them is an
  /// error, the result is an Error that says only that compilation stopped.
  /// With a compute_NN architecture the input is checked, and Bytes is empty.
  /// Control may be null. Runs on a thread of its own, and turns a fatal error
  /// of LLVM's into an Error that begins with "internal error". Objects that
  /// Store has are not made again; the result is the same with and without.
  llvm::Expected<CompileOutput> compile(llvm::MemoryBufferRef Input,
                                        const CompileOptions &Options,
                                        DiagnosticHandler Handler,
                                        CompileControl *Control = nullptr,
                                        PartitionStore *Store = nullptr) const;

  /// The names of the kernels that a module defines, in their order. Messages
  /// go to Handler; after an error the result is an Error as compile's is.
  /// CallsPointers becomes whether functions are called through pointers.
  llvm::Expected<std::vector<std::string>>
  listEntries(llvm::MemoryBufferRef Input, DiagnosticHandler Handler,
              bool &CallsPointers) const;

  /// The kernels that a module defines, each with its loops as a tuning
  /// document counts them. Errors are as compile's are.
  llvm::Expected<std::map<std::string, std::vector<tuning::LoopShape>>>
  kernelLoops(llvm::MemoryBufferRef Input, const CompileOptions &Options,
              DiagnosticHandler Handler) const;

private:
  struct Shared;
  std::unique_ptr<Shared> State;
};

/// The passes over LLVM IR that \p Options choose, in the order in which they
/// run, a line each; an error names the option that is wrong.
llvm::Expected<std::string> describePipelines(const CompileOptions &Options);

/// The compiler's version alone, such as 0.1.0.
std::string compilerVersionNumber();

/// The compiler's version, as -V prints it: lines, the last one naming the
/// release of ptxas whose options it takes.
std::string compilerVersion();

/// The PTX versions that are understood, one a line.
std::string supportedPTXVersions();

} // namespace heddle

#endif // HEDDLE_COMPILER_COMPILER_H
