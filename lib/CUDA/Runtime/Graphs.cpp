//===- Graphs.cpp - Graphs of CUDA programs ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs built node by node, and their launches.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Graphs.h"
#include "FirstCause.h"
#include "PerThread.h"
#include "Process.h"
#include "Runtime/Copy.h"
#include "Runtime/GraphNodes.h"
#include "Runtime/HostFunctions.h"
#include "Runtime/Launch.h"
#include "Runtime/Runtime.h"
#include "Runtime/RuntimeGraphs.h"
#include "Trace/Observations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

static HandleSet<GraphHandle> &graphs() { return Process::get().Graphs; }
static HandleSet<GraphExecHandle> &execs() { return Process::get().GraphExecs; }

/// Graphs that are no more than bodies end without the program.
ConditionalBodies::~ConditionalBodies() {
  for (cudaGraph_t Body : Graphs)
    graphs().remove(Body);
}

static void release(UserObjectHandle *Object, unsigned Count) {
  if (Object->Count.fetch_sub(Count) != Count)
    return;
  Object->Destroy(Object->Object);
  delete Object;
}

GraphHandle::~GraphHandle() {
  for (auto [Object, Count] : UserObjects)
    release(Object, Count);
}

GraphNodeHandle *GraphHandle::node(rt::Graph::NodeId Id) {
  if (Nodes.size() <= Id)
    Nodes.resize(Id + 1);
  if (!Nodes[Id])
    Nodes[Id].reset(new GraphNodeHandle{this, Id, {}});
  return Nodes[Id].get();
}

bool heddle::cuda::isLive(const GraphNodeHandle *Node) {
  return Node && Node->Owner->Graph->contains(Node->Id);
}

bool heddle::cuda::idsOf(GraphHandle *Graph, const cudaGraphNode_t *Nodes,
                         size_t Count, std::vector<rt::Graph::NodeId> &Ids) {
  if (Count && !Nodes)
    return false;
  for (size_t I = 0; I != Count; ++I) {
    if (!isLive(Nodes[I]) || Nodes[I]->Owner != Graph)
      return false;
    Ids.push_back(Nodes[I]->Id);
  }
  return true;
}

/// Hands a list over as CUDA does: the number if there is no place for the
/// list, else as many as fit, null behind them.
static cudaError_t handOver(GraphHandle *Graph, ArrayRef<rt::Graph::NodeId> Ids,
                            cudaGraphNode_t *Nodes, size_t *Count) {
  if (!Count)
    return cudaErrorInvalidValue;
  if (!Nodes) {
    *Count = Ids.size();
    return cudaSuccess;
  }
  for (size_t I = 0; I != *Count; ++I)
    Nodes[I] = I < Ids.size() ? Graph->node(Ids[I]) : nullptr;
  *Count = std::min(*Count, Ids.size());
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Operations of nodes
//===----------------------------------------------------------------------===//

static cudaError_t make(const cudaKernelNodeParams *P, NodeMaking &M) {
  if (!P)
    return cudaErrorInvalidValue;
  if (P->extra)
    return cudaErrorNotSupported;
  KernelHandle *Kernel = Process::get().Images.kernel(P->func);
  rt::KernelOp Op;
  if (cudaError_t Code = prepareLaunch(
          Kernel,
          {extentsOf(P->gridDim), extentsOf(P->blockDim), P->sharedMemBytes},
          P->kernelParams, Op);
      Code != cudaSuccess)
    return Code;
  KernelNode Node;
  Node.Params = *P;
  for (const rt::ParamInfo &Info : ImageTable::info(*Kernel).Params) {
    auto Begin = Op.Params.begin() + Info.Offset;
    Node.Values.emplace_back(Begin, Begin + Info.Size);
  }
  for (std::vector<char> &Value : Node.Values)
    Node.Arguments.push_back(Value.data());
  M.Params = std::move(Node);
  if (!Process::get().skipsLaunches(ImageTable::info(*Kernel).Name))
    M.Op = std::move(Op);
  return cudaSuccess;
}

static cudaError_t make(const cudaMemcpy3DParms *P, NodeMaking &M) {
  Copy C;
  std::optional<rt::CopyOp> Op;
  cudaError_t Code = boxOf(P, C);
  if (Code == cudaSuccess)
    Code = operationOf(C, Op);
  if (Code != cudaSuccess)
    return Code;
  M.Params = *P;
  M.Op = Op.value_or(rt::CopyOp());
  return cudaSuccess;
}

static cudaError_t make(const cudaMemsetParams *P, NodeMaking &M) {
  if (!P || (P->elementSize != 1 && P->elementSize != 2 && P->elementSize != 4))
    return cudaErrorInvalidValue;
  std::optional<rt::FillOp> Op;
  if (cudaError_t Code = fillOf(P->dst, P->pitch, P->value, P->elementSize,
                                P->width, P->height, Op);
      Code != cudaSuccess)
    return Code;
  M.Params = *P;
  M.Op = Op.value_or(rt::FillOp());
  return cudaSuccess;
}

static cudaError_t make(const cudaHostNodeParams *P, NodeMaking &M) {
  if (!P || !P->fn)
    return cudaErrorInvalidValue;
  M.Params = *P;
  M.Op = hostFunction([Call = *P] { Call.fn(Call.userData); });
  return cudaSuccess;
}

static cudaError_t makeRecord(cudaEvent_t Event, NodeMaking &M) {
  EventHandle *E = Process::get().event(Event);
  if (!E)
    return cudaErrorInvalidResourceHandle;
  M.Params = Event;
  M.Op = rt::RecordOp{E->Event};
  return cudaSuccess;
}

static cudaError_t makeWait(cudaEvent_t Event, NodeMaking &M) {
  EventHandle *E = Process::get().event(Event);
  if (!E)
    return cudaErrorInvalidResourceHandle;
  M.Params = Event;
  M.Op = rt::WaitOp{E->Event};
  return cudaSuccess;
}

/// A copy of the graph as it is now.
static cudaError_t makeChild(cudaGraph_t Child, NodeMaking &M) {
  if (!graphs().contains(Child))
    return cudaErrorInvalidValue;
  if (Child->hasConditions())
    return cudaErrorNotSupported;
  M.Params = Child;
  M.Memory = Child->allMemory();
  M.Op = rt::ChildGraphOp{std::make_shared<rt::Graph>(*Child->Graph)};
  return cudaSuccess;
}

/// Of memory that stays as long as the graph.
static cudaError_t makeFree(void *Pointer, NodeMaking &M) {
  if (!Process::get().Pointers.find(Pointer))
    return cudaErrorInvalidValue;
  M.Params = Pointer;
  return cudaSuccess;
}

cudaError_t heddle::cuda::addNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                  const cudaGraphNode_t *Dependencies,
                                  size_t Count, cudaError_t Made,
                                  NodeMaking &M) {
  std::vector<rt::Graph::NodeId> Ids;
  if (!Node || !graphs().contains(Graph) ||
      !idsOf(Graph, Dependencies, Count, Ids))
    return finish(cudaErrorInvalidValue);
  if (Made != cudaSuccess)
    return finish(Made);
  GraphNodeHandle *Handle =
      Graph->node(Graph->Graph->add(std::move(M.Op), Ids));
  Handle->Params = std::move(M.Params);
  Handle->Memory = std::move(M.Memory);
  *Node = Handle;
  return cudaSuccess;
}

