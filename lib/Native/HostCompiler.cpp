//===- HostCompiler.cpp - LLVM IR as code of the host -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The IR is straight already; the passes turn variables into values and drop
// what nobody asks for. Of LLVM's code generation, what takes long and brings
// little on processors that reorder instructions themselves is left out.
//
//===----------------------------------------------------------------------===//

#include "HostCompiler.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

using namespace llvm;

namespace heddle::native {

/// Of this library's own copy of LLVM.
static void initializeLLVM() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  const char *Options[] = {"heddle-native", "-enable-misched=false",
                           "-post-RA-scheduler=false",
                           "-enable-tail-merge=false"};
  cl::ParseCommandLineOptions(std::size(Options), Options);
}

/// Whether one instruction accesses a place for each element of a vector.
static bool hasGathers(TargetMachine &Target) {
  LLVMContext C;
  Module M("", C);
  M.setDataLayout(Target.createDataLayout());
  auto *F = Function::Create(FunctionType::get(Type::getVoidTy(C), false),
                             Function::ExternalLinkage, "", M);
  F->addFnAttr("min-legal-vector-width", "512");
  TargetTransformInfo TTI = Target.getTargetTransformInfo(*F);
  auto *Words = FixedVectorType::get(Type::getInt32Ty(C), 16);
  return TTI.isLegalMaskedGather(Words, Align(4)) &&
         TTI.isLegalMaskedScatter(Words, Align(4));
}

Expected<std::unique_ptr<HostCompiler>> HostCompiler::create() {
  static std::once_flag Initialized;
  std::call_once(Initialized, initializeLLVM);
  auto Host = orc::JITTargetMachineBuilder::detectHost();
  if (!Host)
    return Host.takeError();
  Host->setCodeGenOptLevel(CodeGenOptLevel::Default);
  auto Result = std::make_unique<HostCompiler>();
  Result->Description = Host->getTargetTriple().str() + " " + Host->getCPU() +
                        " " + Host->getFeatures().getString();
  Result->Builder =
      std::make_unique<orc::JITTargetMachineBuilder>(std::move(*Host));
  auto Target = Result->Builder->createTargetMachine();
  if (!Target)
    return Target.takeError();
  Result->HasGathers = native::hasGathers(**Target);
  Result->returnTarget(std::move(*Target));
  auto J = orc::LLJITBuilder()
               .setJITTargetMachineBuilder(*Result->Builder)
               .setPlatformSetUp(orc::setUpInactivePlatform)
               .create();
  if (!J)
    return J.takeError();
  Result->J = std::move(*J);
  return Result;
}

static void optimise(Module &M, TargetMachine &Target) {
  FunctionAnalysisManager FAM;
  PassBuilder(&Target).registerFunctionAnalyses(FAM);
  FunctionPassManager FPM;
  FPM.addPass(PromotePass());
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  FPM.addPass(ADCEPass());
  for (Function &F : M)
    if (!F.isDeclaration())
      FPM.run(F, FAM);
}

/// One that no other thread uses; they take longer to make than small units.
Expected<std::unique_ptr<TargetMachine>> HostCompiler::takeTarget() {
  std::lock_guard Lock(TargetsMutex);
  if (Targets.empty())
    return Builder->createTargetMachine();
  std::unique_ptr<TargetMachine> Target = std::move(Targets.back());
  Targets.pop_back();
  return Target;
}

void HostCompiler::returnTarget(std::unique_ptr<TargetMachine> Target) {
  std::lock_guard Lock(TargetsMutex);
  Targets.push_back(std::move(Target));
}

Expected<std::unique_ptr<MemoryBuffer>> HostCompiler::compile(Module &M) {
  auto Target = takeTarget();
  if (!Target)
    return Target.takeError();
  M.setTargetTriple((*Target)->getTargetTriple());
  M.setDataLayout((*Target)->createDataLayout());
  optimise(M, **Target);
  SmallVector<char, 0> Bytes;
  raw_svector_ostream OS(Bytes);
  legacy::PassManager PM;
  MCContext *Context = nullptr;
  if ((*Target)->addPassesToEmitMC(PM, Context, OS, /*DisableVerify=*/true))
    return createStringError("the host's target makes no objects");
  PM.run(M);
  returnTarget(std::move(*Target));
  return std::make_unique<SmallVectorMemoryBuffer>(std::move(Bytes));
}

Expected<void *> HostCompiler::load(std::unique_ptr<MemoryBuffer> Object,
                                    StringRef Name) {
  static std::atomic<unsigned> Number{0};
  auto Library = J->createJITDylib("unit" + std::to_string(Number++));
  if (!Library)
    return Library.takeError();
  if (Error E = J->addObjectFile(*Library, std::move(Object)))
    return std::move(E);
  auto Address = J->lookup(*Library, Name);
  if (!Address)
    return Address.takeError();
  return Address->toPtr<void *>();
}

} // namespace heddle::native
