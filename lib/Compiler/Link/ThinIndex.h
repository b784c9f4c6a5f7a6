//===- ThinIndex.h - What names what in a program ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The call graph of a program whose modules stay apart, from their summaries:
// no function has to be read to know it. Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_THININDEX_H
#define HEDDLE_LIB_COMPILER_THININDEX_H

#include "Link/LinkInputs.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/ValueHandle.h"

namespace heddle::compiler {

class ThinIndex {
public:
  /// A function or variable that is defined, as the program keeps it.
  struct Node {
    llvm::GlobalValue *G = nullptr;
    size_t Number = 0;        ///< Of its place in the program.
    llvm::StringRef Contents; ///< The hash of its module.
    /// Kept definitions, or declarations of what is defined nowhere; in the
    /// summary's order. Calls name functions directly.
    llvm::SmallVector<llvm::GlobalValue *, 4> Calls, Names;
    bool CallsPointers = false;
    unsigned Instructions = 0;
  };

  /// Takes the contents. The modules must not have been resolved, which changes
  /// names.
  explicit ThinIndex(LinkInputs &Inputs);
  /// Finds which of the remaining modules names which.
  void connect(llvm::ArrayRef<ModuleToLink> Modules);

  /// What is known of a definition that is kept; null: it is none.
  const Node *find(const llvm::GlobalValue *G) const;
  /// All of them, in the order of the modules and their contents.
  auto nodes() const { return llvm::make_second_range(Nodes); }
  /// What a module's name stands for: its definition, if there is one.
  llvm::GlobalValue *kept(llvm::GlobalValue &G) const;
  llvm::GlobalValue *findName(llvm::StringRef Name) const;

private:
  using ValuesByGUID =
      llvm::DenseMap<llvm::GlobalValue::GUID, llvm::WeakTrackingVH>;
  void addNode(llvm::GlobalValue &G, const ValuesByGUID &Values,
               const ModuleContent &Content);

  llvm::DenseMap<const llvm::Module *, ModuleContent> Contents;
  /// By the names that things had when they were summarised.
  llvm::DenseMap<const llvm::Module *, ValuesByGUID> Values;
  llvm::DenseMap<const llvm::GlobalValue *, llvm::GlobalValue::GUID> GUIDs;
  llvm::StringMap<llvm::GlobalValue *> Definitions;
  llvm::MapVector<const llvm::GlobalValue *, Node> Nodes;
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_THININDEX_H