/// Device memory that lives as long as a reference, unless the program freed
/// it before.
static std::shared_ptr<void> keepMemory(void *Pointer) {
  return std::shared_ptr<void>(Pointer, [](void *P) {
    Process::get().Pools.freed(P);
    std::optional<Block> Freed = Process::get().Pointers.remove(P);
    if (!Freed)
      return;
    Expected<rt::Context &> C = Process::get().contextOf(*Freed);
    if (!C)
      return consumeError(C.takeError());
    consumeError(C->device().free(addressOf(P)));
  });
}

cudaError_t heddle::cuda::allocateFor(GraphHandle &Graph, size_t Size,
                                      void *&Pointer) {
  if (cudaError_t Code = allocateDevice(&Pointer, Size); Code != cudaSuccess)
    return Code;
  Block Kept = *Process::get().Pointers.remove(Pointer);
  Kept.IsGraph = true;
  Process::get().Pointers.add(Kept);
  Graph.Memory.push_back(keepMemory(Pointer));
  return cudaSuccess;
}

/// A reference to a program's object.
static std::shared_ptr<void> keepObject(UserObjectHandle *Object) {
  Object->Count += 1;
  return std::shared_ptr<void>(
      Object, [](void *O) { release(static_cast<UserObjectHandle *>(O), 1); });
}

GraphMemory GraphHandle::allMemory() const {
  GraphMemory All = Memory;
  for (auto [Object, Count] : UserObjects)
    All.push_back(keepObject(Object));
  for (const auto &Node : Nodes) {
    if (!Node)
      continue;
    llvm::append_range(All, Node->Memory);
    if (auto *C = std::get_if<ConditionalNode>(&Node->Params))
      for (const GraphHandle *Body : C->Bodies->Graphs)
        llvm::append_range(All, Body->allMemory());
  }
  return All;
}

bool GraphHandle::hasConditions() const {
  auto IsConditional = [&](rt::Graph::NodeId Id) {
    return std::holds_alternative<rt::ConditionalOp>(Graph->node(Id).Op);
  };
  return !Graph->initial().empty() ||
         llvm::any_of(Graph->nodes(), IsConditional);
}

//===----------------------------------------------------------------------===//
// Adding nodes
//===----------------------------------------------------------------------===//

