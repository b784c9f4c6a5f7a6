//===- LinkProgram.cpp - Several inputs to one object -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without LTO every module is compiled apart and its machine code linked. With
// LTO the modules are linked to one, which is compiled as a whole; objects that
// have only machine code are linked to the result. With thin LTO they stay
// apart, and parts of the program are compiled (ThinProgram.h).
//
//===----------------------------------------------------------------------===//

#include "Link/LinkProgram.h"
#include "CompileInput.h"
#include "CompilerContext.h"
#include "Link/LinkInputs.h"
#include "Link/ThinProgram.h"
#include "Reports.h"
#include "TaskGroup.h"

#include "heddle/Target/Registers.h"

#include "llvm/IR/Verifier.h"

#include <deque>

using namespace llvm;

namespace heddle::compiler {

namespace {

class ProgramLinker : public LinkMessages {
public:
  explicit ProgramLinker(const Compilation &C)
      : C(C), S(C.S), Report(C.Report), Output(C.Output) {}

  Error run(LinkInputs Inputs);

  void error(StringRef File, const Twine &Message) override {
    Report.error(File, Message);
  }
  void differs(StringRef File, const Twine &Message) override {
    Report.warning(WarningId::DifferentDefinitions, File, Message);
  }
  bool mismatches(StringRef File, const Twine &Message) override {
    if (S.LenientPrototypes)
      Report.warning(WarningId::DifferentPrototypes, File,
                     "Prototype doesn't match: " + Message);
    return S.LenientPrototypes;
  }

private:
  Error compileApart(std::vector<ModuleToLink> &Modules);
  Error compileTogether(LinkInputs &Inputs);
  Error compileThin(LinkInputs Inputs);
  Error readBodies(LinkInputs &Inputs);
  Error compile(Module &M, const Settings &Own, StringRef Name,
                CompileOutput &To);
  Error addCompiled(Module &M, const Settings &Own, const ModuleToLink &From);
  Error linkAll(ArrayRef<ObjectToLink> Objects, FunctionCosts Costs = {});
  Error linkPartitions(ArrayRef<Buffer> Partitions, ArrayRef<ObjectToLink> Code,
                       StringRef Name, const FunctionCosts &Costs);

