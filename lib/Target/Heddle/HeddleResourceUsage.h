//===- HeddleResourceUsage.h - What a kernel asks of a core -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects registers, stack, spills and barriers of each function as it is
// emitted, and adds them up over the call graph for the kernels' metadata.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLERESOURCEUSAGE_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLERESOURCEUSAGE_H

#include "heddle/Object/Metadata.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/CodeGen/MachineFunction.h"

namespace llvm {

class MachineOptimizationRemarkEmitter;

class HeddleResourceUsage {
public:
  /// Notes what MF, in its final form, uses.
  void add(const MachineFunction &MF);

  /// Remarks of what MF, which was added, spills and how many warps its
  /// registers leave room for.
  void report(const MachineFunction &MF,
              MachineOptimizationRemarkEmitter &Remarks) const;

  /// What the code of F, which was added, stores and loads in spills.
  uint64_t spillBytes(const Function &F) const {
    const FunctionUsage &U = Usage.find(&F)->second;
    return U.SpillStoreBytes + U.SpillLoadBytes;
  }

  unsigned registers(const Function &F) const {
    return Usage.find(&F)->second.Registers;
  }

  /// The metadata of all kernels added, in the order of their emission.
  std::vector<heddle::KernelMetadata> kernels() const;

  /// All functions added, each by itself, in the order of their emission.
  std::vector<heddle::FunctionMetadata> functions() const;

private:
  struct FunctionUsage {
    unsigned Registers = 0;
    unsigned UniformRegisters = 0;
    unsigned Barriers = 0;
    uint64_t StackBytes = 0;
    uint64_t SpillStoreBytes = 0;
    uint64_t SpillLoadBytes = 0;
    bool CallsUnknown = false; ///< through a pointer, or an outside function
    bool CallsPointers = false;
    bool VariableStack = false; ///< memory of a size known at run time
    bool AddressTaken = false;
    SmallSetVector<const Function *, 4> Callees;
  };

  void addInstruction(const MachineInstr &MI, FunctionUsage &U);
  heddle::KernelMetadata describe(const Function &Kernel,
                                  const FunctionUsage &Own) const;
  /// What one kernel reaches.
  struct Reach {
    /// The deepest stack from each function on that was reached.
    DenseMap<const Function *, uint64_t> Depths;
    SmallPtrSet<const Function *, 8> OnPath;
    bool IsDynamic = false; ///< the stack's depth cannot be known
  };
  /// Adds F and all it may call to R; the deepest stack from F on.
  uint64_t reach(const Function &F, Reach &R) const;

  MapVector<const Function *, FunctionUsage> Usage;
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLERESOURCEUSAGE_H
