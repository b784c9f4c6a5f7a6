//===- Effects.cpp - What operations do to threads and memory ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table that isa-defs/ generates.
//
//===----------------------------------------------------------------------===//

#include "heddle/ISA/Effects.h"

namespace heddle::isa {

namespace {

#define GET_ISA_EFFECTS_TABLE
#include "heddle/ISA/ISATable.inc"

} // namespace

const Effects &effects(Op O) { return EffectsTable[static_cast<size_t>(O)]; }

} // namespace heddle::isa
