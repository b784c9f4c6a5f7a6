//===- KernelNeeds.h - What kernels need with what they call ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers, barriers, stack and shared memory of kernels over the call graph
// of linked objects. Private to lib/Link.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_LINK_KERNELNEEDS_H
#define HEDDLE_LIB_LINK_KERNELNEEDS_H

#include "ObjectResolver.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <functional>

namespace heddle::link {

/// A section of an object.
using SectionPlace = std::pair<const InputObject *, uint32_t>;

class SharedOwners;

class KernelNeeds {
public:
  /// \p IsKept tells of the sections that are in the result.
  KernelNeeds(ObjectResolver &Resolver, llvm::StringRef Chip,
              std::function<bool(SectionPlace)> IsKept);

  /// The metadata of a kernel of O in the linked program. What it may not use
  /// and its callees do is told to the resolver as an error.
  KernelMetadata describe(const InputObject &O, const Kernel &K,
                          const SharedOwners &Owners);

private:
  /// A function: its section, and what its code says.
  struct Node {
    const FunctionMetadata *Function = nullptr;
    llvm::SetVector<SectionPlace> Callees;
    bool UsesDynamicShared = false;
  };
  /// What a kernel reaches.
  struct Reach {
    llvm::MapVector<SectionPlace, uint64_t> Depths; ///< of stack, once known
    llvm::SetVector<SectionPlace> Path;             ///< being visited
    bool IsDynamic = false; ///< recursion, pointers, growing frames
  };

  void addNode(InputObject &O, uint32_t Section);
  uint64_t visit(SectionPlace P, Reach &R) const;
  uint64_t sharedBytes(llvm::StringRef Kernel,
                       const SharedOwners &Owners) const;
  void checkRegisters(const InputObject &O, const KernelMetadata &K,
                      const Reach &R);

  ObjectResolver &Resolver;
  llvm::StringRef Chip;
  std::function<bool(SectionPlace)> IsKept;
  llvm::DenseMap<SectionPlace, Node> Nodes;
  /// Functions whose address is taken.
  llvm::SetVector<SectionPlace> Targets;
};

} // namespace heddle::link

#endif // HEDDLE_LIB_LINK_KERNELNEEDS_H
