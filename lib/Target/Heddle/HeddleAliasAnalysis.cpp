//===- HeddleAliasAnalysis.cpp - State spaces do not overlap ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A generic pointer is in the space of the object that it was made from, where
// that can be seen.
//
//===----------------------------------------------------------------------===//

#include "HeddleAliasAnalysis.h"
#include "heddle/Support/AddressSpace.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace heddle::addrspace;

AnalysisKey HeddleAA::Key;

bool llvm::areDisjointSpaces(unsigned A, unsigned B) {
  return A != B && A != Generic && B != Generic;
}

static unsigned spaceOf(const MemoryLocation &Location) {
  unsigned Space = Location.Ptr->getType()->getPointerAddressSpace();
  return Space == Generic ? getUnderlyingObject(Location.Ptr)
                                ->getType()
                                ->getPointerAddressSpace()
                          : Space;
}

AliasResult HeddleAAResult::alias(const MemoryLocation &A,
                                  const MemoryLocation &B, AAQueryInfo &,
                                  const Instruction *) {
  return areDisjointSpaces(spaceOf(A), spaceOf(B)) ? AliasResult::NoAlias
                                                   : AliasResult::MayAlias;
}

ModRefInfo HeddleAAResult::getModRefInfoMask(const MemoryLocation &Location,
                                             AAQueryInfo &, bool) {
  unsigned Space = spaceOf(Location);
  return Space == Const || Space == Param ? ModRefInfo::NoModRef
                                          : ModRefInfo::ModRef;
}
