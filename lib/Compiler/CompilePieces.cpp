//===- CompilePieces.cpp - A PTX file, by several threads -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First all pieces become LLVM IR, each in a context of its own, so that a file
// of which there is something to say is known before code is generated; then
// the units of the pieces become machine code. Units are the same ones, and in
// the same order, as when the file is one module, and so is the object.
//
//===----------------------------------------------------------------------===//

#include "CompilerContext.h"
#include "Parts.h"
#include "Pieces.h"

using namespace llvm;

namespace heddle::compiler {

namespace {

/// Pieces for each thread, so that all are busy until the end.
constexpr unsigned PiecesPerThread = 4;

/// What the threads need of the compilation, and what they make. On the heap
/// as PartGenerator's is.
struct SharedPieces {
  SharedPieces(std::shared_ptr<const ptx::Module> File, MemoryBufferRef Input,
               const Settings &S, const CompileEnvironment &Env, PieceMap Map)
      : File(std::move(File)), Input(Input), S(S), Options(Env.Options),
        Control(Env.Control), Map(std::move(Map)), Modules(this->Map.Count) {}

  void work(CompilerContext &Ctx, TaskGroup::NextTask Next);

  std::shared_ptr<const ptx::Module> File;
  MemoryBufferRef Input;
  Settings S;
  CompileOptions Options;
  SharedControl &Control;
  PieceMap Map;
  std::vector<UnitModule> Modules;
  /// Whether some piece cannot be compiled apart from the others.
  std::atomic<bool> Failed{false};

private:
  bool lower(unsigned Piece, CompilerContext &Ctx, UnitModule &To);
};

/// False if there is something to say.
bool SharedPieces::lower(unsigned Piece, CompilerContext &Ctx, UnitModule &To) {
  bool IsSilent = true;
  auto Listen = [&](const Diagnostic &) { IsSilent = false; };
  Reporter Report(Options, Listen);
  To.Context = std::make_unique<LLVMContext>();
  Ctx.countInput(Input.getBufferSize() / Map.Count);
  To.M = lowerFunctions(*File, Input, S, Ctx.mlir(), *To.Context, Report,
                        Control, [&](const ptx::Function &F) {
                          auto Found = Map.PieceOf.find(&F);
                          return Found != Map.PieceOf.end() &&
                                 Found->second == Piece;
                        });
  if (!To.M)
    return false;
  if (Error E =
          checkModule(*To.M, S, Input.getBufferIdentifier(), Report, Control)) {
    consumeError(std::move(E));
    return false;
  }
  To.Units = divideModule(*To.M);
  return IsSilent && !To.Units.empty();
}

/// What each thread does.
void SharedPieces::work(CompilerContext &Ctx, TaskGroup::NextTask Next) {
  while (!Failed) {
    std::optional<size_t> Piece = Next();
    if (!Piece)
      break;
    if (!lower(*Piece, Ctx, Modules[*Piece]))
      Failed = true;
  }
}

/// Whether no setting is about the whole of the file.
bool mayDivide(const Settings &S) {
  return S.Emit == "obj" && S.Units && !S.CheckOnly && !S.Relocatable &&
         !S.keepsLines() && !S.EmbedBitcode && !S.LTO && !S.Counting &&
         !S.Profile && S.Entries.empty() && S.Tuning.Kernels.empty() &&
         S.AssumedBlock.empty() && S.AssumedParams.empty();
}

/// The names of the functions that the modules define, in the order of the
/// file, and the places of their units; nothing if there are others.
SmallVector<StringRef> placeUnits(const ptx::Module &File,
                                  std::vector<UnitModule> &Modules) {
  StringMap<std::pair<size_t, size_t>> UnitOf; // module, unit
  for (auto [I, M] : enumerate(Modules)) {
    M.Places.resize(M.Units.size());
    for (auto [J, U] : enumerate(M.Units))
      for (const Function *F : U)
        UnitOf[F->getName()] = {I, J};
  }
  SmallVector<StringRef> Names;
  DenseSet<std::pair<size_t, size_t>> Seen;
  for (const ptx::Function *F : File.Functions) {
    auto Found = UnitOf.find(F->getName());
    if (Found == UnitOf.end())
      continue;
    Names.push_back(F->getName());
    if (Seen.insert(Found->second).second)
      Modules[Found->second.first].Places[Found->second.second] =
          Seen.size() - 1;
  }
  return Names.size() == UnitOf.size() ? Names : SmallVector<StringRef>();
}

Error generatePieces(SharedPieces &All, ArrayRef<StringRef> Names,
                     unsigned Threads, const CompileEnvironment &Env,
                     Reporter &Report, CompileOutput &Output) {
  PartGenerator Parts(All.S, All.Input.getBufferIdentifier(), Env, Report,
                      Names.size(), Output);
  Buffer Variables;
  std::vector<Buffer> Objects;
  if (Error E =
          Parts.generate(*extractVariables(*All.Modules.front().M), Variables))
    return E;
  if (Error E = Parts.generateModules(std::move(All.Modules), Threads, Objects))
    return E;
  Objects.insert(Objects.begin(), std::move(Variables));
  if (Error E = mergeParts(Objects, Names, Output))
    return E;
  if (Error E = readReports(Parts.milliseconds(), Output))
    return E;
  warnOfMemory(All.Input.getBufferIdentifier(), Output, Report);
  return Error::success();
}

} // namespace

Expected<bool> compilePieces(const ParsedInput &Parsed, MemoryBufferRef Input,
                             const Settings &S, const CompileEnvironment &Env,
                             Reporter &Report, CompileOutput &Output) {
  unsigned Threads = threadsAllowed(S);
  if (Threads < 2 || !mayDivide(S))
    return false;
  PieceMap Map =
      divideFile(Parsed, Threads * PiecesPerThread, MinSharedInstructions / 2);
  if (Map.Count < 2)
    return false;
  auto All = std::make_shared<SharedPieces>(Parsed.Module, Input, S, Env,
                                            std::move(Map));
  std::optional<std::string> Fatal =
      Env.Helpers.run(All->Modules.size(), Threads, Env.Ctx,
                      [All](CompilerContext &Ctx, TaskGroup::NextTask Next) {
                        All->work(Ctx, Next);
                      });
  if (Fatal)
    return fatalError(*Fatal);
  if (Error E = checkStop(Env.Control))
    return std::move(E);
  if (All->Failed)
    return false;
  SmallVector<StringRef> Names = placeUnits(*Parsed.Module, All->Modules);
  if (Names.empty())
    return false;
  if (Error E = generatePieces(*All, Names, Threads, Env, Report, Output))
    return std::move(E);
  return true;
}

} // namespace heddle::compiler
