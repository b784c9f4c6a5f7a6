//===- Collectives.cu - Kernels of collectives ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In rings and trees each rank takes pieces from some ranks and hands them on
// to others, over the slots between each two of them. Else it copies into its
// stage what others need, waits at a barrier, and takes from the others'
// stages. Results are the same on all ranks bit for bit: each element is
// reduced once, or by all in the order of the ranks. Nothing of CUDA's headers
// is used.
//
//===----------------------------------------------------------------------===//

#include "Collectives/Parameters.h"

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

// Text that is unrolled would be several times as long, and compiled as long.
#define HEDDLE_ROLLED _Pragma("clang loop unroll(disable)")

using namespace heddle::cuda::collectives;

namespace {

__device__ unsigned thread() { return __nvvm_read_ptx_sreg_tid_x(); }
__device__ uint64_t threadOfGrid() {
  return uint64_t(__nvvm_read_ptx_sreg_ctaid_x()) *
             __nvvm_read_ptx_sreg_ntid_x() +
         thread();
}
__device__ uint64_t threadsOfGrid() {
  return uint64_t(__nvvm_read_ptx_sreg_nctaid_x()) *
         __nvvm_read_ptx_sreg_ntid_x();
}
__device__ void waitForBlock() { asm volatile("bar.sync 0;" ::: "memory"); }

__device__ uint32_t acquire(const uint32_t *From) {
  uint32_t Value;
  asm volatile("ld.acquire.sys.u32 %0, [%1];"
               : "=r"(Value)
               : "l"(From)
               : "memory");
  return Value;
}
__device__ void release(uint32_t *To, uint32_t Value) {
  asm volatile("st.release.sys.u32 [%0], %1;" ::"l"(To), "r"(Value) : "memory");
}

/// Waits until a count that wraps around is at least Value; false if the
/// communicator was aborted.
__device__ bool waitFor(const Group &G, const uint32_t *Count, uint32_t Value) {
  while (int32_t(acquire(Count) - Value) < 0) {
    if (acquire(&G.Shared->IsAborted))
      return false;
    asm volatile("nanosleep.u32 1000;");
  }
  return true;
}

/// Of the two stages of a rank the one that is filled before barrier Epoch.
__device__ char *stage(const Group &G, uint32_t Rank, uint32_t Epoch) {
  return G.Stages + (uint64_t(Rank) * 2 + Epoch % 2) * StageBytes;
}

/// Copies with all threads that have numbers from First on in steps of Step.
__device__ __attribute__((noinline)) void copy(char *To, const char *From,
                                               uint64_t Bytes, uint64_t First,
                                               uint64_t Step) {
  struct alignas(16) Wide {
    uint64_t Low, High;
  };
  if ((reinterpret_cast<uint64_t>(To) | reinterpret_cast<uint64_t>(From)) %
          16 ==
      0) {
    HEDDLE_ROLLED
    for (uint64_t I = First; I < Bytes / 16; I += Step)
      reinterpret_cast<Wide *>(To)[I] = reinterpret_cast<const Wide *>(From)[I];
    HEDDLE_ROLLED
    for (uint64_t I = Bytes / 16 * 16 + First; I < Bytes; I += Step)
      To[I] = From[I];
    return;
  }
  HEDDLE_ROLLED
  for (uint64_t I = First; I < Bytes; I += Step)
    To[I] = From[I];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// How an element of type T is stored and what it is computed in.
template <typename T> struct Plain {
  using Stored = T;
  using Computed = T;
  static __device__ Computed load(Stored S) { return S; }
  static __device__ Stored store(Computed C) { return C; }
};

struct Half {
  using Stored = _Float16;
  using Computed = float;
  static __device__ float load(_Float16 S) { return S; }
  static __device__ _Float16 store(float C) { return _Float16(C); }
};

struct BFloat16 {
  using Stored = uint16_t;
  using Computed = float;
  static __device__ float load(uint16_t S) {
    return __builtin_bit_cast(float, uint32_t(S) << 16);
  }
  static __device__ uint16_t store(float C) {
    uint16_t S;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(S) : "f"(C));
    return S;
  }
};

template <bool HasLongMantissa> struct Float8 {
  using Stored = uint8_t;
  using Computed = float;
  static __device__ float load(uint8_t S) {
    uint32_t Pair;
    uint16_t Bytes = S;
    if constexpr (HasLongMantissa)
      asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(Pair) : "h"(Bytes));
    else
      asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(Pair) : "h"(Bytes));
    return __builtin_bit_cast(_Float16, uint16_t(Pair));
  }
  static __device__ uint8_t store(float C) {
    uint16_t Bytes;
    if constexpr (HasLongMantissa)
      asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;"
          : "=h"(Bytes)
          : "f"(0.0f), "f"(C));
    else
      asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;"
          : "=h"(Bytes)
          : "f"(0.0f), "f"(C));
    return uint8_t(Bytes);
  }
};

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

