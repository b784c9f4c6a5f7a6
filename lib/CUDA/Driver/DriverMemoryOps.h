//===- DriverMemoryOps.h - Memory operations of streams ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes of graphs with them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_DRIVERMEMORYOPS_H
#define HEDDLE_LIB_CUDA_DRIVERMEMORYOPS_H

#include "Driver/Driver.h"

namespace heddle::cuda {

/// CUDA_BATCH_MEM_OP_NODE_PARAMS.
struct MemoryOpNodeParams {
  CUcontext Context;
  unsigned Count;
  MemoryOpParams *Steps;
  unsigned Flags;
};
static_assert(sizeof(MemoryOpNodeParams) == 32);

} // namespace heddle::cuda

extern "C" {
using namespace heddle::cuda;

CUresult cuGraphAddBatchMemOpNode(cudaGraphNode_t *, cudaGraph_t,
                                  const cudaGraphNode_t *, size_t,
                                  const MemoryOpNodeParams *);
CUresult cuGraphBatchMemOpNodeGetParams(cudaGraphNode_t, MemoryOpNodeParams *);
CUresult cuGraphBatchMemOpNodeSetParams(cudaGraphNode_t,
                                        const MemoryOpNodeParams *);
CUresult cuGraphExecBatchMemOpNodeSetParams(cudaGraphExec_t, cudaGraphNode_t,
                                            const MemoryOpNodeParams *);
}

#endif // HEDDLE_LIB_CUDA_DRIVERMEMORYOPS_H
