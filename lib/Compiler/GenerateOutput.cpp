//===- GenerateOutput.cpp - LLVM IR to what was asked for -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module is compiled as a whole, or its partitions apart.
//
//===----------------------------------------------------------------------===//

#include "GenerateOutput.h"
#include "Reports.h"

#include "heddle/Object/DebugLayout.h"

#include "llvm/IR/DiagnosticHandler.h"

using namespace llvm;

namespace heddle::compiler {

namespace {

/// The partitions of one module.
class ModuleSource : public PartitionSource {
public:
  ModuleSource(const Module &M, std::vector<Partition> Partitions)
      : Partitions(std::move(Partitions)), Extractor(M),
        Instructions(M.getInstructionCount()) {}

  size_t size() const override { return Partitions.size(); }
  Expected<std::unique_ptr<Module>> extract(size_t I) override {
    return Extractor.extract(Partitions[I]);
  }
  unsigned functions(size_t I) const override { return Partitions[I].size(); }
  size_t instructions() const override { return Instructions; }

private:
  std::vector<Partition> Partitions;
  PartitionExtractor Extractor;
  size_t Instructions; ///< before a partition is extracted
};

class OutputGenerator {
public:
  OutputGenerator(Module &M, const Compilation &C, CompilePartition Compile)
      : M(M), C(C), Parts(C, countFunctions(M), Compile) {}

  Error run();

private:
  Error generateAll();
  Error recordRemarks();
  Error generatePartitions(std::vector<Partition> Partitions);
  bool hasDebugInfo() const { return !M.debug_compile_units().empty(); }
  /// Line numbers are one table for all of the object, and change with
  /// everything; bitcode is of the whole, and so is what LTO looks at and what
  /// counts.
  bool usesPartitions() const {
    return C.S.Emit == "obj" && !hasDebugInfo() && !C.S.EmbedBitcode &&
           !C.S.LTO && !C.S.Counting;
  }

  Module &M;
  const Compilation &C;
  PartitionCompiler Parts;
};

} // namespace

Error layOutDebug(CompileOutput &Output) {
  Expected<std::string> Bytes = layOutDebugInfo(
      ArrayRef(reinterpret_cast<const uint8_t *>(Output.Bytes.data()),
               Output.Bytes.size()));
  if (!Bytes)
    return Bytes.takeError();
  Output.Bytes.assign(Bytes->begin(), Bytes->end());
  return Error::success();
}

/// Reads the object that was made.
static Error report(const Compilation &C, const PartitionCompiler &Parts) {
  if (Error E = readReports(Parts.costs(), C.Output))
    return E;
  warnOfMemory(C.File, C.Output, C.Report);
  return Error::success();
}

Error OutputGenerator::generatePartitions(std::vector<Partition> Partitions) {
  std::vector<std::string> Functions;
  for (const Function &F : M)
    if (!F.isDeclaration())
      Functions.push_back(F.getName().str());
  ModuleSource Source(M, std::move(Partitions));
  Buffer Variables;
  std::vector<Buffer> Objects;
  if (Error E = Parts.compile(*extractVariables(M), Variables))
    return E;
  if (Error E = Parts.compileAll(Source, Objects))
    return E;
  Objects.insert(Objects.begin(), std::move(Variables));
  SmallVector<StringRef> Names(Functions.begin(), Functions.end());
  return mergePartitions(Objects, Names, C.Output);
}

Error OutputGenerator::generateAll() {
  if (!usesPartitions())
    return Parts.compile(M, C.Output.Bytes);
  // The linker tells functions apart; a partition's shared memory is not its
  // own.
  if (!C.S.Partitions || C.S.Relocatable)
    return Parts.compileOnly(M, C.Output.Bytes);
  std::vector<Partition> Partitions = partitionModule(M);
  return Partitions.size() > 1 ? generatePartitions(std::move(Partitions))
                               : Parts.compileOnly(M, C.Output.Bytes);
}

/// Generates code for what passes say of it meanwhile.
Error OutputGenerator::recordRemarks() {
  SmallString<0> Text;
  raw_svector_ostream OS(Text);
  Expected<std::unique_ptr<llvm::DiagnosticHandler>> Recorder =
      createRemarkRecorder(C.File, C.Report, OS);
  if (!Recorder)
    return Recorder.takeError();
  LLVMContext &Context = M.getContext();
  std::unique_ptr<llvm::DiagnosticHandler> Before =
      Context.getDiagnosticHandler();
  Context.setDiagnosticHandler(std::move(*Recorder));
  Buffer Code;
  Error E = Parts.compile(M, Code);
  Context.setDiagnosticHandler(std::move(Before));
  if (!E)
    C.Output.Bytes.append(Text.begin(), Text.end());
  return E;
}

Error OutputGenerator::run() {
  if (C.S.Emit == "remarks")
    return recordRemarks();
  if (Error E = generateAll())
    return E;
  if (C.S.Emit != "obj")
    return Error::success();
  if (hasDebugInfo())
    if (Error E = layOutDebug(C.Output))
      return E;
  return report(C, Parts);
}

Error generateOutput(Module &M, const Compilation &C,
                     CompilePartition Compile) {
  return OutputGenerator(M, C, Compile).run();
}

Error generateOutput(PartitionedInput Input, const Compilation &C,
                     CompilePartition Compile) {
  PartitionCompiler Parts(C, Input.Names.size(), Compile);
  std::vector<Buffer> Objects;
  // The first one of those with lines has the variables.
  bool AreUnits = Input.Modules.front().IsUnit;
  Buffer Variables;
  if (!AreUnits)
    if (Error E = Parts.compile(*extractVariables(*Input.Modules.front().M),
                                Variables))
      return E;
  if (Error E = Parts.compileAll(std::move(Input.Modules), Objects))
    return E;
  if (!AreUnits)
    Objects.insert(Objects.begin(), std::move(Variables));
  if (Error E = mergePartitions(Objects, Input.Names, C.Output))
    return E;
  return report(C, Parts);
}

} // namespace heddle::compiler
