//===- CodeGen.cpp - LLVM IR to machine code --------------------*- C++ -*-===//
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

#include "Stages.h"

#include "heddle/Target/HeddleTarget.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace llvm;

namespace heddle::compiler {

namespace {

/// The last pass over each function: notes its time, which is that since the
/// previous function's end, tells how far the work is, and drops what is left
/// if nobody wants it any more.
class FunctionEnd : public FunctionPass {
public:
  static char ID;
  FunctionEnd(StringMap<double> &Milliseconds, CompileControl &Control)
      : FunctionPass(ID), Milliseconds(Milliseconds), Control(Control),
        Last(std::chrono::steady_clock::now()) {}

  bool doInitialization(Module &M) override {
    Total = count_if(M, [](const Function &F) { return !F.isDeclaration(); });
    return false;
  }

  bool runOnFunction(Function &F) override {
    auto Now = std::chrono::steady_clock::now();
    Milliseconds[F.getName()] =
        std::chrono::duration<double, std::milli>(Now - Last).count();
    Last = Now;
    Control.progress(++Done, Total);
    if (!Control.shouldStop())
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
  StringMap<double> &Milliseconds;
  CompileControl &Control;
  std::chrono::steady_clock::time_point Last;
  unsigned Done = 0, Total = 0;
};

char FunctionEnd::ID = 0;

CodeGenOptLevel codeGenLevel(unsigned OptLevel) {
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

} // namespace

std::unique_ptr<TargetMachine> createTargetMachine(const Settings &S) {
  TargetOptions Options;
  // Fusing is allowed where the IR carries the contract flag, nowhere else.
  Options.AllowFPOpFusion = FPOpFusion::Standard;
  return std::unique_ptr<TargetMachine>(
      getTheHeddleTarget().createTargetMachine(
          Triple("heddle-unknown-unknown"), S.Chip, /*Features=*/"", Options,
          Reloc::PIC_, CodeModel::Small, codeGenLevel(S.OptLevel)));
}

Error emitCode(Module &M, TargetMachine &TM, bool Assembly,
               SmallVectorImpl<char> &Bytes, StringMap<double> &Milliseconds,
               CompileControl &Control) {
  raw_svector_ostream OS(Bytes);
  legacy::PassManager PM;
  if (TM.addPassesToEmitFile(PM, OS, nullptr,
                             Assembly ? CodeGenFileType::AssemblyFile
                                      : CodeGenFileType::ObjectFile))
    return createStringError(inconvertibleErrorCode(),
                             "the target cannot write this kind of file");
  PM.add(new FunctionEnd(Milliseconds, Control));
  PM.run(M);
  return Error::success();
}

} // namespace heddle::compiler
