//===- KernelIndexTest.cpp - Kernels by what programs know them by --------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch costs does not grow with the program, and neither does the end
// of a library.
//
//===----------------------------------------------------------------------===//

#include "Images.h"

#include "gtest/gtest.h"

#include <list>

using namespace heddle::cuda;

namespace {

/// The most comparisons that a look-up takes among Count kernels, each known by
/// its handle and by an address of the host.
size_t mostComparisons(size_t Count) {
  std::list<KernelHandle> Handles;
  std::vector<char> Stubs(16 * Count);
  KernelIndex Index;
  for (size_t I = 0; I != Count; ++I)
    Index.add(&Stubs[16 * I], Handles.emplace_back());
  size_t Most = 0, I = 0;
  for (KernelHandle &Handle : Handles) {
    const void *Stub = &Stubs[16 * I++];
    EXPECT_EQ(Index.find(Stub), &Handle);
    EXPECT_EQ(Index.find(&Handle), &Handle);
    Most = std::max(Most, Index.comparisons(Stub));
    Most = std::max(Most, Index.comparisons(&Handle));
  }
  return Most;
}

TEST(KernelIndex, LookupsDoNotGrowWithTheNumberOfKernels) {
  constexpr size_t Few = 8;
  EXPECT_LE(mostComparisons(10), Few);
  EXPECT_LE(mostComparisons(1000), Few);
  EXPECT_LE(mostComparisons(100000), Few);
}

TEST(KernelIndex, ForgetsKernels) {
  KernelHandle A{}, B{}, C{};
  char Stub = 0, Other = 0;
  KernelIndex Index;
  EXPECT_EQ(Index.find(&A), nullptr);
  Index.add(&Stub, A);
  Index.add(&B, B);
  Index.add(&Other, C);
  Index.remove(&Stub, A);
  EXPECT_EQ(Index.find(&A), nullptr);
  EXPECT_EQ(Index.find(&Stub), nullptr);
  EXPECT_EQ(Index.find(&B), &B);
  EXPECT_EQ(Index.find(nullptr), nullptr);
  // The address of a library that is gone may be another one's.
  Index.add(&Other, A);
  Index.remove(&Other, C);
  EXPECT_EQ(Index.find(&Other), &A);
  EXPECT_EQ(Index.find(&C), nullptr);
}

} // namespace
