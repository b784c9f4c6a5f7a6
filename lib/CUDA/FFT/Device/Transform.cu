//===- Transform.cu - The kernel that runs a step ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device code: reads lines into shared memory, transforms them there by passes
// after Stockham, which need no reordering, and writes them.
//
//===----------------------------------------------------------------------===//

#include "FFT/Device/Butterflies.h"
#include "FFT/Parameters.h"

using namespace heddle::cuda::fft;

namespace {

using BFloat16 = __bf16;
using Float16 = _Float16;

/// Where a thread is among lines and their elements.
struct Position {
  uint32_t Line, Element;
};

/// The coordinates of a line.
struct Coordinates {
  uint32_t Part;
  int64_t Offset; ///< Of the line's begin, in elements.
};

HEDDLE_DEVICE uint32_t threadNumber() { return __nvvm_read_ptx_sreg_tid_x(); }

HEDDLE_DEVICE uint32_t highProduct(uint32_t A, uint32_t B) {
  return uint64_t(A) * B >> 32;
}

/// Either threads side by side have the elements of a line, or one element of
/// lines side by side.
HEDDLE_DEVICE Position positionOf(const Step &S, bool LinesFirst) {
  uint32_t Thread = threadNumber();
  if (LinesFirst)
    return {Thread & ((1u << S.LogLines) - 1), Thread >> S.LogLines};
  return {Thread >> S.LogThreads, Thread & ((1u << S.LogThreads) - 1)};
}

HEDDLE_DEVICE Coordinates coordinatesOf(const Step &S, const Place &P,
                                        uint32_t Line) {
  Coordinates C = {Line % S.Counts[0], 0};
  Line /= S.Counts[0];
  for (unsigned I = 1; I != NumCoordinates; ++I) {
    uint32_t Count = S.Counts[I];
    if (Count == 1)
      continue;
    C.Offset += int64_t(Line % Count) * P.Strides[I];
    Line /= Count;
  }
  return C;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

template <typename T>
HEDDLE_DEVICE T readReal(const Place &P, const char *Base, int64_t Index) {
  switch (P.NumberStorage) {
  case Half:
    return T(float(reinterpret_cast<const Float16 *>(Base)[Index]));
  case BFloat:
    return T(float(reinterpret_cast<const BFloat16 *>(Base)[Index]));
  default:
    return reinterpret_cast<const T *>(Base)[Index];
  }
}

template <typename T>
HEDDLE_DEVICE void writeReal(const Place &P, char *Base, int64_t Index, T X) {
  switch (P.NumberStorage) {
  case Half:
    reinterpret_cast<Float16 *>(Base)[Index] = Float16(float(X));
    break;
  case BFloat:
    reinterpret_cast<BFloat16 *>(Base)[Index] = BFloat16(float(X));
    break;
  default:
    reinterpret_cast<T *>(Base)[Index] = X;
  }
}

template <typename T>
HEDDLE_DEVICE Number<T> readNumber(const Place &P, const char *Base,
                                   int64_t Index) {
  if (P.NumberStorage == Native)
    return reinterpret_cast<const Number<T> *>(Base)[Index];
  return {readReal<T>(P, Base, 2 * Index), readReal<T>(P, Base, 2 * Index + 1)};
}

template <typename T>
HEDDLE_DEVICE Number<T> readElement(const Place &P, const char *Base,
                                    int64_t Offset, uint32_t Index) {
  if (P.ElementKind == Real)
    return {readReal<T>(P, Base, Offset + Index * P.Stride), 0};
  if (P.ElementKind == Hermitian && Index > P.Length / 2) {
    Number<T> X =
        readNumber<T>(P, Base, Offset + (P.Length - Index) * P.Stride);
    return {X.Re, -X.Im};
  }
  return readNumber<T>(P, Base, Offset + Index * P.Stride);
}

template <typename T>
HEDDLE_DEVICE void writeElement(const Place &P, char *Base, int64_t Offset,
                                uint32_t Index, Number<T> X) {
  int64_t At = Offset + Index * P.Stride;
  if (P.ElementKind == Real) {
    writeReal(P, Base, At, X.Re);
  } else if (P.NumberStorage == Native) {
    reinterpret_cast<Number<T> *>(Base)[At] = X;
  } else {
    writeReal(P, Base, 2 * At, X.Re);
    writeReal(P, Base, 2 * At + 1, X.Im);
  }
}

template <typename T>
HEDDLE_DEVICE Number<T> multiplied(const Place &P, Number<T> X,
                                   uint32_t Element, uint32_t Index,
                                   uint32_t Part) {
  if (P.Factoring == NoFactor)
    return X;
  uint32_t At = P.Factoring == ByIndex ? Index : Element * Part;
  return X * reinterpret_cast<const Number<T> *>(P.Factors)[At];
}

template <typename T>
HEDDLE_DEVICE void readLines(const Step &S, const char *Base, bool IsInverse,
                             uint32_t First, Number<T> *Lines) {
  const Place &P = S.In;
  Position At = positionOf(S, P.LinesFirst);
  if (First + At.Line >= S.Lines)
    return;
  Coordinates C = coordinatesOf(S, P, First + At.Line);
  bool SwapsOutside = P.SwapsOutside || (P.SwapsInverse && IsInverse);
  Number<T> *Line = Lines + At.Line * S.Length;
  for (uint32_t E = At.Element; E < S.Length; E += 1u << S.LogThreads) {
    uint32_t Index = E * P.Scale + C.Part * P.Shift;
    Number<T> X = {0, 0};
    if (Index < P.Count) {
      X = readElement<T>(P, Base, C.Offset, Index);
      if (SwapsOutside)
        X = swapped(X);
      X = multiplied(P, X, E, Index, C.Part);
      if (P.SwapsInside)
        X = swapped(X);
    }
    Line[E] = X;
  }
}

template <typename T>
HEDDLE_DEVICE void writeLines(const Step &S, char *Base, bool IsInverse,
                              uint32_t First, const Number<T> *Lines) {
  const Place &P = S.Out;
  Position At = positionOf(S, P.LinesFirst);
  if (First + At.Line >= S.Lines)
    return;
  Coordinates C = coordinatesOf(S, P, First + At.Line);
  bool SwapsOutside = P.SwapsOutside || (P.SwapsInverse && IsInverse);
  const Number<T> *Line = Lines + At.Line * S.Length;
  for (uint32_t E = At.Element; E < S.Length; E += 1u << S.LogThreads) {
    uint32_t Index = E * P.Scale + C.Part * P.Shift;
    if (Index >= P.Count)
      continue;
    Number<T> X = Line[E];
    if (P.SwapsInside)
      X = swapped(X);
    X = multiplied(P, X, E, Index, C.Part);
    if (SwapsOutside)
      X = swapped(X);
    writeElement(P, Base, C.Offset, Index, X);
  }
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// What a pass knows of a line of Length elements, of which transforms of Done
/// elements are done.
template <typename T> struct Pass {
  const Number<T> *From;
  Number<T> *To;
  const Number<T> *Roots;
  uint32_t Length, Done, Divisor, FirstThread, NumThreads;
};

template <int Radix, typename T> HEDDLE_DEVICE void runPass(const Pass<T> &P) {
  uint32_t Count = P.Length / Radix;
  uint32_t RootStep = Count / P.Done;
  for (uint32_t J = P.FirstThread; J < Count; J += P.NumThreads) {
    uint32_t Group = P.Divisor ? highProduct(J, P.Divisor) : J;
    uint32_t Within = J - Group * P.Done;
    Number<T> X[Radix];
#pragma unroll
    for (int Q = 0; Q != Radix; ++Q)
      X[Q] = P.From[J + Q * Count];
    if (Within != 0) {
#pragma unroll
      for (int Q = 1; Q != Radix; ++Q)
        X[Q] = X[Q] * P.Roots[Q * Within * RootStep];
    }
    Butterfly<Radix>::run(X);
    Number<T> *To = P.To + Group * P.Done * Radix + Within;
#pragma unroll
    for (int Q = 0; Q != Radix; ++Q)
      To[Q * P.Done] = X[Q];
  }
}

template <typename T>
HEDDLE_DEVICE void runPass(uint32_t Radix, const Pass<T> &P) {
  switch (Radix) {
  case 2:
    return runPass<2>(P);
  case 3:
    return runPass<3>(P);
  case 4:
    return runPass<4>(P);
  case 5:
    return runPass<5>(P);
  case 7:
    return runPass<7>(P);
  case 11:
    return runPass<11>(P);
  default:
    return runPass<13>(P);
  }
}

} // namespace

extern __attribute__((shared, aligned(16))) char Scratch[];

template <typename T>
[[gnu::always_inline]] static HEDDLE_DEVICE void
runStep(const Step &S, const char *In, char *Out, bool IsInverse) {
  auto *From = reinterpret_cast<Number<T> *>(Scratch);
  Number<T> *To = From + (S.Length << S.LogLines);
  uint32_t First = __nvvm_read_ptx_sreg_ctaid_x() << S.LogLines;
  readLines(S, In, IsInverse, First, From);
  Position At = positionOf(S, false);
  uint32_t Begin = At.Line * S.Length;
  uint32_t Done = 1;
  for (uint32_t I = 0; I != S.NumPasses; ++I) {
    __syncthreads();
    uint32_t Radix = S.Radices[I];
    if (First + At.Line < S.Lines)
      runPass<T>(Radix, {From + Begin, To + Begin,
                         reinterpret_cast<const Number<T> *>(S.Roots), S.Length,
                         Done, S.Divisors[I], At.Element, 1u << S.LogThreads});
    Done *= Radix;
    Number<T> *Free = From;
    From = To;
    To = Free;
  }
  __syncthreads();
  writeLines(S, Out, IsInverse, First, From);
}

#define HEDDLE_FFT_KERNEL(Name, Type)                                          \
  extern "C" __attribute__((global, launch_bounds(MaxThreads))) void Name(     \
      const Step *S, const char *In, char *Out, uint32_t IsInverse) {          \
    runStep<Type>(*S, In, Out, IsInverse != 0);                                \
  }
HEDDLE_FFT_KERNEL(heddle_fft_float, float)
HEDDLE_FFT_KERNEL(heddle_fft_double, double)
