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

#include "heddle/Object/Format.h"
#include "heddle/Support/AddressSpace.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCSectionELF.h"

using namespace llvm;

MCSection *HeddleTargetObjectFile::SelectSectionForGlobal(
    const GlobalObject *GO, SectionKind Kind, const TargetMachine &TM) const {
  if (isa<GlobalVariable>(GO) &&
      GO->getAddressSpace() == heddle::addrspace::Const)
    return getContext().getELFSection(heddle::ConstantSectionPrefix,
                                      ELF::SHT_PROGBITS, ELF::SHF_ALLOC);
  return TargetLoweringObjectFileELF::SelectSectionForGlobal(GO, Kind, TM);
}
