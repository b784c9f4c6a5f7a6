//===- Recipe.h - The steps of a transform ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is launched for a transform, before anything of it is on the device: the
// memory and the tables that steps use are named, and have no addresses yet.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_FFT_RECIPE_H
#define HEDDLE_LIB_CUDA_FFT_RECIPE_H

#include "FFT/Request.h"

#include <array>
#include <vector>

namespace heddle::cuda::fft {

/// A table of complex numbers.
struct Table {
  enum class Content {
    Roots,    ///< exp(-2 pi i k / Length)
    Chirp,    ///< exp(-pi i k^2 / Length)
    Spectrum, ///< The transform, of Padded elements, of the chirp's conjugate.
  };
  Content Numbers;
  uint32_t Length;
  uint32_t Padded = 0;

  bool operator==(const Table &) const = default;
  uint32_t size() const {
    return Numbers == Content::Spectrum ? Padded : Length;
  }
};

/// The memory that a step reads or writes: the program's, or a part of the
/// plan's work area.
enum class Region { In, Out, Middle, First, Second };
constexpr unsigned NumWorkRegions = 3;
inline bool isWork(Region R) { return R >= Region::Middle; }
inline unsigned workIndex(Region R) {
  return unsigned(R) - unsigned(Region::Middle);
}

/// A step and its launch. Roots and Factors are numbers of tables, from 1 on.
struct PlannedStep {
  Step Parameters;
  Region From, To;
  unsigned Blocks, Threads;
  size_t SharedBytes;
};

struct Recipe {
  std::vector<PlannedStep> Steps;
  /// Of each region of the work area, in complex numbers.
  std::array<uint64_t, NumWorkRegions> WorkElements = {};
};

/// The most elements of a line that shared memory has room for.
uint32_t longestLine(bool IsDouble);

/// Makes the steps of a request; IsInPlace says that input and output are the
/// same memory, where dense real lines have room for their complex results.
/// Tables gets those that the steps use and that it does not have yet.
Result makeRecipe(const Request &Wanted, bool IsInPlace, Recipe &Made,
                  std::vector<Table> &Tables);

} // namespace heddle::cuda::fft

#endif // HEDDLE_LIB_CUDA_FFT_RECIPE_H
