//===- HeddleTargetObjectFile.cpp - Sections of a code object ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variables in constant memory form the image of constant bank 3, in which
// their symbols are offsets; all others are global memory.
//
//===----------------------------------------------------------------------===//

#include "HeddleTargetObjectFile.h"

#include "heddle/IR/Kernels.h"
#include "heddle/Object/Format.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Target/Relocatable.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCSectionELF.h"

using namespace llvm;

namespace addrspace = heddle::addrspace;

/// The one kernel whose code names G, and nothing else; null if there is none.
static const Function *onlyKernelOf(const GlobalVariable &G) {
  const Function *Kernel = nullptr;
  SmallVector<const User *> Work(G.users());
  while (!Work.empty()) {
    const User *U = Work.pop_back_val();
    if (isa<ConstantExpr>(U)) {
      append_range(Work, U->users());
      continue;
    }
    const auto *I = dyn_cast<Instruction>(U);
    const Function *F = I ? I->getFunction() : nullptr;
    if (!F || !heddle::ir::isKernel(*F) || (Kernel && F != Kernel))
      return nullptr;
    Kernel = F;
  }
  return Kernel;
}

static std::string nameOfSection(const GlobalVariable &G, SectionKind Kind) {
  auto Name = [](StringRef Prefix, const GlobalValue &Of) {
    return (Prefix + "." + Of.getName()).str();
  };
  switch (G.getAddressSpace()) {
  case addrspace::Const:
    return Name(heddle::ConstantSectionPrefix, G);
  case addrspace::Shared: {
    const Function *Kernel = G.hasLocalLinkage() ? onlyKernelOf(G) : nullptr;
    return Kernel ? Name(heddle::SharedSectionPrefix, *Kernel)
                  : heddle::SharedSectionPrefix;
  }
  default:
    return Name(Kind.isBSS()        ? heddle::ZeroSectionPrefix
                : Kind.isReadOnly() ? heddle::ReadOnlySectionPrefix
                                    : heddle::DataSectionPrefix,
                G);
  }
}

void HeddleTargetObjectFile::Initialize(MCContext &Context,
                                        const TargetMachine &TM) {
  TargetLoweringObjectFileELF::Initialize(Context, TM);
  NextShared = 0;
}

/// A section of its own for a variable of a module that will be linked, so that
/// the linker can leave the variable out, or give it to the only kernel that
/// names it. The shared variables of one kernel alone that no other object can
/// name have a section for that kernel.
MCSection *HeddleTargetObjectFile::sectionOfItsOwn(const GlobalVariable &G,
                                                   SectionKind Kind) const {
  bool IsShared = G.getAddressSpace() == addrspace::Shared;
  bool IsZero = IsShared || Kind.isBSS();
  bool IsConstant =
      G.getAddressSpace() == addrspace::Const || Kind.isReadOnly();
  unsigned ID = IsShared ? NextShared++ : MCSection::NonUniqueID;
  return getContext().getELFSection(
      nameOfSection(G, Kind), IsZero ? ELF::SHT_NOBITS : ELF::SHT_PROGBITS,
      ELF::SHF_ALLOC | (IsConstant ? 0 : ELF::SHF_WRITE), /*EntrySize=*/0,
      /*Group=*/"", /*IsComdat=*/false, ID, /*LinkedToSym=*/nullptr);
}

MCSection *HeddleTargetObjectFile::SelectSectionForGlobal(
    const GlobalObject *GO, SectionKind Kind, const TargetMachine &TM) const {
  // Its name alone decides, not how often a profile says that it runs.
  if (isa<Function>(GO))
    return getContext().getELFSection(
        (Twine(heddle::TextSectionPrefix) + "." + GO->getName()).str(),
        ELF::SHT_PROGBITS, ELF::SHF_ALLOC | ELF::SHF_EXECINSTR);
  const auto *G = dyn_cast<GlobalVariable>(GO);
  if (!G)
    return TargetLoweringObjectFileELF::SelectSectionForGlobal(GO, Kind, TM);
  if (heddle::isRelocatable(*G->getParent()))
    return sectionOfItsOwn(*G, Kind);
  if (G->getAddressSpace() == addrspace::Const)
    return getContext().getELFSection(heddle::ConstantSectionPrefix,
                                      ELF::SHT_PROGBITS, ELF::SHF_ALLOC);
  return TargetLoweringObjectFileELF::SelectSectionForGlobal(GO, Kind, TM);
}
