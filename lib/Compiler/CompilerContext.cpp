//===- CompilerContext.cpp - What compilations use again --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes and keeps workers and what they work with.
//
//===----------------------------------------------------------------------===//

#include "CompilerContext.h"
#include "Backend/CodeGenerator.h"

#include "heddle/Conversion/PTXToLLVM.h"

using namespace llvm;

namespace heddle::compiler {

static mlir::DialectRegistry dialects() {
  mlir::DialectRegistry Registry;
  registerPTXToLLVMDialects(Registry);
  return Registry;
}

CompilerContext::CompilerContext() = default;

CompilerContext::~CompilerContext() = default;

mlir::MLIRContext &CompilerContext::mlir() {
  if (!MLIR) {
    MLIR.emplace(dialects(), mlir::MLIRContext::Threading::DISABLED);
    MLIR->loadAllAvailableDialects();
  }
  return *MLIR;
}

TargetMachine &CompilerContext::targetMachine(const Settings &S) {
  std::unique_ptr<TargetMachine> &TM =
      Machines[{S.Chip, S.OptLevel, S.generatesInOnePass()}];
  if (!TM)
    TM = createTargetMachine(S);
  return *TM;
}

CodeGenPasses &CompilerContext::codeGenPasses(const Settings &S,
                                              bool Assembly) {
  TargetMachine &TM = targetMachine(S);
  std::unique_ptr<CodeGenPasses> &Kept = Passes[{&TM, Assembly}];
  if (!Kept)
    Kept = std::make_unique<CodeGenPasses>(TM);
  return *Kept;
}

std::unique_ptr<Worker> WorkerPool::take() {
  std::lock_guard Lock(Mutex);
  if (Idle.empty())
    return std::make_unique<Worker>();
  std::unique_ptr<Worker> W = std::move(Idle.back());
  Idle.pop_back();
  return W;
}

void WorkerPool::giveBack(std::unique_ptr<Worker> W) {
  if (W->Ctx->isWornOut())
    W->Ctx.reset();
  std::lock_guard Lock(Mutex);
  if (Idle.size() < MaxIdle)
    Idle.push_back(std::move(W));
}

std::optional<std::string>
WorkerPool::run(function_ref<void(CompilerContext &)> Body) {
  std::unique_ptr<Worker> W = take();
  std::optional<std::string> Fatal = W->Thread.run([&] {
    if (!W->Ctx)
      W->Ctx = std::make_unique<CompilerContext>();
    Body(*W->Ctx);
  });
  if (!Fatal)
    giveBack(std::move(W));
  else // lost, since its state is not known
    (void)W->Ctx.release();
  return Fatal;
}

} // namespace heddle::compiler