struct Add {
  template <typename T> static __device__ T of(T A, T B) { return A + B; }
};
struct Multiply {
  template <typename T> static __device__ T of(T A, T B) { return A * B; }
};
struct Larger {
  template <typename T> static __device__ T of(T A, T B) {
    return A < B ? B : A;
  }
};
struct Smaller {
  template <typename T> static __device__ T of(T A, T B) {
    return B < A ? B : A;
  }
};

/// Reduces elements of all ranks in the order of the ranks. End makes of the
/// whole what is stored.
template <typename E, typename Op, typename EndFn>
__device__ void reduceWith(const Group &G, const Reduction &R,
                           typename E::Stored *To, EndFn End) {
  using Stored = typename E::Stored;
  uint32_t Epoch = G.Own->Epoch - 1; // The barrier is behind.
  auto At = [&](uint32_t Rank, uint64_t I) {
    return E::load(
        reinterpret_cast<const Stored *>(stage(G, Rank, Epoch) + R.Offset)[I]);
  };
  HEDDLE_ROLLED
  for (uint64_t I = threadOfGrid(); I < R.Count; I += threadsOfGrid()) {
    auto Value = At(0, I);
    HEDDLE_ROLLED
    for (uint32_t Rank = 1; Rank < G.NumRanks; ++Rank)
      Value = Op::template of<typename E::Computed>(Value, At(Rank, I));
    To[I] = E::store(End(Value));
  }
}

template <typename E>
__device__ void reduce(const Group &G, const Reduction &R, void *Buffer) {
  using Computed = typename E::Computed;
  auto *To = static_cast<typename E::Stored *>(Buffer);
  auto Same = [](Computed V) { return V; };
  switch (R.Op) {
  case ReduceOp::Sum:
    return reduceWith<E, Add>(G, R, To, Same);
  case ReduceOp::Prod:
    return reduceWith<E, Multiply>(G, R, To, Same);
  case ReduceOp::Max:
    return reduceWith<E, Larger>(G, R, To, Same);
  case ReduceOp::Min:
    return reduceWith<E, Smaller>(G, R, To, Same);
  case ReduceOp::Average: {
    auto NumRanks = Computed(G.NumRanks);
    return reduceWith<E, Add>(
        G, R, To, [=](Computed V) { return Computed(V / NumRanks); });
  }
  }
}

//===----------------------------------------------------------------------===//
// Rings and trees
//===----------------------------------------------------------------------===//

/// A step at work: where the elements are that it takes, and where they go.
struct Piece {
  uint64_t Count;
  const char *Own; ///< Null: the rank has no part in it.
  char *Result;    ///< The same.
  const char *From[Step::MostPeers];
  char *To[Step::MostPeers];
};

/// Of the slots from one rank to another the one of piece Number.
__device__ char *slot(const Group &G, uint32_t From, uint32_t To,
                      uint32_t Number) {
  return G.Pairs + (uint64_t(From) * G.NumRanks + To) * PairSlots * PairBytes +
         Number % PairSlots * PairBytes;
}

/// One thread waits until all that a step takes is there, and there is room for
/// what it hands on. False if the communicator was aborted.
__device__ bool waitForPeers(const Group &G, const Step &S) {
  HEDDLE_ROLLED
  for (uint32_t I = 0; I != S.NumFrom; ++I)
    if (!waitFor(G, &G.Shared->Sent[S.From[I]][G.Rank],
                 G.Own->Taken[S.From[I]] + 1))
      return false;
  HEDDLE_ROLLED
  for (uint32_t I = 0; I != S.NumTo; ++I)
    if (!waitFor(G, &G.Shared->Taken[G.Rank][S.To[I]],
                 G.Own->Sent[S.To[I]] + 1 - PairSlots))
      return false;
  return true;
}

/// The same thread tells the others that the step is done.
__device__ void tellPeers(const Group &G, const Step &S, uint32_t Bytes) {
  HEDDLE_ROLLED
  for (uint32_t I = 0; I != S.NumFrom; ++I) {
    uint32_t Number = ++G.Own->Taken[S.From[I]];
    release(&G.Shared->Taken[S.From[I]][G.Rank], Number);
  }
  HEDDLE_ROLLED
  for (uint32_t I = 0; I != S.NumTo; ++I) {
    uint32_t Number = G.Own->Sent[S.To[I]]++;
    G.Shared->SentBytes[G.Rank][S.To[I]][Number % PairSlots] = Bytes;
    release(&G.Shared->Sent[G.Rank][S.To[I]], Number + 1);
  }
}

/// Takes a part of a route through all pieces. Work does a step of one piece,
/// and gives the bytes that go on.
template <typename WorkFn>
__device__ void walk(const Group &G, const Route &R, const char *Send,
                     char *Receive, uint32_t SendBytes, uint64_t PieceCount,
                     WorkFn Work) {
  static __attribute__((shared)) uint32_t IsAborted;
  HEDDLE_ROLLED
  for (uint64_t Done = 0; Done < R.PartCount; Done += PieceCount) {
    HEDDLE_ROLLED
    for (uint32_t I = 0; I != R.NumSteps; ++I) {
      const Step &S = R.Steps[I];
      if (thread() == 0)
        IsAborted = !waitForPeers(G, S);
      waitForBlock();
      if (IsAborted)
        return;
      uint64_t Begin = S.Part * R.PartCount + Done;
      uint64_t Left =
          R.PartCount - Done < PieceCount ? R.PartCount - Done : PieceCount;
      Piece P;
      P.Count = Begin >= R.Total         ? 0
                : R.Total - Begin < Left ? R.Total - Begin
                                         : Left;
      P.Own = S.Flags & Step::TakesOwn
                  ? Send + (S.Part * R.SendStride + Done) * SendBytes
                  : nullptr;
      P.Result = S.Flags & Step::Stores
                     ? Receive + (S.Part * R.ReceiveStride + Done) * SendBytes
                     : nullptr;
      HEDDLE_ROLLED
      for (uint32_t K = 0; K != S.NumFrom; ++K)
        P.From[K] = slot(G, S.From[K], G.Rank, G.Own->Taken[S.From[K]]);
      HEDDLE_ROLLED
      for (uint32_t K = 0; K != S.NumTo; ++K)
        P.To[K] = slot(G, G.Rank, S.To[K], G.Own->Sent[S.To[K]]);
      uint32_t Bytes = Work(S, P);
      asm volatile("fence.acq_rel.sys;" ::: "memory");
      waitForBlock();
      if (thread() == 0)
        tellPeers(G, S, Bytes);
      waitForBlock();
    }
  }
}

/// Hands bytes on as they are.
__device__ uint32_t passOn(const Step &S, const Piece &P, uint64_t Bytes) {
  const char *From = P.Own ? P.Own : P.From[0];
  HEDDLE_ROLLED
  for (uint32_t I = 0; I != S.NumTo; ++I)
    copy(P.To[I], From, Bytes, thread(), BlockThreads);
  if (P.Result && P.Result != From)
    copy(P.Result, From, Bytes, thread(), BlockThreads);
  return uint32_t(Bytes);
}

/// Of two elements one. The choice is made for each anew: a loop for each
/// operation would be five times the text.
template <typename T> __device__ T reduceTwo(ReduceOp Op, T A, T B) {
  switch (Op) {
  case ReduceOp::Prod:
    return A * B;
  case ReduceOp::Max:
    return Larger::of(A, B);
  case ReduceOp::Min:
    return Smaller::of(A, B);
  default:
    return A + B;
  }
}