/// The type of a node with an operation of the runtime.
template <typename Op>
constexpr cudaGraphNodeType NodeType = cudaGraphNodeTypeEmpty;
template <>
constexpr cudaGraphNodeType NodeType<rt::KernelOp> = cudaGraphNodeTypeKernel;
template <>
constexpr cudaGraphNodeType NodeType<rt::CopyOp> = cudaGraphNodeTypeMemcpy;
template <>
constexpr cudaGraphNodeType NodeType<rt::FillOp> = cudaGraphNodeTypeMemset;
template <>
constexpr cudaGraphNodeType NodeType<rt::HostOp> = cudaGraphNodeTypeHost;
template <>
constexpr cudaGraphNodeType NodeType<rt::RecordOp> =
    cudaGraphNodeTypeEventRecord;
template <>
constexpr cudaGraphNodeType NodeType<rt::WaitOp> = cudaGraphNodeTypeWaitEvent;
template <>
constexpr cudaGraphNodeType NodeType<rt::MemoryOp> =
    cudaGraphNodeTypeBatchMemOp;
template <>
constexpr cudaGraphNodeType NodeType<rt::ChildGraphOp> = cudaGraphNodeTypeGraph;
template <>
constexpr cudaGraphNodeType NodeType<rt::ConditionalOp> =
    cudaGraphNodeTypeConditional;

extern "C" {

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                  const cudaGraphNode_t *Dependencies,
                                  size_t Count) {
  NodeMaking M;
  return addNode(Node, Graph, Dependencies, Count, cudaSuccess, M);
}

#define HEDDLE_ADD_NODE(Name, Type, Make)                                      \
  cudaError_t Name(cudaGraphNode_t *Node, cudaGraph_t Graph,                   \
                   const cudaGraphNode_t *Dependencies, size_t Count,          \
                   Type P) {                                                   \
    NodeMaking M;                                                              \
    cudaError_t Made = Make(P, M);                                             \
    return addNode(Node, Graph, Dependencies, Count, Made, M);                 \
  }
HEDDLE_ADD_NODE(cudaGraphAddKernelNode, const cudaKernelNodeParams *, make)
HEDDLE_ADD_NODE(cudaGraphAddMemcpyNode, const cudaMemcpy3DParms *, make)
HEDDLE_ADD_NODE(cudaGraphAddMemsetNode, const cudaMemsetParams *, make)
HEDDLE_ADD_NODE(cudaGraphAddHostNode, const cudaHostNodeParams *, make)
HEDDLE_ADD_NODE(cudaGraphAddEventRecordNode, cudaEvent_t, makeRecord)
HEDDLE_ADD_NODE(cudaGraphAddEventWaitNode, cudaEvent_t, makeWait)
HEDDLE_ADD_NODE(cudaGraphAddChildGraphNode, cudaGraph_t, makeChild)
HEDDLE_ADD_NODE(cudaGraphAddMemFreeNode, void *, makeFree)
#undef HEDDLE_ADD_NODE

/// A linear copy as one of boxes.
static cudaMemcpy3DParms boxOfLinear(void *To, const void *From, size_t Size,
                                     cudaMemcpyKind Kind) {
  cudaMemcpy3DParms P = {};
  P.dstPtr = {To, Size, Size, 1};
  P.srcPtr = {const_cast<void *>(From), Size, Size, 1};
  P.extent = {Size, 1, 1};
  P.kind = Kind;
  return P;
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                     const cudaGraphNode_t *Dependencies,
                                     size_t Count, void *To, const void *From,
                                     size_t Size, cudaMemcpyKind Kind) {
  cudaMemcpy3DParms P = boxOfLinear(To, From, Size, Kind);
  return cudaGraphAddMemcpyNode(Node, Graph, Dependencies, Count, &P);
}

