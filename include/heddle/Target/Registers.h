//===- Registers.h - Functions and their registers -------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many registers a function may use.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_REGISTERS_H
#define HEDDLE_TARGET_REGISTERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"

namespace heddle {

/// The registers that a thread has where nothing limits them.
inline constexpr unsigned MostRegisters = 255;

/// The registers that a thread may use in F on a chip of that name, by what F's
/// attributes say.
unsigned registerLimitOf(const llvm::Function &F, llvm::StringRef Chip);

/// Gives each function of M the least limit of the kernels of M that reach it
/// by calls, of which those through pointers reach all functions whose address
/// is taken. Whether there are any functions but kernels.
bool limitCallees(llvm::Module &M, llvm::StringRef Chip);

/// The same over the modules of a program that are compiled apart.
void limitCallees(llvm::ArrayRef<llvm::Module *> Program, llvm::StringRef Chip);

} // namespace heddle

#endif // HEDDLE_TARGET_REGISTERS_H
