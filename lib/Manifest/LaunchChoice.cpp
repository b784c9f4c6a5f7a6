//===- LaunchChoice.cpp - Other blocks and grids for a launch ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a manifest's "choice" makes of a launch.
//
//===----------------------------------------------------------------------===//

#include "heddle/Manifest/Manifest.h"
#include "heddle/Runtime/LaunchShape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::rt {

/// CTAs of \p Block threads for what \p Grid CTAs of \p Launched threads did.
static uint32_t cover(uint32_t Grid, uint32_t Launched, uint32_t Block) {
  return static_cast<uint32_t>(
      divideCeil(uint64_t(Grid) * Launched, uint64_t(Block)));
}

Expected<ManifestLaunch> ManifestLaunch::withBlock(const Dim3 &Other) const {
  ManifestLaunch L = *this;
  if (Other == Block)
    return L;
  if (!Choice || !is_contained(Choice->Blocks, Other))
    return createStringError(Place + ": the manifest does not allow a block " +
                             rt::toString(Other));
  L.Block = Other;
  if (Choice->Grid == LaunchChoice::GridRule::Cover)
    L.Grid = {cover(Grid.X, Block.X, Other.X), cover(Grid.Y, Block.Y, Other.Y),
              cover(Grid.Z, Block.Z, Other.Z)};
  if (Choice->SharedBytesPerThread)
    L.SharedBytes = static_cast<uint32_t>(std::min<uint64_t>(
        UINT32_MAX, *Choice->SharedBytesPerThread * Other.count()));
  return L;
}

Expected<ManifestLaunch> ManifestLaunch::withGrid(const Dim3 &Other) const {
  ManifestLaunch L = *this;
  if (Other == Grid)
    return L;
  if (!Choice || !is_contained(Choice->Grids, Other))
    return createStringError(Place + ": the manifest does not allow a grid " +
                             rt::toString(Other));
  L.Grid = Other;
  return L;
}

} // namespace heddle::rt
