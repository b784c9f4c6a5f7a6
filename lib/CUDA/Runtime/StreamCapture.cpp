//===- StreamCapture.cpp - Graphs out of streams ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// rt::Stream captures. Here are the handles by which a program sees the graph
// while it is made.
//
//===----------------------------------------------------------------------===//

#include "PerThread.h"
#include "Process.h"
#include "Runtime/GraphNodes.h"
#include "Runtime/Runtime.h"
#include "Runtime/RuntimeGraphs.h"
#include "llvm/ADT/STLExtras.h"

#include <thread>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

static HandleSet<GraphHandle> &graphs() { return Process::get().Graphs; }

namespace {

/// cudaStreamCaptureMode.
enum class CaptureMode : int { Global, ThreadLocal, Relaxed };

/// Who began a capture, where, and what it forbids.
struct CaptureOrigin {
  cudaStream_t Stream;
  CaptureMode Mode;
  std::thread::id Thread = std::this_thread::get_id();

  /// Whether a thread of a mode of its own must not wait for the device.
  bool forbidsWaits(CaptureMode Own) const {
    if (Own == CaptureMode::Relaxed || Mode == CaptureMode::Relaxed)
      return false;
    return Thread == std::this_thread::get_id() ||
           (Own == CaptureMode::Global && Mode == CaptureMode::Global);
  }
};

/// A capture as the program sees it.
struct CaptureView {
  cudaGraph_t Graph;
  bool IsOurs; ///< The graph began with the capture and ends with a failure.
  CaptureOrigin Origin;
  /// What programs were told last that the next node waits for, by stream. They
  /// have pointers to it.
  std::map<const rt::Stream *, std::vector<cudaGraphNode_t>> Dependencies = {};
  std::vector<cudaGraphEdgeData> Edges = {}; ///< All alike.
};

/// Captures that have begun. Any thread may call anything at any time.
class CaptureTable {
public:
  void begin(uint64_t Id, cudaGraph_t Graph, bool IsOurs,
             CaptureOrigin Origin) {
    std::lock_guard Lock(Mutex);
    Views.insert({Id, {Graph, IsOurs, Origin}});
  }
  /// The streams of captures that forbid the thread to wait, by their numbers.
  std::vector<std::pair<uint64_t, cudaStream_t>> forbidding(CaptureMode Own) {
    std::lock_guard Lock(Mutex);
    std::vector<std::pair<uint64_t, cudaStream_t>> Found;
    for (const auto &[Id, View] : Views)
      if (View.Origin.forbidsWaits(Own))
        Found.push_back({Id, View.Origin.Stream});
    return Found;
  }
  /// The graph of a capture that has ended; null after a failure.
  cudaGraph_t end(uint64_t Id, bool Succeeded) {
    std::lock_guard Lock(Mutex);
    auto View = Views.extract(Id);
    if (View.empty())
      return nullptr;
    if (!Succeeded && View.mapped().IsOurs)
      graphs().remove(View.mapped().Graph);
    return graphs().contains(View.mapped().Graph) && Succeeded
               ? View.mapped().Graph
               : nullptr;
  }
  cudaGraph_t find(const rt::Graph &Graph) {
    std::lock_guard Lock(Mutex);
    for (const auto &[Id, View] : Views)
      if (graphs().contains(View.Graph) && View.Graph->Graph.get() == &Graph)
        return View.Graph;
    return nullptr;
  }
  template <typename Fn> cudaError_t with(uint64_t Id, Fn Use) {
    std::lock_guard Lock(Mutex);
    auto It = Views.find(Id);
    // The program may have destroyed the graph.
    return It == Views.end() || !graphs().contains(It->second.Graph)
               ? cudaErrorIllegalState
               : Use(It->second);
  }

private:
  std::mutex Mutex;
  std::map<uint64_t, CaptureView> Views;
};

} // namespace

static CaptureTable &captures() {
  static auto *Made = new CaptureTable; // see Process.h
  return *Made;
}

static bool isMode(int Mode) {
  return Mode >= 0 && Mode <= int(CaptureMode::Relaxed);
}

static thread_local CaptureMode ThreadMode = CaptureMode::Global;

