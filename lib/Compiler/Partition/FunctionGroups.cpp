//===- FunctionGroups.cpp - Which functions belong together -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups are equivalence classes of the functions' numbers.
//
//===----------------------------------------------------------------------===//

#include "Partition/FunctionGroups.h"

namespace heddle::compiler {

void FunctionGroups::usePointers(unsigned F) {
  if (!FirstWithPointers)
    FirstWithPointers = F;
  Classes.join(*FirstWithPointers, F);
}

void FunctionGroups::useShared(const void *Variable, unsigned User,
                               bool IsKernel) {
  Users &U = SharedUsers[Variable];
  U.Functions.push_back(User);
  U.AreAllKernels &= IsKernel;
}

std::optional<std::vector<unsigned>> FunctionGroups::groups() {
  if (IsWhole)
    return std::nullopt;
  for (const auto &[Variable, Users] : SharedUsers)
    if (!Users.AreAllKernels)
      for (unsigned F : Users.Functions)
        Classes.join(Users.Functions.front(), F);
  Classes.compress();
  std::vector<unsigned> Groups(Functions);
  for (size_t F = 0; F != Functions; ++F)
    Groups[F] = Classes[F];
  return Groups;
}

} // namespace heddle::compiler
