//===- Functions.cpp - Functions of NCCL ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks what a program asks for and says it in the words of the other files.
//
//===----------------------------------------------------------------------===//

#include "Collectives/GroupCalls.h"
#include "Handles.h"
#include "Runtime/Runtime.h"

using namespace heddle::cuda;
using namespace heddle::cuda::collectives;
using llvm::Twine;

/// What ncclGetVersion says: that whose functions there are.
static constexpr int Version = 22809;

static HandleSet<Communicator> &communicators() {
  static auto *All = new HandleSet<Communicator>; // see Process.h
  return *All;
}

/// Runs something for a communicator that there is.
template <typename Fn> static Result with(Communicator *Comm, Fn Function) {
  if (!communicators().contains(Comm))
    return fail(InvalidArgument, "there is no such communicator");
  return Function(*Comm);
}

static Result checkType(int Type) {
  return Type >= 0 && unsigned(Type) < NumDataTypes
             ? Success
             : fail(InvalidArgument, "unknown data type " + Twine(Type));
}

static Result checkRank(const Communicator &C, int Rank) {
  return Rank >= 0 && unsigned(Rank) < C.NumRanks
             ? Success
             : fail(InvalidArgument, "there is no rank " + Twine(Rank) +
                                         " among " + Twine(C.NumRanks));
}

/// Where a start leaves the communicator: null until all is well.
static GroupCalls::Steps startOf(Communicator **Comm, int NumRanks, UniqueId Id,
                                 int Rank, int Device) {
  return {[=] {
            auto New = std::make_unique<Communicator>(Rank, NumRanks, Device);
            Result Code = New->join(Id);
            if (Code == Success)
              *Comm = communicators().add(std::move(New));
            return Code;
          },
          [=] { return (*Comm)->waitForOthers(); }};
}

static Result start(Communicator **Comm, int NumRanks, const UniqueId &Id,
                    int Rank, int Device) {
  if (!Comm)
    return fail(InvalidArgument, "there is no place for the communicator");
  *Comm = nullptr;
  if (NumRanks < 1 || unsigned(NumRanks) > MaxRanks)
    return fail(InvalidArgument, "a group has 1 to " + Twine(MaxRanks) +
                                     " ranks, not " + Twine(NumRanks));
  if (Rank < 0 || Rank >= NumRanks)
    return fail(InvalidArgument, "there is no rank " + Twine(Rank) + " among " +
                                     Twine(NumRanks));
  return GroupCalls::get().run(startOf(Comm, NumRanks, Id, Rank, Device));
}

