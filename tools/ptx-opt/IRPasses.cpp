//===- IRPasses.cpp - Passes over LLVM IR by name ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The packaged opt runs the same passes through the plug-in HeddlePasses.so,
// without knowing the target: here passes ask Heddle's target for costs.
//
//===----------------------------------------------------------------------===//

#include "IRPasses.h"

#include "passes/plugin/Register.h"

#include "heddle/Target/HeddleTarget.h"
#include "heddle/Target/TargetAnalyses.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace heddle {

namespace {

/// The managers of analyses, with everything that LLVM and Heddle have.
struct Analyses {
  explicit Analyses(PassBuilder &Builder, TargetMachine &TM) {
    registerTargetAnalyses(Functions);
    Functions.registerPass([&] { return Builder.buildDefaultAAPipeline(); });
    Functions.registerPass([&] { return TM.getTargetIRAnalysis(); });
    Builder.registerModuleAnalyses(Modules);
    Builder.registerCGSCCAnalyses(Components);
    Builder.registerFunctionAnalyses(Functions);
    Builder.registerLoopAnalyses(Loops);
    Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  }

  // Declared in the order in which LLVM wants them destroyed, from the last.
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
};

} // namespace

static Expected<std::unique_ptr<Module>> parse(MemoryBufferRef Input,
                                               LLVMContext &Context) {
  SMDiagnostic Fault;
  std::unique_ptr<Module> M = parseIR(Input, Fault, Context);
  std::string Text;
  raw_string_ostream OS(Text);
  if (!M) {
    Fault.print(nullptr, OS, /*ShowColors=*/false);
  } else {
    OS << Input.getBufferIdentifier() << ": invalid LLVM IR: ";
    if (!verifyModule(*M, &OS))
      return std::move(M);
  }
  return createStringError(StringRef(Text).rtrim());
}

Error runIRPasses(MemoryBufferRef Input, StringRef Passes, raw_ostream &OS) {
  initializeHeddleTarget();
  LLVMContext Context;
  Expected<std::unique_ptr<Module>> M = parse(Input, Context);
  if (!M)
    return M.takeError();
  const Triple Target(TargetTriple);
  std::unique_ptr<TargetMachine> TM(getTheHeddleTarget().createTargetMachine(
      Target, /*CPU=*/"", /*Features=*/"", TargetOptions(), Reloc::PIC_));
  (*M)->setTargetTriple(Target);
  (*M)->setDataLayout(TM->createDataLayout());

  PassBuilder Builder(TM.get());
  passes::registerPasses(Builder);
  ModulePassManager MPM;
  if (Error E = Builder.parsePassPipeline(MPM, Passes))
    return E;
  Analyses All(Builder, *TM);
  MPM.run(**M, All.Modules);
  if (verifyModule(**M, &errs()))
    return createStringError("the passes made invalid IR");
  (*M)->print(OS, nullptr);
  return Error::success();
}

namespace {

/// A row of Passes.def.
struct PassRow {
  StringLiteral Scope, Name, Parameter, Summary;
};

/// A folder of passes/, with its rows.
struct PassFolder {
  StringLiteral Name, Summary;
  SmallVector<PassRow, 0> Passes;
};

} // namespace

static std::vector<PassFolder> passFolders() {
  std::vector<PassFolder> Folders;
  auto Add = [&](PassRow Row) { Folders.back().Passes.push_back(Row); };
#define HEDDLE_PASS_FOLDER(Folder, Summary)                                    \
  Folders.push_back({Folder, Summary, {}});
#define HEDDLE_MODULE_PASS(Name, Make, Summary)                                \
  Add({"module", Name, "", Summary});
#define HEDDLE_FUNCTION_PASS(Name, Make, Summary)                              \
  Add({"function", Name, "", Summary});
#define HEDDLE_LOOP_PASS(Name, Make, Summary) Add({"loop", Name, "", Summary});
#define HEDDLE_FUNCTION_PASS_WITH_NUMBER(Name, Class, Parameter, Default,      \
                                         Summary)                              \
  Add({"function", Name, "<" Parameter "=N>", Summary});
#include "passes/Passes.def"
  return Folders;
}

void listIRPasses(raw_ostream &OS) {
  for (const PassFolder &Folder : passFolders())
    for (const PassRow &P : Folder.Passes)
      OS << P.Name << P.Parameter << "\n    " << P.Summary << '\n';
}

/// The page's text around its tables.
static constexpr char DocumentHead[] = R"(# The passes

Over LLVM IR first, those of the code generator at the end.

`passes/` has everything that rewrites LLVM IR. `passes/Passes.def` has a row for each pass, from which come this page
(`ptx-opt --document-ir-passes`), the names below and `ptx-compile --print-pipeline`, which prints the lists of passes
that the options choose.

Each pass can be run alone, in the packaged tool and with the costs of Heddle's target:

    opt -load-pass-plugin HeddlePasses.so -passes=heddle-split-switches -S in.ll
    ptx-opt --passes=heddle-split-switches in.ll

The packaged `opt` refuses modules whose triple is `heddle`; `ptx-opt` sets the triple itself. Without the target every
value is uniform to `opt`, so that passes which ask what threads share are right there for uniform values only. Lists of
passes may name those of LLVM, too. `test/Passes` has a folder for each pass.
)";

/// Its part about the passes of the backend.
static constexpr char DocumentCodeGen[] = R"(
## lib/Target/Heddle

The passes of the code generator, in the order in which they run at `-O3` between those of LLVM. They are the rows
of `include/heddle/Target/CodeGenPasses.def`. Each can be run alone, over a file of machine instructions (MIR):

    llc -load HeddleLLC.so -mtriple=heddle-unknown-unknown -run-pass=heddle-pair-moves in.mir -o -

`test/CodeGen/Passes` has a file for each pass. What `lib/Compiler` decides of a function's registers
(`include/heddle/Target/RegisterPlan.h`) is stated there: `machineFunctionInfo: { pressureLevel: 4, registerLimit: 32 }`
in a file, or for all functions `-heddle-register-pressure-level=4 -heddle-register-limit=32`.
)";

static constexpr char TableHead[] = R"(
| pass | over a | what it does |
|---|---|---|
)";

static void documentPass(const PassRow &P, raw_ostream &OS) {
  OS << "| `" << P.Name << P.Parameter << "` | " << P.Scope << " | "
     << P.Summary << " |\n";
}

void documentIRPasses(raw_ostream &OS) {
  OS << DocumentHead;
  for (const PassFolder &Folder : passFolders()) {
    OS << "\n## passes/" << Folder.Name << "\n\n"
       << Folder.Summary << ".\n"
       << TableHead;
    for (const PassRow &P : Folder.Passes)
      documentPass(P, OS);
  }
  OS << DocumentCodeGen << TableHead;
#define HEDDLE_CODEGEN_PASS(Over, Name, Class, Summary)                        \
  documentPass({Over, Name, "", Summary}, OS);
#include "heddle/Target/CodeGenPasses.def"
}

} // namespace heddle
