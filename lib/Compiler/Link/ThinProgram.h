//===- ThinProgram.h - A program whose modules stay apart -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thin LTO. A program is divided into partitions: each kernel, each function
// whose address is taken and each large one that several call, with the
// functions that are to be optimised with it, from whichever modules. The
// modules' summaries alone decide which functions those are; functions are read
// only for a partition that is to be compiled. Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_THINPROGRAM_H
#define HEDDLE_LIB_COMPILER_THINPROGRAM_H

#include "Link/ThinIndex.h"
#include "Partition/Partition.h"

namespace heddle::compiler {

class ThinProgram : public PartitionSource {
public:
  /// As linkModules with regard to errors.
  /// \p Code is linked with it: what it names is kept.
  static llvm::Expected<std::unique_ptr<ThinProgram>>
  create(LinkInputs Inputs, llvm::ArrayRef<ObjectToLink> Code,
         const Settings &S, LinkMessages &Messages);

  /// The settings for the partitions.
  const Settings &settings() const { return Own; }
  /// Whether no partition names a function of another one, so that each knows
  /// all that its kernel needs. Otherwise partitions are objects to be linked.
  bool isClosed() const { return !IsOpen && Exported.empty() && Apart.empty(); }
  /// Defines the variables that the partitions have in common.
  llvm::Expected<std::unique_ptr<llvm::Module>> variables();
  /// Of all partitions, in the program's order.
  std::vector<llvm::StringRef> functionNames() const;

  size_t size() const override { return Partitions.size(); }
  std::string origin(size_t I) override;
  llvm::Expected<std::unique_ptr<llvm::Module>> extract(size_t I) override;
  unsigned functions(size_t I) const override {
    return Partitions[I].Bodies.size();
  }
  size_t instructions() const override;

private:
  using Node = ThinIndex::Node;
  /// The functions of a partition, in the program's order.
  struct Partition {
    const Node *Root = nullptr;
    llvm::SmallVector<const Node *, 4> Bodies;
    /// It calls pointers, and all functions are among them that one may point
    /// to.
    bool KnowsTargets = false;
  };
  class Builder;

  ThinProgram(LinkInputs &Inputs, const Settings &S) : Index(Inputs), Own(S) {}
  llvm::Error findRoots(const Settings &S);
  void findNeeded(llvm::ArrayRef<std::string> Names);
  void findLive();
  void findExported();
  void findApart();
  Partition makePartition(const Node &Root) const;
  void makePartitions();
  void findCommonShared();
  llvm::SmallVector<llvm::GlobalVariable *, 0>
  sharedOf(const Partition &P) const;
  llvm::Expected<std::unique_ptr<llvm::Module>>
  finish(std::unique_ptr<llvm::Module> Part) const;
  bool isExported(const llvm::GlobalValue *G) const {
    return Exported.contains(G);
  }
  bool isApart(const llvm::GlobalValue *G) const { return Apart.contains(G); }
  bool isRoot(const Node &N) const;
  llvm::GlobalValue::LinkageTypes linkageOf(const llvm::GlobalValue &G) const;

  std::vector<ModuleToLink> Modules;
  std::unique_ptr<llvm::Module> Flags; ///< Only the flags of all partitions.
  ThinIndex Index;
  Settings Own;
  llvm::SmallVector<const Node *> Roots; ///< What the host may use.
  llvm::SetVector<const Node *> Live;
  /// Machine code is linked with the partitions, which may name and define what
  /// they do.
  bool IsOpen = false;
  /// Functions that calls through pointers, or machine code, may reach.
  llvm::SetVector<const llvm::GlobalValue *> Exported;
  /// Functions that are too large to be copied to all that call them.
  llvm::DenseSet<const llvm::GlobalValue *> Apart;
  /// Shared memory that has one place for all partitions.
  llvm::DenseSet<const llvm::GlobalValue *> CommonShared;
  std::vector<Partition> Partitions;
};

/// Why the program cannot be divided by summaries: what is asked of it that
/// only the whole has. Empty: it can.
std::string whyTogether(const LinkInputs &Inputs, const Settings &S,
                        const Reporter &Report);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_THINPROGRAM_H
