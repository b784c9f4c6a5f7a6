//===- Effects.h - What operations do to threads and memory -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts of isa-defs/ about each operation that only an executor asks for: what
// threads may do behind it, and which places lanes access by it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ISA_EFFECTS_H
#define HEDDLE_ISA_EFFECTS_H

#include "heddle/ISA/ISA.h"

#include <cstdint>

namespace heddle::isa {

/// What the lanes that execute an instruction together may do behind it.
enum class Flow : uint8_t {
#define GET_ISA_FLOW_ENUM
#include "heddle/ISA/ISATable.inc"
};

/// The memory in which the lanes' places of an access lie.
enum class Space : uint8_t {
#define GET_ISA_SPACE_ENUM
#include "heddle/ISA/ISATable.inc"
};

struct Effects {
  Flow Behind;
  Space Accesses;      ///< Of an operation by which lanes access places.
  uint8_t AccessWords; ///< Of each lane; one: by the instruction's size.

  /// Whether lanes load or store, each at a place of its own.
  bool isAccess() const { return Accesses != Space::None; }
};

const Effects &effects(Op O);

/// Whether lanes load and store in one step.
inline bool isAtomic(const InstInfo &I) {
  return effects(I.Operation).isAccess() && I.MayLoad && I.MayStore;
}

} // namespace heddle::isa

#endif // HEDDLE_ISA_EFFECTS_H
