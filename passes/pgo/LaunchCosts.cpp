//===- LaunchCosts.cpp - What launches of a chip take -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the costs from the table of chips.
//
//===----------------------------------------------------------------------===//

#include "passes/pgo/Passes.h"

#include "heddle/ISA/ISA.h"
#include "heddle/Support/Check.h"

namespace heddle::passes {

LaunchCosts launchCostsOf(llvm::StringRef Chip) {
  const isa::ChipInfo *Info = isa::findChip(Chip);
  HEDDLE_CHECK(Info, "a chip that no table has");
  return {1.0 * Info->Cores * Info->SchedulersPerCore, 1.0 * Info->L2Latency};
}

} // namespace heddle::passes
