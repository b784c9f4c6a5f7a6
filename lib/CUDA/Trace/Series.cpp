//===- Series.cpp - What events have in common ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of functions and names of ranges there are limited numbers, of work not.
//
//===----------------------------------------------------------------------===//

#include "Trace/Series.h"

#include <algorithm>
#include <iterator>

using namespace llvm;

namespace heddle::cuda::trace {

Series &ThreadSeries::add(List &By, size_t Number, const Series::Event &E) {
  if (Number >= By.size())
    By.resize(std::max(Number + 1, 2 * By.size()));
  By[Number] = std::make_unique<Series>(E);
  return *By[Number];
}

static uint64_t shapeOf(const Work &W) {
  constexpr uint64_t Factor = 0x9E3779B97F4A7C15;
  auto Both = [](uint32_t A, uint32_t B) { return uint64_t(A) << 32 | B; };
  uint64_t Shape = reinterpret_cast<uintptr_t>(W.Launched) + W.Stream;
  for (uint64_t Word :
       {W.Bytes, W.Pattern, uint64_t(W.Copied), Both(W.Grid.X, W.Block.X),
        Both(W.Grid.Y, W.Grid.Z), Both(W.Block.Y, W.Block.Z),
        uint64_t(W.DynamicSharedBytes)})
    Shape = Shape * Factor ^ Word;
  return Shape;
}

Series &ThreadSeries::findWork(const Work &W) {
  constexpr size_t MostWorks = 1 << 12;
  uint64_t Shape = shapeOf(W);
  auto It = ByShape.find(Shape);
  if (It != ByShape.end() && std::get<Work>(It->second->First).isAlike(W))
    return *It->second;
  if (Works.size() == MostWorks) {
    ByShape.clear();
    Latest = {};
    std::lock_guard Lock(Mutex);
    std::move(Works.begin(), Works.end(), std::back_inserter(Outdated));
    Works.clear();
  }
  Works.push_back(std::make_unique<Series>(W));
  return *(ByShape[Shape] = Works.back().get());
}

} // namespace heddle::cuda::trace
