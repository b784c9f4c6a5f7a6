//===- Stages.h - The stages of a compilation -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages that Compiler::compile runs one after another, each in a file of
// its own; private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_STAGES_H
#define HEDDLE_LIB_COMPILER_STAGES_H

#include "passes/pgo/Instrument.h"
#include "passes/pipeline/Pipeline.h"

#include "heddle/Compiler/Compiler.h"
#include "heddle/PTX/AST.h"
#include "heddle/PTX/Diagnostics.h"

#include "heddle/Tuning/Document.h"
#include "llvm/ADT/SmallPtrSet.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace heddle::compiler {

class SharedControl;
class TaskGroup;
class CompilerContext;

/// The options of a compilation, decoded and checked.
struct Settings {
  std::string Chip;      ///< hd100, ...
  std::string PTXTarget; ///< sm_90a, ...; empty: as .target says
  bool CheckOnly = false;
  unsigned OptLevel = 3; ///< 0 to 3
  bool Contract = true;  ///< -fmad
  bool DebugInfo = false, LineInfo = false;
  bool DropDebugInfo = false; ///< also of bitcode and objects
  bool Remarks = false;       ///< are wanted, by lines
  std::string Emit;
  std::vector<std::string> Entries; ///< -e; empty: all
  unsigned MaxRegisters = 0;        ///< 0: no limit of the command line
  std::string MaxNTid;              ///< "x,y,z" or empty
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
  bool Units = false;   ///< --units
  unsigned Threads = 1; ///< of units at a time; 0: one for each core
  bool KeepMemberMasks = false;
  tuning::Document Tuning;
  std::shared_ptr<const pgo::ProfileData> Profile; ///< null: none
  std::optional<passes::CountingOptions> Counting;

  /// Whether the input is the whole of a program that code is made of.
  bool isWholeProgram() const {
    return !Relocatable && !IsLink && !CheckOnly && Emit != "ptx-dialect" &&
           Emit != "llvm-dialect";
  }
  bool hasLinesInOutput() const { return DebugInfo || LineInfo; }
  bool keepsLines() const { return hasLinesInOutput() || Remarks; }
  passes::PipelineOptions pipelineOptions() const {
    return {OptLevel, Chip, LTO, Relocatable};
  }
};

/// Decodes Options; an error names the option and what it takes.
llvm::Expected<Settings> decodeSettings(const CompileOptions &Options,
                                        bool IsLink);

/// Gives LLVM the options of -mllvm, once for the process.
llvm::Error setLLVMOptions(const std::vector<std::string> &Options);

/// The kinds of remarks, as options ask for them.
enum class RemarkKind : uint8_t { Passed, Missed, Analysis };

/// The passes whose remarks are wanted.
class RemarkFilter {
public:
  /// Reads the options' regular expressions; an error names the option.
  static llvm::Expected<RemarkFilter> create(const CompileOptions &Options);
  bool any() const {
    return llvm::any_of(Patterns, [](const auto &P) { return P.has_value(); });
  }
  bool matches(RemarkKind Kind, llvm::StringRef Pass) const {
    const std::optional<llvm::Regex> &P = Patterns[static_cast<size_t>(Kind)];
    return P && P->match(Pass);
  }

private:
  std::array<std::optional<llvm::Regex>, 3> Patterns; ///< by kind
};

