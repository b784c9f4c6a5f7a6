//===- Worker.cpp - One process of the stress test --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks one cache for random keys until it is killed or its time is up. The
// "compiler" is a function of the key, so that every object that comes out can
// be compared with a fresh one.
//
//   heddle-cache-stress DIRECTORY SECONDS SEED [NAME=VALUE...]
//
// Exits with 2 and says so if a wrong object came out. Three threads work at
// once; a small memory and a small directory make entries come and go.
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/Cache.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

using namespace heddle::cache;

static constexpr unsigned NumKeys = 300;

static std::string inputOf(unsigned N) {
  return "input " + std::to_string(N) + std::string(N * 7 % 5000, 'i');
}

/// What is "compiled": bytes that depend on all of the key, of very different
/// sizes, some of which pack well.
static std::string compile(unsigned N) {
  std::mt19937 Random(N);
  std::string Code(N % 10 == 0 ? 200000 : 100 + N * 97 % 30000, '\0');
  for (char &C : Code)
    C = static_cast<char>(N % 3 ? Random() : Random() % 4);
  return Code;
}

static void work(Cache &C, unsigned Seed,
                 std::chrono::steady_clock::time_point Until) {
  std::mt19937 Random(Seed);
  while (std::chrono::steady_clock::now() < Until) {
    unsigned N = Random() % NumKeys;
    std::string Input = inputOf(N);
    Key K(EntryKind::Module, KeyFields().add("build", "stress"), Input);
    Outcome O = C.getOrMake(K, [&]() -> Made {
      if (Random() % 50 == 0)
        return {nullptr, std::make_shared<int>(0)}; // an input with errors
      if (Random() % 4 == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(Random() % 5));
      return {std::make_shared<Entry>(Entry{std::to_string(N), "", compile(N)}),
              nullptr};
    });
    if (O.Value && (O.Value->Code != compile(N) ||
                    O.Value->Metadata != std::to_string(N))) {
      std::fprintf(stderr, "wrong object of key %u, from %s\n", N,
                   originName(O.From).data());
      std::_Exit(2);
    }
    if (!O.Value && !O.Failure) {
      std::fprintf(stderr, "no object of key %u and no reason\n", N);
      std::_Exit(2);
    }
  }
}

int main(int Argc, char **Argv) {
  if (Argc < 4)
    return 1;
  Settings S;
  (void)S.set(SettingId::Dir, Argv[1], "test");
  (void)S.set(SettingId::MaxSize, "2M", "test");
  (void)S.set(SettingId::MemorySize, "300K", "test");
  (void)S.set(SettingId::LeaseTimeout, "500", "test");
  for (int I = 4; I < Argc; ++I) {
    std::string_view Text = Argv[I];
    size_t Equals = std::min(Text.find('='), Text.size() - 1);
    if (S.set(Text.substr(0, Equals), Text.substr(Equals + 1), "test"))
      return 1;
  }
  auto Until = std::chrono::steady_clock::now() +
               std::chrono::milliseconds(int64_t(1000 * std::atof(Argv[2])));
  unsigned Seed = static_cast<unsigned>(std::atoi(Argv[3]));
  CacheOptions Options;
  Options.WriteInBackground = Seed % 2;
  Cache C(S, std::move(Options));
  std::thread Others[2];
  for (unsigned I = 0; I != 2; ++I)
    Others[I] = std::thread([&, I] { work(C, 3 * Seed + I, Until); });
  work(C, 3 * Seed + 2, Until);
  for (std::thread &T : Others)
    T.join();
  return 0;
}
