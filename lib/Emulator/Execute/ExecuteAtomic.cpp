//===- ExecuteAtomic.cpp - Atomic operations --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The atomic operations of isa-defs/HeddleInstrMemory.td. CTAs run on different
// host threads, so each is an atomic operation of the host.
//
//===----------------------------------------------------------------------===//

#include "Execute/AtomicArithmetic.h"
#include "Execute/ExecuteMemory.h"

namespace heddle::emu {

using isa::Op;

namespace {

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

/// The format of a floating type's elements; Bytes is the size of the whole.
FloatFormat formatOf(AtomType32 Type, unsigned Bytes) {
  switch (Type) {
  case AtomType32::Half:
  case AtomType32::Half2:
    return F16Format;
  case AtomType32::BFloat:
  case AtomType32::BFloat2:
    return BF16Format;
  default:
    return Bytes == 8 ? F64Format : F32Format;
  }
}

template <typename T>
T applyFloat(Inst I, T Old, T Value, AtomOp O, bool Flush) {
  AtomType32 Type = I.AtomType;
  FloatFormat F = formatOf(Type, sizeof(T));
  if (Type == AtomType32::Half2 || Type == AtomType32::BFloat2)
    return applyToFloat(O, Old & 0xFFFF, Value & 0xFFFF, F) |
           applyToFloat(O, uint64_t(Old) >> 16, uint64_t(Value) >> 16, F) << 16;
  if (Flush)
    return F.flush(applyToFloat(O, F.flush(Old), F.flush(Value), F));
  return applyToFloat(O, Old, Value, F);
}

template <typename T> T applyAtomic(Inst I, T Old, T Value, bool Flush) {
  AtomOp O = I.AtomOp;
  bool IsFloat = I.AtomType >= AtomType32::Float;
  if (IsFloat && O != AtomOp::Exchange)
    return applyFloat<T>(I, Old, Value, O, Flush);
  bool IsSigned = I.AtomType == AtomType32::Signed;
  return applyToInteger(O, Old, Value, IsSigned);
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

/// Replaces the value by what Compute makes of it, if that is something.
/// Returns the old one.
template <Space S, typename T, typename Fn>
T updateInOneStep(Warp &W, Inst I, uint8_t *Host, Fn Compute) {
  if (RelaxedMemory *M = W.Launch->Relaxed)
    return M->update(*W.Observer, Host, sizeof(T), accessOf<S>(I),
                     [&](UInt128 Old) -> std::optional<UInt128> {
                       return Compute(static_cast<T>(Old));
                     });
  T *Place = reinterpret_cast<T *>(Host);
  // One host thread runs all that can reach a CTA's shared memory.
  if constexpr (S == Space::Shared) {
    T Old = *Place;
    if (std::optional<T> New = Compute(Old))
      *Place = *New;
    return Old;
  }
  T Old = read<T>(Host);
  while (std::optional<T> New = Compute(Old))
    if (compareAndSwap(Place, Old, *New))
      break;
  return Old;
}

template <typename T> T laneValue(const Warp &W, unsigned Row, unsigned Lane) {
  if constexpr (sizeof(T) >= 8)
    return groupValue<T>(W, Row, Lane);
  else
    return T(W.R[Row][Lane]);
}
template <typename T>
void setLaneValue(Warp &W, unsigned Row, unsigned Lane, T Value) {
  if constexpr (sizeof(T) >= 8)
    setGroupValue<T>(W, Row, Lane, Value);
  else
    W.R[Row][Lane] = Value;
}

/// One lane after the other, each in one step. T is the type in memory.
template <Space S, typename T, bool HasResult, typename Fn>
void forAtomics(Warp &W, Inst I, LaneMask Exec, Fn Compute) {
  uint64_t Address[WarpSize];
  T Old[WarpSize];
  addresses<S>(W, I, Address);
  fenceBefore(W, I.Order);
  endPolling<S>(W);
  for (unsigned L : lanes(Exec)) {
    uint8_t *Host = resolve<S>(W, I, L, Address[L], sizeof(T), true);
    if (!Host)
      return;
    Old[L] = updateInOneStep<S, T>(
        W, I, Host, [&](T V) { return Compute(L, Address[L], V); });
  }
  if (HasResult)
    for (unsigned L : lanes(Exec))
      setLaneValue<T>(W, I.D, L, Old[L]);
  fenceAfter(I.Order);
}

template <Space S, typename T, bool HasResult>
void atomicOf(Warp &W, Inst I, LaneMask Exec) {
  forAtomics<S, T, HasResult>(
      W, I, Exec, [&](unsigned L, uint64_t Address, T Old) {
        bool InShared =
            S == Space::Shared ||
            (S == Space::Generic && Address >> 32 == isa::abi::SharedWindow);
        return std::optional(applyAtomic<T>(I, Old, laneValue<T>(W, I.C, L),
                                            I.Ftz && !InShared));
      });
}

/// Atomics and, without a result, reductions.
template <Space S, typename T, bool HasResult = true>
void atomic(Warp &W, Inst I, LaneMask Exec) {
  bool Is16Bit =
      I.AtomType == AtomType32::Half || I.AtomType == AtomType32::BFloat;
  if (sizeof(T) == 4 && Is16Bit)
    atomicOf<S, uint16_t, HasResult>(W, I, Exec);
  else
    atomicOf<S, T, HasResult>(W, I, Exec);
}

template <Space S, typename T>
void compareAndSwapOf(Warp &W, Inst I, LaneMask Exec) {
  forAtomics<S, T, true>(W, I, Exec,
                         [&](unsigned L, uint64_t, T Old) -> std::optional<T> {
                           if (Old != laneValue<T>(W, I.C, L))
                             return std::nullopt;
                           return laneValue<T>(W, I.E, L);
                         });
}

template <Space S, typename T>
void compareAndSwap(Warp &W, Inst I, LaneMask Exec) {
  if (sizeof(T) == 4 && I.Size == unsigned(MemSize::U16))
    compareAndSwapOf<S, uint16_t>(W, I, Exec);
  else
    compareAndSwapOf<S, T>(W, I, Exec);
}

/// Of 128 bits, which have no other operation but compare and swap.
void exchangeWide(Warp &W, Inst I, LaneMask Exec) {
  forAtomics<Space::Generic, UInt128, true>(
      W, I, Exec, [&](unsigned L, uint64_t, UInt128) {
        return std::optional(laneValue<UInt128>(W, I.C, L));
      });
}

} // namespace

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
  case Op::ATOM128:
    return exchangeWide;
  case Op::ATOMCAS128:
    return compareAndSwapOf<Generic, UInt128>;
  default:
    return nullptr;
  }
}

} // namespace heddle::emu