/// Refuses for each stream of a forbidding capture, by what Reason gives for
/// it.
static cudaError_t
refuse(function_ref<cudaError_t(const rt::Stream &)> Reason) {
  cudaError_t Code = cudaSuccess;
  for (auto [Id, Handle] : captures().forbidding(ThreadMode)) {
    rt::Stream *S = Process::get().stream(Handle);
    std::shared_ptr<rt::Capture> C = S ? S->capture() : nullptr;
    if (!C || C->Id != Id)
      continue;
    // Waiting for the stream is what makes the capture invalid.
    if (Error E = S->synchronize())
      Code = convert(std::move(E), Reason(*S));
  }
  return Code;
}

cudaError_t heddle::cuda::refuseDuringCapture() {
  return refuse(
      [](const rt::Stream &) { return cudaErrorStreamCaptureUnsupported; });
}

cudaError_t heddle::cuda::refuseWorkDuringCapture() {
  const rt::Stream *Used = Process::get().stream(nullptr);
  return refuse([&](const rt::Stream &Captured) {
    bool Waits = Used && Used->kind() == rt::Stream::Kind::Default &&
                 Captured.kind() == rt::Stream::Kind::Blocking;
    return Waits ? cudaErrorStreamCaptureImplicit
                 : cudaErrorStreamCaptureUnsupported;
  });
}

cudaGraph_t heddle::cuda::capturedGraph(const rt::Graph &Graph) {
  return captures().find(Graph);
}

cudaError_t heddle::cuda::addToCapture(rt::Stream &S, NodeMaker Make) {
  std::shared_ptr<rt::Capture> C = S.capture();
  if (!C || !C->Invalid.empty())
    return cudaErrorStreamCaptureInvalidated;
  return captures().with(C->Id, [&](CaptureView &View) {
    std::vector<cudaGraphNode_t> Tips;
    for (rt::Graph::NodeId Id : S.captureTips())
      Tips.push_back(View.Graph->node(Id));
    cudaGraphNode_t Node = nullptr;
    cudaError_t Code = Make(&Node, View.Graph, Tips.data(), Tips.size());
    if (Code == cudaSuccess)
      S.setCaptureTips({Node->Id});
    return Code;
  });
}

void heddle::cuda::useCapturedNode(rt::Stream &S,
                                   function_ref<void(GraphNodeHandle &)> Use) {
  std::shared_ptr<rt::Capture> C = S.capture();
  if (!C || !C->Invalid.empty())
    return;
  captures().with(C->Id, [&](CaptureView &View) {
    std::vector<rt::Graph::NodeId> Tips = S.captureTips();
    if (Tips.size() == 1)
      Use(*View.Graph->node(Tips.front()));
    return cudaSuccess;
  });
}

void heddle::cuda::keepInCapture(const rt::Stream &S,
                                 const GraphMemory &Memory) {
  if (std::shared_ptr<rt::Capture> C = S.capture())
    captures().with(C->Id, [&](CaptureView &View) {
      llvm::append_range(View.Graph->Memory, Memory);
      return cudaSuccess;
    });
}

static cudaError_t beginCapture(cudaStream_t Stream, int Mode,
                                cudaGraph_t Graph, bool IsOurs,
                                std::vector<rt::Graph::NodeId> Dependencies) {
  rt::Stream *S = Process::get().stream(Stream);
  if (!S)
    return cudaErrorInvalidResourceHandle;
  if (!isMode(Mode))
    return cudaErrorInvalidValue;
  if (Error E = S->beginCapture(Graph->Graph, std::move(Dependencies)))
    return convert(std::move(E), cudaErrorStreamCaptureUnsupported);
  captures().begin(S->capture()->Id, Graph, IsOurs,
                   {Stream, CaptureMode(Mode)});
  return cudaSuccess;
}

/// Makes what the program gets: the nodes that the next one waits for.
static void updateDependencies(CaptureView &View, const rt::Stream &S) {
  std::vector<cudaGraphNode_t> &Nodes = View.Dependencies[&S];
  Nodes.clear();
  for (rt::Graph::NodeId Id : S.captureTips())
    Nodes.push_back(View.Graph->node(Id));
  if (View.Edges.size() < Nodes.size())
    View.Edges.resize(Nodes.size());
}

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t Stream, int Mode) {
  cudaGraph_t Graph = graphs().add(std::make_unique<GraphHandle>());
  cudaError_t Code = beginCapture(Stream, Mode, Graph, /*IsOurs=*/true, {});
  if (Code != cudaSuccess)
    graphs().remove(Graph);
  return finish(Code);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t Stream,
                                          cudaGraph_t Graph,
                                          const cudaGraphNode_t *Dependencies,
                                          const cudaGraphEdgeData *,
                                          size_t Count, int Mode) {
  std::vector<rt::Graph::NodeId> Ids;
  if (!graphs().contains(Graph) || !idsOf(Graph, Dependencies, Count, Ids))
    return finish(cudaErrorInvalidValue);
  return finish(
      beginCapture(Stream, Mode, Graph, /*IsOurs=*/false, std::move(Ids)));
}

