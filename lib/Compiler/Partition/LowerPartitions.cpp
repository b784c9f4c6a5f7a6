//===- LowerPartitions.cpp - A PTX file, by several threads -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All partitions of a file become LLVM IR, each in a context of its own, before
// code is generated for any: a file about which there is something to say is
// compiled as a whole. The partitions of the modules are the same ones, and in
// the same order, as when the file is one module, and so is the object.
//
// Where the object has lines, each partition of the file has a unit of debug
// information, and is optimised and generated as one module. How many there are
// depends on the file alone, so that the object is the same with one thread,
// which makes them one after the other.
//
//===----------------------------------------------------------------------===//

#include "CompilerContext.h"
#include "LowerInput.h"
#include "Partition/PartitionCompiler.h"
#include "PrepareModule.h"
#include "TaskGroup.h"

using namespace llvm;

namespace heddle::compiler {

namespace {

/// Partitions of a file for each thread, so that all are busy until the end.
constexpr unsigned PartitionsPerThread = 4;
/// Units of debug information that a file is divided into, at most.
constexpr unsigned MostUnits = 16;
/// Instructions of one of them, at least: each repeats the types that it uses.
constexpr size_t MinUnitInstructions = 1000;

/// What the threads need of the compilation, and what they make. On the heap,
/// since a compilation that meets a fatal error leaves its frames while other
/// threads still work.
struct SharedPartitions {
  SharedPartitions(std::shared_ptr<const ptx::Module> Tree,
                   MemoryBufferRef Input, const Compilation &C,
                   SyntaxPartitions Map, FrontendSteps Steps)
      : Tree(std::move(Tree)), Input(Input), S(C.S), Options(C.Env.Options),
        Control(C.Env.Control), Map(std::move(Map)), Steps(Steps),
        Modules(this->Map.Count) {}

  void work(CompilerContext &Ctx, TaskGroup::NextTask Next);

