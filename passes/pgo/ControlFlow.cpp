//===- ControlFlow.cpp - What is counted of a function ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers branches and loops, and runs LLVM's own pass over edges, which counts
// those outside of a spanning tree and hashes the graph.
//
//===----------------------------------------------------------------------===//

#include "passes/pgo/ControlFlow.h"

#include "heddle/Support/PassRunner.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/Transforms/Instrumentation/PGOInstrumentation.h"

#include <mutex>

using namespace heddle::pgo;
using namespace llvm;

namespace heddle::passes {

ControlFlow::ControlFlow(Function &F) : Dominators(F), Info(Dominators) {
  for (BasicBlock &Block : F) {
    if (auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
        Branch && Branch->isConditional())
      Branches.push_back(Branch);
    if (Info.isLoopHeader(&Block))
      Loops.push_back(Info.getLoopFor(&Block));
  }
}

/// Selects have no edges, and no probe could tell which operand they took:
/// LLVM's pass shall leave them alone, wherever it runs in this process.
static void ignoreSelects() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    auto Found = cl::getRegisteredOptions().find("pgo-instr-select");
    if (Found != cl::getRegisteredOptions().end())
      static_cast<cl::opt<bool> *>(Found->second)->setValue(false);
  });
}

void runEdgePasses(Module &M, ModulePassManager MPM) {
  ignoreSelects();
  runPasses(M, std::move(MPM));
}

void runEdgeInstrumentation(Module &M) {
  ModulePassManager MPM;
  MPM.addPass(PGOInstrumentationGen());
  runEdgePasses(M, std::move(MPM));
}

std::vector<Function *> countedFunctions(Module &M) {
  std::vector<Function *> Functions;
  for (Function &F : M)
    if (!F.isDeclaration())
      Functions.push_back(&F);
  return Functions;
}

std::map<std::string, FunctionShape> edgeShapes(const Module &M) {
  std::map<std::string, FunctionShape> Shapes;
  for (const Function &F : M)
    for (const Instruction &I : instructions(F)) {
      const auto *Count = dyn_cast<InstrProfIncrementInst>(&I);
      if (!Count && !isa<InstrProfValueProfileInst>(I))
        continue;
      FunctionShape &S = Shapes[F.getName().str()];
      S.Name = F.getName().str();
      if (Count) {
        S.Hash = Count->getHash()->getZExtValue();
        S.Edges = Count->getNumCounters()->getZExtValue();
      } else if (const auto &V = cast<InstrProfValueProfileInst>(I);
                 V.getValueKind()->getZExtValue() == IPVK_IndirectCallTarget) {
        S.Calls = std::max<uint32_t>(S.Calls, V.getIndex()->getZExtValue() + 1);
      }
    }
  return Shapes;
}

} // namespace heddle::passes