/// The address is known at once and stays: the memory is there as long as the
/// graph and what was instantiated from it.
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                     const cudaGraphNode_t *Dependencies,
                                     size_t Count, cudaMemAllocNodeParams *P) {
  if (!P || !P->bytesize || !graphs().contains(Graph))
    return finish(cudaErrorInvalidValue);
  constexpr int OnDevice = 1;
  const cudaMemLocation &At = P->poolProps.location;
  if (At.type == OnDevice && !Process::get().device(At.id))
    return finish(cudaErrorInvalidDevice);
  DeviceScope Scope(At.type == OnDevice ? At.id : currentDevice());
  if (cudaError_t Code = allocateFor(*Graph, P->bytesize, P->dptr);
      Code != cudaSuccess)
    return Code;
  PoolTable &Pools = Process::get().Pools;
  Pools.allocated(P->dptr, {Pools.graphPool(currentDevice()), P->bytesize});
  NodeMaking M;
  M.Params = *P;
  return addNode(Node, Graph, Dependencies, Count, cudaSuccess, M);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                             const cudaGraphNode_t *D,
                             const cudaGraphEdgeData *, size_t Count,
                             cudaGraphNodeParams *P) {
  if (!P)
    return finish(cudaErrorInvalidValue);
  switch (P->type) {
  case cudaGraphNodeTypeKernel:
    return cudaGraphAddKernelNode(Node, Graph, D, Count, &P->kernel);
  case cudaGraphNodeTypeMemcpy:
    return cudaGraphAddMemcpyNode(Node, Graph, D, Count, &P->memcpy.copyParams);
  case cudaGraphNodeTypeMemset:
    return cudaGraphAddMemsetNode(Node, Graph, D, Count, &P->memset);
  case cudaGraphNodeTypeHost:
    return cudaGraphAddHostNode(Node, Graph, D, Count, &P->host);
  case cudaGraphNodeTypeGraph:
    return cudaGraphAddChildGraphNode(Node, Graph, D, Count, P->graph.graph);
  case cudaGraphNodeTypeEmpty:
    return cudaGraphAddEmptyNode(Node, Graph, D, Count);
  case cudaGraphNodeTypeWaitEvent:
    return cudaGraphAddEventWaitNode(Node, Graph, D, Count, P->event.event);
  case cudaGraphNodeTypeEventRecord:
    return cudaGraphAddEventRecordNode(Node, Graph, D, Count, P->event.event);
  case cudaGraphNodeTypeMemAlloc:
    return cudaGraphAddMemAllocNode(Node, Graph, D, Count, &P->alloc);
  case cudaGraphNodeTypeMemFree:
    return cudaGraphAddMemFreeNode(Node, Graph, D, Count, P->free.dptr);
  case cudaGraphNodeTypeConditional:
    return finish(addConditionalNode(Node, Graph, D, Count, P->conditional));
  case cudaGraphNodeTypeBatchMemOp:
    break;
  }
  return finish(cudaErrorNotSupported);
}

//===----------------------------------------------------------------------===//
// Parameters of nodes
//===----------------------------------------------------------------------===//

} // extern "C"

cudaError_t heddle::cuda::setNode(cudaGraphNode_t Node, cudaError_t Made,
                                  NodeMaking &M) {
  if (Made != cudaSuccess)
    return finish(Made);
  if (!isLive(Node) || Node->Params.index() != M.Params.index())
    return finish(cudaErrorInvalidValue);
  if (cudaError_t Code = applyNodeAttributes(*Node, M.Op); Code != cudaSuccess)
    return finish(Code);
  Node->Owner->Graph->node(Node->Id).Op = std::move(M.Op);
  Node->Params = std::move(M.Params);
  Node->Memory = std::move(M.Memory);
  return cudaSuccess;
}

/// Whether \p Inner is \p Outer or a child graph in it. \p Path becomes the
/// nodes that lead to it.
static bool findChild(GraphHandle &Outer, const GraphHandle &Inner,
                      std::vector<rt::Graph::NodeId> &Path) {
  if (&Outer == &Inner)
    return true;
  for (rt::Graph::NodeId Id : Outer.Graph->nodes()) {
    const auto *Child = std::get_if<cudaGraph_t>(&Outer.node(Id)->Params);
    if (!Child || !graphs().contains(*Child))
      continue;
    Path.push_back(Id);
    if (findChild(**Child, Inner, Path))
      return true;
    Path.pop_back();
  }
  return false;
}

/// Has \p Change change what was instantiated of the graph that has a node: the
/// whole, or the body of a conditional node. \p Change gets the node's path in
/// it.
static cudaError_t changeInExec(
    GraphExecHandle &Exec, GraphNodeHandle &Node,
    function_ref<Error(rt::ExecutableGraph &, ArrayRef<rt::Graph::NodeId>)>
        Change) {
  GraphHandle &Owner = *Node.Owner;
  if (Owner.IsBody) {
    Expected<bool> Found =
        Exec.Graph->changeBody(*Owner.Graph, [&](rt::ExecutableGraph &Body) {
          return Change(Body, Node.Id);
        });
    if (!Found)
      return convert(Found.takeError(), cudaErrorInvalidValue);
    return *Found ? cudaSuccess : cudaErrorInvalidValue;
  }
  for (unsigned Number : Exec.Sources) {
    std::vector<rt::Graph::NodeId> Path;
    GraphHandle *Source =
        Owner.Number == Number
            ? &Owner
            : graphs().find([=](auto &G) { return G.Number == Number; });
    if (!Source || !findChild(*Source, Owner, Path))
      continue;
    Path.push_back(Node.Id);
    return convert(Change(*Exec.Graph, Path), cudaErrorInvalidValue);
  }
  return cudaErrorInvalidValue;
}

cudaError_t heddle::cuda::setInExec(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                    cudaError_t Made, NodeMaking &M) {
  if (Made != cudaSuccess)
    return finish(Made);
  if (!execs().contains(Exec) || !isLive(Node))
    return finish(cudaErrorInvalidValue);
  if (cudaError_t Code = applyNodeAttributes(*Node, M.Op); Code != cudaSuccess)
    return finish(Code);
  return finish(changeInExec(
      *Exec, *Node,
      [&](rt::ExecutableGraph &G, ArrayRef<rt::Graph::NodeId> Path) {
        return G.update(Path, std::move(M.Op));
      }));
}