  const Compilation &C;
  const Settings &S;
  Reporter &Report;
  CompileOutput &Output;
  /// What was compiled here: machine code, its names, the reports on it.
  std::deque<CompileOutput> Compiled;
  std::vector<ObjectToLink> Objects;
};

Error ProgramLinker::compile(Module &M, const Settings &Own, StringRef Name,
                             CompileOutput &To) {
  M.getContext().setDiagnosticHandler(createBackendDiagnostics(Name, Report));
  return compileModule(M, {Name, Own, C.Env, Report, To});
}

/// Compiles a module to machine code that is linked later.
Error ProgramLinker::addCompiled(Module &M, const Settings &Own,
                                 const ModuleToLink &From) {
  CompileOutput &Code = Compiled.emplace_back();
  if (Error E = compile(M, Own, From.Name, Code))
    return E;
  Output.PartitionsFound += Code.PartitionsFound;
  Output.PartitionsMade += Code.PartitionsMade;
  Output.InOnePass += Code.InOnePass;
  Output.NotInOnePass += Code.NotInOnePass;
  ArrayRef<uint8_t> Bytes(reinterpret_cast<const uint8_t *>(Code.Bytes.data()),
                          Code.Bytes.size());
  Objects.push_back({From.Name, Bytes, From.IsOnDemand});
  return Error::success();
}

Error ProgramLinker::compileApart(std::vector<ModuleToLink> &Modules) {
  Settings Own = S;
  Own.Relocatable = true;
  SmallVector<Module *> Program;
  for (ModuleToLink &Input : Modules)
    Program.push_back(Input.M.get());
  limitCallees(Program, S.Chip);
  for (ModuleToLink &Input : Modules)
    if (Error E = addCompiled(*Input.M, Own, Input))
      return E;
  return Error::success();
}

/// What was left for thin LTO to read.
Error ProgramLinker::readBodies(LinkInputs &Inputs) {
  for (ModuleToLink &Input : Inputs.Modules) {
    if (!Input.IsLazy)
      continue;
    std::string Fault;
    raw_string_ostream OS(Fault);
    if (Error E = Input.M->materializeAll())
      Fault = toString(std::move(E));
    else
      verifyModule(*Input.M, &OS);
    if (!Fault.empty())
      return createStringError(Input.Name + ": invalid LLVM bitcode: " + Fault);
    Input.IsLazy = false;
  }
  return Error::success();
}

Error ProgramLinker::compileThin(LinkInputs Inputs) {
  std::string Name = Inputs.Modules.front().Name;
  std::vector<ObjectToLink> Code = std::move(Inputs.Objects);
  Inputs.Modules.front().M->getContext().setDiagnosticHandler(
      createBackendDiagnostics(Name, Report));
  Expected<std::unique_ptr<ThinProgram>> Program =
      ThinProgram::create(std::move(Inputs), Code, S, *this);
  if (!Program)
    return Program.takeError();
  Expected<std::unique_ptr<Module>> Variables = (*Program)->variables();
  if (!Variables)
    return Variables.takeError();
  std::vector<StringRef> Names = (*Program)->functionNames();
  Compilation Own{Name, (*Program)->settings(), C.Env, Report, Output};
  PartitionCompiler Compiler(Own, Names.size(), optimizeAndGenerate);
  Buffer VariablesObject;
  std::vector<Buffer> Partitions;
  if (Error E = Compiler.compile(**Variables, VariablesObject))
    return E;
  if (Error E = Compiler.compileAll(**Program, Partitions))
    return E;
  Partitions.insert(Partitions.begin(), std::move(VariablesObject));
  if (!(*Program)->isClosed())
    return linkPartitions(Partitions, Code, Name, Compiler.costs());
  if (Error E = mergePartitions(Partitions, Names, Output))
    return E;
  return readReports(Compiler.costs(), Output);
}

/// Partitions that name each other's functions, and machine code.
Error ProgramLinker::linkPartitions(ArrayRef<Buffer> Partitions,
                                    ArrayRef<ObjectToLink> Code, StringRef Name,
                                    const FunctionCosts &Costs) {
  for (const Buffer &Code : Partitions)
    Objects.push_back(
        {Name.str(),
         {reinterpret_cast<const uint8_t *>(Code.data()), Code.size()}});
  append_range(Objects, Code);
  return linkAll(Objects, Costs);
}

/// LTO. Output has the result unless there are objects to link it with.
Error ProgramLinker::compileTogether(LinkInputs &Inputs) {
  ModuleToLink Program{Inputs.Modules.front().Name, nullptr};
  Expected<ObjectNames> Names = collectNames(Inputs.Objects);
  if (!Names)
    return Names.takeError();
  ArrayRef<std::string> Needed = Names->Needed;
  ModuleLinkOptions Options{S.Relocatable || !Inputs.Objects.empty(),
                            Names->Undefined, std::move(Names->Defined)};
  Expected<std::unique_ptr<Module>> M =
      linkModules(std::move(Inputs.Modules), Options, *this);
  if (!M)
    return M.takeError();
  // Names of the options may be those of the objects' kernels and variables.
  if (Inputs.Objects.empty())
    if (Error E = dropUnused(**M, {S.DropKernels, S.KernelsUsed},
                             {S.DropVariables, S.VariablesUsed}))
      return E;
  if (!S.Relocatable)
    internalizeFunctions(**M, Needed);
  passes::dropUnreachable(
      **M, {/*TM=*/nullptr, [&] { return C.Env.Control.shouldStop(); }});
  if (Inputs.Objects.empty())
    return compile(**M, S, Program.Name, Output);
  Settings Own = S;
  Own.Relocatable = true;
  return addCompiled(**M, Own, Program);
}

/// Machine code to the program, with the figures of what was compiled here.
Error ProgramLinker::linkAll(ArrayRef<ObjectToLink> All, FunctionCosts Costs) {
  ObjectLinkOptions Options;
  Options.Chip = S.Chip;
  Options.IsPartial = S.Relocatable;
  Options.DropDebugInfo = S.DropDebugInfo;
  Options.Kernels = {S.DropKernels, S.KernelsUsed};
  Options.Variables = {S.DropVariables, S.VariablesUsed};
  Expected<std::string> Linked = linkObjects(All, Options, *this);
  if (!Linked)
    return Linked.takeError();
  Output.Bytes.assign(Linked->begin(), Linked->end());
  for (const CompileOutput &Code : Compiled)
    for (const FunctionReport &F : Code.Functions)
      Costs[F.Name].Milliseconds = F.Milliseconds;
  return readReports(Costs, Output);
}

Error ProgramLinker::run(LinkInputs Inputs) {
  StageTimer Stages(C.Env.Control);
  if (S.LTO && !Inputs.Modules.empty()) {
    std::string Why = S.ByKernels ? whyTogether(Inputs, S, Report) : "";
    if (S.ByKernels && Why.empty()) {
      Error E = compileThin(std::move(Inputs));
      Stages.end("link");
      return E;
    }
    if (S.ByKernels)
      Report.info(Inputs.Modules.front().Name,
                  "--thin-lto has no effect, all modules become one: " + Why);
    if (Error E = readBodies(Inputs))
      return E;
    if (Error E = compileTogether(Inputs))
      return E;
  } else if (Error E = compileApart(Inputs.Modules)) {
    return E;
  }
  if (S.LTO && Inputs.Objects.empty())
    return Error::success();
  append_range(Objects, Inputs.Objects);
  if (Error E = linkAll(Objects))
    return E;
  Stages.end("link");
  return Error::success();
}

} // namespace

Error linkProgram(MemoryBufferRef Bundle, const Compilation &C,
                  LLVMContext &Context) {
  if (!C.S.LTO && C.S.Emit != "obj")
    return createStringError("--emit=" + C.S.Emit +
                             " is possible only with -dlto when linking");
  Expected<LinkInputs> Inputs = readLinkInputs(
      Bundle, C.S, C.Env.Ctx.mlir(), Context, C.Report, C.Env.Control);
  if (!Inputs)
    return Inputs.takeError();
  if (C.Report.failed())
    return createStringError("linking aborted due to errors");
  if (C.S.CheckOnly)
    return Error::success();
  return ProgramLinker(C).run(std::move(*Inputs));
}

} // namespace heddle::compiler