/// Reports through a handler and counts errors. Which warnings are given, and
/// which of them are errors, is decided by the options.
class Reporter {
public:
  Reporter(const CompileOptions &Options, DiagnosticHandler Handler);
  void report(const Diagnostic &D);
  /// Messages about a file, or a line of it, from 1.
  void warning(WarningId Id, llvm::StringRef File, const llvm::Twine &Message,
               unsigned Line = 0);
  void error(llvm::StringRef File, const llvm::Twine &Message);
  void info(llvm::StringRef File, const llvm::Twine &Message);
  /// What an optimization did at a place of a file; 0: unknown.
  void remark(llvm::StringRef File, unsigned Line, unsigned Column,
              const llvm::Twine &Message);
  bool isEnabled(WarningId Id) const { return Warnings.isEnabled(Id); }
  const WarningSettings &warnings() const { return Warnings; }
  const RemarkFilter &remarks() const { return Remarks; }
  /// Most errors that the frontend keeps; 0: no limit.
  unsigned maxErrors() const { return MaxErrors; }
  bool failed() const { return Errors != 0; }
  /// What the code generator said so far, whether it was shown or not.
  unsigned backendMessages() const { return BackendMessages; }
  void countBackendMessage() { ++BackendMessages; }
  bool useColor() const { return Color; }

private:
  heddle::DiagnosticHandler Handler;
  WarningSettings Warnings;
  RemarkFilter Remarks;
  unsigned MaxErrors;
  bool Color;
  unsigned Errors = 0;
  unsigned BackendMessages = 0;
};

/// Tells a CompileControl of stages, each of which begins where the last one
/// ended.
class StageTimer {
public:
  explicit StageTimer(CompileControl &Control) : Control(Control) {}
  void end(const char *Name) {
    CompileControl::Time Now = std::chrono::steady_clock::now();
    Control.stageDone(Name, Last, Now);
    Last = Now;
  }

private:
  CompileControl &Control;
  CompileControl::Time Last = std::chrono::steady_clock::now();
};

/// PTX to LLVM IR, by way of MLIR, whose dialects are loaded; for the MLIR
/// forms of --emit, the text is in Text and Module is null.
struct FrontendResult {
  std::unique_ptr<llvm::Module> Module;
  std::string Text;
};
llvm::Expected<FrontendResult>
runFrontend(llvm::MemoryBufferRef Input, const Settings &S,
            mlir::MLIRContext &MLIR, llvm::LLVMContext &Context,
            Reporter &Report, CompileControl &Control);

using FunctionSet = llvm::DenseSet<const ptx::Function *>;

/// The functions of a whole program that are compiled: those that its kernels
/// may run, and those that cannot be left out. -e leaves out kernels.
FunctionSet reachableFunctions(const ptx::Module &File, const Settings &S);

/// What -e leaves out is dropped later on; here it is saved the work.
bool wantsBody(const ptx::Function &F, const Settings &S);

/// Whether a body declares variables that all threads see. Their names get
/// numbers in the order of the text, which must not depend on what is left out.
bool declaresVariables(llvm::ArrayRef<const ptx::Statement *> Body);

/// PTX that was parsed and checked, with what there is to say of it so far.
/// Nothing is reported before the PTX was lowered.
struct ParsedInput {
  explicit ParsedInput(const Reporter &Report) {
    Diags.setWarnings(Report.warnings());
    Diags.setMaxErrors(Report.maxErrors());
  }
  /// Whether F is part of what is compiled.
  bool isReachable(const ptx::Function &F) const {
    return !Reachable || Reachable->contains(&F);
  }
  ptx::DiagnosticEngine Diags;
  std::shared_ptr<const ptx::Module> Module; ///< null after an error
  std::optional<FunctionSet> Reachable;      ///< unset: all are
};
ParsedInput parseInput(llvm::MemoryBufferRef Input, const Settings &S,
                       const Reporter &Report, CompileControl &Control);
/// The rest of runFrontend.
llvm::Expected<FrontendResult>
lowerInput(ParsedInput &Parsed, llvm::MemoryBufferRef Input, const Settings &S,
           mlir::MLIRContext &MLIR, llvm::LLVMContext &Context,
           Reporter &Report, CompileControl &Control);
/// LLVM IR of some functions that \p File defines, with all variables. Null,
/// without a message, if there is something to say of them, or if nobody wants
/// them any more.
std::unique_ptr<llvm::Module>
lowerFunctions(const ptx::Module &File, llvm::MemoryBufferRef Input,
               const Settings &S, mlir::MLIRContext &MLIR,
               llvm::LLVMContext &Context, const Reporter &Report,
               CompileControl &Control,
               llvm::function_ref<bool(const ptx::Function &)> IsWanted);

