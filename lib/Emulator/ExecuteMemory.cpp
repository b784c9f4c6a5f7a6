//===- ExecuteMemory.cpp - Loads, stores, atomics, fences -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of isa-defs/HeddleInstrMemory.td. CTAs run on different host
// threads, so every access to memory is an atomic one of the host; a load or a
// store of a group is atomic by parts of at most 64 bits.
//
//===----------------------------------------------------------------------===//

#include "CTA.h"
#include "Execute.h"
#include "heddle/Emulator/SoftFloat.h"

#include <atomic>
#include <cstring>

namespace heddle::emu {

using isa::Op;
using Inst = const DecodedInst &;

namespace {

enum class Space : uint8_t { Generic, Global, Shared, Local, Constant };

//===----------------------------------------------------------------------===//
// Ordering
//===----------------------------------------------------------------------===//

/// The values of the ISA's modifier MemOrder.
enum MemoryOrder : uint8_t {
  Weak,
  ConstRead,
  Relaxed,
  Acquire,
  Release,
  AcqRel,
  MMIO
};

void fenceBefore(unsigned Order) {
  if (Order == Release || Order == AcqRel || Order == MMIO)
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
void fenceAfter(unsigned Order) {
  if (Order == Acquire || Order == AcqRel || Order == MMIO)
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// The addresses of an access to a 64-bit space, by lane.
void addresses64(const Warp &W, Inst I, uint64_t *Out) {
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
void addresses32(const Warp &W, Inst I, uint64_t *Out) {
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
// Loads and stores
//===----------------------------------------------------------------------===//

template <typename T> T read(const uint8_t *Host) {
  return __atomic_load_n(reinterpret_cast<const T *>(Host), __ATOMIC_RELAXED);
}
template <typename T> void write(uint8_t *Host, T Value) {
  __atomic_store_n(reinterpret_cast<T *>(Host), Value, __ATOMIC_RELAXED);
}

/// The values of the ISA's modifier MemSize.
enum MemorySize : uint8_t { U8, S8, U16, S16, Word };

unsigned sizeInBytes(unsigned Size) {
  return Size <= S8 ? 1 : Size <= S16 ? 2 : 4;
}

uint32_t readWord(const uint8_t *Host, unsigned Size) {
  switch (Size) {
  case U8:
    return read<uint8_t>(Host);
  case S8:
    return int32_t(int8_t(read<uint8_t>(Host)));
  case U16:
    return read<uint16_t>(Host);
  case S16:
    return int32_t(int16_t(read<uint16_t>(Host)));
  default:
    return read<uint32_t>(Host);
  }
}

template <Space S> void load32(Warp &W, Inst I, LaneMask Exec) {
  uint64_t Address[WarpSize];
  addresses<S>(W, I, Address);
  unsigned Bytes = sizeInBytes(I.Size);
  uint32_t Values[WarpSize] = {};
  for (unsigned L : lanes(Exec)) {
    const uint8_t *Host = resolve<S>(W, I, L, Address[L], Bytes, false);
    if (!Host)
      return;
    Values[L] = readWord(Host, I.Size);
  }
  storeResults(W, I.D, Exec, Values);
  fenceAfter(I.Order);
}

/// Loads of Words registers, 2 or 4.
template <Space S, unsigned Words>
void loadGroup(Warp &W, Inst I, LaneMask Exec) {
  uint64_t Address[WarpSize], Values[Words / 2][WarpSize];
  addresses<S>(W, I, Address);
  for (unsigned L : lanes(Exec)) {
    const uint8_t *Host = resolve<S>(W, I, L, Address[L], Words * 4, false);
    if (!Host)
      return;
    for (unsigned N = 0; N < Words / 2; ++N)
      Values[N][L] = read<uint64_t>(Host + 8 * N);
  }
  // The base registers may be among the results.
  for (unsigned L : lanes(Exec))
    for (unsigned N = 0; N < Words / 2; ++N)
      W.setReg64(I.D + 2 * N, L, Values[N][L]);
  fenceAfter(I.Order);
}

template <Space S> void store32(Warp &W, Inst I, LaneMask Exec) {
  uint64_t Address[WarpSize];
  addresses<S>(W, I, Address);
  unsigned Bytes = sizeInBytes(I.Size);
  fenceBefore(I.Order);
  for (unsigned L : lanes(Exec)) {
    uint8_t *Host = resolve<S>(W, I, L, Address[L], Bytes, true);
    if (!Host)
      return;
    uint32_t Value = W.R[I.C][L];
    if (Bytes == 1)
      write<uint8_t>(Host, Value);
    else if (Bytes == 2)
      write<uint16_t>(Host, Value);
    else
      write<uint32_t>(Host, Value);
  }
}

template <Space S, unsigned Words>
void storeGroup(Warp &W, Inst I, LaneMask Exec) {
  uint64_t Address[WarpSize];
  addresses<S>(W, I, Address);
  fenceBefore(I.Order);
  for (unsigned L : lanes(Exec)) {
    uint8_t *Host = resolve<S>(W, I, L, Address[L], Words * 4, true);
    if (!Host)
      return;
    for (unsigned N = 0; N < Words / 2; ++N)
      write<uint64_t>(Host + 8 * N, W.reg64(I.C + 2 * N, L));
  }
}

/// Uniform loads of constants into Words registers.
template <unsigned Words> void uniformLoad(Warp &W, Inst I, LaneMask Exec) {
  unsigned Bytes = Words == 1 ? sizeInBytes(I.Size) : Words * 4;
  uint32_t Offset = W.UR[I.B] + uint32_t(I.Offset);
  const uint8_t *Host =
      W.resolveConstant(std::countr_zero(Exec), I.Bank, Offset, Bytes, Offset);
  if (!Host)
    return;
  if constexpr (Words == 1) {
    W.UR[I.D] = readWord(Host, I.Size);
  } else {
    for (unsigned N = 0; N < Words; ++N)
      W.UR[I.D + N] = read<uint32_t>(Host + 4 * N);
  }
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

template <typename T> T addFloat(T Old, T Value, FloatFormat F) {
  return addBits(Old, Value, F, Rounding::NearestEven);
}

uint32_t addHalves(uint32_t Old, uint32_t Value, FloatFormat F) {
  return uint32_t(addFloat<uint64_t>(Old & 0xFFFF, Value & 0xFFFF, F)) |
         uint32_t(addFloat<uint64_t>(Old >> 16, Value >> 16, F)) << 16;
}

template <typename T> T atomicAdd(unsigned Type, T Old, T Value) {
  switch (static_cast<AtomicType>(Type)) {
  case AtomicType::Float:
    return addFloat<uint64_t>(Old, Value,
                              sizeof(T) == 8 ? F64Format : F32Format);
  case AtomicType::Half2:
    return addHalves(Old, Value, F16Format);
  case AtomicType::BFloat2:
    return addHalves(Old, Value, BF16Format);
  case AtomicType::Half:
    return addFloat<uint64_t>(Old, Value, F16Format);
  case AtomicType::BFloat:
    return addFloat<uint64_t>(Old, Value, BF16Format);
  default:
    return Old + Value;
  }
}

template <typename T> T applyAtomic(Inst I, T Old, T Value) {
  using SignedT = std::make_signed_t<T>;
  bool IsSigned = I.AtomType == unsigned(AtomicType::Signed);
  bool Less = IsSigned ? SignedT(Value) < SignedT(Old) : Value < Old;
  switch (static_cast<AtomicOp>(I.AtomOp)) {
  case AtomicOp::Add:
    return atomicAdd<T>(I.AtomType, Old, Value);
  case AtomicOp::Min:
    return Less ? Value : Old;
  case AtomicOp::Max:
    return Less ? Old : Value;
  case AtomicOp::Inc:
    return Old >= Value ? 0 : Old + 1;
  case AtomicOp::Dec:
    return Old == 0 || Old > Value ? Value : Old - 1;
  case AtomicOp::And:
    return Old & Value;
  case AtomicOp::Or:
    return Old | Value;
  case AtomicOp::Xor:
    return Old ^ Value;
  default:
    return Value;
  }
}

/// Replaces the value by Compute of it in one step; returns the old one.
template <typename T, typename Fn> T exchange(uint8_t *Host, Fn Compute) {
  T *Place = reinterpret_cast<T *>(Host);
  T Old = __atomic_load_n(Place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(Place, &Old, Compute(Old), false,
                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    ;
  return Old;
}

template <typename T> T laneValue(const Warp &W, unsigned Row, unsigned Lane) {
  if constexpr (sizeof(T) == 8)
    return W.reg64(Row, Lane);
  else
    return T(W.R[Row][Lane]);
}
template <typename T>
void setLaneValue(Warp &W, unsigned Row, unsigned Lane, T Value) {
  if constexpr (sizeof(T) == 8)
    W.setReg64(Row, Lane, Value);
  else
    W.R[Row][Lane] = Value;
}

/// One lane after the other, each in one step. T is the type in memory.
template <Space S, typename T, bool HasResult, typename Fn>
void forAtomics(Warp &W, Inst I, LaneMask Exec, Fn Compute) {
  uint64_t Address[WarpSize];
  T Old[WarpSize];
  addresses<S>(W, I, Address);
  fenceBefore(I.Order);
  for (unsigned L : lanes(Exec)) {
    uint8_t *Host = resolve<S>(W, I, L, Address[L], sizeof(T), true);
    if (!Host)
      return;
    Old[L] = exchange<T>(Host, [&](T V) { return Compute(L, V); });
  }
  if (HasResult)
    for (unsigned L : lanes(Exec))
      setLaneValue<T>(W, I.D, L, Old[L]);
  fenceAfter(I.Order);
}

template <Space S, typename T, bool HasResult>
void atomicOf(Warp &W, Inst I, LaneMask Exec) {
  forAtomics<S, T, HasResult>(W, I, Exec, [&](unsigned L, T Old) {
    return applyAtomic<T>(I, Old, laneValue<T>(W, I.C, L));
  });
}

/// Atomics and, without a result, reductions.
template <Space S, typename T, bool HasResult = true>
void atomic(Warp &W, Inst I, LaneMask Exec) {
  bool Is16Bit = I.AtomType == unsigned(AtomicType::Half) ||
                 I.AtomType == unsigned(AtomicType::BFloat);
  if (sizeof(T) == 4 && Is16Bit)
    atomicOf<S, uint16_t, HasResult>(W, I, Exec);
  else
    atomicOf<S, T, HasResult>(W, I, Exec);
}

template <Space S, typename T>
void compareAndSwap(Warp &W, Inst I, LaneMask Exec) {
  forAtomics<S, T, true>(W, I, Exec, [&](unsigned L, T Old) {
    return Old == laneValue<T>(W, I.C, L) ? laneValue<T>(W, I.E, L) : Old;
  });
}

void membar(Warp &, Inst, LaneMask) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
void prefetch(Warp &, Inst, LaneMask) {}

ExecFn atomicExecutor(Op O) {
  constexpr Space Generic = Space::Generic, Global = Space::Global,
                  Shared = Space::Shared;
  switch (O) {
  case Op::ATOM:
    return atomic<Generic, uint32_t>;
  case Op::ATOM64:
    return atomic<Generic, uint64_t>;
  case Op::ATOMCAS:
    return compareAndSwap<Generic, uint32_t>;
  case Op::ATOMCAS64:
    return compareAndSwap<Generic, uint64_t>;
  case Op::RED:
    return atomic<Generic, uint32_t, false>;
  case Op::RED64:
    return atomic<Generic, uint64_t, false>;
  case Op::ATOMG:
    return atomic<Global, uint32_t>;
  case Op::ATOMG64:
    return atomic<Global, uint64_t>;
  case Op::ATOMGCAS:
    return compareAndSwap<Global, uint32_t>;
  case Op::ATOMGCAS64:
    return compareAndSwap<Global, uint64_t>;
  case Op::REDG:
    return atomic<Global, uint32_t, false>;
  case Op::REDG64:
    return atomic<Global, uint64_t, false>;
  case Op::ATOMS:
    return atomic<Shared, uint32_t>;
  case Op::ATOMS64:
    return atomic<Shared, uint64_t>;
  case Op::ATOMSCAS:
    return compareAndSwap<Shared, uint32_t>;
  case Op::ATOMSCAS64:
    return compareAndSwap<Shared, uint64_t>;
  default:
    return nullptr;
  }
}

} // namespace

ExecFn memoryExecutor(Op O) {
  switch (O) {
  case Op::LD:
    return load32<Space::Generic>;
  case Op::LD64:
    return loadGroup<Space::Generic, 2>;
  case Op::LD128:
    return loadGroup<Space::Generic, 4>;
  case Op::ST:
    return store32<Space::Generic>;
  case Op::ST64:
    return storeGroup<Space::Generic, 2>;
  case Op::ST128:
    return storeGroup<Space::Generic, 4>;
  case Op::LDG:
    return load32<Space::Global>;
  case Op::LDG64:
    return loadGroup<Space::Global, 2>;
  case Op::LDG128:
    return loadGroup<Space::Global, 4>;
  case Op::STG:
    return store32<Space::Global>;
  case Op::STG64:
    return storeGroup<Space::Global, 2>;
  case Op::STG128:
    return storeGroup<Space::Global, 4>;
  case Op::LDS:
    return load32<Space::Shared>;
  case Op::LDS64:
    return loadGroup<Space::Shared, 2>;
  case Op::LDS128:
    return loadGroup<Space::Shared, 4>;
  case Op::STS:
    return store32<Space::Shared>;
  case Op::STS64:
    return storeGroup<Space::Shared, 2>;
  case Op::STS128:
    return storeGroup<Space::Shared, 4>;
  case Op::LDL:
    return load32<Space::Local>;
  case Op::LDL64:
    return loadGroup<Space::Local, 2>;
  case Op::LDL128:
    return loadGroup<Space::Local, 4>;
  case Op::STL:
    return store32<Space::Local>;
  case Op::STL64:
    return storeGroup<Space::Local, 2>;
  case Op::STL128:
    return storeGroup<Space::Local, 4>;
  case Op::LDC:
    return load32<Space::Constant>;
  case Op::LDC64:
    return loadGroup<Space::Constant, 2>;
  case Op::LDC128:
    return loadGroup<Space::Constant, 4>;
  case Op::ULDC:
    return uniformLoad<1>;
  case Op::ULDC64:
    return uniformLoad<2>;
  case Op::ULDC128:
    return uniformLoad<4>;
  case Op::MEMBAR:
    return membar;
  case Op::PREFETCH:
    return prefetch;
  default:
    return atomicExecutor(O);
  }
}

} // namespace heddle::emu
