//===- HeddleSharedRanks.h - Addresses of shared variables ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses of shared variables that a program sees, and its debugger.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLESHAREDRANKS_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLESHAREDRANKS_H

#include <cstdint>

namespace llvm {
class Function;
class GlobalVariable;
class Module;

/// Where a module knows of clusters, puts the CTA's rank into those addresses
/// of shared variables of which a program may see the rank. Returns whether it
/// changed something.
bool rankSharedAddresses(Module &M);

/// Tells debuggers that in \p F, and in what was inlined there, \p G is at
/// \p Offset (HeddleSharedPlaces.cpp).
void describeSharedPlace(const GlobalVariable &G, Function &F, uint64_t Offset);
/// Has units of \p M not describe variables in shared memory. Returns whether
/// they did.
bool dropSharedDescriptions(Module &M);

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLESHAREDRANKS_H
