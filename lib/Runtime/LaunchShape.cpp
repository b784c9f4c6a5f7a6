//===- LaunchShape.cpp - What a launch asks for and may ask for -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The extents of a launch against the limits of CUDA and of the kernel.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/LaunchShape.h"

using namespace llvm;

namespace heddle::rt {

std::string toString(const Dim3 &D) {
  return "(" + std::to_string(D.X) + ", " + std::to_string(D.Y) + ", " +
         std::to_string(D.Z) + ")";
}

bool isWithin(const Dim3 &D, const Dim3 &Max) {
  return D.X && D.Y && D.Z && D.X <= Max.X && D.Y <= Max.Y && D.Z <= Max.Z;
}

static Error checkExtents(const LaunchShape &Shape, uint64_t MaxThreadsPerCTA) {
  if (!isWithin(Shape.Grid, MaxGrid))
    return createStringError("a grid of " + toString(Shape.Grid) +
                             " CTAs cannot be launched");
  if (!isWithin(Shape.Block, MaxBlock) ||
      Shape.Block.count() > MaxThreadsPerCTA)
    return createStringError("a block of " + toString(Shape.Block) +
                             " threads: at most " + Twine(MaxThreadsPerCTA) +
                             " are possible");
  return Error::success();
}

static Error checkClusterExtents(const Dim3 &Cluster, const Dim3 &Grid) {
  constexpr uint32_t Max = MaxClusterCTAs;
  if (!isWithin(Cluster, {Max, Max, Max}) || Cluster.count() > MaxClusterCTAs)
    return createStringError("a cluster of " + toString(Cluster) +
                             " CTAs: at most " + Twine(MaxClusterCTAs) +
                             " are possible");
  if (Grid.X % Cluster.X || Grid.Y % Cluster.Y || Grid.Z % Cluster.Z)
    return createStringError("a cluster of " + toString(Cluster) +
                             " CTAs does not divide the grid of " +
                             toString(Grid));
  return Error::success();
}

Error checkCluster(const KernelInfo &Kernel, const LaunchShape &Shape) {
  Dim3 Cluster = clusterOf(Kernel, Shape);
  if (Error E = checkClusterExtents(Cluster, Shape.Grid))
    return E;
  auto Fail = [&](const Twine &Message) {
    return createStringError("kernel '" + Kernel.Name + "' " + Message);
  };
  if (Kernel.RequiredCluster && *Kernel.RequiredCluster != Cluster)
    return Fail("requires a cluster of " + toString(*Kernel.RequiredCluster) +
                ", not " + toString(Cluster));
  if (Kernel.ExplicitCluster && !Shape.Cluster && !Kernel.RequiredCluster)
    return Fail("must be launched with a cluster");
  if (Kernel.MaxClusterRank && Cluster.count() > *Kernel.MaxClusterRank)
    return Fail("takes at most " + Twine(*Kernel.MaxClusterRank) +
                " CTAs in a cluster, not " + Twine(Cluster.count()));
  return Error::success();
}

Error checkLaunchShape(const KernelInfo &Kernel, const LaunchConfig &Config,
                       uint64_t MaxThreadsPerCTA) {
  const Dim3 &Block = Config.Block;
  if (Error E = checkExtents(Config, MaxThreadsPerCTA))
    return E;
  if (Kernel.RequiredBlock && *Kernel.RequiredBlock != Block)
    return createStringError(
        "kernel '" + Kernel.Name + "' requires a block of " +
        toString(*Kernel.RequiredBlock) + ", not " + toString(Block));
  if (Kernel.MaxBlock && Block.count() > Kernel.MaxBlock->count())
    return createStringError("kernel '" + Kernel.Name + "' takes at most " +
                             Twine(Kernel.MaxBlock->count()) +
                             " threads in a block, not " +
                             Twine(Block.count()));
  if (Error E = checkCluster(Kernel, Config))
    return E;
  if (Config.Params.size() != Kernel.ParamBytes)
    return createStringError(
        "kernel '" + Kernel.Name + "' takes " + Twine(Kernel.ParamBytes) +
        " bytes of parameters, not " + Twine(Config.Params.size()));
  return Error::success();
}

} // namespace heddle::rt
