//===- Settings.h - The options of a compilation, decoded -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoded once, at the start of a compilation, from the table of options.
// Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_SETTINGS_H
#define HEDDLE_LIB_COMPILER_SETTINGS_H

#include "heddle/Options/CompileOptions.h"
#include "heddle/Target/RegisterPlan.h"
#include "heddle/Tuning/Document.h"
#include "passes/pgo/Instrument.h"
#include "passes/pipeline/Pipeline.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::compiler {

/// The options of a compilation, decoded and checked.
struct Settings {
  std::string Chip;      ///< hd100, ...
  std::string PTXTarget; ///< sm_90a, ...; empty: as .target says
  bool CheckOnly = false;
  bool AcceptNewerVersion = false; ///< of PTX than is known
  unsigned OptLevel = 3;           ///< 0 to 3
  bool SinglePass = true;          ///< --single-pass
  bool Contract = true;            ///< -fmad
  bool DebugInfo = false, LineInfo = false;
  bool DropDebugInfo = false; ///< also of bitcode and objects
  bool Remarks = false;       ///< are wanted, by lines
  std::string Emit;
  std::vector<std::string> Entries;  ///< -e; empty: all
  unsigned MaxRegisters = 0;         ///< 0: no limit of the command line
  unsigned MaxFunctionRegisters = 0; ///< of functions that are linked later
  std::string MaxNTid;               ///< "x,y,z" or empty
  unsigned MinCTAs = 0;
  bool OverrideDirectives = false;
  bool IsLink = false;            ///< the input is a bundle of inputs
  bool Relocatable = false;       ///< -c, -r: may be linked further
  bool LTO = false;               ///< -dlto, when linking
  bool LenientPrototypes = false; ///< of machine code that is linked
  bool ByKernels = false;         ///< --thin-lto, of a whole program
  bool EmbedBitcode = false;      ///< -dlto, in what may be linked further
  bool DropKernels = false, DropVariables = false; ///< those not listed below
  std::vector<std::string> KernelsUsed, VariablesUsed;
  /// What is assumed of an argument of every kernel.
  struct ParamAssumption {
    unsigned Param = 0; ///< from 0
    bool IsAlign = false;
    uint64_t Value = 0; ///< the value, or what it is a multiple of
  };
  std::string AssumedBlock; ///< "x,y,z" or empty
  std::vector<ParamAssumption> AssumedParams;
  bool Partitions = false; ///< --partitions
  unsigned Threads = 1;    ///< that compile partitions; 0: one for each core
  bool KeepMemberMasks = false;
  bool SeparateCTAs = false; ///< no Knob::CoarsenCTAs
  /// What is decided of registers; none: attempts show what is best.
  std::optional<RegisterPlans> Plans;
  tuning::Document Tuning;
  std::shared_ptr<const pgo::ProfileData> Profile; ///< null: none
  std::optional<passes::CountingOptions> Counting;

  /// Whether the input is the whole of a program that code is made of.
  bool isWholeProgram() const {
    return !Relocatable && !IsLink && !CheckOnly && Emit != "ptx-dialect" &&
           Emit != "llvm-dialect";
  }
  /// Whether functions are generated in one pass where that is possible.
  bool generatesInOnePass() const { return SinglePass && OptLevel == 0; }
  bool hasLinesInOutput() const { return DebugInfo || LineInfo; }
  bool keepsLines() const { return hasLinesInOutput() || Remarks; }
  passes::PipelineOptions pipelineOptions() const {
    return {OptLevel, Chip, LTO, Relocatable};
  }
};

/// A limit of registers; 0: none. archmin is what the calling convention needs.
llvm::Expected<unsigned> decodeMaxRegisters(llvm::StringRef Text);

/// Decodes Options; an error names the option and what it takes.
llvm::Expected<Settings> decodeSettings(const CompileOptions &Options,
                                        bool IsLink);

/// Gives LLVM the options of -mllvm, once for the process.
llvm::Error setLLVMOptions(const std::vector<std::string> &Options);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_SETTINGS_H