/// The kernels that a module defines, and whether it calls functions through
/// pointers. Errors go to the reporter.
std::vector<std::string> listEntries(llvm::MemoryBufferRef Input,
                                     Reporter &Report, bool &CallsPointers);

/// Reports what a whole program uses and does not define.
void checkExternalSymbols(const llvm::Module &M, llvm::StringRef File,
                          Reporter &Report);

/// Makes the functions of a whole program its own, so that they are optimised
/// for their callers alone and go where they are inlined or nothing calls them.
void internalizeProgram(llvm::Module &M, CompileControl &Control);

/// Functions that are compiled together, since the code of one depends on the
/// others; in the module's order.
using Unit = llvm::SmallVector<const llvm::Function *, 1>;

/// Divides the functions of M into units, in the order of their first
/// functions. Empty if M has something that forbids it.
std::vector<Unit> divideModule(const llvm::Module &M);
/// Takes units out of a module.
class UnitExtractor {
public:
  explicit UnitExtractor(const llvm::Module &M);
  /// A unit with declarations of all that it names, shared memory with it.
  std::unique_ptr<llvm::Module> extract(const Unit &U) const;

private:
  const llvm::Module &M;
  /// The variables in shared memory that a function names, in the module's
  /// order, which is Places.
  llvm::DenseMap<const llvm::Function *,
                 llvm::SmallVector<const llvm::GlobalVariable *, 2>>
      SharedOf;
  llvm::DenseMap<const llvm::GlobalVariable *, size_t> Places;
};
/// The variables of M in global and constant memory, without functions.
std::unique_ptr<llvm::Module> extractVariables(const llvm::Module &M);
/// Gives a unit's own variables in shared memory names that do not depend on
/// other units.
void renameSharedVariables(llvm::Module &Part);
/// The text that tells units apart: equal texts give equal code.
std::string unitText(const llvm::Module &Part);

/// Puts the profile on a module that the frontend made, or makes it count, as
/// the settings ask. A function whose profile is of another control flow is
/// told to the reporter.
void profile(llvm::Module &M, llvm::StringRef File, const Settings &S,
             Reporter &Report);

/// Whether an input is LLVM bitcode.
bool isBitcode(llvm::StringRef Input);

/// LLVM bitcode for NVPTX to the form of docs/ir-contract.md, in place of
/// runFrontend.
llvm::Expected<FrontendResult>
runNVVMFrontend(llvm::MemoryBufferRef Input, const Settings &S,
                mlir::MLIRContext &MLIR, llvm::LLVMContext &Context,
                Reporter &Report, CompileControl &Control);

/// The same for a module that was read. What is not supported is told to the
/// reporter.
llvm::Error convertNVVM(llvm::Module &M, llvm::StringRef File,
                        const Settings &S, mlir::MLIRContext &MLIR,
                        Reporter &Report);

/// What a compilation works with besides its input.
struct CompileEnvironment {
  const CompileOptions &Options;
  SharedControl &Control;
  TaskGroup &Helpers;
  PartStore *Parts;
  CompilerContext &Ctx;
};

/// Puts on LLVM IR what the settings say of its functions.
llvm::Error prepareModule(llvm::Module &M, const Settings &S);

/// Checks and directives on LLVM IR.
llvm::Error checkModule(llvm::Module &M, const Settings &S,
                        llvm::StringRef File, Reporter &Report,
                        CompileControl &Control);

/// The same, then what --emit asks for into Output.
llvm::Error compileModule(llvm::Module &M, const Settings &S,
                          llvm::StringRef File, const CompileEnvironment &Env,
                          Reporter &Report, CompileOutput &Output);

/// The inputs of a bundle to one object.
llvm::Error linkProgram(llvm::MemoryBufferRef Bundle, const Settings &S,
                        const CompileEnvironment &Env,
                        llvm::LLVMContext &Context, Reporter &Report,
                        CompileOutput &Output);

/// The host finds a module's variables by their names, also those that PTX does
/// not call visible, and copies to and from them. So no pass may drop one or
/// trust its initial value.
void keepVariables(llvm::Module &M);

