//===- Import.cpp - LLVM IR for NVPTX as an input ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads bitcode, and runs the steps of the import.
//
//===----------------------------------------------------------------------===//

#include "Import.h"
#include "PrepareModule.h"

#include "heddle/Target/HeddleTarget.h"

#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;

namespace heddle::compiler {

bool isBitcode(StringRef Input) {
  return identify_magic(Input) == file_magic::bitcode;
}

/// What the metadata of the object tells: the version and the target that the
/// functions were compiled for.
static void replaceModuleFlags(Module &M, bool KeepsLines) {
  StringRef CPU, Features;
  for (const Function &F : M)
    if (!F.isDeclaration() && CPU.empty()) {
      CPU = F.getFnAttribute("target-cpu").getValueAsString();
      Features = F.getFnAttribute("target-features").getValueAsString();
    }
  std::string Target = CPU.str(), Version;
  size_t At = Features.find("+ptx");
  unsigned Number;
  StringRef Digits = At == StringRef::npos ? "" : Features.substr(At + 4);
  if (!Digits.consumeInteger(10, Number))
    Version = std::to_string(Number / 10) + "." + std::to_string(Number % 10);
  for (NamedMDNode &N : make_early_inc_range(M.named_metadata()))
    if (!KeepsLines || N.getName() != "llvm.dbg.cu")
      N.eraseFromParent();
  auto Add = [&](StringRef Name, StringRef Value) {
    if (!Value.empty())
      M.addModuleFlag(Module::Warning, Name,
                      MDString::get(M.getContext(), Value));
  };
  M.addModuleFlag(Module::Warning, "Debug Info Version",
                  DEBUG_METADATA_VERSION);
  Add("ptx.version", Version);
  Add("ptx.target", Target);
}

/// Attributes that say how to compile, which the options do.
static void dropAttributes(Module &M) {
  static constexpr StringLiteral Dropped[] = {"frame-pointer",
                                              "no-trapping-math",
                                              "target-cpu",
                                              "target-features",
                                              "uniform-work-group-size",
                                              "stack-protector-buffer-size"};
  for (Function &F : M) {
    for (StringRef Name : Dropped)
      F.removeFnAttr(Name);
    F.removeFnAttr(Attribute::OptimizeNone);
    F.setComdat(nullptr);
  }
}

Error convertNVVM(Module &M, StringRef File, const Settings &S,
                  mlir::MLIRContext &MLIR, Reporter &Report) {
  nvvm::Import I{M, File, S, Report};
  bool KeepsLines = S.keepsLines();
  if (KeepsLines)
    stripNonLineTableDebugInfo(M);
  else
    StripDebugInfo(M);
  std::vector<nvvm::Alias> Aliases = nvvm::takeAliases(I);
  nvvm::checkModule(I);
  if (Report.failed())
    return Error::success();
  nvvm::convertVariables(I);
  nvvm::convertKernels(I);
  nvvm::convertSignatures(I);
  nvvm::convertMemory(I);
  M.setTargetTriple(Triple(TargetTriple));
  M.setDataLayout(TargetDataLayout);
  if (Report.failed())
    return Error::success();
  if (Error E = nvvm::convertCalls(I, MLIR))
    return E;
  nvvm::putAliasesBack(I, Aliases);
  if (!S.hasLinesInOutput())
    keepLinesForRemarks(M);
  replaceModuleFlags(M, KeepsLines);
  dropAttributes(M);
  M.setModuleIdentifier("");
  M.setSourceFileName("");
  keepVariables(M);
  return Error::success();
}

Expected<FrontendResult> runNVVMFrontend(MemoryBufferRef Input,
                                         const Settings &S,
                                         mlir::MLIRContext &MLIR,
                                         LLVMContext &Context, Reporter &Report,
                                         CompileControl &Control) {
  StageTimer Stages(Control);
  StringRef File = Input.getBufferIdentifier();
  // As llc does for modules that do not say their layout.
  auto Layout = [](StringRef TargetTriple,
                   StringRef Given) -> std::optional<std::string> {
    if (!Given.empty())
      return std::nullopt;
    return Triple(TargetTriple).computeDataLayout();
  };
  Expected<std::unique_ptr<Module>> Read =
      parseBitcodeFile(Input, Context, ParserCallbacks(Layout));
  if (!Read) {
    Report.error(File, "invalid LLVM bitcode: " + toString(Read.takeError()));
    return FrontendResult();
  }
  std::string Fault;
  raw_string_ostream OS(Fault);
  if (verifyModule(**Read, &OS)) {
    Report.error(File, "invalid LLVM IR: " + StringRef(Fault).rtrim());
    return FrontendResult();
  }
  Stages.end("parse");
  const Triple &T = (*Read)->getTargetTriple();
  if (T.getArch() != Triple::nvptx64) {
    Report.error(File, "the bitcode is for '" + T.str() + "', not for nvptx64");
    return FrontendResult();
  }
  if (S.Emit == "ptx-dialect" || S.Emit == "llvm-dialect") {
    Report.error(File, "--emit=" + Twine(S.Emit) + " needs PTX as input");
    return FrontendResult();
  }
  if (Error E = convertNVVM(**Read, File, S, MLIR, Report))
    return std::move(E);
  Stages.end("import");
  FrontendResult Result;
  Result.Module = std::move(*Read);
  return Result;
}

} // namespace heddle::compiler
