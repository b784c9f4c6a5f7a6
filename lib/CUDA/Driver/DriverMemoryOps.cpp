//===- DriverMemoryOps.cpp - Memory operations of streams -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers in memory that streams and graphs write or wait for. The functions of
// version 1 differ in what they refuse only.
//
//===----------------------------------------------------------------------===//

#include "Driver/DriverMemoryOps.h"
#include "PerThread.h"
#include "Runtime/GraphNodes.h"

using namespace heddle;
using namespace heddle::cuda;

namespace {

/// Numbers of CUstreamBatchMemOpType.
enum Kind : int {
  Wait32 = 1,
  Write32 = 2,
  FlushRemoteWrites = 3,
  Wait64 = 4,
  Write64 = 5,
  Barrier = 6,
};

/// The functions up to CUDA 11.6 are of the first interface.
enum class Interface { V1, V2 };

} // namespace

/// Bits of CUstreamWaitValue_flags; the low ones are a rt::Comparison.
static constexpr unsigned ComparisonMask = 3, FlushFlag = 1u << 30;
/// Of CUstreamWriteValue_flags, for the first interface.
static constexpr unsigned NoBarrierFlag = 1;

/// One number to write or to wait for. All memory but managed memory will do.
static CUresult numberOf(const MemoryOpParams &P, unsigned Bytes,
                         rt::MemoryOp &Op, rt::MemoryOp::Step Step) {
  std::optional<Block> B = Process::get().Pointers.find(pointerOf(P.Address));
  if (!B || P.Address % Bytes || B->Type == cudaMemoryTypeManaged ||
      Bytes > B->Size - (P.Address - B->Address))
    return cudaErrorInvalidValue;
  Step.NumberBytes = Bytes;
  Step.Address = P.Address;
  Step.Value = P.Value;
  Op.Steps.push_back(Step);
  return cudaSuccess;
}

