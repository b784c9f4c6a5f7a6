//===- Execute.h - From scalar functions to instructions --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of an arithmetic operation is a function of its sources' values
// and its modifiers. The templates here make it an instruction over the lanes
// of a warp, or over uniform registers.
//
// A function takes the values of a, b and, with three of them, c, each as
// uint32_t, uint64_t or Quad, and the instruction for its modifiers. It must be
// defined for all values: it may be called for lanes that do not execute.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_EXECUTE_H
#define HEDDLE_LIB_EMULATOR_EXECUTE_H

#include "Warp.h"

#include <algorithm>

namespace heddle::emu {

/// A group of four registers.
struct Quad {
  uint64_t Low, High;
};

template <typename T> T fromWords(const uint32_t *const *Rows, unsigned Lane) {
  if constexpr (sizeof(T) == 4)
    return Rows[0][Lane];
  else if constexpr (sizeof(T) == 8)
    return Rows[0][Lane] | uint64_t(Rows[1][Lane]) << 32;
  else
    return Quad{Rows[0][Lane] | uint64_t(Rows[1][Lane]) << 32,
                Rows[2][Lane] | uint64_t(Rows[3][Lane]) << 32};
}

/// The values of a source for all lanes. An immediate or a uniform register is
/// spread over them.
template <typename T> class Source {
public:
  Source(const Warp &W, SourceKind Kind, unsigned Row, uint64_t Imm) {
    for (unsigned N = 0; N < Words; ++N) {
      if (Kind == SourceKind::Register) {
        Rows[N] = W.R[Row + N];
        continue;
      }
      uint32_t Value = Kind == SourceKind::Uniform
                           ? W.UR[Row + N]
                           : static_cast<uint32_t>(N < 2 ? Imm >> (32 * N) : 0);
      std::fill_n(Spread[N], WarpSize, Value);
      Rows[N] = Spread[N];
    }
  }
  Source(const Source &) = delete;

  T operator[](unsigned Lane) const { return fromWords<T>(Rows, Lane); }

private:
  static constexpr unsigned Words = sizeof(T) / 4;
  const uint32_t *Rows[Words];
  uint32_t Spread[Words][WarpSize];
};

/// Writes word \p N of the results to the lanes of Exec.
template <typename T>
void storeResults(Warp &W, unsigned Row, LaneMask Exec, const T *Results) {
  auto Store = [&](unsigned N, auto Word) {
    uint32_t *D = W.R[Row + N];
    if (Exec == ~LaneMask(0)) {
      for (unsigned L = 0; L < WarpSize; ++L)
        D[L] = Word(Results[L]);
      return;
    }
    for (unsigned L = 0; L < WarpSize; ++L)
      D[L] = Exec >> L & 1 ? Word(Results[L]) : D[L];
  };
  if constexpr (sizeof(T) == 4) {
    Store(0, [](uint32_t V) { return V; });
  } else if constexpr (sizeof(T) == 8) {
    Store(0, [](uint64_t V) { return static_cast<uint32_t>(V); });
    Store(1, [](uint64_t V) { return static_cast<uint32_t>(V >> 32); });
  } else {
    Store(0, [](const Quad &V) { return static_cast<uint32_t>(V.Low); });
    Store(1, [](const Quad &V) { return static_cast<uint32_t>(V.Low >> 32); });
    Store(2, [](const Quad &V) { return static_cast<uint32_t>(V.High); });
    Store(3, [](const Quad &V) { return static_cast<uint32_t>(V.High >> 32); });
  }
}

/// (value bop s) for all lanes.
inline LaneMask combine(unsigned BoolOp, LaneMask Value, LaneMask S) {
  return BoolOp == 0 ? Value & S : BoolOp == 1 ? Value | S : Value ^ S;
}

inline void writePredicate(Warp &W, unsigned Number, LaneMask Exec,
                           LaneMask Value) {
  W.P[Number] = (W.P[Number] & ~Exec) | (Value & Exec);
}

/// d = Fn(a, b) or Fn(a, b, c) for the lanes. With Lanewise the function is
/// only called for lanes that execute: for functions that take long.
template <auto Fn, bool Lanewise = false> struct VectorOp;

template <bool Lanewise, typename Ret, typename Eval>
void forResults(Warp &W, const DecodedInst &I, LaneMask Exec, Eval Evaluate) {
  Ret Results[WarpSize];
  if constexpr (Lanewise) {
    std::fill_n(Results, WarpSize, Ret());
    for (unsigned L : lanes(Exec))
      Results[L] = Evaluate(L);
  } else {
    for (unsigned L = 0; L < WarpSize; ++L)
      Results[L] = Evaluate(L);
  }
  storeResults(W, I.D, Exec, Results);
}

template <typename Ret, typename A, typename B,
          Ret (*Fn)(A, B, const DecodedInst &), bool Lanewise>
struct VectorOp<Fn, Lanewise> {
  static void run(Warp &W, const DecodedInst &I, LaneMask Exec) {
    Source<A> SA(W, SourceKind::Register, I.A, 0);
    Source<B> SB(W, I.KindB, I.B, I.Imm);
    forResults<Lanewise, Ret>(W, I, Exec,
                              [&](unsigned L) { return Fn(SA[L], SB[L], I); });
  }
};

template <typename Ret, typename A, typename B, typename C,
          Ret (*Fn)(A, B, C, const DecodedInst &), bool Lanewise>
struct VectorOp<Fn, Lanewise> {
  static void run(Warp &W, const DecodedInst &I, LaneMask Exec) {
    Source<A> SA(W, SourceKind::Register, I.A, 0);
    Source<B> SB(W, I.KindB, I.B, I.Imm);
    Source<C> SC(W, I.KindC, I.C, I.Imm);
    forResults<Lanewise, Ret>(
        W, I, Exec, [&](unsigned L) { return Fn(SA[L], SB[L], SC[L], I); });
  }
};

/// p = Fn(a, b) bop s for the lanes.
template <auto Fn> struct CompareOp;

template <typename A, typename B, bool (*Fn)(A, B, const DecodedInst &)>
struct CompareOp<Fn> {
  static void run(Warp &W, const DecodedInst &I, LaneMask Exec) {
    Source<A> SA(W, SourceKind::Register, I.A, 0);
    Source<B> SB(W, I.KindB, I.B, I.Imm);
    LaneMask Value = 0;
    for (unsigned L = 0; L < WarpSize; ++L)
      Value |= LaneMask(Fn(SA[L], SB[L], I)) << L;
    writePredicate(W, I.P, Exec, combine(I.Bop, Value, W.predicate(I.S, I.Sn)));
  }
};

/// The value of a source of a uniform instruction.
template <typename T>
T uniformSource(const Warp &W, SourceKind Kind, unsigned Row, uint64_t Imm) {
  if (Kind == SourceKind::Immediate)
    return static_cast<T>(Imm);
  if constexpr (sizeof(T) == 4)
    return W.UR[Row];
  else
    return W.uniform64(Row);
}

template <typename T> void writeUniform(Warp &W, unsigned Row, T Value) {
  W.UR[Row] = static_cast<uint32_t>(Value);
  if constexpr (sizeof(T) == 8)
    W.UR[Row + 1] = static_cast<uint32_t>(Value >> 32);
}

/// d = Fn(a, b) or Fn(a, b, c) on uniform registers.
template <auto Fn> struct UniformOp;

template <typename Ret, typename A, typename B,
          Ret (*Fn)(A, B, const DecodedInst &)>
struct UniformOp<Fn> {
  static void run(Warp &W, const DecodedInst &I, LaneMask) {
    writeUniform<Ret>(W, I.D,
                      Fn(uniformSource<A>(W, SourceKind::Register, I.A, 0),
                         uniformSource<B>(W, I.KindB, I.B, I.Imm), I));
  }
};

template <typename Ret, typename A, typename B, typename C,
          Ret (*Fn)(A, B, C, const DecodedInst &)>
struct UniformOp<Fn> {
  static void run(Warp &W, const DecodedInst &I, LaneMask) {
    writeUniform<Ret>(W, I.D,
                      Fn(uniformSource<A>(W, SourceKind::Register, I.A, 0),
                         uniformSource<B>(W, I.KindB, I.B, I.Imm),
                         uniformSource<C>(W, I.KindC, I.C, I.Imm), I));
  }
};

inline bool uniformPredicate(const Warp &W, unsigned Number, bool Negated) {
  return W.UP[Number] != Negated;
}

/// p = Fn(a, b) bop s on uniform registers.
template <auto Fn> struct UniformCompareOp;

template <typename A, typename B, bool (*Fn)(A, B, const DecodedInst &)>
struct UniformCompareOp<Fn> {
  static void run(Warp &W, const DecodedInst &I, LaneMask) {
    bool Value = Fn(uniformSource<A>(W, SourceKind::Register, I.A, 0),
                    uniformSource<B>(W, I.KindB, I.B, I.Imm), I);
    W.UP[I.P] = combine(I.Bop, Value, uniformPredicate(W, I.S, I.Sn)) & 1;
  }
};

// The executors of the parts of the ISA; null for another part's operation.
ExecFn integerExecutor(isa::Op Operation);
ExecFn floatExecutor(isa::Op Operation);
ExecFn conversionExecutor(isa::Op Operation);
ExecFn memoryExecutor(isa::Op Operation);
ExecFn textureExecutor(isa::Op Operation);
ExecFn matrixExecutor(isa::Op Operation);
ExecFn warpgroupExecutor(isa::Op Operation);
ExecFn asyncExecutor(isa::Op Operation);
ExecFn tensorExecutor(isa::Op Operation);
ExecFn controlExecutor(isa::Op Operation);
ExecFn warpExecutor(isa::Op Operation);

/// Whether a special register, by its number, is a clock.
bool readsTime(uint64_t Number);

/// The lane from which \p Lane takes its value in a SHFL or SHFLV, or -1 if the
/// one that PTX shfl names is out of range.
int shuffleSource(const Warp &W, const DecodedInst &I, unsigned Lane);

/// Calls the runtime for the lanes of \p Exec: SYSCALL.
void executeSystemCall(Warp &W, const DecodedInst &I, LaneMask Exec);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_EXECUTE_H
