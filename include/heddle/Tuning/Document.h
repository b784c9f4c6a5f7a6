//===- Document.h - Decisions as a document ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decisions for the kernels of a module, as JSON that a compilation accepts:
//
//   { "heddle_tuning": 1,
//     "kernels": { "gemm": { "unroll@0": 4, "registers": 64 } } }
//
// docs/tuning.md explains it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TUNING_DOCUMENT_H
#define HEDDLE_TUNING_DOCUMENT_H

#include "heddle/Tuning/Knobs.h"
#include "llvm/Support/Error.h"

#include <array>
#include <map>
#include <optional>
#include <string>

namespace heddle::tuning {

/// The name of a decision, taken apart: NAME or `NAME@N`.
struct Decision {
  const KnobInfo *Row = nullptr;
  std::optional<unsigned> Place; ///< The loop or instruction.

  static llvm::Expected<Decision> parse(llvm::StringRef Name);
};

/// Values by the name of the decision.
using Configuration = std::map<std::string, int64_t>;

struct Document {
  std::map<std::string, Configuration> Kernels;

  /// Reads JSON; an error names what is wrong and where.
  static llvm::Expected<Document> parse(llvm::StringRef JSON);
  /// JSON on one line; the same text for equal documents.
  std::string str() const;
};

/// A loop of a kernel, as a decision names it.
struct LoopShape {
  unsigned Depth; ///< 1: outermost.
};

/// The extents of a CTA, or of a grid.
using Extents = std::array<int64_t, 3>;

/// The extents of a kernel's launch in place of \p Launched; the same where
/// nothing else is decided. \p First is the knob of the first one: Knob::BlockX
/// or Knob::GridX.
Extents extentsOf(const Configuration &C, Knob First, const Extents &Launched);

} // namespace heddle::tuning

#endif // HEDDLE_TUNING_DOCUMENT_H
