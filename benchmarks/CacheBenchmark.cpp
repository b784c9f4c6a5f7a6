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
// KiB like code, its input 16 KiB of text, unless sizes or files are given.
//
//   heddle-cache-benchmark DIRECTORY [CODE [INPUT]]    each a size or a file
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/Cache.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

using namespace heddle::cache;
using Clock = std::chrono::steady_clock;

static constexpr unsigned Rounds = 5000;
static constexpr unsigned NumInputs = 256;
/// Microseconds that the writing thread has for an entry before the next one.
static constexpr unsigned TimeToStore = 400;

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

/// The contents of a file, or so many bytes as it says.
static std::string bytesFor(const char *FileOrSize, unsigned Seed) {
  std::ifstream File(FileOrSize, std::ios::binary);
  if (!File)
    return makeBytes(std::strtoul(FileOrSize, nullptr, 10), Seed);
  std::ostringstream Contents;
  Contents << File.rdbuf();
  // Inputs must differ.
  return std::move(Contents).str() + std::to_string(Seed);
}

static Key keyOf(std::string_view Input) {
  return Key(EntryKind::Module,
             KeyFields()
                 .add("build", std::string(40, 'b'))
                 .add("options", std::string(400, 'o')),
             Input);
}

/// Runs Step(round) many times and prints how long one took. Before each, Pause
/// microseconds pass.
template <typename StepT>
static void measure(const char *Name, StepT Step, unsigned Pause = 0) {
  std::vector<double> Times;
  for (unsigned I = 0; I != Rounds; ++I) {
    auto Until = Clock::now() + std::chrono::microseconds(Pause);
    while (Clock::now() < Until) {
    }
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

/// Leaves the heap with memory to give, as after a compilation, so that what
/// allocates does not wait for the system's pages.
static void warmHeap() {
  std::string Large(32 << 20, 'x'); // after it, 64 MiB of free memory are kept
  Large = std::string();
  std::vector<std::string> Blocks(1024, std::string(16384, 'x'));
}

/// Look-ups a second of all threads together, over Shared entries. One in
/// StoreEvery stores an entry instead; 0: none.
static void measureThreads(const char *Name, Cache &C, unsigned NumThreads,
                           const std::vector<std::string> &Inputs,
                           const EntryPtr &Value, unsigned StoreEvery,
                           unsigned HitsEach) {
  std::vector<std::thread> Threads;
  auto Start = Clock::now();
  for (unsigned T = 0; T != NumThreads; ++T)
    Threads.emplace_back([&, T] {
      std::mt19937 Random(T);
      std::vector<Key> Keys;
      for (unsigned I = 0; I != 64; ++I)
        Keys.push_back(keyOf(Inputs[I]));
      for (unsigned I = 0; I != HitsEach; ++I)
        if (StoreEvery && I % StoreEvery == T % StoreEvery)
          C.insert(Keys[Random() % 64], Value);
        else if (!C.lookup(Keys[Random() % 64]).Value)
          std::abort();
    });
  for (std::thread &T : Threads)
    T.join();
  double Seconds = std::chrono::duration<double>(Clock::now() - Start).count();
  std::printf("%-34s %2u threads: %.3f million a second\n", Name, NumThreads,
              NumThreads * HitsEach / Seconds / 1e6);
}

int main(int Argc, char **Argv) {
  if (Argc < 2) {
    std::fprintf(stderr, "usage: %s DIRECTORY [CODE [INPUT]]\n", Argv[0]);
    return 1;
  }
  // Entries of an earlier run would be hits where misses are measured.
  std::error_code None;
  if (!std::filesystem::is_empty(Argv[1], None) && !None) {
    std::fprintf(stderr, "error: %s is not empty\n", Argv[1]);
    return 1;
  }
  std::vector<std::string> Inputs;
  for (unsigned I = 0; I != NumInputs; ++I)
    Inputs.push_back(bytesFor(Argc > 3 ? Argv[3] : "16384", I));
  auto Value = std::make_shared<Entry>(Entry{
      std::string(200, 'm'), "", bytesFor(Argc > 2 ? Argv[2] : "16384", 1)});
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
    auto Miss = [&](unsigned I) {
      Other[0] = static_cast<char>(I);
      Other[1] = static_cast<char>(I >> 8);
      Other[2] = 'x';
      if (C.lookup(keyOf(Other)).Value)
        std::abort();
    };
    measure("miss", Miss);
    measure("miss, after a pause", Miss, TimeToStore);
  }
  {
    // What a miss costs whoever makes an entry, but for the making: look-up,
    // lease, and handing the entry to the thread that writes.
    CacheOptions Options;
    Options.WriteInBackground = true;
    Cache C(S, std::move(Options));
    std::string Input = Inputs[0];
    auto Step = [&](unsigned I) {
      Input[0] = static_cast<char>(I);
      Input[1] = static_cast<char>(I >> 8);
      Input[2] = 'y';
      Key K = keyOf(Input);
      if (C.getOrMake(K, [&] { return Made{Value, nullptr}; }).From !=
          Origin::Made)
        std::abort();
    };
    warmHeap();
    measure("miss and hand over", Step, TimeToStore);
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
    measureThreads("hits in memory", C, Threads, Inputs, Value, 0, 20000);
  Cache OnDisk(NoMemory);
  for (unsigned Threads : {1u, 4u, 16u, 64u})
    measureThreads("hits in the directory", OnDisk, Threads, Inputs, Value, 0,
                   20000 / Threads);
  for (unsigned Threads : {1u, 4u, 16u, 64u})
    measureThreads("15 hits there, 1 store", OnDisk, Threads, Inputs, Value, 16,
                   20000 / Threads);
}
