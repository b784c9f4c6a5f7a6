//===- HeddleTargetObjectFile.h - Sections of a code object -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which section of the code object a variable goes to.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLETARGETOBJECTFILE_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLETARGETOBJECTFILE_H

#include "llvm/CodeGen/TargetLoweringObjectFileImpl.h"

namespace llvm {

class HeddleTargetObjectFile : public TargetLoweringObjectFileELF {
public:
  void Initialize(MCContext &Context, const TargetMachine &TM) override;
  MCSection *SelectSectionForGlobal(const GlobalObject *GO, SectionKind Kind,
                                    const TargetMachine &TM) const override;

private:
  MCSection *sectionOfItsOwn(const GlobalVariable &G, SectionKind Kind) const;

  /// Tells sections of a module apart that have one name.
  mutable unsigned NextShared = 0;
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLETARGETOBJECTFILE_H
