//===- Communicator.cpp - A rank of a group ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts, splits, and launches of the kernels in Device/.
//
//===----------------------------------------------------------------------===//

#include "Collectives/Communicator.h"
#include "Collectives/Debug.h"
#include "Collectives/Wire.h"
#include "ErrorLog.h"
#include "Process.h"
#include "Runtime/Launch.h"
#include "Runtime/Runtime.h"
#include "ThreadValue.h"
#include "llvm/ADT/STLExtras.h"

#include <cstring>

extern "C" cudaError_t cudaLibraryLoadData(FatBinary **, const void *, int *,
                                           void **, unsigned, int *, void **,
                                           unsigned);
extern "C" cudaError_t cudaLibraryGetKernel(cudaKernel_t *, FatBinary *,
                                            const char *);
extern "C" cudaError_t cudaMemset(void *, int, size_t);
extern "C" cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);

using namespace llvm;

namespace heddle::cuda::collectives {

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

namespace {
struct FailureText : std::string {};
} // namespace

Result fail(Result Code, const Twine &Why) {
  std::string &LastFailure = threadValue<FailureText>();
  LastFailure = Why.str();
  ErrorLog::get().add("NCCL: " + LastFailure);
  tell(DebugLevel::Warn, LastFailure);
  return Code;
}

Result check(cudaError_t Code, const char *What) {
  if (Code == cudaSuccess)
    return Success;
  return fail(UnhandledCudaError,
              Twine(What) + ": " + cudaGetErrorString(Code));
}

const std::string &lastFailure() { return threadValue<FailureText>(); }

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// PTX, ended by a zero.
static constexpr char Text[] = {
#include "heddle/CUDA/Collectives.inc"
};

/// Loaded once in a process. Null if it cannot be compiled, which has been
/// reported.
static KernelHandle *kernel(const std::string &Name) {
  static FatBinary *const Library = [] {
    FatBinary *Loaded = nullptr;
    cudaLibraryLoadData(&Loaded, Text, nullptr, nullptr, 0, nullptr, nullptr,
                        0);
    return Loaded;
  }();
  cudaKernel_t Kernel = nullptr;
  std::string Whole = "heddle_collective_" + Name;
  if (!Library ||
      cudaLibraryGetKernel(&Kernel, Library, Whole.c_str()) != cudaSuccess)
    return nullptr;
  return Kernel;
}

Result Communicator::launch(const std::string &Name, uint64_t Blocks,
                            unsigned Threads, void **Arguments,
                            cudaStream_t Stream, bool IsTimed) {
  KernelHandle *Kernel = kernel(Name);
  if (!Kernel)
    return fail(InternalError, "the kernel '" + Name + "' cannot be compiled");
  rt::LaunchShape Shape;
  Shape.Grid = {static_cast<uint32_t>(Blocks), 1, 1};
  Shape.Block = {Threads, 1, 1};
  return check(launchKernel(Kernel, Shape, Arguments, Stream, IsTimed),
               "a launch");
}

/// Blocks for work of so many bytes: a few elements for each thread.
static uint64_t blocksFor(uint64_t Bytes) {
  constexpr uint64_t BytesOfBlock = uint64_t(BlockThreads) * 64, Most = 64;
  return std::clamp<uint64_t>(Bytes / BytesOfBlock, 1, Most);
}

unsigned bytesOf(DataType Type) {
  switch (Type) {
  case DataType::Int8:
  case DataType::Uint8:
  case DataType::Float8E4M3:
  case DataType::Float8E5M2:
    return 1;
  case DataType::Float16:
  case DataType::BFloat16:
    return 2;
  case DataType::Int32:
  case DataType::Uint32:
  case DataType::Float32:
    return 4;
  case DataType::Int64:
  case DataType::Uint64:
  case DataType::Float64:
    return 8;
  }
  return 0;
}

Group Communicator::group() const {
  return {Rank, NumRanks,         &Shared->counts(),
          Own,  Shared->stages(), Shared->pairs()};
}

//===----------------------------------------------------------------------===//
// Ways
//===----------------------------------------------------------------------===//

/// Whether something takes the model's time, and not that of its kernels.
static bool hasOwnTime(const Way &W) {
  return W.Nanoseconds && Process::get().virtualTime();
}

/// What NVIDIA's switches add: NCCL takes other ways for all else.
static bool isReducedBySwitches(const Collective &C) {
  if (!C.Reduces)
    return true;
  if (C.Op.Factor)
    return false;
  bool IsSum = C.Op.Op == ReduceOp::Sum;
  switch (C.Type) {
  case DataType::Float32:
  case DataType::Float64:
    return IsSum;
  case DataType::Int32:
  case DataType::Uint32:
  case DataType::Int64:
  case DataType::Uint64:
  case DataType::Float16:
  case DataType::BFloat16:
    return IsSum || C.Op.Op == ReduceOp::Max || C.Op.Op == ReduceOp::Min;
  default:
    return false;
  }
}

/// Of the larger buffer of a rank.
static uint64_t largestBuffer(const Collective &C, unsigned NumRanks) {
  switch (C.Kind) {
  case CollectiveKind::AllReduce:
  case CollectiveKind::Reduce:
  case CollectiveKind::Broadcast:
    return C.Bytes;
  default:
    return C.Bytes * NumRanks;
  }
}

void Communicator::tellChoice(const Collective &C, const Way &W) {
  uint64_t Bit = uint64_t(1) << (unsigned(C.Kind) * fabric::NumAlgorithms +
                                 unsigned(W.Algorithm));
  static_assert(8 * fabric::NumAlgorithms <= 64);
  bool IsNew = !(ToldWays & Bit);
  ToldWays |= Bit;
  if (!isTold(DebugLevel::Info) || (!IsNew && !areCallsTold()))
    return;
  std::string Time =
      W.Nanoseconds ? ", " + std::to_string((*W.Nanoseconds + 500) / 1000) +
                          " us on the machine"
                    : "";
  tell(DebugLevel::Info, nameOf(C.Kind) + ": " +
                             Twine(largestBuffer(C, NumRanks)) + " bytes by " +
                             fabric::nameOf(W.Algorithm) + ", " +
                             fabric::nameOf(W.Protocol) + Time);
}

Result Communicator::begin(const Collective &C, Way &W, cudaStream_t Stream) {
  Expected<Way> Chosen = Links->choose(
      {C.Kind, largestBuffer(C, NumRanks), isReducedBySwitches(C)});
  if (!Chosen)
    return fail(InvalidUsage, toString(Chosen.takeError()));
  W = *Chosen;
  tellChoice(C, W);
  if (!hasOwnTime(W))
    return Success;
  uint64_t Nanoseconds = *W.Nanoseconds;
  void *Arguments[] = {&Nanoseconds};
  return launch("delay", 1, 32, Arguments, Stream);
}

Result Communicator::enqueueRoute(const Collective &C, const Way &W,
                                  cudaStream_t Stream) {
  Group G = group();
  uint64_t Count = C.Reduces ? C.Bytes / bytesOf(C.Type) : C.Bytes;
  Route R = W.Algorithm == fabric::Algorithm::Tree
                ? treeRoute(Links->tree(), Count)
                : ringRoute(C.Kind, Links->ring(), Rank, C.Root, Count);
  const char *Send = C.Send;
  char *Receive = C.Receive;
  bool IsTimed = !hasOwnTime(W);
  if (!C.Reduces) {
    void *Arguments[] = {&G, &R, &Send, &Receive};
    return launch("route", 1, BlockThreads, Arguments, Stream, IsTimed);
  }
  Combination How = {C.Op.Op, C.Op.Factor};
  void *Arguments[] = {&G, &R, &How, &Send, &Receive};
  return launch("combine_" + std::to_string(unsigned(C.Type)), 1, BlockThreads,
                Arguments, Stream, IsTimed);
}

Result Communicator::enqueuePiece(const Collective &C, const Way &W,
                                  uint64_t &Done, cudaStream_t Stream) {
  bool IsTimed = !hasOwnTime(W);
  // All ranks cut in the same places, whether or not they send.
  unsigned MostParts = C.TakesOwnPart ? NumRanks : 1;
  uint64_t Room = StageBytes / MostParts / 16 * 16;
  uint64_t Bytes = std::min(Room, C.Bytes - Done);
  Group G = group();
  if (C.Send) {
    Parts Sent = {C.SendParts, Bytes, C.Bytes};
    const char *From = C.Send + Done;
    void *Arguments[] = {&G, &From, &Sent};
    if (Result Code = launch("stage", blocksFor(Bytes), BlockThreads, Arguments,
                             Stream, IsTimed);
        Code != Success)
      return Code;
    if (C.Op.Factor) {
      // Rounding up to whole parts is harmless: who takes does not look there.
      uint64_t Count = C.SendParts * pitchOf(Sent) / bytesOf(C.Type);
      void *Scaling[] = {&G, &Count, const_cast<const void **>(&C.Op.Factor)};
      if (Result Code =
              launch("scale_" + std::to_string(unsigned(C.Type)),
                     blocksFor(Bytes), BlockThreads, Scaling, Stream, IsTimed);
          Code != Success)
        return Code;
    }
  }
  uint32_t Staged = C.Send ? C.SendParts * pitchOf({1, Bytes, 0}) : 0;
  void *Barrier[] = {&G, &Staged};
  if (Result Code = launch("barrier", 1, 32, Barrier, Stream, IsTimed);
      Code != Success)
    return Code;
  char *To = C.Receive ? C.Receive + Done : nullptr;
  uint64_t Offset = C.TakesOwnPart ? Rank * pitchOf({1, Bytes, 0}) : 0;
  Done += Bytes;
  if (!To)
    return Success;
  if (C.Reduces) {
    Reduction R = {C.Op.Op, Offset, Bytes / bytesOf(C.Type)};
    void *Arguments[] = {&G, &R, &To};
    return launch("reduce_" + std::to_string(unsigned(C.Type)),
                  blocksFor(Bytes), BlockThreads, Arguments, Stream, IsTimed);
  }
  uint32_t First = C.First;
  Parts Taken = {C.TakenRanks, Bytes, C.Bytes};
  void *Arguments[] = {&G, &To, &First, &Offset, &Taken};
  return launch("gather", blocksFor(Bytes), BlockThreads, Arguments, Stream,
                IsTimed);
}

Result Communicator::enqueue(const Transfers &All, cudaStream_t Stream) {
  Group G = group();
  Transfers Copy = All;
  void *Arguments[] = {&G, &Copy};
  return launch("transfer", All.Count, BlockThreads, Arguments, Stream);
}

static bool isCapturing(cudaStream_t Stream) {
  cudaStreamCaptureStatus Status = {};
  return cudaStreamIsCapturing(Stream, &Status) == cudaSuccess && Status != 0;
}

Result Communicator::follow(cudaStream_t Stream) {
  // A graph is ordered with other work by who launches it.
  if (Stream == LastStream || !LastWork || isCapturing(Stream))
    return Success;
  return check(cudaStreamWaitEvent(Stream, LastWork, 0), "cudaStreamWaitEvent");
}

/// Records an event, which is made the first time.
static Result record(cudaEvent_t &Event, cudaStream_t Stream) {
  constexpr unsigned WithoutTiming = 2;
  if (!Event)
    if (Result Code = check(cudaEventCreateWithFlags(&Event, WithoutTiming),
                            "cudaEventCreateWithFlags");
        Code != Success)
      return Code;
  return check(cudaEventRecord(Event, Stream), "cudaEventRecord");
}

Result Communicator::note(cudaStream_t Stream) {
  if (isCapturing(Stream))
    return Success;
  LastStream = Stream;
  return record(LastWork, Stream);
}

Result Communicator::arrive(cudaStream_t Stream) {
  return Process::get().virtualTime() && !isCapturing(Stream)
             ? record(Arrival, Stream)
             : Success;
}

Result Communicator::meet(const Communicator &Other, cudaStream_t Stream) {
  if (&Other == this || Other.Shared != Shared || !Other.Arrival ||
      isCapturing(Stream))
    return Success;
  return check(cudaStreamWaitEvent(Stream, Other.Arrival, 0),
               "cudaStreamWaitEvent");
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

Result Communicator::join(const UniqueId &TheId) {
  DeviceScope Scope(Device);
  Id = TheId;
  if (Result Code = Segment::open(Id, NumRanks, Shared); Code != Success)
    return Code;
  void *Counts = nullptr;
  if (Result Code = check(cudaMalloc(&Counts, sizeof(OwnCounts)), "cudaMalloc");
      Code != Success)
    return Code;
  Own = static_cast<OwnCounts *>(Counts);
  if (Result Code = check(cudaMemset(Own, 0, sizeof(OwnCounts)), "cudaMemset");
      Code != Success)
    return Code;
  // The streams of the program need not wait for the default one.
  if (Result Code = check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      Code != Success)
    return Code;
  const ProcessDevice *Here = Process::get().device(Device);
  Shared->join(Rank, {hostHash(), Topology::wishes(),
                      Here ? Here->Machine.Index : 0, 0});
  return Success;
}

void Communicator::learnLinks() {
  Links.emplace(Rank, ArrayRef(Shared->header().Places, NumRanks));
  if (!isTold(DebugLevel::Info))
    return;
  std::string Ring, Children;
  for (unsigned R : Links->ring())
    Ring += " " + std::to_string(R);
  DeviceScope Scope(Device);
  const TreePlace &Tree = Links->tree();
  for (unsigned R : Tree.Children)
    Children += (Children.empty() ? "" : " ") + std::to_string(R);
  tell(DebugLevel::Info,
       "rank " + Twine(Rank) + " of " + Twine(NumRanks) + " on " +
           Twine(Links->hosts()) +
           (Links->hosts() == 1 ? " host, " : " hosts, ") +
           (Links->isKnown() ? "whose links are known" : "of unknown links") +
           ": ring" + Ring + ", tree " +
           (Children.empty() ? "-" : Children.c_str()) + " -> " + Twine(Rank) +
           " -> " + (Tree.Parent ? std::to_string(*Tree.Parent) : "-"));
}

Result Communicator::waitForOthers() {
  if (Shared->waitForAll()) {
    Segment::forgetId(Id);
    learnLinks();
    return Success;
  }
  return fail(SystemError, "of " + Twine(NumRanks) + " ranks only " +
                               Twine(Shared->header().NumJoined.load()) +
                               " have come");
}

Communicator::~Communicator() {
  DeviceScope Scope(Device);
  if (LastWork) {
    cudaEventSynchronize(LastWork);
    cudaEventDestroy(LastWork);
  }
  if (Arrival)
    cudaEventDestroy(Arrival);
  if (Shared)
    Shared->leave(Rank);
  for (auto &[Number, Op] : Operators)
    if (Op.IsOwn)
      cudaFree(const_cast<void *>(Op.Factor));
  if (Own)
    cudaFree(Own);
}

void Communicator::abort() {
  if (Shared)
    __atomic_store_n(&Shared->counts().IsAborted, 1u, __ATOMIC_RELEASE);
}

bool Communicator::isAborted() const {
  return Shared &&
         __atomic_load_n(&Shared->counts().IsAborted, __ATOMIC_ACQUIRE);
}

Result Communicator::announceSplit(int Color, int Key, SplitState &State) {
  State = {Color, ++NumSplits};
  Segment::Split &Mine = Shared->header().Splits[State.Number % 2][Rank];
  if (Color >= 0) // Else it is in no group.
    if (Result Code =
            Segment::makeId(Mine.Proposal, Shared->header().IsAcrossHosts);
        Code != Success)
      return Code;
  Mine.Color = Color;
  Mine.Key = Key;
  Mine.Number = State.Number;
  return Success;
}

void Communicator::findSplit(const SplitState &State, unsigned &NewRank,
                             unsigned &NewSize, UniqueId &NewId) {
  Segment::Split(&All)[MaxRanks] = Shared->header().Splits[State.Number % 2];
  std::vector<std::pair<int, unsigned>> Members; ///< Keys and ranks.
  for (unsigned R = 0; R != NumRanks; ++R) {
    while (All[R].Number < State.Number)
      usleep(100);
    if (All[R].Color == State.Color)
      Members.push_back({All[R].Key, R});
  }
  llvm::sort(Members);
  NewSize = Members.size();
  NewRank = 0;
  while (Members[NewRank].second != Rank)
    ++NewRank;
  NewId = All[Members.front().second].Proposal;
  if (NewRank != 0)
    Segment::forgetId(All[Rank].Proposal); // which nobody takes
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Result Communicator::createOperator(const void *Scalar, DataType Type,
                                    bool IsOnDevice, int &Number) {
  Operator Op = {ReduceOp::Sum, Type, Scalar, false};
  if (!IsOnDevice) {
    DeviceScope Scope(Device);
    void *Copy = nullptr;
    if (Result Code = check(cudaMalloc(&Copy, 8), "cudaMalloc");
        Code != Success)
      return Code;
    if (Result Code = check(
            cudaMemcpy(Copy, Scalar, bytesOf(Type), cudaMemcpyHostToDevice),
            "cudaMemcpy");
        Code != Success)
      return Code;
    Op.Factor = Copy;
    Op.IsOwn = true;
  }
  std::lock_guard Lock(Mutex);
  Number = ++LastOperator;
  Operators[Number] = Op;
  return Success;
}

Result Communicator::destroyOperator(int Number) {
  std::lock_guard Lock(Mutex);
  auto It = Operators.find(Number);
  if (It == Operators.end())
    return fail(InvalidArgument, "there is no such operator");
  // Work that was enqueued may still read the factor: the end of the
  // communicator frees it.
  It->second.Type = DataType(NumDataTypes);
  return Success;
}

bool Communicator::findOperator(int Number, DataType Type, Operator &Op) {
  if (Number >= 0 && unsigned(Number) < NumReduceOps) {
    Op = {ReduceOp(Number), Type, nullptr, false};
    return true;
  }
  std::lock_guard Lock(Mutex);
  auto It = Operators.find(Number);
  if (It == Operators.end() || It->second.Type != Type)
    return false;
  Op = It->second;
  return true;
}

} // namespace heddle::cuda::collectives
