//===- ExecuteMemory.h - What accesses to memory share ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Orders, addresses and the lanes' places in host memory, for the functions
// that execute loads, stores and atomic operations.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_EXECUTEMEMORY_H
#define HEDDLE_LIB_EMULATOR_EXECUTEMEMORY_H

#include "CTA.h"
#include "Execute/Execute.h"
#include "HostAccess.h"

#include <atomic>

namespace heddle::emu {

using Inst = const DecodedInst &;

enum class Space : uint8_t { Generic, Global, Shared, Local, Constant };

//===----------------------------------------------------------------------===//
// Ordering
//===----------------------------------------------------------------------===//

inline void fenceBefore(Warp &W, MemOrder Order) {
  if (Order != MemOrder::Release && Order != MemOrder::AcquireRelease &&
      Order != MemOrder::MMIO)
    return;
  W.Owner->flushReductions();
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
inline void fenceAfter(MemOrder Order) {
  if (Order == MemOrder::Acquire || Order == MemOrder::AcquireRelease ||
      Order == MemOrder::MMIO)
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// How the weakly ordered memory sees an access. What is in shared memory has
/// no scope: all that reach it are included.
template <Space S> MemoryAccess accessOf(Inst I) {
  MemoryAccess A;
  A.Strong = I.Order != MemOrder::Weak && I.Order != MemOrder::Constant;
  if (S != Space::Shared && I.Order != MemOrder::MMIO)
    A.Scope = I.Scope;
  A.Acquire =
      I.Order == MemOrder::Acquire || I.Order == MemOrder::AcquireRelease;
  A.Release =
      I.Order == MemOrder::Release || I.Order == MemOrder::AcquireRelease;
  return A;
}

/// Notes that the warp does something that others see.
template <Space S> void endPolling(Warp &W) {
  if constexpr (S != Space::Local)
    W.Polls = 0;
}

/// Whether \p I may take effect before a load that was issued before it: plain
/// stores, and arithmetic that waits for no result.
bool mayOvertakeLoad(Inst I);
/// Carries out the load that the warp has put off.
void finishLoad(Warp &W);

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// The addresses of an access to a 64-bit space, by lane.
inline void addresses64(const Warp &W, Inst I, uint64_t *Out) {
  int64_t Offset = I.Offset;
  switch (I.Form) {
  case isa::Form::U:
    return void(std::fill_n(Out, WarpSize, W.uniform64(I.B) + Offset));
  case isa::Form::X: {
    uint64_t Base = W.uniform64(I.U) + Offset;
    for (unsigned L = 0; L < WarpSize; ++L) {
      uint32_t Index = W.R[I.X][L];
      uint64_t Wide = I.Ext ? uint64_t(int64_t(int32_t(Index))) : Index;
      Out[L] = Base + (Wide << I.Scale);
    }
    return;
  }
  default:
    for (unsigned L = 0; L < WarpSize; ++L)
      Out[L] = W.reg64(I.A, L) + Offset;
  }
}

/// The offsets of an access to a 32-bit space, by lane.
inline void addresses32(const Warp &W, Inst I, uint64_t *Out) {
  for (unsigned L = 0; L < WarpSize; ++L) {
    uint32_t Base = I.Form == isa::Form::U ? W.UR[I.B] : W.R[I.A][L] << I.Scale;
    Out[L] = uint32_t(Base + uint32_t(I.Offset));
  }
}

template <Space S> void addresses(const Warp &W, Inst I, uint64_t *Out) {
  if constexpr (S == Space::Generic || S == Space::Global)
    addresses64(W, I, Out);
  else
    addresses32(W, I, Out);
}

/// The host address of a lane's access, or null after a fault.
template <Space S>
uint8_t *resolve(Warp &W, Inst I, unsigned Lane, uint64_t Address,
                 unsigned Bytes, bool Write) {
  switch (S) {
  case Space::Generic:
    return W.resolveGeneric(Lane, Address, Bytes, Write);
  case Space::Global:
    return W.resolveGlobal(Lane, Address, Bytes, Write);
  case Space::Shared:
    return W.resolveShared(Lane, Address, Bytes, Write);
  case Space::Local:
    return W.resolveLocal(Lane, Address, Bytes, Write);
  case Space::Constant:
    // Only loads name this space.
    return const_cast<uint8_t *>(
        W.resolveConstant(Lane, I.Bank, Address, Bytes, Address));
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Of what an instruction with the modifier MemSize accesses.
inline unsigned sizeInBytes(unsigned Size) {
  auto S = static_cast<MemSize>(Size);
  return S <= MemSize::S8 ? 1 : S <= MemSize::S16 ? 2 : 4;
}

/// What a group of two or four registers, as a number, is in memory.
template <unsigned Words>
using GroupValue = std::conditional_t<Words == 4, UInt128, uint64_t>;

template <typename T> T groupValue(const Warp &W, unsigned Row, unsigned Lane) {
  T Value = W.reg64(Row, Lane);
  if constexpr (sizeof(T) == sizeof(UInt128))
    Value |= static_cast<T>(W.reg64(Row + 2, Lane)) << 64;
  return Value;
}
template <typename T>
void setGroupValue(Warp &W, unsigned Row, unsigned Lane, T Value) {
  W.setReg64(Row, Lane, static_cast<uint64_t>(Value));
  if constexpr (sizeof(T) == sizeof(UInt128))
    W.setReg64(Row + 2, Lane, static_cast<uint64_t>(Value >> 64));
}

/// The atomic operations of isa-defs/HeddleInstrMemory.td.
ExecFn atomicExecutor(isa::Op Operation);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_EXECUTEMEMORY_H
