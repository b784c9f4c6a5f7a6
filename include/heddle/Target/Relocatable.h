//===- Relocatable.h - Modules that will be linked --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a module tells the backend that its object is going to be linked with
// others: variables in shared memory then get no place yet, every variable has
// a section of its own, and the metadata describes each function by itself.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_RELOCATABLE_H
#define HEDDLE_TARGET_RELOCATABLE_H

#include "llvm/IR/Module.h"

namespace heddle {

/// The module flag.
inline constexpr char RelocatableFlag[] = "heddle.relocatable";

inline bool isRelocatable(const llvm::Module &M) {
  return M.getModuleFlag(RelocatableFlag) != nullptr;
}

inline void setRelocatable(llvm::Module &M) {
  if (!isRelocatable(M))
    M.addModuleFlag(llvm::Module::Max, RelocatableFlag, 1);
}

} // namespace heddle

#endif // HEDDLE_TARGET_RELOCATABLE_H
