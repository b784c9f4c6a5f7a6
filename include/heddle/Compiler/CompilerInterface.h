//===- CompilerInterface.h - The compiler as a library ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What libheddle-compiler.so offers: LLVM, MLIR and the compiler, linked into
// one library that is loaded when something has to be compiled. Both sides are
// made by one build, so that C++ types may pass between them; a hash of their
// layout is compared before anything else.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_COMPILER_COMPILERINTERFACE_H
#define HEDDLE_COMPILER_COMPILERINTERFACE_H

#include "heddle/Compiler/Control.h"
#include "heddle/Compiler/PartitionStore.h"
#include "heddle/Compiler/Report.h"
#include "heddle/Options/CompileOptions.h"
#include "heddle/Support/Message.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle {

/// Everything that comes out of a compilation.
struct CompileResult : CompileSummary {
  bool Succeeded = false;
  bool Stopped = false;        ///< by its CompileControl
  bool MemoryExceeded = false; ///< what its CompileControl allows
  std::string Failure; ///< what is to be said of a failure, after the messages
  std::string Bytes;   ///< what --emit asked for
  std::vector<Diagnostic> Messages;
};

/// What a PTX module has, from its text alone.
struct ModuleOutline {
  std::vector<std::string> Entries; ///< kernels with a body, in their order
  /// Whether functions are called through pointers.
  bool CallsPointers = false;
};

/// The loops of a module.
struct LoopListing {
  /// For each kernel with a body, the depths of its loops, 1 being outermost,
  /// as a tuning document counts them.
  std::map<std::string, std::vector<unsigned>> DepthsOf;
  std::string Failure; ///< What is to be said of one, after the messages.
  std::vector<Diagnostic> Messages;
};

/// Instructions by the name of their section and their offset in it, in bytes.
using Disassembly = std::map<std::pair<std::string, uint64_t>, std::string>;

/// A GPU that .target may name.
struct SupportedTarget {
  std::string Name;       ///< such as sm_90a
  std::string PTXVersion; ///< the first that knows it, such as 8.0
};

struct CompilerInterface {
  /// compilerInterfaceLayout() of its build.
  uint64_t Layout;
  /// Compiles as Compiler::compile does; all messages are in the result. Store
  /// and Control may be null. Any number of threads may call it at once.
  void (*Compile)(std::string_view Input, const std::string &Name,
                  const CompileOptions &Options, PartitionStore *Store,
                  CompileControl *Control, CompileResult &Result);
  /// Reads a module without compiling it. After an error, which is among the
  /// messages, false.
  bool (*Outline)(std::string_view Input, const std::string &Name,
                  ModuleOutline &Result, std::vector<Diagnostic> &Messages);
  std::string (*Version)();
  std::string (*SupportedPTXVersions)();
  std::vector<SupportedTarget> (*SupportedTargets)();
  /// Writes the passes over LLVM IR that Options choose to Text. After an
  /// error, whose message is in Text, false.
  bool (*Pipelines)(const CompileOptions &Options, std::string &Text);
  /// All messages of Tool as one document of --diagnostics-format.
  std::string (*FormatMessages)(std::string_view Format,
                                const std::string &Tool,
                                const std::vector<Diagnostic> &Messages);
  /// Lists loops as Compiler::kernelLoops does. After an error false.
  bool (*ListLoops)(std::string_view Input, const std::string &Name,
                    const CompileOptions &Options, LoopListing &Result);
  /// Writes the instructions of a code object for Chip to Text. After an error,
  /// whose message is in Failure, false.
  bool (*Disassemble)(std::string_view CodeObject, const std::string &Chip,
                      Disassembly &Text, std::string &Failure);
};

/// A hash (FNV-1a) of what a library of another build could misread: the option
/// table and the sizes of the types above.
constexpr uint64_t compilerInterfaceLayout() {
  constexpr std::string_view Table =
#define HEDDLE_OPTION(Id, Long, ...) #Id "=" Long "\n"
#include "heddle/Options/CompileOptions.def"
      ;
  uint64_t Hash = 0xcbf29ce484222325;
  for (char C : Table)
    Hash = (Hash ^ static_cast<unsigned char>(C)) * 0x100000001b3;
  for (uint64_t Size : {sizeof(CompileResult), sizeof(CompilerInterface),
                        sizeof(FunctionReport), sizeof(Diagnostic),
                        sizeof(ModuleOutline), sizeof(LoopListing)})
    Hash = (Hash ^ Size) * 0x100000001b3;
  return Hash;
}

} // namespace heddle

/// The one symbol of the library.
extern "C" const heddle::CompilerInterface *heddleCompilerInterface();

#endif // HEDDLE_COMPILER_COMPILERINTERFACE_H
