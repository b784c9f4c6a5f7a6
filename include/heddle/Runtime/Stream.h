//===- Stream.h - Work in order ---------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of one stream are carried out in the order in which they were
// enqueued; those of different streams in any order, except for events and for
// the rules of the default stream.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_STREAM_H
#define HEDDLE_RUNTIME_STREAM_H

#include "heddle/Runtime/Event.h"
#include "heddle/Runtime/Graph.h"
#include <deque>

namespace heddle::rt {

class Context;

/// A graph in the making, and how far each of its streams has come.
class Capture {
public:
  Capture(const Stream &Origin, std::shared_ptr<Graph> Into);

  /// Different for each capture of a process.
  const uint64_t Id;
  const std::shared_ptr<Graph> Recorded;
  const Stream *Origin;
  /// How far streams had come that are gone.
  std::vector<Graph::NodeId> OrphanTips;
  /// Why what was captured cannot become a graph; empty: it can.
  std::string Invalid;
};

/// A node that a capture has made.
struct CapturedNode {
  const Graph *In;
  Graph::NodeId Id;
};

/// Where the nodes are noted that captures make in calls of this thread, for
/// measurements; null: nowhere.
extern thread_local std::vector<CapturedNode> *NotedCaptures;

/// Work of the default stream would wait for a stream under capture, which does
/// nothing.
class ImplicitCaptureError : public llvm::ErrorInfo<ImplicitCaptureError> {
public:
  static char ID;
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
};

/// Any thread may call anything at any time.
class Stream {
public:
  enum class Kind : uint8_t {
    Default,     ///< waits for all blocking streams, and they for it
    Blocking,    ///< ordered with the default stream
    NonBlocking, ///< ordered by events only
  };

  Stream(Context &Owner, Kind K, unsigned Group = 0);
  ~Stream();

  Context &context() const { return Owner; }
  Kind kind() const { return StreamKind; }
  /// The streams that Context::record and Context::wait mean together.
  unsigned group() const { return Group; }
  /// Different for each stream of a process.
  uint64_t id() const { return Id; }

  /// Appends an operation, or adds it to the graph under capture.
  llvm::Error enqueue(Operation Op);

  /// Whether everything enqueued so far is done.
  bool isIdle() const;
  /// Whether what is enqueued now waits for nothing.
  bool isReady() const;
  /// Waits for everything enqueued so far. The error is the context's.
  llvm::Error synchronize();

  /// From now on operations become nodes of Into, the first of which waits for
  /// Dependencies. The default stream cannot be captured.
  llvm::Error
  beginCapture(std::shared_ptr<Graph> Into = std::make_shared<Graph>(),
               std::vector<Graph::NodeId> Dependencies = {});
  /// Ends the capture, which has to have begun here, and returns its graph.
  llvm::Expected<std::shared_ptr<Graph>> endCapture();
  /// The capture that this stream takes part in; null: none.
  std::shared_ptr<Capture> capture() const;
  /// What the next node under capture waits for, and to set it.
  std::vector<Graph::NodeId> captureTips() const;
  void setCaptureTips(std::vector<Graph::NodeId> Tips);

private:
  friend class Context;

  llvm::Error addToCapture(Operation Op);
  /// Ends the part of a context's streams in a capture; returns what their next
  /// nodes would have waited for.
  static std::vector<Graph::NodeId>
  leaveCapture(Context &C, const std::shared_ptr<Capture> &Done);
  /// Invalidates captures that work of this stream would have to wait for; an
  /// error if there are some. Owner's order is locked.
  llvm::Error endImplicitCaptures();
  /// Puts what a stream carries out in place of an operation on an event of
  /// several processes; other operations stay.
  static void resolveShared(Operation &Op);
  /// Makes what follows wait for the streams that the default stream's rules
  /// name. Owner's order is locked.
  void orderWithOthers();
  /// Calls \p Fn for each of them.
  template <typename Function> void forOrderedWith(Function Fn) const;
  /// Makes what follows wait for a point, if there is one.
  void waitFor(std::shared_ptr<StreamPoint> Point);
  /// The same, as work of the stream. Owner's order is locked.
  void enqueueWait(std::shared_ptr<StreamPoint> Point) {
    waitFor(std::move(Point));
    finish(nullptr);
  }
  /// Appends the end of an operation, before which Resource is kept.
  std::shared_ptr<StreamPoint> finish(std::shared_ptr<void> Resource);
  void releaseFinished();

  Context &Owner;
  const Kind StreamKind;
  const unsigned Group;
  const uint64_t Id;
  std::shared_ptr<Signal> Progress = std::make_shared<Signal>();
  uint64_t Submitted = 0; ///< What Progress reaches when all is done.
  std::shared_ptr<StreamPoint> Last; ///< When it does; null: has no work.
  /// What the queue still points to, with the value of Progress that frees it.
  std::deque<std::pair<uint64_t, std::shared_ptr<void>>> Retained;
  std::shared_ptr<Capture> Capturing;
  std::vector<Graph::NodeId> CaptureTips; ///< What the next node waits for.
  std::unique_ptr<Queue> Work;
};

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_STREAM_H
