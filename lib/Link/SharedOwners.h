//===- SharedOwners.h - Whose a shared variable is -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The variables in shared memory of a program that one kernel alone names.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_LINK_SHAREDOWNERS_H
#define HEDDLE_LIB_LINK_SHAREDOWNERS_H

#include "KernelNeeds.h"

#include <deque>

namespace heddle::link {

/// Kernels of several objects do not pay for each other's variables, so that
/// each has the shared memory that it would have in a module alone.
class SharedOwners {
public:
  /// \p IsKept tells of the sections that are in the result.
  SharedOwners(ObjectResolver &Resolver,
               llvm::function_ref<bool(SectionPlace)> IsKept);

  /// The section as it is in the result: a variable that several may name has
  /// the name of all shared memory, that of one kernel has the kernel's.
  const Section &sectionAt(SectionPlace P) const;

private:
  void noteReferences(InputObject &O, uint32_t Section);

  ObjectResolver &Resolver;
  /// Of each variable the only kernel that names it, or an empty text.
  llvm::MapVector<SectionPlace, llvm::StringRef> Owners;
  std::deque<std::string> Names;
  llvm::DenseMap<SectionPlace, Section> Renamed;
};

} // namespace heddle::link

#endif // HEDDLE_LIB_LINK_SHAREDOWNERS_H
