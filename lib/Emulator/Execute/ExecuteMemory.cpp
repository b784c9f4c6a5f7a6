//===- ExecuteMemory.cpp - Loads, stores, fences ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of isa-defs/HeddleInstrMemory.td but for the atomic ones. CTAs
// run on different host threads, so every access to memory is one access of the
// host.
//
//===----------------------------------------------------------------------===//

#include "Execute/ExecuteMemory.h"

namespace heddle::emu {

using isa::Op;

namespace {

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Whether the weakly ordered memory has a say: not where no other thread
/// stores.
template <Space S> RelaxedMemory *relaxedMemory(const Warp &W) {
  constexpr bool IsPrivate = S == Space::Local || S == Space::Constant;
  return IsPrivate ? nullptr : W.Launch->Relaxed;
}

template <Space S, typename T> T load(Warp &W, Inst I, const uint8_t *Host) {
  if (RelaxedMemory *M = relaxedMemory<S>(W))
    return static_cast<T>(
        M->load(*W.Observer, Host, sizeof(T), accessOf<S>(I)));
  return read<T>(Host);
}

/// Counts loads that may wait for other devices, other processes or the host.
template <Space S> void countPoll(Warp &W, Inst I) {
  if constexpr (S == Space::Generic || S == Space::Global)
    W.Polls += I.Scope == MemScope::System && I.Order != MemOrder::Weak &&
               I.Order != MemOrder::Constant;
}
/// A store to what a delayed load reads comes behind it.
void finishLoadOf(Warp &W, const uint8_t *Host, unsigned Bytes) {
  const std::optional<DelayedLoad> &Load = W.Observer->Delayed;
  if (!Load)
    return;
  unsigned Size = sizeInBytes(Load->Size);
  for (unsigned L : lanes(Load->Lanes))
    if (Load->Host[L] < Host + Bytes && Host < Load->Host[L] + Size)
      return finishLoad(W);
}

template <Space S, typename T>
void store(Warp &W, Inst I, uint8_t *Host, T Value) {
  if (RelaxedMemory *M = relaxedMemory<S>(W)) {
    finishLoadOf(W, Host, sizeof(T));
    M->store(*W.Observer, Host, sizeof(T), Value, accessOf<S>(I));
  } else {
    write<T>(Host, Value);
  }
}

/// A value of \p Size, the ISA's modifier MemSize, in a register.
uint32_t widened(unsigned Size, uint64_t Value) {
  switch (static_cast<MemSize>(Size)) {
  case MemSize::U8:
    return uint8_t(Value);
  case MemSize::S8:
    return int32_t(int8_t(Value));
  case MemSize::U16:
    return uint16_t(Value);
  case MemSize::S16:
    return int32_t(int16_t(Value));
  default:
    return uint32_t(Value);
  }
}

template <Space S> uint32_t loadWord(Warp &W, Inst I, const uint8_t *Host) {
  switch (sizeInBytes(I.Size)) {
  case 1:
    return widened(I.Size, load<S, uint8_t>(W, I, Host));
  case 2:
    return widened(I.Size, load<S, uint16_t>(W, I, Host));
  default:
    return load<S, uint32_t>(W, I, Host);
  }
}

/// Puts a load off, if the weakly ordered memory wants it so. Code that does
/// not wait for what it reads must not get it late unnoticed: only in the
/// strict mode.
template <Space S>
bool delayLoad(Warp &W, Inst I, LaneMask Exec, const uint64_t *Address) {
  RelaxedMemory *M = relaxedMemory<S>(W);
  bool IsPlain = I.Order == MemOrder::Weak || I.Order == MemOrder::Relaxed;
  if (!M || !IsPlain || !W.Launch->Strict || !M->delaysLoad())
    return false;
  DelayedLoad Load = {accessOf<S>(I), Exec, I.D, I.Size, {}};
  for (unsigned L : lanes(Exec)) {
    Load.Host[L] = resolve<S>(W, I, L, Address[L], sizeInBytes(I.Size), false);
    if (!Load.Host[L])
      return true;
  }
  W.Observer->Delayed = Load;
  return true;
}

template <Space S> void load32(Warp &W, Inst I, LaneMask Exec) {
  uint64_t Address[WarpSize];
  addresses<S>(W, I, Address);
  if (delayLoad<S>(W, I, Exec, Address))
    return;
  unsigned Bytes = sizeInBytes(I.Size);
  uint32_t Values[WarpSize] = {};
  for (unsigned L : lanes(Exec)) {
    const uint8_t *Host = resolve<S>(W, I, L, Address[L], Bytes, false);
    if (!Host)
      return;
    Values[L] = loadWord<S>(W, I, Host);
  }
  storeResults(W, I.D, Exec, Values);
  fenceAfter(I.Order);
  countPoll<S>(W, I);
}

/// Loads of Words registers, 2 or 4.
template <Space S, unsigned Words>
void loadGroup(Warp &W, Inst I, LaneMask Exec) {
  using T = GroupValue<Words>;
  uint64_t Address[WarpSize];
  T Values[WarpSize];
  addresses<S>(W, I, Address);
  for (unsigned L : lanes(Exec)) {
    const uint8_t *Host = resolve<S>(W, I, L, Address[L], Words * 4, false);
    if (!Host)
      return;
    Values[L] = load<S, T>(W, I, Host);
  }
  // The base registers may be among the results.
  for (unsigned L : lanes(Exec))
    setGroupValue<T>(W, I.D, L, Values[L]);
  fenceAfter(I.Order);
  countPoll<S>(W, I);
}

template <Space S> void store32(Warp &W, Inst I, LaneMask Exec) {
  uint64_t Address[WarpSize];
  addresses<S>(W, I, Address);
  unsigned Bytes = sizeInBytes(I.Size);
  fenceBefore(W, I.Order);
  endPolling<S>(W);
  for (unsigned L : lanes(Exec)) {
    uint8_t *Host = resolve<S>(W, I, L, Address[L], Bytes, true);
    if (!Host)
      return;
    uint32_t Value = W.R[I.C][L];
    if (Bytes == 1)
      store<S, uint8_t>(W, I, Host, Value);
    else if (Bytes == 2)
      store<S, uint16_t>(W, I, Host, Value);
    else
      store<S, uint32_t>(W, I, Host, Value);
  }
}

template <Space S, unsigned Words>
void storeGroup(Warp &W, Inst I, LaneMask Exec) {
  uint64_t Address[WarpSize];
  addresses<S>(W, I, Address);
  fenceBefore(W, I.Order);
  endPolling<S>(W);
  for (unsigned L : lanes(Exec)) {
    uint8_t *Host = resolve<S>(W, I, L, Address[L], Words * 4, true);
    if (!Host)
      return;
    using T = GroupValue<Words>;
    store<S, T>(W, I, Host, groupValue<T>(W, I.C, L));
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
    W.UR[I.D] = loadWord<Space::Constant>(W, I, Host);
  } else {
    for (size_t N = 0; N < Words; ++N)
      W.UR[I.D + N] = read<uint32_t>(Host + 4 * N);
  }
}

//===----------------------------------------------------------------------===//
// Fences and hints
//===----------------------------------------------------------------------===//

void membar(Warp &W, Inst I, LaneMask) {
  W.Owner->flushReductions();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // All paths to memory are one in the emulator.
  if (W.Launch->Relaxed)
    W.Launch->Relaxed->fence(*W.Observer, I.Scope,
                             static_cast<isa::FenceKind>(I.Select) ==
                                 isa::FenceKind::SequentiallyConsistent);
}
void prefetch(Warp &, Inst, LaneMask) {}

} // namespace

bool mayOvertakeLoad(Inst I) {
  if (I.WaitMask)
    return false;
  switch (I.Info->Operation) {
  case Op::ST:
  case Op::STG:
  case Op::STS:
    return I.Order == MemOrder::Weak || I.Order == MemOrder::Relaxed;
  default:
    break;
  }
  switch (I.Info->Latency) {
  case isa::LatencyClass::ALU:
  case isa::LatencyClass::FMA:
  case isa::LatencyClass::WIDE:
  case isa::LatencyClass::ALU64:
  case isa::LatencyClass::HALF:
  case isa::LatencyClass::PRED:
  case isa::LatencyClass::UALU:
  case isa::LatencyClass::UPRED:
    return true;
  default:
    return false;
  }
}

void finishLoad(Warp &W) {
  DelayedLoad Load = *W.Observer->Delayed;
  W.Observer->Delayed.reset();
  for (unsigned L : lanes(Load.Lanes))
    W.R[Load.Row][L] =
        widened(Load.Size,
                W.Launch->Relaxed->load(*W.Observer, Load.Host[L],
                                        sizeInBytes(Load.Size), Load.Access));
}

static ExecFn constantExecutor(Op O) {
  switch (O) {
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
  default:
    return nullptr;
  }
}

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
  case Op::MEMBAR:
    return membar;
  case Op::PREFETCH:
    return prefetch;
  default:
    ExecFn Constant = constantExecutor(O);
    return Constant ? Constant : atomicExecutor(O);
  }
}

} // namespace heddle::emu
