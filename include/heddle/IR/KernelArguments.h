//===- KernelArguments.h - Arguments of kernels in LLVM IR ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels load their arguments from constant offsets (docs/ir-contract.md).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IR_KERNELARGUMENTS_H
#define HEDDLE_IR_KERNELARGUMENTS_H

#include <cstdint>
#include <optional>

namespace llvm {
class Constant;
class Function;
class LoadInst;
} // namespace llvm

namespace heddle::ir {

/// Where an argument is in the block of arguments, in bytes.
struct ArgumentPlace {
  uint64_t Offset = 0, Size = 0;
};

/// How many arguments a kernel has.
unsigned countArguments(const llvm::Function &Kernel);

/// The place of a scalar of at most 64 bits; none if argument Number, counted
/// from 0, is none or does not exist.
std::optional<ArgumentPlace> placeOfScalar(const llvm::Function &Kernel,
                                           unsigned Number);

/// The offset in the block of arguments that a load reads at, if it does.
std::optional<uint64_t> argumentOffset(const llvm::LoadInst &Load);

/// Whether a load reads nothing but (a part of) the argument at Place, as a
/// scalar.
bool readsArgument(const llvm::LoadInst &Load, const ArgumentPlace &Place);

/// What such a load gives if the argument has a value.
llvm::Constant *valueOfLoad(const llvm::LoadInst &Load,
                            const ArgumentPlace &Place, uint64_t Value);

} // namespace heddle::ir

#endif // HEDDLE_IR_KERNELARGUMENTS_H
