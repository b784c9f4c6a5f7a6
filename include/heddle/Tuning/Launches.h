//===- Launches.h - Decisions on launches -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a document decides that is not the compiler's to do.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TUNING_LAUNCHES_H
#define HEDDLE_TUNING_LAUNCHES_H

#include "heddle/Manifest/Manifest.h"
#include "heddle/Tuning/Search.h"

namespace heddle::tuning {

/// The blocks and the grids that all these launches of a kernel allow, the
/// first launch's own in front. There must be one.
LaunchShapes shapesOf(llvm::ArrayRef<const rt::ManifestLaunch *> Launches);

/// A manifest whose launches have the blocks and grids that the document
/// decides; an error if one does not allow them.
llvm::Expected<rt::Manifest> applyToLaunches(rt::Manifest M, const Document &D);

} // namespace heddle::tuning

#endif // HEDDLE_TUNING_LAUNCHES_H
