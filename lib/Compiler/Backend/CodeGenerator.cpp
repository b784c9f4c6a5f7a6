//===- CodeGenerator.cpp - LLVM IR to machine code --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets up the target machine and runs its code generator, watching it function
// by function.
//
//===----------------------------------------------------------------------===//

#include "Backend/CodeGenerator.h"

#include "heddle/Support/Attributes.h"
#include "heddle/Target/HeddleTarget.h"

#include "llvm/MC/TargetRegistry.h"

#include <chrono>

using namespace llvm;

namespace heddle::compiler {

/// The last pass over each function: notes its time, which is that since the
/// previous function's end, tells how far the work is, and drops what is left
/// if nobody wants it any more.
class FunctionEnd : public FunctionPass {
public:
  static char ID;
  FunctionEnd() : FunctionPass(ID) {}

  /// Where to note costs and progress from now on.
  void tell(FunctionCosts *ToCosts, Progress *ToFunctions) {
    Costs = ToCosts;
    Functions = ToFunctions;
  }

  bool doInitialization(Module &) override {
    Last = std::chrono::steady_clock::now();
    return false;
  }

  bool runOnFunction(Function &F) override {
    auto Now = std::chrono::steady_clock::now();
    FunctionCost &Cost = (*Costs)[F.getName()];
    Cost.Milliseconds +=
        std::chrono::duration<double, std::milli>(Now - Last).count();
    Last = Now;
    if (Attribute Way = F.getFnAttribute(attr::InOnePass); Way.isValid())
      Cost.InOnePass = Way.getValueAsString() == "yes"
                           ? FunctionCost::Generated
                           : FunctionCost::NotGenerated;
    Functions->add(1);
    if (!Functions->control().shouldStop())
      return false;
    // A declaration takes no time.
    for (auto It = std::next(F.getIterator()), End = F.getParent()->end();
         It != End; ++It)
      It->deleteBody();
    return true;
  }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesAll();
  }
  StringRef getPassName() const override { return "End of each function"; }

private:
  FunctionCosts *Costs = nullptr;
  Progress *Functions = nullptr;
  std::chrono::steady_clock::time_point Last;
};

char FunctionEnd::ID = 0;

static CodeGenOptLevel codeGenLevel(unsigned OptLevel) {
  switch (OptLevel) {
  case 0:
    return CodeGenOptLevel::None;
  case 1:
    return CodeGenOptLevel::Less;
  case 2:
    return CodeGenOptLevel::Default;
  default:
    return CodeGenOptLevel::Aggressive;
  }
}

std::unique_ptr<TargetMachine> createTargetMachine(const Settings &S) {
  TargetOptions Options;
  // Fusing is allowed where the IR carries the contract flag, nowhere else.
  Options.AllowFPOpFusion = FPOpFusion::Standard;
  return std::unique_ptr<TargetMachine>(
      getTheHeddleTarget().createTargetMachine(
          Triple(TargetTriple), S.Chip,
          S.generatesInOnePass() ? "+single-pass" : "", Options, Reloc::PIC_,
          CodeModel::Small, codeGenLevel(S.OptLevel)));
}

Error CodeGenPasses::setUp(bool Assembly) {
  if (Passes)
    return Error::success();
  auto PM = std::make_unique<legacy::PassManager>();
  if (TM.addPassesToEmitFile(*PM, Stream, nullptr,
                             Assembly ? CodeGenFileType::AssemblyFile
                                      : CodeGenFileType::ObjectFile))
    return createStringError(inconvertibleErrorCode(),
                             "the target cannot write this kind of file");
  End = new FunctionEnd;
  PM->add(End);
  Passes = std::move(PM);
  return Error::success();
}

ArrayRef<char> CodeGenPasses::run(Module &M, FunctionCosts &Costs,
                                  Progress &Functions) {
  Output.clear();
  End->tell(&Costs, &Functions);
  Passes->run(M);
  End->tell(nullptr, nullptr);
  return Output;
}

Error CodeGenerator::emit(Module &M, const RegisterPlans &Plans,
                          GeneratedCode &Code) {
  if (Error E = Passes.setUp(Assembly))
    return E;
  setRegisterPlans(Passes.targetMachine(), Plans);
  ArrayRef<char> Made = Passes.run(M, Costs, Functions);
  Code.Uses = takeRegisterUses(Passes.targetMachine());
  Code.Bytes.assign(Made.begin(), Made.end());
  return Error::success();
}

} // namespace heddle::compiler
