//===- CacheBenchmark.cpp - What a look-up costs ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times of the cache in one process: hits by tier, keys, misses and stores,
// with median and 99th percentile, and many threads at once. The entry has 16
// KiB of code, its input 16 KiB of text, unless other sizes are given.
//
//   heddle-cache-benchmark DIRECTORY [CODE-BYTES [INPUT-BYTES]]
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/Cache.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

using namespace heddle::cache;
using Clock = std::chrono::steady_clock;

static constexpr unsigned Rounds = 5000;
static constexpr unsigned NumInputs = 256;

/// Like code: words of which a few are frequent. Packs to about a third.
static std::string makeBytes(size_t Size, unsigned Seed) {
  std::mt19937 Random(Seed);
  std::string Bytes;
  while (Bytes.size() < Size) {
    uint64_t Word = Random() % 8 ? Random() % 64 : Random();
    Bytes.append(reinterpret_cast<const char *>(&Word), sizeof(Word));
  }
  Bytes.resize(Size);
  return Bytes;
}

static Key keyOf(std::string_view Input) {
  return Key(EntryKind::Module,
             KeyFields()
                 .add("build", std::string(40, 'b'))
                 .add("options", std::string(400, 'o')),
             Input);
}

/// Runs Step(round) many times and prints how long one took.
template <typename StepT> static void measure(const char *Name, StepT Step) {
  std::vector<double> Times;
  for (unsigned I = 0; I != Rounds; ++I) {
    auto Start = Clock::now();
    Step(I);
    Times.push_back(
        std::chrono::duration<double, std::micro>(Clock::now() - Start)
            .count());
  }
  std::sort(Times.begin(), Times.end());
  std::printf("%-34s median %8.2f us   99 %% %8.2f us\n", Name,
              Times[Rounds / 2], Times[Rounds * 99 / 100]);
}

/// Hits a second of all threads together, over Shared entries.
static void measureThreads(Cache &C, unsigned NumThreads,
                           const std::vector<std::string> &Inputs) {
  constexpr unsigned HitsEach = 20000;
  std::vector<std::thread> Threads;
  auto Start = Clock::now();
  for (unsigned T = 0; T != NumThreads; ++T)
    Threads.emplace_back([&, T] {
      std::mt19937 Random(T);
      std::vector<Key> Keys;
      for (unsigned I = 0; I != 64; ++I)
        Keys.push_back(keyOf(Inputs[I]));
      for (unsigned I = 0; I != HitsEach; ++I)
        if (!C.lookup(Keys[Random() % 64]).Value)
          std::abort();
    });
  for (std::thread &T : Threads)
    T.join();
  double Seconds = std::chrono::duration<double>(Clock::now() - Start).count();
  std::printf("%2u threads: %.2f million hits a second\n", NumThreads,
              NumThreads * HitsEach / Seconds / 1e6);
}

int main(int Argc, char **Argv) {
  if (Argc < 2)
    return 1;
  size_t CodeSize = Argc > 2 ? std::strtoul(Argv[2], nullptr, 10) : 16384;
  size_t InputSize = Argc > 3 ? std::strtoul(Argv[3], nullptr, 10) : 16384;
  std::vector<std::string> Inputs;
  for (unsigned I = 0; I != NumInputs; ++I)
    Inputs.push_back(makeBytes(InputSize, I));
  auto Value = std::make_shared<Entry>(
      Entry{std::string(200, 'm'), "", makeBytes(CodeSize, 1)});
  Settings S;
  (void)S.set(SettingId::Dir, Argv[1], "benchmark");
  Settings NoMemory = S;
  (void)NoMemory.set(SettingId::MemorySize, "0", "benchmark");

  {
    Cache C(NoMemory);
    measure("store",
            [&](unsigned I) { C.insert(keyOf(Inputs[I % NumInputs]), Value); });
    measure("hit in the directory", [&](unsigned I) {
      if (!C.lookup(keyOf(Inputs[I % NumInputs])).Value)
        std::abort();
    });
    std::string Other = Inputs[0];
    measure("miss", [&](unsigned I) {
      Other[0] = static_cast<char>(I);
      Other[1] = static_cast<char>(I >> 8);
      Other[2] = 'x';
      if (C.lookup(keyOf(Other)).Value)
        std::abort();
    });
  }
  Cache C(S);
  for (const std::string &Input : Inputs)
    C.insert(keyOf(Input), Value);
  measure("key", [&](unsigned I) { (void)keyOf(Inputs[I % NumInputs]); });
  measure("repeated hit, with the key", [&](unsigned) {
    if (!C.lookup(keyOf(Inputs[0])).Value)
      std::abort();
  });
  Key K = keyOf(Inputs[0]);
  measure("repeated hit, key at hand", [&](unsigned) {
    if (!C.lookup(K).Value)
      std::abort();
  });
  for (unsigned Threads : {1u, 4u, 16u, 64u})
    measureThreads(C, Threads, Inputs);
}
