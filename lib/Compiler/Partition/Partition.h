//===- Partition.h - Functions that are compiled apart ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A partition is a set of functions that are optimised, compiled and cached on
// their own. A module of LLVM IR is divided into as many partitions as the
// rules of FunctionGroups.h allow; a syntax tree into a few, of about the same
// size, each of which holds whole partitions of the module. What has lines is
// not divided further: each partition has its own unit of debug information,
// with the types that it uses. Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_PARTITION_PARTITION_H
#define HEDDLE_LIB_COMPILER_PARTITION_PARTITION_H

#include "Frontend.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"

namespace heddle::compiler {

//===----------------------------------------------------------------------===//
// Syntax trees
//===----------------------------------------------------------------------===//

/// The partition that each function of a file belongs to.
struct SyntaxPartitions {
  llvm::DenseMap<const ptx::Function *, unsigned> PartitionOf;
  unsigned Count = 0; ///< of partitions; 0: the file cannot be divided
};

/// Divides what is reachable of a file into at most \p Most partitions of about
/// the same size, none of which has much less than \p MinInstructions.
SyntaxPartitions partitionSyntaxTree(const ParsedInput &Input, unsigned Most,
                                     size_t MinInstructions);

//===----------------------------------------------------------------------===//
// LLVM IR
//===----------------------------------------------------------------------===//

/// Functions of a module, in the module's order.
using Partition = llvm::SmallVector<llvm::Function *, 1>;

/// Divides the functions of \p M, in the order of their first functions. Empty
/// if \p M has something that forbids it.
std::vector<Partition> partitionModule(llvm::Module &M);

/// Takes partitions out of a module.
class PartitionExtractor {
public:
  explicit PartitionExtractor(const llvm::Module &M);
  /// A partition with declarations of all that it names, shared memory with it.
  /// Its functions leave the module.
  std::unique_ptr<llvm::Module> extract(const Partition &P) const;

private:
  const llvm::Module &M;
  /// The variables in shared memory that a function names, in the module's
  /// order, which is Places.
  llvm::DenseMap<const llvm::Function *,
                 llvm::SmallVector<const llvm::GlobalVariable *, 2>>
      SharedOf;
  llvm::DenseMap<const llvm::GlobalVariable *, size_t> Places;
};

/// The variables of \p M in global and constant memory, without functions.
std::unique_ptr<llvm::Module> extractVariables(const llvm::Module &M);
/// Gives the variables of an extracted partition in shared memory names that do
/// not depend on other partitions.
void renameSharedVariables(llvm::Module &Part);
/// The text that tells extracted partitions apart: equal texts give equal code.
std::string partitionText(const llvm::Module &Part);

/// The functions of \p M that have code, as one partition.
Partition functionsOf(llvm::Module &M);
/// Prepares a module with lines, one of several that a file was divided into
/// and that all have its variables: variables of the host stay in the first
/// one, and are declared in the others; those in shared memory stay where they
/// are used. Their descriptions stay with them, or with their functions.
void divideVariables(llvm::Module &M, bool IsFirst);

/// A module in a context of its own, and its partitions.
struct PartitionedModule {
  std::unique_ptr<llvm::LLVMContext> Context;
  std::unique_ptr<llvm::Module> M;
  /// It has lines, and is one partition that is compiled as it is.
  bool IsUnit = false;
  std::vector<Partition> Partitions;
  /// The place of each partition among those of all modules.
  std::vector<size_t> Places;
};

/// An input whose partitions were lowered to LLVM IR apart.
struct PartitionedInput {
  std::vector<PartitionedModule> Modules;
  /// Of all functions with code, in the order of the file.
  llvm::SmallVector<llvm::StringRef> Names;
};

/// Something that is divided into partitions, wherever they come from: one
/// module, or the modules of a program. Used by one thread.
class PartitionSource {
public:
  virtual ~PartitionSource() = default;
  virtual size_t size() const = 0;
  /// A text that says what partition \p I is made of, so that equal texts give
  /// equal partitions; empty: that is only known once it is extracted.
  virtual std::string origin(size_t) { return {}; }
  virtual llvm::Expected<std::unique_ptr<llvm::Module>> extract(size_t I) = 0;
  /// How many functions partition \p I has, at most.
  virtual unsigned functions(size_t I) const = 0;
  /// About how many instructions all partitions have.
  virtual size_t instructions() const = 0;
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_PARTITION_PARTITION_H
