//===- Reference.h - The host references of the kernels ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function a kernel: it chooses the launches, makes the same input as the
// manifest describes, computes what must come out and adds both to the writer.
//
// Where the CUDA source prescribes every operation and its order, the reference
// does the same operations and the comparison is bit by bit. Where it uses
// functions that PTX or the math library only bounds, the reference computes in
// double precision and states the bound from which the tolerance follows.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_KERNELS_REFERENCE_H
#define HEDDLE_TEST_KERNELS_REFERENCE_H

#include "ManifestWriter.h"
#include "heddle/Manifest/Random.h"
#include <string>
#include <vector>

namespace reference {

/// Random data as a manifest describes them and as they come out.
struct Random {
  uint64_t Seed;
  double Low, High;

  /// The manifest's `init`.
  std::string json() const;
  /// The data themselves, for a floating-point type.
  template <typename T> std::vector<T> reals(size_t Count) const {
    std::vector<T> Values(Count);
    for (size_t I = 0; I < Count; ++I)
      Values[I] = T(heddle::rt::randomReal(Seed, I, Low, High));
    return Values;
  }
  /// The data themselves, for an integer type.
  template <typename T> std::vector<T> integers(size_t Count) const {
    std::vector<T> Values(Count);
    for (size_t I = 0; I < Count; ++I)
      Values[I] = T(heddle::rt::randomInteger(Seed, I, uint64_t(int64_t(Low)),
                                              uint64_t(int64_t(High))));
    return Values;
  }
};

/// A number as JSON text that reads back as the same double.
std::string number(double Value);

inline unsigned ceilDiv(unsigned A, unsigned B) { return (A + B - 1) / B; }

void saxpy(ManifestWriter &W);
void reduce(ManifestWriter &W);
void sgemm(ManifestWriter &W);
void scan(ManifestWriter &W);
void histogram(ManifestWriter &W);
void mandelbrot(ManifestWriter &W);
void nbody(ManifestWriter &W);
void blackscholes(ManifestWriter &W);
void bitonic(ManifestWriter &W);
void stencil(ManifestWriter &W);
void jacobi(ManifestWriter &W);
void spmv(ManifestWriter &W);
void softmax(ManifestWriter &W);
void haxpy(ManifestWriter &W);
void recursion(ManifestWriter &W);
void fptable(ManifestWriter &W);
void spinlock(ManifestWriter &W);
void printf(ManifestWriter &W);

} // namespace reference

#endif // HEDDLE_TEST_KERNELS_REFERENCE_H