/// Reduces elements that come in the type in which they are computed.
template <typename E>
__device__ void combinePiece(const Group &G, const Combination &C,
                             const Step &S, const Piece &P) {
  using Computed = typename E::Computed;
  using Stored = typename E::Stored;
  HEDDLE_ROLLED
  for (uint64_t I = thread(); I < P.Count; I += BlockThreads) {
    Computed Value = E::load(reinterpret_cast<const Stored *>(P.Own)[I]);
    if (C.Factor)
      Value = E::load(E::store(
          Computed(Value * E::load(*static_cast<const Stored *>(C.Factor)))));
    HEDDLE_ROLLED
    for (uint32_t K = 0; K != S.NumFrom; ++K)
      Value = reduceTwo(C.Op, reinterpret_cast<const Computed *>(P.From[K])[I],
                        Value);
    if (!(S.Flags & Step::Finishes)) {
      reinterpret_cast<Computed *>(P.To[0])[I] = Value;
      continue;
    }
    if (C.Op == ReduceOp::Average)
      Value = Computed(Value / Computed(G.NumRanks));
    Stored Whole = E::store(Value);
    HEDDLE_ROLLED
    for (uint32_t K = 0; K != S.NumTo; ++K)
      reinterpret_cast<Stored *>(P.To[K])[I] = Whole;
    if (P.Result)
      reinterpret_cast<Stored *>(P.Result)[I] = Whole;
  }
}

template <typename E>
__device__ void combine(const Group &G, const Route &R, const Combination &C,
                        const char *Send, char *Receive) {
  using Computed = typename E::Computed;
  using Stored = typename E::Stored;
  walk(G, R, Send, Receive, sizeof(Stored), PairBytes / sizeof(Computed),
       [&](const Step &S, const Piece &P) -> uint32_t {
         if (!(S.Flags & Step::Reduces))
           return passOn(S, P, P.Count * sizeof(Stored));
         combinePiece<E>(G, C, S, P);
         bool IsWhole = S.Flags & Step::Finishes;
         return uint32_t(P.Count *
                         (IsWhole ? sizeof(Stored) : sizeof(Computed)));
       });
}

/// Multiplies what the rank has staged by a factor.
template <typename E>
__device__ void scale(const Group &G, uint64_t Count, const void *Factor) {
  using Stored = typename E::Stored;
  auto *Elements = reinterpret_cast<Stored *>(stage(G, G.Rank, G.Own->Epoch));
  auto By = E::load(*static_cast<const Stored *>(Factor));
  HEDDLE_ROLLED
  for (uint64_t I = threadOfGrid(); I < Count; I += threadsOfGrid())
    Elements[I] = E::store(typename E::Computed(E::load(Elements[I]) * By));
}

} // namespace

