//===- Directives.cpp - Limits that options put on kernels ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// -maxrregcount, -maxntid and -minnctapersm become the function attributes of
// the corresponding directives; -e leaves only the entries named. Functions
// that are linked later do not know their callers, and keep to the limit of the
// options, as with ptxas. A kernel that device code names is launched from
// there, in blocks of any size: nothing compiles it anew with fewer registers,
// as the host's launches do.
//
//===----------------------------------------------------------------------===//

#include "PrepareModule.h"

#include "heddle/IR/Kernels.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Support/Attributes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::compiler {

/// An attribute of the PTX stands unless the command line overrides it.
static void setLimit(Function &F, StringRef Attribute, const Twine &Value,
                     const Settings &S) {
  if (S.OverrideDirectives || !F.hasFnAttribute(Attribute))
    F.addFnAttr(Attribute, Value.str());
}

/// Whether the PTX itself says how many threads there are.
static bool hasLaunchBounds(const Function &F) {
  return F.hasFnAttribute(attr::MaxNTid) || F.hasFnAttribute(attr::ReqNTid);
}

static Error keepEntries(Module &M, ArrayRef<std::string> Names) {
  StringSet<> Wanted;
  for (const std::string &Name : Names) {
    Function *F = M.getFunction(Name);
    if (!F || !ir::isDefinedKernel(*F))
      return createStringError(inconvertibleErrorCode(),
                               "entry function '" + Name +
                                   "' is not defined in the input");
    Wanted.insert(Name);
  }
  // One that something else names stays, undefined, as if it were another
  // module's.
  for (Function &F : M)
    if (ir::isDefinedKernel(F) && !Wanted.contains(F.getName()))
      F.deleteBody();
  for (Function &F : make_early_inc_range(M))
    if (F.isDeclaration() && ir::isKernel(F) && F.use_empty())
      F.eraseFromParent();
  return Error::success();
}

/// The most registers with which a CTA may have as many threads as any.
static unsigned registersForAnyBlock(StringRef Chip) {
  const isa::ChipInfo *C = isa::findChip(Chip);
  return C ? alignDown(C->RegistersPerCore / C->ThreadsPerCTA,
                       C->RegisterGranule)
           : 0;
}

static void limitLaunchedByKernels(Function &F, const Settings &S) {
  unsigned Most = registersForAnyBlock(S.Chip);
  if (Most && F.hasAddressTaken() && !hasLaunchBounds(F) &&
      !F.hasFnAttribute(attr::MaxNReg))
    F.addFnAttr(attr::MaxNReg, Twine(Most).str());
}

/// The smaller one of this limit and one that the function has.
static void lowerLimit(Function &F, unsigned Limit) {
  unsigned Known = F.getFnAttributeAsParsedInteger(attr::MaxNReg, Limit);
  F.addFnAttr(attr::MaxNReg, Twine(std::min(Known, Limit)).str());
}

void limitRegisters(Module &M, unsigned Limit) {
  for (Function &F : M) {
    bool HasOwn = hasLaunchBounds(F) || F.hasFnAttribute(attr::MaxNReg);
    if (!F.isDeclaration() && !HasOwn)
      lowerLimit(F, Limit);
  }
}

Error applyDirectives(Module &M, const Settings &S) {
  if (!S.Entries.empty())
    if (Error E = keepEntries(M, S.Entries))
      return E;
  for (Function &F : M) {
    if (S.KeepMemberMasks && !F.isDeclaration())
      F.addFnAttr(attr::KeepWarpSync);
    if (S.Relocatable && S.MaxFunctionRegisters && !F.isDeclaration() &&
        !ir::isKernel(F))
      lowerLimit(F, S.MaxFunctionRegisters);
    if (!ir::isDefinedKernel(F))
      continue;
    // As ptxas has it: options that know the launch are better.
    if (S.MaxRegisters && (S.OverrideDirectives || !hasLaunchBounds(F)))
      setLimit(F, attr::MaxNReg, Twine(S.MaxRegisters), S);
    if (!S.MaxNTid.empty() && !F.hasFnAttribute(attr::ReqNTid))
      setLimit(F, attr::MaxNTid, S.MaxNTid, S);
    if (S.MinCTAs)
      setLimit(F, attr::MinCTAs, Twine(S.MinCTAs), S);
    limitLaunchedByKernels(F, S);
  }
  return Error::success();
}

} // namespace heddle::compiler
