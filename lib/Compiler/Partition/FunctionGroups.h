//===- FunctionGroups.h - Which functions belong together -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules by which a syntax tree and a module of LLVM IR are partitioned.
// A walk over the functions of either reports what it finds; the rules are here
// alone.
//
// Two functions belong together if one names the other, or if both name a
// variable in shared memory that some function other than a kernel names (such
// variables have one place for all), or if calls through pointers may connect
// them. Global and constant variables connect nothing: the code knows of them
// only name, type and alignment, since the host may change their values.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_PARTITION_FUNCTIONGROUPS_H
#define HEDDLE_LIB_COMPILER_PARTITION_FUNCTIONGROUPS_H

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace heddle::compiler {

/// Functions are numbers, in the order in which they are defined.
class FunctionGroups {
public:
  explicit FunctionGroups(size_t Functions)
      : Functions(Functions), Classes(Functions) {}

  /// One of the functions names the other.
  void connect(unsigned A, unsigned B) { Classes.join(A, B); }
  /// The address of \p F is taken, or \p F calls through pointers.
  void usePointers(unsigned F);
  /// \p User names a variable in shared memory, which \p Variable stands for.
  void useShared(const void *Variable, unsigned User, bool IsKernel);
  /// Something connects functions in a way that no rule covers.
  void keepWhole() { IsWhole = true; }

  /// Of each function the number of its group, where groups are numbered in the
  /// order of their first functions. None if all functions have to stay
  /// together. To be called once, at the end.
  std::optional<std::vector<unsigned>> groups();

private:
  struct Users {
    llvm::SmallVector<unsigned, 4> Functions;
    bool AreAllKernels = true;
  };

  size_t Functions;
  llvm::IntEqClasses Classes;
  llvm::MapVector<const void *, Users> SharedUsers;
  std::optional<unsigned> FirstWithPointers;
  bool IsWhole = false;
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_PARTITION_FUNCTIONGROUPS_H