/// Puts M, slightly optimised, into M as bitcode, for a link to find it.
void embedBitcode(llvm::Module &M, const Settings &S,
                  const passes::PassContext &Context);

/// Puts the command line's limits on the kernels (-maxrregcount, ...), and
/// drops what -e leaves out.
llvm::Error applyDirectives(llvm::Module &M, const Settings &S);

/// Makes use of what is assumed of launches.
llvm::Error applyAssumptions(llvm::Module &M, const Settings &S);

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const Settings &S);

/// How far the work on a module's functions is.
class Progress {
public:
  Progress(CompileControl &Control, unsigned Total)
      : Control(Control), Total(Total) {}
  CompileControl &control() const { return Control; }
  /// Functions more that are done. Those of the device library make it more
  /// than there are in the module.
  /// Any thread may call it.
  void add(unsigned Functions) {
    std::lock_guard Lock(Mutex);
    Done = std::min(Done + Functions, Total);
    Control.progress(Done, Total);
  }

private:
  CompileControl &Control;
  std::mutex Mutex; ///< Of Done.
  unsigned Done = 0, Total;
};

/// The code generator, set up once for any number of modules.
class CodeGenerator {
public:
  /// For assembly or objects.
  CodeGenerator(llvm::TargetMachine &TM, bool Assembly, Progress &Functions)
      : TM(TM), Assembly(Assembly), Functions(Functions) {}

  /// Machine code into Bytes. Once nobody wants it, the rest of the functions
  /// is dropped.
  llvm::Error emit(llvm::Module &M, llvm::SmallVectorImpl<char> &Bytes);
  /// What each function cost to generate so far.
  const llvm::StringMap<double> &milliseconds() const { return Milliseconds; }

private:
  llvm::Error setUp();

  llvm::TargetMachine &TM;
  bool Assembly;
  Progress &Functions;
  llvm::StringMap<double> Milliseconds;
  llvm::SmallVector<char, 0> Output;
  llvm::raw_svector_ostream Stream{Output};
  std::unique_ptr<llvm::legacy::PassManager> Passes; ///< null: not set up yet
};

/// What LLVM has to say of a context's modules becomes messages about File.
std::unique_ptr<llvm::DiagnosticHandler>
createBackendDiagnostics(llvm::StringRef File, Reporter &Report);
/// The same, which writes all remarks to OS in LLVM's YAML, too.
llvm::Expected<std::unique_ptr<llvm::DiagnosticHandler>>
createRemarkRecorder(llvm::StringRef File, Reporter &Report,
                     llvm::raw_ostream &OS);

/// Leaves M the lines of its instructions, but nothing that would be part of an
/// object.
void keepLinesForRemarks(llvm::Module &M);

/// The error of a compilation whose messages say what is wrong.
llvm::Error aborted();
/// The error of a compilation that LLVM ended.
llvm::Error fatalError(const std::string &Reason);
/// An error if nobody wants the compilation to go on.
llvm::Error checkStop(CompileControl &Control);

/// From LLVM IR to what --emit asks for, in Output, with the reports on an
/// object.
llvm::Error generateOutput(llvm::Module &M, llvm::StringRef File,
                           const Settings &S, const CompileEnvironment &Env,
                           Reporter &Report, CompileOutput &Output);

/// Puts objects of parts together as if they were one module's, which has
/// these functions in this order. The first has the variables.
llvm::Error mergeParts(llvm::ArrayRef<llvm::SmallVector<char, 0>> Objects,
                       llvm::ArrayRef<llvm::StringRef> Functions,
                       CompileOutput &Output);

/// Fills in the reports of Output from the object in its Bytes.
llvm::Error readReports(const llvm::StringMap<double> &Milliseconds,
                        CompileOutput &Output);

/// -warn-double-usage: one warning for each function.
void warnOfDouble(const llvm::Module &M, llvm::StringRef File,
                  Reporter &Report);

/// Warnings of spills and local memory.
void warnOfMemory(llvm::StringRef File, const CompileOutput &Output,
                  Reporter &Report);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_STAGES_H
