//===- Parts.h - Parts of an input, compiled apart --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is divided into parts that are optimised, compiled and cached on
// their own, by as many threads as the caller gives. Where the parts come from
// is of no consequence: one module's units, or the modules of a program.
// Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_PARTS_H
#define HEDDLE_LIB_COMPILER_PARTS_H

#include "Stages.h"
#include "TaskGroup.h"

#include "heddle/Compiler/PartStore.h"
#include "heddle/DeviceLibrary/DeviceLibrary.h"

namespace heddle::compiler {

using Buffer = llvm::SmallVector<char, 0>;

/// Something that is divided. Used by one thread.
class PartSource {
public:
  virtual ~PartSource() = default;
  virtual size_t size() const = 0;
  /// A text that says what part \p I is made of, so that equal texts give equal
  /// parts; empty: that is only known once it is made.
  virtual std::string origin(size_t) { return {}; }
  virtual llvm::Expected<std::unique_ptr<llvm::Module>> extract(size_t I) = 0;
  /// How many functions part \p I has, at most.
  virtual unsigned functions(size_t I) const = 0;
  /// About how many instructions all parts have.
  virtual size_t instructions() const = 0;
};

/// A module in a context of its own, and its units.
struct UnitModule {
  std::unique_ptr<llvm::LLVMContext> Context;
  std::unique_ptr<llvm::Module> M;
  std::vector<Unit> Units;
  /// The place of each unit among those of all modules.
  std::vector<size_t> Places;
};

/// Generates modules of one context, one after another. What takes time to set
/// up is set up once.
class ModuleGenerator {
public:
  ModuleGenerator(const Settings &S, CompilerContext &Ctx, Reporter &Report,
                  Progress &Functions)
      : S(S), Ctx(Ctx), Report(Report), Functions(Functions) {}

  /// Optimises Part and makes its code; functions that spill, or that a core
  /// could hold more warps of, are compiled again.
  llvm::Error generate(llvm::Module &Part, Buffer &Bytes);
  /// Only finds out how functions of Part that are compiled again are compiled
  /// best, and notes it in attributes, which generate obeys.
  llvm::Error chooseRegisters(llvm::Module &Part);
  /// What each function cost to generate so far.
  llvm::StringMap<double> milliseconds() const {
    return CodeGen ? CodeGen->milliseconds() : llvm::StringMap<double>();
  }

private:
  llvm::Error generateOnce(llvm::Module &Part, Buffer &Bytes);
  llvm::Error generateBest(llvm::Module &Part, Buffer &Bytes);
  /// The code in which each function spills least.
  llvm::Error generateWithinRegisters(llvm::Module &Part, Buffer &Bytes);
  /// The code with as many warps as are of use, in place of that of Made, which
  /// was Original and is compiled.
  llvm::Error generateForOccupancy(llvm::Module &Made,
                                   std::unique_ptr<llvm::Module> Original,
                                   Buffer &Bytes);
  llvm::Error linkLibrary(llvm::Module &Part);

  const Settings &S;
  CompilerContext &Ctx;
  Reporter &Report;
  Progress &Functions;
  /// Made when they are needed.
  std::optional<DeviceLibrary> Library;
  std::optional<CodeGenerator> CodeGen;
};

/// Generates the parts of one input, but for those that the part store has.
class PartGenerator {
public:
  /// Messages are about File; what was found and made is counted in Output.
  PartGenerator(const Settings &S, llvm::StringRef File,
                const CompileEnvironment &Env, Reporter &Report,
                unsigned TotalFunctions, CompileOutput &Output)
      : S(S), File(File), Env(Env), Report(Report),
        Functions(std::make_shared<Progress>(Env.Control, TotalFunctions)),
        Output(Output), Serial(S, Env.Ctx, Report, *Functions) {}

  /// A module that is no part.
  llvm::Error generate(llvm::Module &M, Buffer &Bytes) {
    return Serial.generate(M, Bytes);
  }
  llvm::Error generatePart(llvm::Module &Part, Buffer &Bytes);
  /// All of them, in their order. Each is compiled on its own, whether it is
  /// cached or not, so that the result is the same.
  llvm::Error generateParts(PartSource &Source, std::vector<Buffer> &Objects);
  /// The units of modules, in the order of their places. Those of one module
  /// are one thread's.
  llvm::Error generateModules(std::vector<UnitModule> Modules, unsigned Threads,
                              std::vector<Buffer> &Objects);
  /// What each function cost.
  llvm::StringMap<double> milliseconds() const;

private:
  struct Shared;
  /// A part that the store does not have, or what else is known of it.
  struct Missing {
    size_t Number = 0;
    unsigned Functions = 0;
    std::string Origin, Text; ///< names for the part store
  };

  bool find(llvm::StringRef Text, unsigned Functions, Buffer &Bytes);
  bool findMade(llvm::Module &Part, Missing &M, Buffer &Bytes);
  /// The part that M is about, to be compiled; null if its code was found.
  llvm::Expected<std::unique_ptr<llvm::Module>>
  extractMissing(PartSource &Source, Missing &M, Buffer &Bytes);
  /// Calls \p Generate with each part whose code was not found; found code is
  /// in \p Objects then.
  llvm::Error forEachMissing(
      PartSource &Source, std::vector<Buffer> &Objects,
      llvm::function_ref<llvm::Error(Missing, llvm::Module &)> Generate);
  void keep(const Missing &M, const Buffer &Bytes, unsigned Messages);
  unsigned threadsFor(const PartSource &Source) const;
  llvm::Error generateShared(PartSource &Source, std::vector<Buffer> &Objects,
                             unsigned Threads);
  llvm::Error takeOver(Shared &All, std::vector<Buffer> &Objects);

  const Settings &S;
  llvm::StringRef File;
  const CompileEnvironment &Env;
  Reporter &Report;
  std::shared_ptr<Progress> Functions;
  CompileOutput &Output;
  ModuleGenerator Serial; ///< for this thread
  llvm::StringMap<double> SharedMilliseconds;
};

/// Instructions of a module, at most, that is compiled several times.
inline constexpr size_t MostRepeatedInstructions = 32768;

/// Whether a kernel of M may take more registers than are good for it.
bool mayGainWarps(const llvm::Module &M, const Settings &S);

/// How many functions have code of their own.
unsigned countFunctions(const llvm::Module &M);

/// Instructions from which on more threads than one are worth it: what a thread
/// has to set up costs as much as some thousand.
inline constexpr size_t MinSharedInstructions = 2000;
/// How many threads the settings allow.
unsigned threadsAllowed(const Settings &S);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_PARTS_H
