//===- Context.cpp - A device with its streams ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lock order is that of the group, Order, then that of an event or a queue.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/Context.h"
#include "heddle/Runtime/VirtualTime.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle::rt {

Context::Context(std::unique_ptr<Device> D,
                 std::shared_ptr<ContextGroup> TheGroup)
    : Group(TheGroup ? std::move(TheGroup) : std::make_shared<ContextGroup>()),
      Dev(std::move(D)) {
  std::lock_guard Lock(Group->Mutex);
  Group->Contexts.push_back(this);
  Streams.push_back(std::make_unique<Stream>(*this, Stream::Kind::Default));
}

Context::~Context() {
  {
    std::lock_guard Lock(Group->Mutex);
    llvm::erase(Group->Contexts, this);
  }
  // Queues end their threads, which wait for signals of each other's streams:
  // first all queues, then the streams that own the signals.
  for (auto *List : {&Streams, &Destroyed})
    for (std::unique_ptr<Stream> &S : *List)
      S->Work.reset();
}

Stream &Context::createStream(Stream::Kind K, unsigned Group) {
  auto S = std::make_unique<Stream>(*this, K, Group);
  std::lock_guard Lock(Order);
  reapDestroyed();
  llvm::erase_if(Awaited, [](const auto &A) { return A.second->isReached(); });
  for (const auto &[Groups, Point] : Awaited)
    if (Groups(Group))
      S->enqueueWait(Point);
  Streams.push_back(std::move(S));
  return *Streams.back();
}

/// Whether a call for groups of streams means a stream.
static bool isMeant(const Stream &S, const Context::GroupSet &Groups) {
  return S.kind() == Stream::Kind::Default || Groups(S.group());
}

Error Context::refuseCaptures(const GroupSet &Groups) {
  bool Any = false;
  for (std::unique_ptr<Stream> &S : Streams)
    if (S->Capturing && isMeant(*S, Groups)) {
      S->Capturing->Invalid =
          "a call for all streams of a context was made during the capture";
      Any = true;
    }
  return Any ? createStringError(inconvertibleErrorCode(),
                                 "a stream of the context is under capture")
             : Error::success();
}

/// Makes a new stream wait for all that the others have been given.
Error Context::join(Stream &Joined, const GroupSet &Groups) {
  std::lock_guard Lock(Order);
  if (Error Captured = refuseCaptures(Groups))
    return Captured;
  for (auto *List : {&Streams, &Destroyed})
    for (std::unique_ptr<Stream> &S : *List)
      if (S.get() != &Joined && isMeant(*S, Groups))
        Joined.waitFor(S->Last);
  return Error::success();
}

Error Context::record(const std::shared_ptr<Event> &E, const GroupSet &Groups) {
  if (Error Failed = status())
    return Failed;
  Stream &Joined = createStream(Stream::Kind::NonBlocking);
  Error Refused = join(Joined, Groups);
  if (!Refused)
    Refused = Joined.enqueue(RecordOp{E});
  destroyStream(Joined);
  return Refused;
}

Error Context::wait(const std::shared_ptr<Event> &E, GroupSet Groups) {
  if (Error Failed = status())
    return Failed;
  std::lock_guard Lock(Order);
  if (Error Captured = refuseCaptures(Groups))
    return Captured;
  if (E->Shared)
    return createStringError(
        inconvertibleErrorCode(),
        "a context cannot wait for an event of several processes");
  std::shared_ptr<StreamPoint> Point;
  {
    std::lock_guard EventLock(E->Mutex);
    if (E->Captured) {
      E->Captured->Invalid = "a context waited for an event of the capture";
      return createStringError(inconvertibleErrorCode(), E->Captured->Invalid);
    }
    Point = E->Point;
  }
  if (!Point || (Point->isReached() && !Dev->virtualTime()))
    return Error::success();
  for (std::unique_ptr<Stream> &S : Streams)
    if (isMeant(*S, Groups))
      S->enqueueWait(Point);
  Awaited.push_back({std::move(Groups), std::move(Point)});
  return Error::success();
}

void Context::destroyStream(Stream &S) {
  assert(S.kind() != Stream::Kind::Default && "the default stream stays");
  std::lock_guard Lock(Order);
  auto It = llvm::find_if(Streams, [&](auto &P) { return P.get() == &S; });
  assert(It != Streams.end() && "not a stream of this context");
  if (S.Capturing)
    llvm::append_range(S.Capturing->OrphanTips, S.CaptureTips);
  Destroyed.push_back(std::move(*It));
  Streams.erase(It);
  reapDestroyed();
}

void Context::reapDestroyed() {
  llvm::erase_if(Destroyed, [&](std::unique_ptr<Stream> &S) {
    if (!S->Progress->hasReached(S->Submitted))
      return false;
    if (std::optional<QueueFailure> F = S->Work->failure(); F && !Failure)
      Failure = std::move(F);
    return true;
  });
}

Error Context::synchronize() {
  HostCall Call(Dev->virtualTime(), 0);
  std::vector<std::shared_ptr<StreamPoint>> Points;
  {
    std::lock_guard Lock(Order);
    for (auto *List : {&Streams, &Destroyed})
      for (std::unique_ptr<Stream> &S : *List)
        if (S->Last)
          Points.push_back(S->Last);
  }
  for (const std::shared_ptr<StreamPoint> &Point : Points)
    Point->wait();
  return status();
}

Error Context::free(DeviceAddress Address) {
  if (Error E = synchronize())
    return E;
  return Dev->free(Address);
}

std::optional<QueueFailure> Context::failure() {
  std::lock_guard Lock(Order);
  for (auto *List : {&Streams, &Destroyed})
    for (std::unique_ptr<Stream> &S : *List)
      if (!Failure)
        Failure = S->Work->failure();
  return Failure;
}

Error Context::status() {
  if (std::optional<QueueFailure> F = failure())
    return createStringError(inconvertibleErrorCode(), F->Message);
  return Error::success();
}

} // namespace heddle::rt
