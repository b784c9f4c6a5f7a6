//===- Generate.cpp - LLVM IR to what was asked for -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module is compiled as a whole, or its units apart.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "heddle/Object/DebugLayout.h"
#include "heddle/Object/ObjectMerge.h"

#include "llvm/IR/DiagnosticHandler.h"

using namespace llvm;

namespace heddle::compiler {

namespace {

/// The units of a module, each with a number.
class ModuleUnits : public PartSource {
public:
  ModuleUnits(const Module &M, std::vector<Unit> Units)
      : M(M), Units(std::move(Units)), Extractor(M) {}

  size_t size() const override { return Units.size(); }
  Expected<std::unique_ptr<Module>> extract(size_t I) override {
    return Extractor.extract(Units[I]);
  }
  unsigned functions(size_t I) const override { return Units[I].size(); }
  size_t instructions() const override { return M.getInstructionCount(); }

private:
  const Module &M;
  std::vector<Unit> Units;
  UnitExtractor Extractor;
};

class Generator {
public:
  Generator(Module &M, StringRef File, const Settings &S,
            const CompileEnvironment &Env, Reporter &Report,
            CompileOutput &Output)
      : M(M), File(File), S(S), Report(Report), Output(Output),
        Parts(S, File, Env, Report, countFunctions(M), Output) {}

  Error run();

private:
  Error generateAll();
  Error recordRemarks();
  Error generateUnits(std::vector<Unit> Units);
  Error layOutDebug();
  bool hasDebugInfo() const { return !M.debug_compile_units().empty(); }
  /// Line numbers are one table for all of the object, and change with
  /// everything; bitcode is of the whole, and so is what LTO looks at and what
  /// counts.
  bool usesParts() const {
    return S.Emit == "obj" && !hasDebugInfo() && !S.EmbedBitcode && !S.LTO &&
           !S.Counting;
  }

  Module &M;
  StringRef File;
  const Settings &S;
  Reporter &Report;
  CompileOutput &Output;
  PartGenerator Parts;
};

} // namespace

/// Puts the objects of the units together as if they were one module's.
Error mergeParts(ArrayRef<Buffer> Objects, ArrayRef<StringRef> Functions,
                 CompileOutput &Output) {
  SmallVector<ArrayRef<uint8_t>> Bytes;
  for (const Buffer &Object : Objects)
    Bytes.push_back(
        {reinterpret_cast<const uint8_t *>(Object.data()), Object.size()});
  Expected<std::string> Merged = mergeObjects(Bytes, Functions);
  if (!Merged)
    return Merged.takeError();
  Output.Bytes.append(Merged->begin(), Merged->end());
  return Error::success();
}

/// Makes the object readable by programs that know DWARF and not our
/// relocations.
Error Generator::layOutDebug() {
  Expected<std::string> Bytes = layOutDebugInfo(
      ArrayRef(reinterpret_cast<const uint8_t *>(Output.Bytes.data()),
               Output.Bytes.size()));
  if (!Bytes)
    return Bytes.takeError();
  Output.Bytes.assign(Bytes->begin(), Bytes->end());
  return Error::success();
}

Error Generator::generateUnits(std::vector<Unit> Units) {
  ModuleUnits Source(M, std::move(Units));
  Buffer Variables;
  std::vector<Buffer> Objects;
  if (Error E = Parts.generate(*extractVariables(M), Variables))
    return E;
  if (Error E = Parts.generateParts(Source, Objects))
    return E;
  Objects.insert(Objects.begin(), std::move(Variables));
  SmallVector<StringRef> Names;
  for (const Function &F : M)
    if (!F.isDeclaration())
      Names.push_back(F.getName());
  return mergeParts(Objects, Names, Output);
}

Error Generator::generateAll() {
  if (!usesParts())
    return Parts.generate(M, Output.Bytes);
  // The linker tells functions apart; a unit's shared memory is not its own.
  if (!S.Units || S.Relocatable)
    return Parts.generatePart(M, Output.Bytes);
  std::vector<Unit> Units = divideModule(M);
  return Units.size() > 1 ? generateUnits(std::move(Units))
                          : Parts.generatePart(M, Output.Bytes);
}

/// Generates code for what passes say of it meanwhile.
Error Generator::recordRemarks() {
  SmallString<0> Text;
  raw_svector_ostream OS(Text);
  Expected<std::unique_ptr<llvm::DiagnosticHandler>> Recorder =
      createRemarkRecorder(File, Report, OS);
  if (!Recorder)
    return Recorder.takeError();
  LLVMContext &Context = M.getContext();
  std::unique_ptr<llvm::DiagnosticHandler> Before =
      Context.getDiagnosticHandler();
  Context.setDiagnosticHandler(std::move(*Recorder));
  Buffer Code;
  Error E = Parts.generate(M, Code);
  Context.setDiagnosticHandler(std::move(Before));
  if (!E)
    Output.Bytes.append(Text.begin(), Text.end());
  return E;
}

Error Generator::run() {
  if (S.Emit == "remarks")
    return recordRemarks();
  if (Error E = generateAll())
    return E;
  if (S.Emit != "obj")
    return Error::success();
  if (hasDebugInfo())
    if (Error E = layOutDebug())
      return E;
  return readReports(Parts.milliseconds(), Output);
}

Error generateOutput(Module &M, StringRef File, const Settings &S,
                     const CompileEnvironment &Env, Reporter &Report,
                     CompileOutput &Output) {
  return Generator(M, File, S, Env, Report, Output).run();
}

} // namespace heddle::compiler