  std::shared_ptr<const ptx::Module> Tree;
  MemoryBufferRef Input;
  Settings S;
  CompileOptions Options;
  SharedControl &Control;
  SyntaxPartitions Map;
  FrontendSteps Steps;
  std::vector<PartitionedModule> Modules;
  /// Whether some partition cannot be compiled apart from the others.
  std::atomic<bool> Failed{false};

private:
  bool lower(unsigned Partition, CompilerContext &Ctx, PartitionedModule &To);
  std::unique_ptr<Module> lowerFunctions(unsigned Partition,
                                         CompilerContext &Ctx,
                                         LLVMContext &Context,
                                         const Reporter &Report);
};

/// Null after an error, or if the compilation was cancelled.
std::unique_ptr<Module>
SharedPartitions::lowerFunctions(unsigned Partition, CompilerContext &Ctx,
                                 LLVMContext &Context, const Reporter &Report) {
  ParsedInput Messages(Report);
  Frontend F(*Tree, Input, S, Ctx.mlir(), Context, Messages.Diags, Control);
  bool IsLowered = Steps(F, [&](const ptx::Function &Function) {
    auto Found = Map.PartitionOf.find(&Function);
    bool IsWanted =
        Found != Map.PartitionOf.end() && Found->second == Partition;
    return IsWanted ? ImportedPart::Body : ImportedPart::Nothing;
  });
  bool IsSilent = Messages.Diags.getDiagnostics().empty() &&
                  Messages.Diags.getSummaries().empty();
  return IsLowered && IsSilent ? F.takeResult().Module : nullptr;
}

/// False if there is something to say.
bool SharedPartitions::lower(unsigned Partition, CompilerContext &Ctx,
                             PartitionedModule &To) {
  bool IsSilent = true;
  auto Listen = [&](const Diagnostic &) { IsSilent = false; };
  Reporter Report(Options, Listen);
  To.Context = std::make_unique<LLVMContext>();
  Ctx.countInput(Input.getBufferSize() / Map.Count);
  To.M = lowerFunctions(Partition, Ctx, *To.Context, Report);
  if (!To.M)
    return false;
  if (Error E =
          checkModule(*To.M, S, Input.getBufferIdentifier(), Report, Control)) {
    consumeError(std::move(E));
    return false;
  }
  if (S.hasLinesInOutput()) {
    To.IsUnit = true;
    To.Partitions = {functionsOf(*To.M)};
    divideVariables(*To.M, /*IsFirst=*/Partition == 0);
  } else {
    To.Partitions = partitionModule(*To.M);
  }
  return IsSilent && !To.Partitions.empty();
}

/// What each thread does.
void SharedPartitions::work(CompilerContext &Ctx, TaskGroup::NextTask Next) {
  while (!Failed) {
    std::optional<size_t> I = Next();
    if (!I)
      break;
    if (!lower(*I, Ctx, Modules[*I]))
      Failed = true;
  }
}

/// Whether no setting is about the whole of the file.
bool mayPartition(const Settings &S) {
  return S.Emit == "obj" && S.Partitions && !S.CheckOnly && !S.Relocatable &&
         !S.Remarks && !S.EmbedBitcode && !S.LTO && !S.Counting && !S.Profile &&
         S.Entries.empty() && S.Tuning.Kernels.empty() &&
         S.AssumedBlock.empty() && S.AssumedParams.empty();
}

/// The names of the functions that the modules define, in the order of the
/// file, and the places of their partitions; nothing if there are others.
SmallVector<StringRef>
placePartitions(const ptx::Module &File,
                std::vector<PartitionedModule> &Modules) {
  StringMap<std::pair<size_t, size_t>> PartitionOf; // module, partition
  for (auto [I, M] : enumerate(Modules)) {
    M.Places.resize(M.Partitions.size());
    for (auto [J, P] : enumerate(M.Partitions))
      for (const Function *F : P)
        PartitionOf[F->getName()] = {I, J};
  }
  SmallVector<StringRef> Names;
  DenseSet<std::pair<size_t, size_t>> Seen;
  for (const ptx::Function *F : File.Functions) {
    auto Found = PartitionOf.find(F->getName());
    if (Found == PartitionOf.end())
      continue;
    Names.push_back(F->getName());
    if (Seen.insert(Found->second).second)
      Modules[Found->second.first].Places[Found->second.second] =
          Seen.size() - 1;
  }
  return Names.size() == PartitionOf.size() ? Names : SmallVector<StringRef>();
}

} // namespace

Expected<std::optional<PartitionedInput>>
lowerPartitions(const ParsedInput &Tree, MemoryBufferRef Input,
                const Compilation &C, FrontendSteps Steps) {
  unsigned Threads = threadsAllowed(C.S);
  bool HasUnits = C.S.hasLinesInOutput();
  if (!Tree.Module || !Tree.Diags.getDiagnostics().empty() ||
      (Threads < 2 && !HasUnits) || !mayPartition(C.S))
    return std::nullopt;
  SyntaxPartitions Map =
      HasUnits ? partitionSyntaxTree(Tree, MostUnits, MinUnitInstructions)
               : partitionSyntaxTree(Tree, Threads * PartitionsPerThread,
                                     MinSharedInstructions / 2);
  if (Map.Count < 2)
    return std::nullopt;
  auto All = std::make_shared<SharedPartitions>(Tree.Module, Input, C,
                                                std::move(Map), Steps);
  std::optional<std::string> Fatal =
      C.Env.Helpers.run(All->Modules.size(), Threads, C.Env.Ctx,
                        [All](CompilerContext &Ctx, TaskGroup::NextTask Next) {
                          All->work(Ctx, Next);
                        });
  if (Fatal)
    return fatalError(*Fatal);
  if (Error E = checkStop(C.Env.Control))
    return std::move(E);
  if (All->Failed)
    return std::nullopt;
  PartitionedInput Result;
  Result.Names = placePartitions(*Tree.Module, All->Modules);
  if (Result.Names.empty())
    return std::nullopt;
  Result.Modules = std::move(All->Modules);
  return std::move(Result);
}

} // namespace heddle::compiler