extern "C" {

/// Copies parts of a buffer into the rank's stage, one behind the other.
__global__ void heddle_collective_stage(Group G, const char *From, Parts P) {
  char *To = stage(G, G.Rank, G.Own->Epoch);
  HEDDLE_ROLLED
  for (uint32_t I = 0; I != P.Count; ++I)
    copy(To + I * pitchOf(P), From + I * P.Stride, P.Bytes, threadOfGrid(),
         threadsOfGrid());
}

/// One warp: thread R waits for ranks R, R + 32 and so on. The rank has staged
/// so many bytes before.
__global__ void heddle_collective_barrier(Group G, uint32_t Staged) {
  uint32_t Epoch = G.Own->Epoch + 1;
  if (thread() == 0) {
    G.Shared->Arrivals[G.Rank].Staged[Epoch % 2] = Staged;
    release(&G.Shared->Arrivals[G.Rank].Epoch, Epoch);
  }
  HEDDLE_ROLLED
  for (uint32_t Rank = thread(); Rank < G.NumRanks; Rank += 32)
    if (!waitFor(G, &G.Shared->Arrivals[Rank].Epoch, Epoch))
      break;
  waitForBlock();
  if (thread() == 0)
    G.Own->Epoch = Epoch;
}

/// Copies P.Bytes, which begin Offset bytes behind the beginning of a stage, of
/// P.Count ranks from First on into parts of a buffer.
__global__ void heddle_collective_gather(Group G, char *To, uint32_t First,
                                         uint64_t Offset, Parts P) {
  HEDDLE_ROLLED
  for (uint32_t I = 0; I != P.Count; ++I)
    copy(To + I * P.Stride, stage(G, First + I, G.Own->Epoch - 1) + Offset,
         P.Bytes, threadOfGrid(), threadsOfGrid());
}

/// Each block carries out a transfer. A piece is in a slot when the receiver
/// has taken what was there.
__global__ void heddle_collective_transfer(Group G, Transfers All) {
  const Transfer &T = All.List[__nvvm_read_ptx_sreg_ctaid_x()];
  uint32_t From = T.IsSend ? G.Rank : T.Peer, To = T.IsSend ? T.Peer : G.Rank;
  uint32_t *Sent = &G.Shared->Sent[From][To],
           *Taken = &G.Shared->Taken[From][To];
  uint32_t *Own = T.IsSend ? &G.Own->Sent[To] : &G.Own->Taken[From];
  char *Slots =
      G.Pairs + (uint64_t(From) * G.NumRanks + To) * PairSlots * PairBytes;
  uint32_t Number = *Own;
  bool IsAborted = false;
  HEDDLE_ROLLED
  for (uint64_t Done = 0; Done < T.Bytes && !IsAborted;
       Done += PairBytes, ++Number) {
    uint64_t Bytes = T.Bytes - Done < PairBytes ? T.Bytes - Done : PairBytes;
    char *Slot = Slots + Number % PairSlots * PairBytes;
    IsAborted = T.IsSend ? !waitFor(G, Taken, Number + 1 - PairSlots)
                         : !waitFor(G, Sent, Number + 1);
    if (T.IsSend)
      copy(Slot, T.Buffer + Done, Bytes, thread(), BlockThreads);
    else
      copy(T.Buffer + Done, Slot, Bytes, thread(), BlockThreads);
    asm volatile("fence.acq_rel.sys;" ::: "memory");
    waitForBlock();
    if (thread() == 0) {
      if (T.IsSend)
        G.Shared->SentBytes[From][To][Number % PairSlots] = uint32_t(Bytes);
      release(T.IsSend ? Sent : Taken, Number + 1);
    }
  }
  waitForBlock();
  if (thread() == 0)
    *Own = Number;
}

/// One block: hands parts of a buffer on from rank to rank.
__global__ void heddle_collective_route(Group G, Route R, const char *Send,
                                        char *Receive) {
  walk(G, R, Send, Receive, 1, PairBytes,
       [](const Step &S, const Piece &P) { return passOn(S, P, P.Count); });
}

/// Sleeps, for what the collective behind it takes on the machine.
__global__ void heddle_collective_delay(uint64_t Nanoseconds) {
  constexpr uint64_t Most = 1u << 30;
  HEDDLE_ROLLED
  for (; Nanoseconds > Most; Nanoseconds -= Most)
    asm volatile("nanosleep.u32 %0;" ::"r"(uint32_t(Most)));
  asm volatile("nanosleep.u32 %0;" ::"r"(uint32_t(Nanoseconds)));
}

#define HEDDLE_REDUCE(Number, Type)                                            \
  __global__ void heddle_collective_combine_##Number(                          \
      Group G, Route R, Combination C, const char *Send, char *Receive) {      \
    combine<Type>(G, R, C, Send, Receive);                                     \
  }                                                                            \
  __global__ void heddle_collective_reduce_##Number(Group G, Reduction R,      \
                                                    void *To) {                \
    reduce<Type>(G, R, To);                                                    \
  }                                                                            \
  __global__ void heddle_collective_scale_##Number(Group G, uint64_t Count,    \
                                                   const void *Factor) {       \
    scale<Type>(G, Count, Factor);                                             \
  }
HEDDLE_REDUCE(0, Plain<int8_t>)
HEDDLE_REDUCE(1, Plain<uint8_t>)
HEDDLE_REDUCE(2, Plain<int32_t>)
HEDDLE_REDUCE(3, Plain<uint32_t>)
HEDDLE_REDUCE(4, Plain<int64_t>)
HEDDLE_REDUCE(5, Plain<uint64_t>)
HEDDLE_REDUCE(6, Half)
HEDDLE_REDUCE(7, Plain<float>)
HEDDLE_REDUCE(8, Plain<double>)
HEDDLE_REDUCE(9, BFloat16)
HEDDLE_REDUCE(10, Float8<true>)
HEDDLE_REDUCE(11, Float8<false>)

} // extern "C"
