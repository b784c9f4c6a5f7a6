//===- Reports.cpp - What a compilation says of its result ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the figures of -v back from the object's metadata, and gives the
// warnings that depend on them.
//
//===----------------------------------------------------------------------===//

#include "Reports.h"

#include "heddle/Object/ObjectFile.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::compiler {

static FunctionReport makeReport(const KernelMetadata &K,
                                 const FunctionCosts &Costs) {
  FunctionReport R;
  R.Name = K.Name;
  R.IsEntry = true;
  R.Registers = K.Registers;
  R.Barriers = K.Barriers;
  R.StackBytes = R.CumulativeStackBytes = K.LocalBytes;
  R.SpillStoreBytes = K.SpillStoreBytes;
  R.SpillLoadBytes = K.SpillLoadBytes;
  R.SharedBytes = K.SharedBytes;
  R.ParamBytes = K.ParamBytes;
  R.Milliseconds = Costs.lookup(K.Name).Milliseconds;
  return R;
}

Error readReports(const FunctionCosts &Costs, CompileOutput &Output) {
  Expected<ObjectFile> Object = ObjectFile::create(
      {reinterpret_cast<const uint8_t *>(Output.Bytes.data()),
       Output.Bytes.size()});
  if (!Object)
    return Object.takeError();
  for (const Kernel &K : Object->kernels()) {
    FunctionReport R = makeReport(*K.Metadata, Costs);
    R.CodeBytes = Object->symbols()[K.Symbol].Size;
    Output.Functions.push_back(std::move(R));
  }
  for (const auto &Each : Costs) {
    FunctionCost::OnePass Way = Each.getValue().InOnePass;
    Output.InOnePass += Way == FunctionCost::Generated;
    Output.NotInOnePass += Way == FunctionCost::NotGenerated;
  }
  for (const Section &S : Object->sections()) {
    if (S.Kind == LoadKind::Global)
      Output.GlobalBytes += S.Size;
    if (S.Kind == LoadKind::Constant)
      Output.ConstantBytes += S.Size;
  }
  return Error::success();
}

static bool usesDouble(const Instruction &I) {
  auto IsDouble = [](const Type *T) {
    return T->getScalarType()->isDoubleTy();
  };
  return IsDouble(I.getType()) ||
         any_of(I.operand_values(),
                [&](const Value *V) { return IsDouble(V->getType()); });
}

void warnOfDouble(const Module &M, StringRef File, Reporter &Report) {
  for (const Function &F : M)
    for (const Instruction &I : instructions(F)) {
      if (!usesDouble(I))
        continue;
      const DebugLoc &Loc = I.getDebugLoc();
      Report.warning(
          WarningId::DoublePrecision, Loc ? Loc->getFilename() : File,
          "function '" + F.getName() + "' does double precision computations",
          Loc ? Loc.getLine() : 0);
      break; // one for each function
    }
}

void warnOfMemory(StringRef File, const CompileOutput &Output,
                  Reporter &Report) {
  for (const FunctionReport &F : Output.Functions) {
    if (F.SpillStoreBytes + F.SpillLoadBytes)
      Report.warning(WarningId::Spills, File,
                     "registers are spilled to local memory in function '" +
                         F.Name + "', " + Twine(F.SpillStoreBytes) +
                         " bytes spill stores, " + Twine(F.SpillLoadBytes) +
                         " bytes spill loads");
    if (F.StackBytes)
      Report.warning(WarningId::LocalMemory, File,
                     "local memory used for function '" + F.Name +
                         "', size of stack frame: " + Twine(F.StackBytes) +
                         " bytes");
  }
}

} // namespace heddle::compiler