/// Adds what one operation of a batch does: nothing for barriers and flushes,
/// since the device orders all writes anyway.
static CUresult addStep(const MemoryOpParams &P, Interface I,
                        rt::MemoryOp &Op) {
  constexpr unsigned DeviceOnly = 1; // the last of CUstreamMemoryBarrier_flags
  switch (P.Kind) {
  case Wait32:
  case Wait64:
    if (P.Flags & ~(ComparisonMask | FlushFlag))
      return cudaErrorInvalidValue;
    return numberOf(P, P.Kind == Wait32 ? 4 : 8, Op,
                    {static_cast<rt::Comparison>(P.Flags & ComparisonMask)});
  case Write32:
  case Write64:
    if (P.Flags & ~(I == Interface::V1 ? NoBarrierFlag : 0))
      return cudaErrorInvalidValue;
    return numberOf(P, P.Kind == Write32 ? 4 : 8, Op, {});
  case FlushRemoteWrites:
    return P.BarrierFlags ? cudaErrorInvalidValue : cudaSuccess;
  case Barrier:
    return I == Interface::V1 || P.BarrierFlags > DeviceOnly
               ? cudaErrorInvalidValue
               : cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

static CUresult operationOf(const MemoryOpParams *Steps, unsigned Count,
                            unsigned Flags, Interface I, rt::MemoryOp &Op) {
  constexpr unsigned Limit = 256;
  if (!Steps || Count == 0 || Count >= Limit || Flags)
    return cudaErrorInvalidValue;
  for (unsigned N = 0; N != Count; ++N)
    if (CUresult Code = addStep(Steps[N], I, Op); Code != cudaSuccess)
      return Code;
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

static CUresult batch(cudaStream_t Stream, unsigned Count,
                      const MemoryOpParams *Steps, unsigned Flags,
                      Interface I) {
  return inContext([=] {
    rt::MemoryOp Op;
    CUresult Code = operationOf(Steps, Count, Flags, I, Op);
    return Code == cudaSuccess ? enqueue(Stream, std::move(Op)) : Code;
  });
}

static CUresult single(cudaStream_t Stream, Kind K, CUdeviceptr Address,
                       uint64_t Value, unsigned Flags, Interface I) {
  MemoryOpParams Step = {K, 0, Address, Value, Flags, 0, 0};
  return batch(Stream, 1, &Step, 0, I);
}

#define HEDDLE_MEMORY_OP(Name, Operation, Type)                                \
  extern "C" CUresult Name(cudaStream_t Stream, CUdeviceptr Address,           \
                           Type Value, unsigned Flags) {                       \
    return single(Stream, Operation, Address, Value, Flags, Interface::V1);    \
  }                                                                            \
  extern "C" CUresult Name##_v2(cudaStream_t Stream, CUdeviceptr Address,      \
                                Type Value, unsigned Flags) {                  \
    return single(Stream, Operation, Address, Value, Flags, Interface::V2);    \
  }                                                                            \
  HEDDLE_PER_THREAD(Name, _ptsz)                                               \
  HEDDLE_PER_THREAD(Name##_v2, _ptsz)
HEDDLE_MEMORY_OP(cuStreamWaitValue32, Wait32, uint32_t)
HEDDLE_MEMORY_OP(cuStreamWaitValue64, Wait64, uint64_t)
HEDDLE_MEMORY_OP(cuStreamWriteValue32, Write32, uint32_t)
HEDDLE_MEMORY_OP(cuStreamWriteValue64, Write64, uint64_t)
#undef HEDDLE_MEMORY_OP

extern "C" CUresult cuStreamBatchMemOp(cudaStream_t Stream, unsigned Count,
                                       MemoryOpParams *Steps, unsigned Flags) {
  return batch(Stream, Count, Steps, Flags, Interface::V1);
}
extern "C" CUresult cuStreamBatchMemOp_v2(cudaStream_t Stream, unsigned Count,
                                          MemoryOpParams *Steps,
                                          unsigned Flags) {
  return batch(Stream, Count, Steps, Flags, Interface::V2);
}
HEDDLE_PER_THREAD(cuStreamBatchMemOp, _ptsz)
HEDDLE_PER_THREAD(cuStreamBatchMemOp_v2, _ptsz)

//===----------------------------------------------------------------------===//
// Nodes of graphs
//===----------------------------------------------------------------------===//

static CUresult make(const MemoryOpNodeParams *P, NodeMaking &M) {
  rt::MemoryOp Op;
  if (!P || (P->Context && !isContext(P->Context)))
    return cudaErrorInvalidValue;
  if (CUresult Code =
          operationOf(P->Steps, P->Count, P->Flags, Interface::V2, Op);
      Code != cudaSuccess)
    return Code;
  M.Op = std::move(Op);
  M.Params = MemoryOpNode{P->Context, {P->Steps, P->Steps + P->Count}};
  return cudaSuccess;
}

/// Whether what was instantiated can do the second in place of the first: the
/// kinds of the operations stay, and what they do besides.
static bool canReplace(const MemoryOpNode &Old, const MemoryOpNode &New) {
  auto SameKind = [](const MemoryOpParams &A, const MemoryOpParams &B) {
    if (A.Kind != B.Kind)
      return false;
    if (A.Kind == FlushRemoteWrites || A.Kind == Barrier)
      return A.BarrierFlags == B.BarrierFlags;
    return (A.Flags & ~ComparisonMask) == (B.Flags & ~ComparisonMask);
  };
  return Old.Context == New.Context &&
         std::equal(Old.Steps.begin(), Old.Steps.end(), New.Steps.begin(),
                    New.Steps.end(), SameKind);
}

extern "C" {

CUresult cuGraphAddBatchMemOpNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                  const cudaGraphNode_t *Dependencies,
                                  size_t Count, const MemoryOpNodeParams *P) {
  return inContext([=] {
    NodeMaking M;
    CUresult Made = make(P, M);
    return addNode(Node, Graph, Dependencies, Count, Made, M);
  });
}

CUresult cuGraphBatchMemOpNodeGetParams(cudaGraphNode_t Node,
                                        MemoryOpNodeParams *P) {
  return inContext([=] {
    auto *Known = paramsOf<MemoryOpNode>(Node);
    if (!Known || !P)
      return cudaErrorInvalidValue;
    *P = {static_cast<CUcontext>(Known->Context),
          static_cast<unsigned>(Known->Steps.size()), Known->Steps.data(), 0};
    return cudaSuccess;
  });
}

CUresult cuGraphBatchMemOpNodeSetParams(cudaGraphNode_t Node,
                                        const MemoryOpNodeParams *P) {
  return inContext([=] {
    NodeMaking M;
    CUresult Made = make(P, M);
    return setNode(Node, Made, M);
  });
}

CUresult cuGraphExecBatchMemOpNodeSetParams(cudaGraphExec_t Exec,
                                            cudaGraphNode_t Node,
                                            const MemoryOpNodeParams *P) {
  return inContext([=] {
    NodeMaking M;
    CUresult Made = make(P, M);
    auto *Known = paramsOf<MemoryOpNode>(Node);
    if (Made == cudaSuccess &&
        (!Known || !canReplace(*Known, std::get<MemoryOpNode>(M.Params))))
      return cudaErrorInvalidValue;
    return setInExec(Exec, Node, Made, M);
  });
}

} // extern "C"
