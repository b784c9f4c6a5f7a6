//===- Advice.h - Hints about ranges of managed memory ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Managed memory is one memory, in which nothing moves. Advice is kept
// for programs that ask for it again.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_ADVICE_H
#define HEDDLE_LIB_CUDA_ADVICE_H

#include "ABI.h"

#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace heddle::cuda {

/// What was advised about some bytes.
struct Advice {
  bool IsReadMostly = false, ByDevice = false, ByHost = false;
  std::optional<cudaMemLocation> Preferred = {}, Prefetched = {};
};

/// Any thread may call anything at any time.
class AdviceTable {
public:
  template <typename Fn> void update(uint64_t Begin, uint64_t Size, Fn Change) {
    std::lock_guard Lock(Mutex);
    auto End = split(Begin + Size);
    for (auto It = split(Begin); It != End; ++It)
      Change(It->second);
  }
  /// The advice about a range, piece by piece.
  std::vector<Advice> find(uint64_t Begin, uint64_t Size);
  /// What is allocated anew has no advice.
  void forget(uint64_t Begin, uint64_t Size) {
    update(Begin, Size, [](Advice &A) { A = {}; });
  }

private:
  using Iterator = std::map<uint64_t, Advice>::iterator;
  /// Makes a piece begin at an address.
  Iterator split(uint64_t At);

  std::mutex Mutex;
  /// By where it begins to hold.
  std::map<uint64_t, Advice> Pieces = {{0, {}}};
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_ADVICE_H