template <typename T>
static cudaError_t getParams(cudaGraphNode_t Node, T *Params) {
  const T *Known = isLive(Node) ? std::get_if<T>(&Node->Params) : nullptr;
  if (!Known || !Params)
    return finish(cudaErrorInvalidValue);
  *Params = *Known;
  return cudaSuccess;
}

extern "C" {

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t Node,
                                         cudaKernelNodeParams *P) {
  auto *Known = isLive(Node) ? std::get_if<KernelNode>(&Node->Params) : nullptr;
  if (!Known || !P)
    return finish(cudaErrorInvalidValue);
  *P = Known->Params;
  P->kernelParams = Known->Arguments.data();
  return cudaSuccess;
}

#define HEDDLE_GET_PARAMS(Name, Type)                                          \
  cudaError_t Name(cudaGraphNode_t Node, Type *P) { return getParams(Node, P); }
HEDDLE_GET_PARAMS(cudaGraphMemcpyNodeGetParams, cudaMemcpy3DParms)
HEDDLE_GET_PARAMS(cudaGraphMemsetNodeGetParams, cudaMemsetParams)
HEDDLE_GET_PARAMS(cudaGraphHostNodeGetParams, cudaHostNodeParams)
HEDDLE_GET_PARAMS(cudaGraphMemAllocNodeGetParams, cudaMemAllocNodeParams)
HEDDLE_GET_PARAMS(cudaGraphEventRecordNodeGetEvent, cudaEvent_t)
HEDDLE_GET_PARAMS(cudaGraphEventWaitNodeGetEvent, cudaEvent_t)
HEDDLE_GET_PARAMS(cudaGraphChildGraphNodeGetGraph, cudaGraph_t)
HEDDLE_GET_PARAMS(cudaGraphMemFreeNodeGetParams, void *)
#undef HEDDLE_GET_PARAMS

#define HEDDLE_SET_PARAMS(NodeName, ExecName, Type, Make)                      \
  cudaError_t NodeName(cudaGraphNode_t Node, Type P) {                         \
    NodeMaking M;                                                              \
    cudaError_t Made = Make(P, M);                                             \
    return setNode(Node, Made, M);                                             \
  }                                                                            \
  cudaError_t ExecName(cudaGraphExec_t Exec, cudaGraphNode_t Node, Type P) {   \
    NodeMaking M;                                                              \
    cudaError_t Made = Make(P, M);                                             \
    return setInExec(Exec, Node, Made, M);                                     \
  }
HEDDLE_SET_PARAMS(cudaGraphKernelNodeSetParams,
                  cudaGraphExecKernelNodeSetParams,
                  const cudaKernelNodeParams *, make)
HEDDLE_SET_PARAMS(cudaGraphMemcpyNodeSetParams,
                  cudaGraphExecMemcpyNodeSetParams, const cudaMemcpy3DParms *,
                  make)
HEDDLE_SET_PARAMS(cudaGraphMemsetNodeSetParams,
                  cudaGraphExecMemsetNodeSetParams, const cudaMemsetParams *,
                  make)
HEDDLE_SET_PARAMS(cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams,
                  const cudaHostNodeParams *, make)
HEDDLE_SET_PARAMS(cudaGraphEventRecordNodeSetEvent,
                  cudaGraphExecEventRecordNodeSetEvent, cudaEvent_t, makeRecord)
HEDDLE_SET_PARAMS(cudaGraphEventWaitNodeSetEvent,
                  cudaGraphExecEventWaitNodeSetEvent, cudaEvent_t, makeWait)
#undef HEDDLE_SET_PARAMS

