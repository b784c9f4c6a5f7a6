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
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

#include <cmath>
#include <cstring>

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

static HostFeatures featuresOf(TargetMachine &Target) {
  LLVMContext C;
  Module M("", C);
  M.setDataLayout(Target.createDataLayout());
  auto *F = Function::Create(FunctionType::get(Type::getVoidTy(C), false),
                             Function::ExternalLinkage, "", M);
  F->addFnAttr("min-legal-vector-width", "512");
  TargetTransformInfo TTI = Target.getTargetTransformInfo(*F);
  auto *Words = FixedVectorType::get(Type::getInt32Ty(C), 16);
  HostFeatures Features;
  Features.Gathers = TTI.isLegalMaskedGather(Words, Align(4)) &&
                     TTI.isLegalMaskedScatter(Words, Align(4));
  if (Target.getTargetTriple().isX86()) {
    const MCSubtargetInfo &Processor = *Target.getMCSubtargetInfo();
    Features.Permutes = Processor.checkFeatures("+avx512f");
    Features.Halves = Processor.checkFeatures("+f16c");
  }
  return Features;
}

/// Makes code for the processor \p Name, if LLVM knows it and the host has all
/// that it has.
static Error chooseProcessor(orc::JITTargetMachineBuilder &Builder,
                             StringRef Name) {
  auto Target = Builder.createTargetMachine();
  if (!Target)
    return Target.takeError();
  if (!(*Target)->getMCSubtargetInfo()->isCPUStringValid(Name))
    return createStringError("no processor of this architecture is called '" +
                             Name + "'");
  Builder.setCPU(Name.str());
  Builder.getFeatures() = SubtargetFeatures();
  Target = Builder.createTargetMachine();
  if (!Target)
    return Target.takeError();
  const MCSubtargetInfo &Processor = *(*Target)->getMCSubtargetInfo();
  StringMap<bool> Host = sys::getHostCPUFeatures();
  for (const SubtargetFeatureKV &F : Processor.getEnabledProcessorFeatures())
    if (auto It = Host.find(F.Key); It != Host.end() && !It->second)
      return createStringError("this host has no " + Twine(F.Key) +
                               ", which '" + Name + "' has");
  return Error::success();
}

Expected<std::unique_ptr<HostCompiler>>
HostCompiler::create(StringRef Processor) {
  static std::once_flag Initialized;
  std::call_once(Initialized, initializeLLVM);
  auto Host = orc::JITTargetMachineBuilder::detectHost();
  if (!Host)
    return Host.takeError();
  if (!Processor.empty())
    if (Error E = chooseProcessor(*Host, Processor))
      return std::move(E);
  Host->setCodeGenOptLevel(CodeGenOptLevel::Default);
  auto Result = std::make_unique<HostCompiler>();
  Result->Description = Host->getTargetTriple().str() + " " + Host->getCPU() +
                        " " + Host->getFeatures().getString();
  Result->Builder =
      std::make_unique<orc::JITTargetMachineBuilder>(std::move(*Host));
  auto Target = Result->Builder->createTargetMachine();
  if (!Target)
    return Target.takeError();
  Result->Features = featuresOf(**Target);
  Result->returnTarget(std::move(*Target));
  if (Error E = Result->startJIT())
    return std::move(E);
  return Result;
}

Error HostCompiler::startJIT() {
  auto Made = orc::LLJITBuilder()
                  .setJITTargetMachineBuilder(*Builder)
                  .setPlatformSetUp(orc::setUpInactivePlatform)
                  .create();
  if (!Made)
    return Made.takeError();
  J = std::move(*Made);
  Library = &J->getExecutionSession().createBareJITDylib("library");
  orc::SymbolMap Functions;
  auto Add = [&](const char *Name, auto *Function) {
    Functions[J->mangleAndIntern(Name)] = {orc::ExecutorAddr::fromPtr(Function),
                                           JITSymbolFlags::Exported |
                                               JITSymbolFlags::Callable};
  };
  Add("fma", static_cast<double (*)(double, double, double)>(::fma));
  Add("fmaf", static_cast<float (*)(float, float, float)>(::fmaf));
  Add("memcpy", ::memcpy);
  Add("memset", ::memset);
  return Library->define(orc::absoluteSymbols(std::move(Functions)));
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
  auto Unit = J->createJITDylib("unit" + std::to_string(Number++));
  if (!Unit)
    return Unit.takeError();
  Unit->addToLinkOrder(*Library);
  if (Error E = J->addObjectFile(*Unit, std::move(Object)))
    return std::move(E);
  auto Address = J->lookup(*Unit, Name);
  if (!Address)
    return Address.takeError();
  return Address->toPtr<void *>();
}

} // namespace heddle::native