extern "C" {

cudaError_t cudaGetDevice(int *);

//===----------------------------------------------------------------------===//
// Communicators
//===----------------------------------------------------------------------===//

Result ncclGetVersion(int *To) {
  if (!To)
    return fail(InvalidArgument, "there is no place for the version");
  *To = Version;
  return Success;
}

Result ncclGetUniqueId(UniqueId *Id) {
  return Id ? Segment::makeId(*Id, /*ForOtherHosts=*/true)
            : fail(InvalidArgument, "there is no place for the id");
}

Result ncclCommInitRank(Communicator **Comm, int NumRanks, UniqueId Id,
                        int Rank) {
  int Device = 0;
  if (Result Code = check(cudaGetDevice(&Device), "cudaGetDevice");
      Code != Success)
    return Code;
  return start(Comm, NumRanks, Id, Rank, Device);
}

/// A configuration has hints; starts always wait.
Result ncclCommInitRankConfig(Communicator **Comm, int NumRanks, UniqueId Id,
                              int Rank, void *) {
  return ncclCommInitRank(Comm, NumRanks, Id, Rank);
}

/// All ranks know the first id.
Result ncclCommInitRankScalable(Communicator **Comm, int NumRanks, int Rank,
                                int NumIds, UniqueId *Ids, void *) {
  if (NumIds < 1 || !Ids)
    return fail(InvalidArgument, "there is no id");
  return ncclCommInitRank(Comm, NumRanks, Ids[0], Rank);
}

Result ncclCommInitAll(Communicator **Comms, int NumDevices,
                       const int *Devices) {
  if (!Comms)
    return fail(InvalidArgument, "there is no place for the communicators");
  UniqueId Id;
  if (Result Code = Segment::makeId(Id, /*ForOtherHosts=*/false);
      Code != Success)
    return Code;
  GroupCalls &Calls = GroupCalls::get();
  Calls.start();
  Result First = Success;
  for (int Rank = 0; Rank < NumDevices; ++Rank)
    if (Result Code = start(&Comms[Rank], NumDevices, Id, Rank,
                            Devices ? Devices[Rank] : Rank);
        First == Success)
      First = Code;
  Result End = Calls.end();
  return First == Success ? End : First;
}

Result ncclCommSplit(Communicator *Comm, int Color, int Key,
                     Communicator **NewComm, void *) {
  constexpr int NoColor = -1;
  if (!NewComm || (Color < 0 && Color != NoColor))
    return fail(InvalidArgument, "a split has a color from 0 on, or none (-1), "
                                 "and a place for the communicator");
  *NewComm = nullptr;
  return with(Comm, [=](Communicator &C) {
    auto State = std::make_shared<Communicator::SplitState>();
    return GroupCalls::get().run(
        {[=, &C] { return C.announceSplit(Color, Key, *State); },
         [=, &C] {
           unsigned Rank = 0, NumRanks = 0;
           UniqueId Id;
           if (Color == NoColor)
             return Success;
           C.findSplit(*State, Rank, NumRanks, Id);
           return startOf(NewComm, NumRanks, Id, Rank, C.Device)[0]();
         },
         [=] {
           return Color == NoColor ? Success : (*NewComm)->waitForOthers();
         }});
  });
}

Result ncclCommFinalize(Communicator *Comm) {
  return with(Comm, [](Communicator &) { return Success; });
}

Result ncclCommDestroy(Communicator *Comm) {
  if (!Comm)
    return Success;
  return communicators().remove(Comm)
             ? Success
             : fail(InvalidArgument, "there is no such communicator");
}

Result ncclCommAbort(Communicator *Comm) {
  return with(Comm, [](Communicator &C) {
    C.abort();
    return ncclCommDestroy(&C);
  });
}

Result ncclCommGetAsyncError(Communicator *Comm, Result *Error) {
  return with(Comm, [=](Communicator &C) {
    if (!Error)
      return fail(InvalidArgument, "there is no place for the error");
    *Error = C.isAborted() ? RemoteError : Success;
    return Success;
  });
}

static Result giveNumber(Communicator *Comm, int *To,
                         const unsigned Communicator::*Number) {
  return with(Comm, [=](Communicator &C) {
    if (!To)
      return fail(InvalidArgument, "there is no place for the number");
    *To = C.*Number;
    return Success;
  });
}

Result ncclCommCount(Communicator *Comm, int *Count) {
  return giveNumber(Comm, Count, &Communicator::NumRanks);
}

Result ncclCommCuDevice(Communicator *Comm, int *Device) {
  return giveNumber(Comm, Device, &Communicator::Device);
}

Result ncclCommUserRank(Communicator *Comm, int *Rank) {
  return giveNumber(Comm, Rank, &Communicator::Rank);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Result ncclMemAlloc(void **Pointer, size_t Size) {
  return check(cudaMalloc(Pointer, Size), "cudaMalloc");
}

Result ncclMemFree(void *Pointer) {
  return check(cudaFree(Pointer), "cudaFree");
}

/// Nothing is gained by knowing a buffer before.
Result ncclCommRegister(Communicator *Comm, void *Buffer, size_t,
                        void **Handle) {
  return with(Comm, [=](Communicator &) {
    if (Handle)
      *Handle = Buffer;
    return Success;
  });
}

Result ncclCommDeregister(Communicator *Comm, void *) {
  return with(Comm, [](Communicator &) { return Success; });
}

} // extern "C"

/// What a rank has registered: collectives need no more of a window than that
/// its memory is there.
struct Window {
  const Communicator *Comm;
  void *Buffer;
  size_t Bytes;
};

static HandleSet<Window> &windows() {
  static auto *All = new HandleSet<Window>; // see Process.h
  return *All;
}

/// Runs something for a window of a communicator.
template <typename Fn>
static Result withWindow(Communicator *Comm, Window *W, Fn Function) {
  return with(Comm, [&](Communicator &C) {
    if (!windows().contains(W) || W->Comm != &C)
      return fail(InvalidArgument, "the communicator has no such window");
    return Function(*W);
  });
}

extern "C" {

Result ncclCommWindowRegister(Communicator *Comm, void *Buffer, size_t Size,
                              Window **To, int) {
  return with(Comm, [=](Communicator &C) {
    if (!To || !Buffer || !Size)
      return fail(InvalidArgument, "a window has a buffer, a size and a place");
    *To = windows().add(std::make_unique<Window>(Window{&C, Buffer, Size}));
    return Success;
  });
}

Result ncclCommWindowDeregister(Communicator *Comm, Window *W) {
  return withWindow(Comm, W, [](Window &Gone) {
    windows().remove(&Gone);
    return Success;
  });
}

Result ncclWinGetUserPtr(Communicator *Comm, Window *W, void **Buffer) {
  return withWindow(Comm, W, [=](Window &Known) {
    if (!Buffer)
      return fail(InvalidArgument, "there is no place for the buffer");
    *Buffer = Known.Buffer;
    return Success;
  });
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Result ncclRedOpCreatePreMulSum(int *Op, void *Scalar, int Type, int Residence,
                                Communicator *Comm) {
  constexpr int OnDevice = 0;
  return with(Comm, [=](Communicator &C) {
    if (!Op || !Scalar)
      return fail(InvalidArgument, "an operator has a scalar and a place");
    if (Result Code = checkType(Type); Code != Success)
      return Code;
    return C.createOperator(Scalar, DataType(Type), Residence == OnDevice, *Op);
  });
}

Result ncclRedOpDestroy(int Op, Communicator *Comm) {
  return with(Comm, [=](Communicator &C) { return C.destroyOperator(Op); });
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

} // extern "C"

/// What a collective is given, and which of its sides this rank has.
struct Buffers {
  CollectiveKind Kind;
  const void *Send;
  void *Receive;
  bool Gives = true, Takes = true;
};

/// Runs what Describe makes of a collective of Count elements.
template <typename Fn>
static Result runCollective(Communicator *Comm, Buffers B, size_t Count,
                            int Type, cudaStream_t Stream, Fn Describe) {
  return with(Comm, [&](Communicator &C) {
    if (Result Code = checkType(Type); Code != Success)
      return Code;
    Collective What;
    What.Kind = B.Kind;
    What.Type = DataType(Type);
    What.Bytes = Count * bytesOf(What.Type);
    if (Result Code = Describe(C, What, B); Code != Success)
      return Code;
    if (Count && ((B.Gives && !B.Send) || (B.Takes && !B.Receive)))
      return fail(InvalidArgument, "there is no buffer");
    What.Send = B.Gives ? static_cast<const char *>(B.Send) : nullptr;
    What.Receive = B.Takes ? static_cast<char *>(B.Receive) : nullptr;
    return GroupCalls::get().run(C, What, Stream);
  });
}

/// A reduction with an operator of the communicator's.
static Result setOperator(Communicator &C, Collective &What, int Op) {
  What.Reduces = true;
  return C.findOperator(Op, What.Type, What.Op)
             ? Success
             : fail(InvalidArgument, "there is no operator " + Twine(Op) +
                                         " for this data type");
}

extern "C" {

Result ncclAllReduce(const void *Send, void *Receive, size_t Count, int Type,
                     int Op, Communicator *Comm, cudaStream_t Stream) {
  return runCollective(Comm, {CollectiveKind::AllReduce, Send, Receive}, Count,
                       Type, Stream,
                       [=](Communicator &C, Collective &What, Buffers &) {
                         return setOperator(C, What, Op);
                       });
}

Result ncclReduce(const void *Send, void *Receive, size_t Count, int Type,
                  int Op, int Root, Communicator *Comm, cudaStream_t Stream) {
  return runCollective(
      Comm, {CollectiveKind::Reduce, Send, Receive}, Count, Type, Stream,
      [=](Communicator &C, Collective &What, Buffers &B) {
        B.Takes = int(C.Rank) == Root;
        What.Root = Root;
        Result Code = checkRank(C, Root);
        return Code == Success ? setOperator(C, What, Op) : Code;
      });
}

Result ncclReduceScatter(const void *Send, void *Receive, size_t Count,
                         int Type, int Op, Communicator *Comm,
                         cudaStream_t Stream) {
  return runCollective(Comm, {CollectiveKind::ReduceScatter, Send, Receive},
                       Count, Type, Stream,
                       [=](Communicator &C, Collective &What, Buffers &) {
                         What.SendParts = C.NumRanks;
                         What.TakesOwnPart = true;
                         return setOperator(C, What, Op);
                       });
}

Result ncclBroadcast(const void *Send, void *Receive, size_t Count, int Type,
                     int Root, Communicator *Comm, cudaStream_t Stream) {
  return runCollective(Comm, {CollectiveKind::Broadcast, Send, Receive}, Count,
                       Type, Stream,
                       [=](Communicator &C, Collective &What, Buffers &B) {
                         B.Gives = int(C.Rank) == Root;
                         What.Root = What.First = Root;
                         What.TakenRanks = 1;
                         return checkRank(C, Root);
                       });
}

Result ncclBcast(void *Buffer, size_t Count, int Type, int Root,
                 Communicator *Comm, cudaStream_t Stream) {
  return ncclBroadcast(Buffer, Buffer, Count, Type, Root, Comm, Stream);
}

Result ncclAllGather(const void *Send, void *Receive, size_t Count, int Type,
                     Communicator *Comm, cudaStream_t Stream) {
  return runCollective(Comm, {CollectiveKind::AllGather, Send, Receive}, Count,
                       Type, Stream,
                       [=](Communicator &C, Collective &What, Buffers &) {
                         What.TakenRanks = C.NumRanks;
                         return Success;
                       });
}

Result ncclAlltoAll(const void *Send, void *Receive, size_t Count, int Type,
                    Communicator *Comm, cudaStream_t Stream) {
  return runCollective(Comm, {CollectiveKind::AllToAll, Send, Receive}, Count,
                       Type, Stream,
                       [=](Communicator &C, Collective &What, Buffers &) {
                         What.SendParts = What.TakenRanks = C.NumRanks;
                         What.TakesOwnPart = true;
                         return Success;
                       });
}

Result ncclGather(const void *Send, void *Receive, size_t Count, int Type,
                  int Root, Communicator *Comm, cudaStream_t Stream) {
  return runCollective(Comm, {CollectiveKind::Gather, Send, Receive}, Count,
                       Type, Stream,
                       [=](Communicator &C, Collective &What, Buffers &B) {
                         B.Takes = int(C.Rank) == Root;
                         What.TakenRanks = C.NumRanks;
                         return checkRank(C, Root);
                       });
}

Result ncclScatter(const void *Send, void *Receive, size_t Count, int Type,
                   int Root, Communicator *Comm, cudaStream_t Stream) {
  return runCollective(Comm, {CollectiveKind::Scatter, Send, Receive}, Count,
                       Type, Stream,
                       [=](Communicator &C, Collective &What, Buffers &B) {
                         B.Gives = int(C.Rank) == Root;
                         What.SendParts = C.NumRanks;
                         What.First = Root;
                         What.TakenRanks = 1;
                         What.TakesOwnPart = true;
                         return checkRank(C, Root);
                       });
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

static Result transfer(void *Buffer, size_t Count, int Type, int Peer,
                       bool IsSend, Communicator *Comm, cudaStream_t Stream) {
  return with(Comm, [=](Communicator &C) {
    if (Result Code = checkType(Type); Code != Success)
      return Code;
    if (Result Code = checkRank(C, Peer); Code != Success)
      return Code;
    if (Count && !Buffer)
      return fail(InvalidArgument, "there is no buffer");
    Transfer T = {static_cast<char *>(Buffer), Count * bytesOf(DataType(Type)),
                  uint32_t(Peer), IsSend};
    return GroupCalls::get().run(C, T, Stream);
  });
}

Result ncclSend(const void *Buffer, size_t Count, int Type, int Peer,
                Communicator *Comm, cudaStream_t Stream) {
  return transfer(const_cast<void *>(Buffer), Count, Type, Peer, true, Comm,
                  Stream);
}

Result ncclRecv(void *Buffer, size_t Count, int Type, int Peer,
                Communicator *Comm, cudaStream_t Stream) {
  return transfer(Buffer, Count, Type, Peer, false, Comm, Stream);
}

//===----------------------------------------------------------------------===//
// Groups of calls, and errors
//===----------------------------------------------------------------------===//

Result ncclGroupStart() {
  GroupCalls::get().start();
  return Success;
}

Result ncclGroupEnd() { return GroupCalls::get().end(); }

const char *ncclGetErrorString(Result Code) {
  switch (Code) {
  case Success:
    return "no error";
  case UnhandledCudaError:
    return "a call of CUDA failed (ncclGetLastError says which)";
  case SystemError:
    return "a call of the host failed (ncclGetLastError says which)";
  case InternalError:
    return "an error in the library";
  case InvalidArgument:
    return "an invalid argument (ncclGetLastError says which)";
  case InvalidUsage:
    return "a call that is not supported, or not at this time";
  case RemoteError:
    return "another rank failed";
  case InProgress:
    return "the call is still in progress";
  }
  return "an unknown result";
}

const char *ncclGetLastError(Communicator *) { return lastFailure().c_str(); }

#define HEDDLE_NCCL_UNSUPPORTED(Name)                                          \
  Result Name() { return fail(InvalidUsage, #Name " is not supported"); }
#include "Collectives/Unsupported.def"

} // extern "C"
