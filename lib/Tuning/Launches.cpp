//===- Launches.cpp - Decisions on launches ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of a document in the launches of a manifest.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tuning/Launches.h"

using namespace llvm;

namespace heddle::tuning {

static Extents extentsOf(const rt::Dim3 &D) { return {D.X, D.Y, D.Z}; }

static rt::Dim3 dimOf(const Extents &E) {
  return {static_cast<uint32_t>(E[0]), static_cast<uint32_t>(E[1]),
          static_cast<uint32_t>(E[2])};
}

/// What all launches allow of one kind, the first one's own in front.
static std::vector<Extents>
commonOf(ArrayRef<const rt::ManifestLaunch *> Launches,
         rt::Dim3 rt::ManifestLaunch::*Own,
         std::vector<rt::Dim3> rt::LaunchChoice::*Others) {
  const rt::ManifestLaunch &First = *Launches.front();
  std::vector<Extents> Common{extentsOf(First.*Own)};
  if (!First.Choice)
    return Common;
  for (const rt::Dim3 &D : *First.Choice.*Others)
    if (all_of(Launches, [&](const rt::ManifestLaunch *L) {
          return L->Choice && is_contained(*L->Choice.*Others, D);
        }))
      Common.push_back(extentsOf(D));
  return Common;
}

LaunchShapes shapesOf(ArrayRef<const rt::ManifestLaunch *> Launches) {
  return {
      commonOf(Launches, &rt::ManifestLaunch::Block, &rt::LaunchChoice::Blocks),
      commonOf(Launches, &rt::ManifestLaunch::Grid, &rt::LaunchChoice::Grids)};
}

Expected<rt::Manifest> applyToLaunches(rt::Manifest M, const Document &D) {
  for (rt::ManifestLaunch &L : M.Launches) {
    auto Decided = D.Kernels.find(L.Entry);
    if (Decided == D.Kernels.end())
      continue;
    const Configuration &C = Decided->second;
    Extents Block = extentsOf(C, Knob::BlockX, extentsOf(L.Block));
    Extents Grid = extentsOf(C, Knob::GridX, extentsOf(L.Grid));
    if (Error E = Grid == extentsOf(L.Grid)
                      ? Error::success()
                      : L.withGrid(dimOf(Grid)).moveInto(L))
      return std::move(E);
    if (Error E = L.withBlock(dimOf(Block)).moveInto(L))
      return std::move(E);
  }
  return M;
}

} // namespace heddle::tuning
