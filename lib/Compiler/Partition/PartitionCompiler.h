//===- PartitionCompiler.h - Compiles partitions apart ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partitions are compiled one after another or by several threads, except
// where the store has their code. Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_PARTITION_PARTITIONCOMPILER_H
#define HEDDLE_LIB_COMPILER_PARTITION_PARTITIONCOMPILER_H

#include "Backend/Backend.h"
#include "Partition/Partition.h"

namespace heddle::compiler {

/// Optimises a partition and makes its code.
using CompilePartition = llvm::Error (*)(Backend &B, llvm::Module &Part,
                                         Buffer &Code);

/// A partition on its way to machine code.
struct PartitionTask {
  size_t Number = 0;        ///< its place among all partitions
  unsigned Functions = 0;   ///< at most
  std::string Origin, Text; ///< names in the store; empty: none
  std::string Bitcode;      ///< for another thread, then empty
  Buffer Object;            ///< the result
  bool IsDone = false;      ///< Object is there
  bool IsFound = false;     ///< Object is the store's
  std::string Failure;      ///< of another thread; empty: none
  unsigned BackendMessages = 0;
  std::vector<Diagnostic> Messages; ///< of another thread
};

/// The store of a compilation, or none. Any thread may call anything.
class PartitionCache {
public:
  explicit PartitionCache(PartitionStore *Store) : Store(Store) {}

  /// Whether the store has the code of what \p T is made of.
  bool findOrigin(PartitionTask &T) const { return find(T, T.Origin); }
  /// Whether the store has the code of \p Part, which had to be extracted to
  /// know its text.
  bool findText(PartitionTask &T, const llvm::Module &Part) const;
  /// Code with messages is not kept, so that it is made each time.
  void keep(const PartitionTask &T) const;

private:
  bool find(PartitionTask &T, llvm::StringRef Name) const;

  PartitionStore *Store;
};

/// Compiles the partitions of one input.
class PartitionCompiler {
public:
  /// What is found and made is counted in the output of \p C.
  PartitionCompiler(const Compilation &C, unsigned TotalFunctions,
                    CompilePartition Compile);

  /// A module that is no partition.
  llvm::Error compile(llvm::Module &M, Buffer &Code) {
    return Compile(Serial, M, Code);
  }
  /// A module that is one partition.
  llvm::Error compileOnly(llvm::Module &M, Buffer &Code);
  /// All partitions, in their order. Each is compiled on its own, whether it is
  /// cached or not, so that the result is the same.
  llvm::Error compileAll(PartitionSource &Source, std::vector<Buffer> &Objects);
  /// The partitions of several modules, in the order of their places. Those of
  /// one module are one thread's.
  llvm::Error compileAll(std::vector<PartitionedModule> Modules,
                         std::vector<Buffer> &Objects);
  /// What each function cost.
  FunctionCosts costs() const;

private:
  struct Shared;

  llvm::Expected<std::unique_ptr<llvm::Module>>
  extractMissing(PartitionSource &Source, PartitionTask &T);
  llvm::Error compileHere(PartitionTask &T, llvm::Module &Part);
  llvm::Error run(const std::shared_ptr<Shared> &All, size_t Count,
                  unsigned Threads, std::vector<Buffer> &Objects);
  llvm::Error take(PartitionTask &T, std::vector<Buffer> &Objects);
  unsigned threadsFor(const PartitionSource &Source) const;

  const Compilation &C;
  const CompilePartition Compile;
  std::shared_ptr<Progress> Functions;
  PartitionCache Cache;
  Backend Serial; ///< for this thread
  FunctionCosts SharedCosts;
};

/// How many functions of \p M have code of their own.
unsigned countFunctions(const llvm::Module &M);

/// Instructions from which on more threads than one are worth it: what a thread
/// has to set up costs as much as some thousand.
inline constexpr size_t MinSharedInstructions = 2000;
/// How many threads the settings allow.
unsigned threadsAllowed(const Settings &S);

/// Puts objects of partitions together as if they were one module's, which has
/// these functions in this order. The first object has the variables.
llvm::Error mergePartitions(llvm::ArrayRef<Buffer> Objects,
                            llvm::ArrayRef<llvm::StringRef> Functions,
                            CompileOutput &Output);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_PARTITION_PARTITIONCOMPILER_H
