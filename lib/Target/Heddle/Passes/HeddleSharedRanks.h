//===- HeddleSharedRanks.h - Ranks in shared addresses ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses of shared variables that a program sees.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLESHAREDRANKS_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLESHAREDRANKS_H

namespace llvm {
class Module;

/// Where a module knows of clusters, puts the CTA's rank into those addresses
/// of shared variables of which a program may see the rank. Returns whether it
/// changed something.
bool rankSharedAddresses(Module &M);

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLESHAREDRANKS_H
