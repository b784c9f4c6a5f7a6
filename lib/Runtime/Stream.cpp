//===- Stream.cpp - Work in order -------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations become packets. The end of each raises the stream's own signal, on
// which events, other streams and the host wait. The context's lock is held
// while an operation is appended, so that what the default stream has to wait
// for is well-defined.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/Stream.h"
#include "heddle/Runtime/Context.h"
#include "heddle/Runtime/PacketCoding.h"
#include "heddle/Runtime/VirtualTime.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <thread>

using namespace llvm;

namespace heddle::rt {

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void SharedRecords::reach(uint64_t Record) {
  uint64_t Last = Reached.load();
  while (Last < Record && !Reached.compare_exchange_weak(Last, Record)) {
  }
}

void StreamPoint::wait() const {
  HostCall Call(Time, 0);
  Progress->wait(Value);
  HostCall::waited(Time, Timestamp);
}

bool StreamPoint::query() const {
  if (!Time)
    return isReached();
  HostCall Call(Time, QueryNs);
  Time->Order.settle([this] { return isReached(); });
  return isReached() && Timestamp <= Time->hostTime();
}

bool Event::isComplete() const {
  if (Shared)
    return Shared->Reached >= Shared->Recorded;
  std::shared_ptr<StreamPoint> P = point();
  return !P || P->query();
}

/// There is no notice of what another process does.
static void waitFor(const SharedRecords &Shared) {
  constexpr auto LongestPause = std::chrono::microseconds(500);
  uint64_t Record = Shared.Recorded;
  for (auto Pause = std::chrono::microseconds(0); Shared.Reached < Record;
       Pause = std::min(Pause + std::chrono::microseconds(1), LongestPause))
    std::this_thread::sleep_for(Pause);
}

void Event::synchronize() const {
  if (Shared)
    return waitFor(*Shared);
  if (std::shared_ptr<StreamPoint> P = point())
    P->wait();
}

std::optional<uint64_t> Event::timestamp() const {
  std::shared_ptr<StreamPoint> P = point();
  if (!P || !P->query())
    return std::nullopt;
  return P->Timestamp;
}

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

namespace {

/// Operations as packets, with the packets that branches lead to.
class PacketList {
public:
  explicit PacketList(const LaunchObserver *Observer) : Observer(Observer) {}
  /// Of any operation that does not wait for an event.
  Error append(const Operation &Op);
  ArrayRef<Packet> packets() const { return Packets; }

private:
  Expected<BranchPacket> branch(const ConditionalOp &Op);