/// The node's graph keeps its child as it is.
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t Exec,
                                                 cudaGraphNode_t Node,
                                                 cudaGraph_t Child) {
  if (!execs().contains(Exec) || !isLive(Node) || !graphs().contains(Child) ||
      !std::holds_alternative<rt::ChildGraphOp>(
          Node->Owner->Graph->node(Node->Id).Op) ||
      Child->hasConditions())
    return finish(cudaErrorInvalidValue);
  llvm::append_range(Exec->Memory, Child->allMemory());
  return finish(changeInExec(
      *Exec, *Node,
      [&](rt::ExecutableGraph &G, ArrayRef<rt::Graph::NodeId> Path) {
        return Path.size() == 1 ? G.update(Path.front(), *Child->Graph)
                                : createStringError("a child graph in another");
      }));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t Node, void *To,
                                           const void *From, size_t Size,
                                           cudaMemcpyKind Kind) {
  cudaMemcpy3DParms P = boxOfLinear(To, From, Size, Kind);
  return cudaGraphMemcpyNodeSetParams(Node, &P);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t Exec,
                                               cudaGraphNode_t Node, void *To,
                                               const void *From, size_t Size,
                                               cudaMemcpyKind Kind) {
  cudaMemcpy3DParms P = boxOfLinear(To, From, Size, Kind);
  return cudaGraphExecMemcpyNodeSetParams(Exec, Node, &P);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                    unsigned Enabled) {
  if (!execs().contains(Exec) || !isLive(Node))
    return finish(cudaErrorInvalidValue);
  return finish(changeInExec(
      *Exec, *Node,
      [&](rt::ExecutableGraph &G, ArrayRef<rt::Graph::NodeId> Path) -> Error {
        if (Path.size() == 1 && G.setEnabled(Path.front(), Enabled))
          return Error::success();
        return createStringError("the graph itself has no such node");
      }));
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                    unsigned *Enabled) {
  if (!execs().contains(Exec) || !isLive(Node) || !Enabled)
    return finish(cudaErrorInvalidValue);
  *Enabled = false;
  return finish(changeInExec(
      *Exec, *Node,
      [&](rt::ExecutableGraph &G, ArrayRef<rt::Graph::NodeId> Path) -> Error {
        std::optional<bool> Known;
        if (Path.size() == 1)
          Known = G.isEnabled(Path.front());
        if (!Known)
          return createStringError("the graph itself has no such node");
        *Enabled = *Known;
        return Error::success();
      }));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

cudaError_t cudaGraphCreate(cudaGraph_t *Graph, unsigned Flags) {
  if (!Graph || Flags)
    return finish(cudaErrorInvalidValue);
  *Graph = graphs().add(std::make_unique<GraphHandle>());
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t Graph) {
  if (!graphs().contains(Graph) || Graph->IsBody)
    return finish(cudaErrorInvalidValue);
  graphs().remove(Graph);
  return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *Clone, cudaGraph_t Graph) {
  if (!Clone || !graphs().contains(Graph))
    return finish(cudaErrorInvalidValue);
  if (Graph->hasConditions())
    return finish(cudaErrorNotSupported);
  auto Copy = std::make_unique<GraphHandle>();
  *Copy->Graph = *Graph->Graph;
  Copy->Memory = Graph->Memory;
  for (auto [Object, Count] : Graph->UserObjects)
    Copy->Memory.push_back(keepObject(Object));
  for (rt::Graph::NodeId Id : Graph->Graph->nodes()) {
    Copy->node(Id)->Params = Graph->node(Id)->Params;
    Copy->node(Id)->Attributes = Graph->node(Id)->Attributes;
    Copy->node(Id)->Memory = Graph->node(Id)->Memory;
  }
  // The arguments of kernels are the clone's own.
  for (auto &Node : Copy->Nodes)
    if (auto *Kernel = Node ? std::get_if<KernelNode>(&Node->Params) : nullptr)
      for (size_t I = 0; I != Kernel->Values.size(); ++I)
        Kernel->Arguments[I] = Kernel->Values[I].data();
  *Clone = graphs().add(std::move(Copy));
  return cudaSuccess;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *Node,
                                     cudaGraphNode_t Original,
                                     cudaGraph_t Clone) {
  if (!Node || !isLive(Original) || !graphs().contains(Clone) ||
      !Clone->Graph->contains(Original->Id))
    return finish(cudaErrorInvalidValue);
  *Node = Clone->node(Original->Id);
  return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t Node) {
  if (!isLive(Node))
    return finish(cudaErrorInvalidValue);
  Node->Owner->Graph->remove(Node->Id);
  Node->Params = std::monostate(); // and the end of bodies
  Node->Memory.clear();
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t Node,
                                 cudaGraphNodeType *Type) {
  if (!isLive(Node) || !Type)
    return finish(cudaErrorInvalidValue);
  if (std::holds_alternative<cudaMemAllocNodeParams>(Node->Params))
    *Type = cudaGraphNodeTypeMemAlloc;
  else if (std::holds_alternative<void *>(Node->Params))
    *Type = cudaGraphNodeTypeMemFree;
  else if (std::holds_alternative<KernelNode>(Node->Params))
    *Type = cudaGraphNodeTypeKernel; // also while launches are skipped
  else
    *Type = std::visit([]<typename Op>(const Op &) { return NodeType<Op>; },
                       Node->Owner->Graph->node(Node->Id).Op);
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t Graph, cudaGraphNode_t *Nodes,
                              size_t *Count) {
  if (!graphs().contains(Graph))
    return finish(cudaErrorInvalidValue);
  return finish(handOver(Graph, Graph->Graph->nodes(), Nodes, Count));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t Graph, cudaGraphNode_t *Nodes,
                                  size_t *Count) {
  if (!graphs().contains(Graph))
    return finish(cudaErrorInvalidValue);
  std::vector<rt::Graph::NodeId> Roots;
  for (rt::Graph::NodeId Id : Graph->Graph->nodes())
    if (Graph->Graph->node(Id).Dependencies.empty())
      Roots.push_back(Id);
  return finish(handOver(Graph, Roots, Nodes, Count));
}

cudaError_t cudaGraphGetEdges(cudaGraph_t Graph, cudaGraphNode_t *From,
                              cudaGraphNode_t *To, cudaGraphEdgeData *Data,
                              size_t *Count) {
  if (!graphs().contains(Graph) || !From != !To)
    return finish(cudaErrorInvalidValue);
  std::vector<rt::Graph::NodeId> Begins, Ends;
  for (auto [Begin, End] : Graph->Graph->edges()) {
    Begins.push_back(Begin);
    Ends.push_back(End);
  }
  size_t Room = Count ? *Count : 0;
  if (Data)
    std::fill_n(Data, std::min(Room, Begins.size()), cudaGraphEdgeData());
  if (cudaError_t Code = handOver(Graph, Begins, From, Count);
      Code != cudaSuccess || !From)
    return finish(Code);
  return finish(handOver(Graph, Ends, To, &Room));
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t Node,
                                         cudaGraphNode_t *Nodes,
                                         cudaGraphEdgeData *Data,
                                         size_t *Count) {
  if (!isLive(Node))
    return finish(cudaErrorInvalidValue);
  if (Data && Count)
    std::fill_n(Data, *Count, cudaGraphEdgeData());
  return finish(handOver(Node->Owner,
                         Node->Owner->Graph->node(Node->Id).Dependencies, Nodes,
                         Count));
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t Node,
                                           cudaGraphNode_t *Nodes,
                                           cudaGraphEdgeData *Data,
                                           size_t *Count) {
  if (!isLive(Node))
    return finish(cudaErrorInvalidValue);
  if (Data && Count)
    std::fill_n(Data, *Count, cudaGraphEdgeData());
  std::vector<rt::Graph::NodeId> Ends;
  for (auto [Begin, End] : Node->Owner->Graph->edges())
    if (Begin == Node->Id)
      Ends.push_back(End);
  return finish(handOver(Node->Owner, Ends, Nodes, Count));
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t Graph,
                                     const cudaGraphNode_t *From,
                                     const cudaGraphNode_t *To,
                                     const cudaGraphEdgeData *, size_t Count) {
  std::vector<rt::Graph::NodeId> Begins, Ends;
  if (!graphs().contains(Graph) || !idsOf(Graph, From, Count, Begins) ||
      !idsOf(Graph, To, Count, Ends))
    return finish(cudaErrorInvalidValue);
  for (auto [Begin, End] : llvm::zip(Begins, Ends))
    Graph->Graph->addDependency(Begin, End);
  return cudaSuccess;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t Graph,
                                        const cudaGraphNode_t *From,
                                        const cudaGraphNode_t *To,
                                        const cudaGraphEdgeData *,
                                        size_t Count) {
  std::vector<rt::Graph::NodeId> Begins, Ends;
  if (!graphs().contains(Graph) || !idsOf(Graph, From, Count, Begins) ||
      !idsOf(Graph, To, Count, Ends))
    return finish(cudaErrorInvalidValue);
  for (auto [Begin, End] : llvm::zip(Begins, Ends))
    Graph->Graph->removeDependency(Begin, End);
  return cudaSuccess;
}

/// In the language of Graphviz.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t Graph, const char *Path,
                                   unsigned) {
  if (!graphs().contains(Graph) || !Path)
    return finish(cudaErrorInvalidValue);
  std::error_code Failure;
  raw_fd_ostream Out(Path, Failure);
  if (Failure)
    return finish(cudaErrorOperatingSystem);
  static constexpr StringRef Names[] = {
      "kernel", "memcpy", "memset", "host",  "graph", "empty",  "wait",
      "record", "",       "",       "alloc", "free",  "memory", "conditional"};
  Out << "digraph graph_" << Graph->Number << " {\n";
  for (rt::Graph::NodeId Id : Graph->Graph->nodes()) {
    cudaGraphNodeType Type;
    cudaGraphNodeGetType(Graph->node(Id), &Type);
    Out << "  node_" << Id << " [label=\"" << Id << " " << Names[Type]
        << "\"];\n";
  }
  for (auto [From, To] : Graph->Graph->edges())
    Out << "  node_" << From << " -> node_" << To << ";\n";
  Out << "}\n";
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *Exec, cudaGraph_t Graph,
                                 unsigned long long Flags) {
  if (!Exec || !graphs().contains(Graph))
    return finish(cudaErrorInvalidValue);
  auto Ready = rt::ExecutableGraph::instantiate(*Graph->Graph);
  if (!Ready)
    return finish(convert(Ready.takeError(), cudaErrorInvalidValue));
  *Exec = execs().add(std::unique_ptr<GraphExecHandle>(new GraphExecHandle{
      std::move(*Ready), Flags, Graph->allMemory(), {Graph->Number}}));
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *Exec,
                                          cudaGraph_t Graph,
                                          unsigned long long Flags) {
  return cudaGraphInstantiate(Exec, Graph, Flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *Exec,
                                           cudaGraph_t Graph,
                                           cudaGraphInstantiateParams *P) {
  if (!P)
    return finish(cudaErrorInvalidValue);
  P->errNode_out = nullptr;
  cudaError_t Code = cudaGraphInstantiate(Exec, Graph, P->flags);
  P->result_out = Code == cudaSuccess ? 0 : 1;
  return Code;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t Exec,
                                  unsigned long long *Flags) {
  if (!execs().contains(Exec) || !Flags)
    return finish(cudaErrorInvalidValue);
  *Flags = Exec->Flags;
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t Exec, cudaStream_t Stream) {
  rt::Stream *S = Process::get().stream(Stream);
  if (!S || !execs().contains(Exec))
    return finish(S ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  keepInCapture(*S, Exec->Memory);
  trace::noteGraph(Exec->Number);
  return finish(
      convert(Exec->Graph->launch(*S, FirstCause::get().countLaunch()),
              cudaErrorInvalidValue));
}

cudaError_t cudaGraphUpload(cudaGraphExec_t Exec, cudaStream_t) {
  return finish(execs().contains(Exec) ? cudaSuccess : cudaErrorInvalidValue);
}

/// Waits for launches in flight, which use what it holds.
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t Exec) {
  std::unique_ptr<GraphExecHandle> Gone = execs().remove(Exec);
  if (!Gone)
    return finish(cudaErrorInvalidValue);
  if (Gone->Memory.empty())
    return cudaSuccess;
  Expected<rt::Context &> C = Process::get().context();
  return finish(C ? convert(C->synchronize(), cudaErrorUnknown)
                  : convert(C.takeError(), cudaErrorNoDevice));
}

/// Takes over a graph of the same shape.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t Exec, cudaGraph_t Graph,
                                cudaGraphExecUpdateResultInfo *Result) {
  if (!execs().contains(Exec) || !graphs().contains(Graph))
    return finish(cudaErrorInvalidValue);
  auto Ready = rt::ExecutableGraph::instantiate(*Graph->Graph);
  bool Same = false;
  if (Ready)
    Same = (*Ready)->hasShapeOf(*Exec->Graph);
  else
    consumeError(Ready.takeError());
  constexpr int Success = 0, TopologyChanged = 2;
  if (Result)
    *Result = {Same ? Success : TopologyChanged, nullptr, nullptr};
  if (!Same)
    return finish(cudaErrorGraphExecUpdateFailure);
  Exec->Graph = std::move(*Ready);
  Exec->Sources = {Exec->Sources.front(), Graph->Number};
  llvm::append_range(Exec->Memory, Graph->allMemory());
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Objects of the program
//===----------------------------------------------------------------------===//

cudaError_t cudaUserObjectCreate(UserObjectHandle **Handle, void *Object,
                                 cudaHostFn_t Destroy, unsigned Count,
                                 unsigned) {
  if (!Handle || !Destroy || !Count)
    return finish(cudaErrorInvalidValue);
  *Handle = new UserObjectHandle{Object, Destroy, {Count}};
  return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(UserObjectHandle *Handle, unsigned Count) {
  if (!Handle || !Count)
    return finish(cudaErrorInvalidValue);
  Handle->Count += Count;
  return cudaSuccess;
}

cudaError_t cudaUserObjectRelease(UserObjectHandle *Handle, unsigned Count) {
  if (!Handle || !Count || Handle->Count < Count)
    return finish(cudaErrorInvalidValue);
  release(Handle, Count);
  return cudaSuccess;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t Graph,
                                      UserObjectHandle *Handle, unsigned Count,
                                      unsigned Flags) {
  constexpr unsigned Move = 1; // the caller's references
  if (!graphs().contains(Graph) || !Handle || !Count || Flags > Move)
    return finish(cudaErrorInvalidValue);
  if (Flags != Move)
    Handle->Count += Count;
  Graph->UserObjects.push_back({Handle, Count});
  return cudaSuccess;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t Graph,
                                       UserObjectHandle *Handle,
                                       unsigned Count) {
  if (!graphs().contains(Graph))
    return finish(cudaErrorInvalidValue);
  for (auto &[Known, Held] : Graph->UserObjects)
    if (Known == Handle && Held >= Count) {
      Held -= Count;
      release(Handle, Count);
      llvm::erase_if(Graph->UserObjects, [](auto &U) { return !U.second; });
      return cudaSuccess;
    }
  return finish(cudaErrorInvalidValue);
}

} // extern "C"

//===----------------------------------------------------------------------===//
// With the thread's default stream
//===----------------------------------------------------------------------===//

HEDDLE_PER_THREAD(cudaGraphInstantiateWithParams, _ptsz)
HEDDLE_PER_THREAD(cudaGraphLaunch, _ptsz)
HEDDLE_PER_THREAD(cudaGraphUpload, _ptsz)
