//===- KernelNodeAttributes.cpp - Attributes of kernel nodes ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters and cooperation are of the launch that a node is; what is a hint is
// kept for the program.
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "Runtime/CachePolicy.h"
#include "Runtime/GraphNodes.h"
#include "Runtime/Launch.h"
#include "Runtime/RuntimeGraphs.h"
#include "heddle/Runtime/LaunchShape.h"
#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

static constexpr cudaLaunchAttributeID KnownAttributes[] = {
    cudaLaunchAttributeAccessPolicyWindow,
    cudaLaunchAttributeCooperative,
    cudaLaunchAttributeClusterDimension,
    cudaLaunchAttributeClusterSchedulingPolicyPreference,
    cudaLaunchAttributePriority,
    cudaLaunchAttributeMemSyncDomainMap,
    cudaLaunchAttributeMemSyncDomain,
    cudaLaunchAttributePreferredClusterDimension,
    cudaLaunchAttributeDeviceUpdatableKernelNode,
    cudaLaunchAttributePreferredSharedMemoryCarveout,
};

/// Whether a node launches a kernel, also while launches are skipped.
static bool isKernelNode(const GraphNodeHandle *Node) {
  return isLive(Node) && (std::holds_alternative<KernelNode>(Node->Params) ||
                          std::holds_alternative<rt::KernelOp>(
                              Node->Owner->Graph->node(Node->Id).Op));
}

/// Gives an operation that is a launch what attributes say, if the device can
/// launch it so.
static cudaError_t applyTo(ArrayRef<cudaLaunchAttribute> Attributes,
                           rt::Operation &Operation) {
  auto *Op = std::get_if<rt::KernelOp>(&Operation);
  if (!Op || Attributes.empty())
    return cudaSuccess;
  rt::LaunchShape Shape = {Op->Config.Grid, Op->Config.Block,
                           Op->Config.DynamicSharedBytes};
  applyAttributes(Attributes, Shape);
  if (cudaError_t Code = checkLaunch(Shape, Op->Kernel.info());
      Code != cudaSuccess)
    return Code;
  static_cast<rt::LaunchShape &>(Op->Config) = Shape;
  return cudaSuccess;
}

cudaError_t heddle::cuda::applyNodeAttributes(const GraphNodeHandle &Node,
                                              rt::Operation &Op) {
  return applyTo(Node.Attributes, Op);
}

/// The attribute as it was set, or as it is without that.
static cudaLaunchAttribute attributeOf(const GraphNodeHandle &Node,
                                       cudaLaunchAttributeID Id) {
  for (const cudaLaunchAttribute &A : Node.Attributes)
    if (A.id == Id)
      return A;
  cudaLaunchAttribute A = {};
  A.id = Id;
  const auto *Op =
      std::get_if<rt::KernelOp>(&Node.Owner->Graph->node(Node.Id).Op);
  if (Op && Id == cudaLaunchAttributeCooperative)
    A.val.cooperative = Op->Config.Cooperative;
  if (Op && Id == cudaLaunchAttributeClusterDimension && Op->Config.Cluster)
    A.val.clusterDim = {Op->Config.Cluster->X, Op->Config.Cluster->Y,
                        Op->Config.Cluster->Z};
  return A;
}

/// All attributes, with the one that is New in place of its like.
static std::vector<cudaLaunchAttribute>
attributesWith(const GraphNodeHandle &Node, const cudaLaunchAttribute *New) {
  std::vector<cudaLaunchAttribute> All;
  for (cudaLaunchAttributeID Id : KnownAttributes)
    All.push_back(New && New->id == Id ? *New : attributeOf(Node, Id));
  return All;
}

static cudaError_t setAttributes(GraphNodeHandle &Node,
                                 std::vector<cudaLaunchAttribute> All) {
  if (cudaError_t Code = applyTo(All, Node.Owner->Graph->node(Node.Id).Op);
      Code != cudaSuccess)
    return Code;
  Node.Attributes = std::move(All);
  return cudaSuccess;
}

void heddle::cuda::keepAttributes(rt::Stream &S,
                                  ArrayRef<cudaLaunchAttribute> OfLaunch) {
  std::vector<cudaLaunchAttribute> Set = launchAttributesOf(S);
  llvm::append_range(Set, OfLaunch);
  if (Set.empty())
    return;
  useCapturedNode(S, [&](GraphNodeHandle &Node) {
    for (const cudaLaunchAttribute &A : Set)
      if (is_contained(KnownAttributes, A.id))
        Node.Attributes = attributesWith(Node, &A);
  });
}

extern "C" {

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t Node,
                                            cudaLaunchAttributeID Id,
                                            void *Value) {
  if (!isKernelNode(Node) || !Value || !is_contained(KnownAttributes, Id))
    return finish(cudaErrorInvalidValue);
  cudaLaunchAttribute A = attributeOf(*Node, Id);
  std::memcpy(Value, &A.val, sizeof(A.val));
  return cudaSuccess;
}

/// Kernels cannot change nodes.
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t Node,
                                            cudaLaunchAttributeID Id,
                                            const void *Value) {
  if (!isKernelNode(Node) || !Value || !is_contained(KnownAttributes, Id))
    return finish(cudaErrorInvalidValue);
  cudaLaunchAttribute A = {};
  A.id = Id;
  std::memcpy(&A.val, Value, sizeof(A.val));
  if (Id == cudaLaunchAttributeDeviceUpdatableKernelNode && A.val.cooperative)
    return finish(cudaErrorNotSupported);
  if (cudaError_t Code = checkPolicyWindows(A); Code != cudaSuccess)
    return finish(Code);
  return finish(setAttributes(*Node, attributesWith(*Node, &A)));
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t To,
                                              cudaGraphNode_t From) {
  if (!isKernelNode(To) || !isKernelNode(From))
    return finish(cudaErrorInvalidValue);
  return finish(setAttributes(*To, attributesWith(*From, nullptr)));
}

} // extern "C"
