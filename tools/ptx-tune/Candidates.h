//===- Candidates.h - The code of configurations ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a configuration to code that keeps the limits, for whatever measures it
// then.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_CANDIDATES_H
#define HEDDLE_TOOLS_PTX_TUNE_CANDIDATES_H

#include "Options.h"
#include "heddle/Tooling/LoadedCompiler.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle::tune {

/// What a manifest launches from: a module, or several that are linked.
class Program {
public:
  /// Reads the files; code that is made already, and nothing else, is an error.
  static llvm::Expected<std::unique_ptr<Program>>
  read(llvm::ArrayRef<std::string> Paths);

  /// As the compiler takes it.
  llvm::MemoryBufferRef input() const;
  /// Those of the modules that are PTX.
  llvm::ArrayRef<llvm::MemoryBufferRef> texts() const { return Texts; }

private:
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> Files;
  std::vector<llvm::MemoryBufferRef> Texts;
  std::string Bundle; ///< Of several files; empty: there is one.
};

/// What became of a configuration.
struct Candidate {
  CompileResult Code;       ///< Unless it is over a limit.
  CodeFigures Takes;        ///< 0 if it took too long to compile.
  std::vector<Excess> Over; ///< Empty: it keeps the limits.
};

/// Compiles configurations as the options say.
class CandidateMaker {
public:
  CandidateMaker(const Options &O, LoadedCompiler Compiler)
      : O(O), Compiler(Compiler) {}

  /// The compiler's options for a chip; \p D may be null.
  llvm::Expected<CompileOptions> optionsFor(llvm::StringRef Chip,
                                            const tuning::Document *D) const;
  const LoadedCompiler &compiler() const { return Compiler; }

  /// Finds how long the untuned compilation takes, if a limit is relative to
  /// that: to be called for each program and chip before make is.
  llvm::Error prepare(const Program &P, llvm::StringRef Chip);
  /// The code of a configuration, or with null the untuned one, whatever the
  /// limits are.
  llvm::Expected<CompileResult> makeAnyway(const Program &P,
                                           llvm::StringRef Chip,
                                           const tuning::Document *D) const;
  /// The code of a configuration of a kernel. Any number of threads may call
  /// it at once.
  llvm::Expected<Candidate> make(const Program &P, llvm::StringRef Chip,
                                 llvm::StringRef Kernel,
                                 const tuning::Document &D) const;

private:
  /// The result says itself whether Control stopped the compilation; what else
  /// goes wrong is an error.
  llvm::Expected<CompileResult> compile(const Program &P, llvm::StringRef Chip,
                                        const tuning::Document *D,
                                        CompileControl *Control) const;
  llvm::Expected<std::optional<CompileResult>>
  compileInTime(const Program &P, llvm::StringRef Chip,
                const tuning::Document &D) const;

  const Options &O;
  const LoadedCompiler Compiler;
  /// Seconds that the untuned compilation takes.
  std::map<std::pair<const Program *, std::string>, double> Untuned;
};

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_CANDIDATES_H