  const LaunchObserver *Observer;
  SmallVector<Packet, 1> Packets;
  std::vector<std::unique_ptr<PacketList>> Bodies;
  /// Of each branch.
  std::vector<std::unique_ptr<std::vector<PacketRange>>> Ranges;
};

Expected<BranchPacket> PacketList::branch(const ConditionalOp &Op) {
  std::vector<PacketRange> &Range =
      *Ranges.emplace_back(std::make_unique<std::vector<PacketRange>>());
  for (const std::shared_ptr<const ExecutableGraph> &Body : Op.Ready) {
    PacketList &List =
        *Bodies.emplace_back(std::make_unique<PacketList>(Observer));
    for (const Operation *Inner : Body->operations())
      if (Error E = List.append(*Inner))
        return std::move(E);
    Range.push_back({packetAddress(List.Packets.data()), List.Packets.size()});
  }
  BranchPacket P;
  P.Branch = Op.Kind;
  P.NumBodies = Range.size();
  P.Address = Op.Condition;
  P.Bodies = packetAddress(Range.data());
  return P;
}

Error PacketList::append(const Operation &Op) {
  if (const auto *Kernel = std::get_if<KernelOp>(&Op)) {
    Expected<DispatchPacket> P = encode(*Kernel, Observer);
    if (!P)
      return P.takeError();
    Packets.push_back(*P);
  } else if (const auto *Copy = std::get_if<CopyOp>(&Op)) {
    for (uint64_t Slice = 0; Slice != Copy->Slices; ++Slice)
      Packets.push_back(encode(*Copy, Slice));
  } else if (const auto *Fill = std::get_if<FillOp>(&Op)) {
    Packets.push_back(encode(*Fill));
  } else if (const auto *Host = std::get_if<HostOp>(&Op)) {
    Packets.push_back(encode(*Host));
  } else if (const auto *Memory = std::get_if<MemoryOp>(&Op)) {
    for (const MemoryOp::Step &S : Memory->Steps)
      Packets.push_back(encode(S));
  } else if (const auto *Conditional = std::get_if<ConditionalOp>(&Op)) {
    Expected<BranchPacket> P = branch(*Conditional);
    if (!P)
      return P.takeError();
    Packets.push_back(*P);
  }
  return Error::success();
}

/// What a stream keeps of an operation until it is done.
struct EnqueuedOperation {
  Operation Op;
  PacketList List;
};

} // namespace

//===----------------------------------------------------------------------===//
// Appending
//===----------------------------------------------------------------------===//

static std::atomic<uint64_t> NumStreams{0};

/// What a call that appends an operation takes the host, in nanoseconds.
static uint64_t costOf(const Operation &Op, const DeviceProperties &P) {
  // Of records and waits nothing is published: they make no packet for the
  // cores, and take about a third of a launch.
  bool IsSmall = std::holds_alternative<RecordOp>(Op) ||
                 std::holds_alternative<WaitOp>(Op);
  return IsSmall ? P.LaunchCallNs / 3 : P.LaunchCallNs;
}

Stream::Stream(Context &Owner, Kind K, unsigned Group)
    : Owner(Owner), StreamKind(K), Group(Group), Id(++NumStreams),
      Work(Owner.device().createQueue()) {
  Work->observe(Id, &Owner.OnWork);
  Work->countBy(&Owner.Meter);
}

Stream::~Stream() = default;

/// In virtual time a point that was reached may lie ahead of this stream's
/// time.
void Stream::waitFor(std::shared_ptr<StreamPoint> Point) {
  if (!Point || (Point->isReached() && !Owner.device().virtualTime()))
    return;
  WaitPacket P;
  P.Signal = packetAddress(Point->Progress.get());
  P.Value = Point->Value;
  P.Timestamp = packetAddress(&Point->Timestamp);
  Work->submit(P);
  Retained.push_back({Submitted + 1, std::move(Point)});
}

std::shared_ptr<StreamPoint> Stream::finish(std::shared_ptr<void> Resource) {
  auto Point = std::make_shared<StreamPoint>();
  Point->Progress = Progress;
  Point->Time = Owner.device().virtualTime();
  Point->Value = ++Submitted;
  RaisePacket P;
  P.Signal = packetAddress(Progress.get());
  P.Value = Submitted;
  P.Timestamp = packetAddress(&Point->Timestamp);
  Retained.push_back({Submitted, std::move(Resource)});
  Retained.push_back({Submitted, Point});
  Last = Point;
  Work->submit(P);
  return Point;
}

void Stream::releaseFinished() {
  while (!Retained.empty() && Progress->hasReached(Retained.front().first))
    Retained.pop_front();
}

template <typename Function> void Stream::forOrderedWith(Function Fn) const {
  if (StreamKind == Kind::NonBlocking)
    return;
  for (auto *List : {&Owner.Streams, &Owner.Destroyed})
    for (const std::unique_ptr<Stream> &Other : *List)
      if (Other.get() != this && Other->StreamKind != Kind::NonBlocking &&
          (StreamKind == Kind::Default || Other->StreamKind == Kind::Default))
        Fn(*Other);
}

void Stream::orderWithOthers() {
  forOrderedWith([this](const Stream &Other) { waitFor(Other.Last); });
}

void Stream::resolveShared(Operation &Op) {
  if (const auto *Record = std::get_if<RecordOp>(&Op)) {
    std::shared_ptr<Event> Recorded = Record->Recorded;
    if (std::shared_ptr<SharedRecords> Shared = Recorded->Shared) {
      std::lock_guard EventLock(Recorded->Mutex);
      Recorded->Captured = nullptr;
      Op = HostOp{
          [Shared, Number = ++Shared->Recorded] { Shared->reach(Number); }};
    }
  } else if (const auto *Wait = std::get_if<WaitOp>(&Op)) {
    if (std::shared_ptr<SharedRecords> Shared = Wait->Awaited->Shared)
      Op = MemoryOp{{{Comparison::AtLeast, sizeof(uint64_t),
                      packetAddress(&Shared->Reached), Shared->Recorded}},
                    Shared};
  }
}

Error Stream::enqueue(Operation Op) {
  if (const auto *Child = std::get_if<ChildGraphOp>(&Op)) {
    Expected<std::unique_ptr<ExecutableGraph>> Ready =
        ExecutableGraph::instantiate(*Child->Child);
    return Ready ? (*Ready)->launch(*this) : Ready.takeError();
  }
  if (Error E = Owner.status())
    return E;
  VirtualTime *Time = Owner.device().virtualTime();
  HostCall Call(Time, Time ? costOf(Op, Time->Properties) : 0);
  std::lock_guard Lock(Owner.Order);
  if (const auto *Wait = std::get_if<WaitOp>(&Op)) {
    std::lock_guard EventLock(Wait->Awaited->Mutex);
    if (Wait->Awaited->Captured && !Capturing)
      Capturing = Wait->Awaited->Captured; // joins the capture
  }
  if (Capturing)
    return addToCapture(std::move(Op));
  if (Error E = endImplicitCaptures())
    return E;

  releaseFinished();
  resolveShared(Op);
  auto Kept = std::make_shared<EnqueuedOperation>(EnqueuedOperation{
      std::move(Op), PacketList(Owner.Observer ? &Owner.Observer : nullptr)});
  if (Error E = Kept->List.append(Kept->Op))
    return E;
  orderWithOthers();
  if (const auto *Wait = std::get_if<WaitOp>(&Kept->Op))
    waitFor(Wait->Awaited->point());
  for (const Packet &P : Kept->List.packets())
    Work->submit(P);
  std::shared_ptr<StreamPoint> End = finish(Kept);
  if (const auto *Record = std::get_if<RecordOp>(&Kept->Op)) {
    std::lock_guard EventLock(Record->Recorded->Mutex);
    Record->Recorded->Point = std::move(End);
    Record->Recorded->Captured = nullptr;
  }
  return Error::success();
}

bool Stream::isIdle() const {
  std::shared_ptr<StreamPoint> Point;
  {
    std::lock_guard Lock(Owner.Order);
    Point = Last;
  }
  return !Point || Point->query();
}

bool Stream::isReady() const {
  std::lock_guard Lock(Owner.Order);
  bool Ready = Progress->hasReached(Submitted);
  forOrderedWith([&](const Stream &Other) {
    Ready &= Other.Progress->hasReached(Other.Submitted);
  });
  return Ready;
}

Error Stream::synchronize() {
  HostCall Call(Owner.device().virtualTime(), 0);
  std::shared_ptr<StreamPoint> Point;
  {
    std::lock_guard Lock(Owner.Order);
    if (Capturing) {
      Capturing->Invalid = "a stream was waited for during its capture";
      return createStringError(inconvertibleErrorCode(), Capturing->Invalid);
    }
    Point = Last;
  }
  if (Point)
    Point->wait();
  return Owner.status();
}

//===----------------------------------------------------------------------===//
// Capture
//===----------------------------------------------------------------------===//

static std::atomic<uint64_t> NumCaptures{0};
thread_local std::vector<CapturedNode> *NotedCaptures = nullptr;

char ImplicitCaptureError::ID = 0;

static constexpr char UsesDefaultStream[] =
    "the default stream was used while it would have to wait for a stream "
    "under capture";

void ImplicitCaptureError::log(raw_ostream &OS) const {
  OS << UsesDefaultStream;
}

Error Stream::endImplicitCaptures() {
  if (StreamKind != Kind::Default)
    return Error::success();
  bool Found = false;
  forOrderedWith([&](const Stream &Other) {
    if (!Other.Capturing)
      return;
    Other.Capturing->Invalid = UsesDefaultStream;
    Found = true;
  });
  return Found ? make_error<ImplicitCaptureError>() : Error::success();
}

Capture::Capture(const Stream &Origin, std::shared_ptr<Graph> Into)
    : Id(++NumCaptures), Recorded(std::move(Into)), Origin(&Origin) {}

std::shared_ptr<Capture> Stream::capture() const {
  std::lock_guard Lock(Owner.Order);
  return Capturing;
}

std::vector<Graph::NodeId> Stream::captureTips() const {
  std::lock_guard Lock(Owner.Order);
  return CaptureTips;
}

void Stream::setCaptureTips(std::vector<Graph::NodeId> Tips) {
  std::lock_guard Lock(Owner.Order);
  CaptureTips = std::move(Tips);
}

Error Stream::beginCapture(std::shared_ptr<Graph> Into,
                           std::vector<Graph::NodeId> Dependencies) {
  std::lock_guard Lock(Owner.Order);
  if (StreamKind == Kind::Default)
    return createStringError(inconvertibleErrorCode(),
                             "the default stream cannot be captured");
  if (Capturing)
    return createStringError(inconvertibleErrorCode(),
                             "the stream is under capture already");
  Capturing = std::make_shared<Capture>(*this, std::move(Into));
  CaptureTips = std::move(Dependencies);
  return Error::success();
}

Error Stream::addToCapture(Operation Op) {
  if (const auto *Record = std::get_if<RecordOp>(&Op)) {
    std::lock_guard EventLock(Record->Recorded->Mutex);
    Record->Recorded->Captured = Capturing;
    Record->Recorded->CapturedNodes = CaptureTips;
    return Error::success();
  }
  if (const auto *Wait = std::get_if<WaitOp>(&Op)) {
    std::lock_guard EventLock(Wait->Awaited->Mutex);
    if (Wait->Awaited->Captured != Capturing) {
      Capturing->Invalid =
          "a stream under capture waited for an event from outside";
      return createStringError(inconvertibleErrorCode(), Capturing->Invalid);
    }
    for (Graph::NodeId Id : Wait->Awaited->CapturedNodes)
      if (!is_contained(CaptureTips, Id))
        CaptureTips.push_back(Id);
    return Error::success();
  }
  if (std::holds_alternative<ConditionalOp>(Op)) {
    Capturing->Invalid = "a graph with conditional nodes cannot be captured";
    return createStringError(inconvertibleErrorCode(), Capturing->Invalid);
  }
  CaptureTips = {Capturing->Recorded->add(std::move(Op), CaptureTips)};
  if (NotedCaptures)
    NotedCaptures->push_back({Capturing->Recorded.get(), CaptureTips.front()});
  return Error::success();
}

/// Tips, and what they depend on over any number of steps.
static DenseSet<Graph::NodeId> coveredBy(const Graph &G,
                                         ArrayRef<Graph::NodeId> Tips) {
  DenseSet<Graph::NodeId> Seen;
  std::vector<Graph::NodeId> Open = Tips.vec();
  while (!Open.empty()) {
    Graph::NodeId Id = Open.back();
    Open.pop_back();
    if (Seen.insert(Id).second)
      llvm::append_range(Open, G.node(Id).Dependencies);
  }
  return Seen;
}

std::vector<Graph::NodeId>
Stream::leaveCapture(Context &C, const std::shared_ptr<Capture> &Done) {
  std::vector<Graph::NodeId> Tips;
  std::lock_guard Lock(C.Order);
  for (const std::unique_ptr<Stream> &S : C.Streams)
    if (S->Capturing == Done) {
      llvm::append_range(Tips, S->CaptureTips);
      S->Capturing = nullptr;
      S->CaptureTips.clear();
    }
  return Tips;
}

Expected<std::shared_ptr<Graph>> Stream::endCapture() {
  std::lock_guard GroupLock(Owner.Group->Mutex);
  std::shared_ptr<Capture> Done = capture();
  if (!Done || Done->Origin != this)
    return createStringError(inconvertibleErrorCode(),
                             "no capture has begun in this stream");
  // Nodes that the program adds itself may be where they like.
  DenseSet<Graph::NodeId> Joined = coveredBy(*Done->Recorded, captureTips());
  std::vector<Graph::NodeId> Tips = Done->OrphanTips;
  for (Context *C : Owner.Group->Contexts)
    llvm::append_range(Tips, leaveCapture(*C, Done));
  auto IsJoined = [&](Graph::NodeId Id) { return Joined.contains(Id); };
  if (Done->Invalid.empty() && !llvm::all_of(Tips, IsJoined))
    Done->Invalid = "a stream that joined the capture was not joined back";
  if (!Done->Invalid.empty())
    return createStringError(inconvertibleErrorCode(), Done->Invalid);
  return Done->Recorded;
}

} // namespace heddle::rt
