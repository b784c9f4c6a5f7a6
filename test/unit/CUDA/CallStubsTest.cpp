//===- CallStubsTest.cpp - Calls that are noted ---------------------------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stub knows nothing of its function's type: whatever is passed and returned
// comes through, while calls are noted.
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

/// By value it is on the stack.
struct Large {
  uint64_t Words[7];
};
/// By value it is in registers.
struct Small {
  uint64_t First;
  double Second;
};

/// Where calls go, for which the library looks when it hands out the first
/// stub.
struct Timeline {
  std::string File = (std::filesystem::temp_directory_path() /
                      ("heddle-stubs-" + std::to_string(getpid()) + ".pftrace"))
                         .string();
  void *Library = nullptr;

  Timeline() {
    setenv("HEDDLE_TIMELINE", File.c_str(), 1);
    Library = dlopen(HEDDLE_CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  }
  ~Timeline() { std::filesystem::remove(File); }
};

Timeline &timeline() {
  static Timeline Calls;
  return Calls;
}

/// The stub of a function.
template <typename Fn> Fn *stubOf(const char *Name, Fn *Function) {
  auto *StubOf = reinterpret_cast<void *(*)(const char *, void *)>(
      dlsym(timeline().Library, "heddleStubOf"));
  return reinterpret_cast<Fn *>(
      StubOf(Name, reinterpret_cast<void *>(Function)));
}

std::vector<double> Seen;
const void *Caller = nullptr;

double takeMany(int A, double B, uint64_t C, float D, short E, long F, char G,
                Large H, double I, double J, double K, double L, double M,
                double N, double O, int P, Small Q, uint64_t R) {
  Caller = __builtin_return_address(0);
  Seen = {double(A), B, double(C), D, double(E), double(F), double(G)};
  for (uint64_t Word : H.Words)
    Seen.push_back(double(Word));
  for (double Value :
       {I, J, K, L, M, N, O, double(P), double(Q.First), Q.Second, double(R)})
    Seen.push_back(Value);
  return 0.25;
}

TEST(CallStubs, PassAllArguments) {
  auto *Stub = stubOf("cudaTakeMany", takeMany);
  ASSERT_NE(Stub, takeMany);
  EXPECT_EQ(Stub(1, 2, 3, 4, 5, 6, 7, {{8, 9, 10, 11, 12, 13, 14}}, 15, 16, 17,
                 18, 19, 20, 21, 22, {23, 24}, 25),
            0.25);
  ASSERT_EQ(Seen.size(), 25u);
  for (size_t I = 0; I != Seen.size(); ++I)
    EXPECT_EQ(Seen[I], double(I + 1));
  // The call was noted: it came from the library.
  Dl_info Info;
  ASSERT_TRUE(dladdr(Caller, &Info));
  EXPECT_NE(std::string(Info.dli_fname).find("libheddle-cuda"),
            std::string::npos)
      << Info.dli_fname;
}

Large returnLarge(uint64_t Seed) {
  Large L;
  for (uint64_t &Word : L.Words)
    Word = Seed++;
  return L;
}
Small returnSmall(double Value) { return {uint64_t(Value), Value}; }
__uint128_t returnWide() { return __uint128_t(7) << 64 | 9; }

TEST(CallStubs, ReturnWhatTheFunctionReturns) {
  Large L = stubOf("cudaReturnLarge", returnLarge)(100);
  EXPECT_EQ(L.Words[0], 100u);
  EXPECT_EQ(L.Words[6], 106u);
  Small S = stubOf("cudaReturnSmall", returnSmall)(3.5);
  EXPECT_EQ(S.First, 3u);
  EXPECT_EQ(S.Second, 3.5);
  EXPECT_TRUE(stubOf("cuReturnWide", returnWide)() ==
              (__uint128_t(7) << 64 | 9));
}

int inner(int Value) { return Value + 1; }
int outer(int Depth) {
  auto *Stub = stubOf("cuOuter", outer);
  return Depth ? Stub(Depth - 1) + 1 : stubOf("cuInner", inner)(0);
}

TEST(CallStubs, NestAndRunOnManyThreads) {
  EXPECT_EQ(stubOf("cuOuter", outer)(20), 21);
  std::atomic<int> Wrong{0};
  std::vector<std::thread> Threads;
  for (int T = 0; T != 4; ++T)
    Threads.emplace_back([&] {
      auto *Stub = stubOf("cuInner", inner);
      for (int I = 0; I != 1000; ++I)
        Wrong += Stub(I) != I + 1;
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Wrong, 0);
}

TEST(CallStubs, AreThereForFunctionsOfInterest) {
  EXPECT_EQ(stubOf("nvmlInner", inner), inner);
  EXPECT_EQ(stubOf("__cudaInner", inner), inner);
  auto *Stub = stubOf("cufftInner", inner);
  EXPECT_NE(Stub, inner);
  EXPECT_EQ(stubOf("cufftInner", inner), Stub);
  EXPECT_NE(stubOf("ncclInner", inner), Stub);
}

} // namespace
