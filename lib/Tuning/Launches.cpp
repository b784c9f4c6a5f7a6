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

BlockShape shapeOf(const rt::Dim3 &Block) {
  return {Block.X, Block.Y, Block.Z};
}

std::vector<BlockShape>
blocksOf(ArrayRef<const rt::ManifestLaunch *> Launches) {
  const rt::ManifestLaunch &First = *Launches.front();
  std::vector<BlockShape> Common{shapeOf(First.Block)};
  if (!First.Choice)
    return Common;
  for (const rt::Dim3 &B : First.Choice->Blocks)
    if (all_of(Launches, [&](const rt::ManifestLaunch *L) {
          return L->Choice && is_contained(L->Choice->Blocks, B);
        }))
      Common.push_back(shapeOf(B));
  return Common;
}

Expected<rt::Manifest> applyToLaunches(rt::Manifest M, const Document &D) {
  for (rt::ManifestLaunch &L : M.Launches) {
    auto Decided = D.Kernels.find(L.Entry);
    if (Decided == D.Kernels.end())
      continue;
    BlockShape B = blockOf(Decided->second, shapeOf(L.Block));
    if (Error E = L.withBlock({static_cast<uint32_t>(B[0]),
                               static_cast<uint32_t>(B[1]),
                               static_cast<uint32_t>(B[2])})
                      .moveInto(L))
      return std::move(E);
  }
  return M;
}

} // namespace heddle::tuning