cudaError_t cudaStreamEndCapture(cudaStream_t Stream, cudaGraph_t *Graph) {
  rt::Stream *S = Process::get().stream(Stream);
  if (!S || !Graph)
    return finish(S ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  *Graph = nullptr;
  std::shared_ptr<rt::Capture> C = S->capture();
  Expected<std::shared_ptr<rt::Graph>> Captured = S->endCapture();
  if (C && C->Origin == S)
    *Graph = captures().end(C->Id, static_cast<bool>(Captured));
  return finish(
      convert(Captured.takeError(), cudaErrorStreamCaptureInvalidated));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t Stream,
                                  cudaStreamCaptureStatus *Status) {
  rt::Stream *S = Process::get().stream(Stream);
  if (!S || !Status)
    return finish(S ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  std::shared_ptr<rt::Capture> C = S->capture();
  *Status = !C                   ? cudaStreamCaptureStatusNone
            : C->Invalid.empty() ? cudaStreamCaptureStatusActive
                                 : cudaStreamCaptureStatusInvalidated;
  return cudaSuccess;
}

/// The lists stay until the stream's capture is asked for again or ends.
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t Stream,
                                     cudaStreamCaptureStatus *Status,
                                     unsigned long long *Id, cudaGraph_t *Graph,
                                     const cudaGraphNode_t **Dependencies,
                                     const cudaGraphEdgeData **Edges,
                                     size_t *Count) {
  if (cudaError_t Code = cudaStreamIsCapturing(Stream, Status);
      Code != cudaSuccess)
    return Code;
  if (*Status != cudaStreamCaptureStatusActive)
    return cudaSuccess;
  rt::Stream *S = Process::get().stream(Stream);
  uint64_t Number = S->capture()->Id;
  return finish(captures().with(Number, [&](CaptureView &View) {
    updateDependencies(View, *S);
    const std::vector<cudaGraphNode_t> &Nodes = View.Dependencies[S];
    if (Id)
      *Id = Number;
    if (Graph)
      *Graph = View.Graph;
    if (Dependencies)
      *Dependencies = Nodes.data();
    if (Edges)
      *Edges = View.Edges.data();
    if (Count)
      *Count = Nodes.size();
    return cudaSuccess;
  }));
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t Stream,
                                                cudaGraphNode_t *Nodes,
                                                const cudaGraphEdgeData *,
                                                size_t Count, unsigned Flags) {
  constexpr unsigned Add = 0, Set = 1;
  rt::Stream *S = Process::get().stream(Stream);
  if (!S || Flags > Set)
    return finish(S ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  std::shared_ptr<rt::Capture> C = S->capture();
  if (!C)
    return finish(cudaErrorIllegalState);
  return finish(captures().with(C->Id, [&](CaptureView &View) {
    std::vector<rt::Graph::NodeId> Ids, Tips;
    if (!idsOf(View.Graph, Nodes, Count, Ids))
      return cudaErrorInvalidValue;
    if (Flags == Add)
      Tips = S->captureTips();
    for (rt::Graph::NodeId Id : Ids)
      if (!is_contained(Tips, Id))
        Tips.push_back(Id);
    S->setCaptureTips(std::move(Tips));
    return cudaSuccess;
  }));
}

cudaError_t cudaThreadExchangeStreamCaptureMode(int *Mode) {
  if (!Mode || !isMode(*Mode))
    return finish(cudaErrorInvalidValue);
  *Mode = int(std::exchange(ThreadMode, CaptureMode(*Mode)));
  return cudaSuccess;
}

} // extern "C"

//===----------------------------------------------------------------------===//
// With the thread's default stream
//===----------------------------------------------------------------------===//

HEDDLE_PER_THREAD(cudaStreamBeginCapture, _ptsz)
HEDDLE_PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz)
HEDDLE_PER_THREAD(cudaStreamEndCapture, _ptsz)
HEDDLE_PER_THREAD(cudaStreamGetCaptureInfo, _ptsz)
HEDDLE_PER_THREAD(cudaStreamIsCapturing, _ptsz)
HEDDLE_PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz)
