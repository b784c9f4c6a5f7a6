//===- streams.cu - Work of several threads in several streams --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every thread has a number that its kernels change, each in another stream,
// in an order that only events keep. What comes out depends on the order. The
// program ends while the device is still at work.
//
//===----------------------------------------------------------------------===//

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

static std::atomic<int> Wrong{0};

static void check(cudaError_t Code, int Line) {
  if (Code == cudaSuccess)
    return;
  std::printf("line %d: %s\n", Line, cudaGetErrorName(Code));
  ++Wrong;
}
#define CHECK(Call) check(Call, __LINE__)

static void expect(bool Holds, const char *What) {
  if (Holds)
    return;
  std::printf("wrong: %s\n", What);
  ++Wrong;
}

__device__ unsigned Threads;

/// The result depends on the steps before; Delay is how long it takes.
__global__ void step(unsigned *Number, unsigned Addend, unsigned Delay) {
  volatile unsigned Spent = 0;
  for (unsigned I = 0; I < Delay; ++I)
    Spent = Spent + 1;
  atomicAdd(&Threads, 1);
  if (threadIdx.x == 0)
    *Number = *Number * 3 + Addend;
}

/// What step does to a number.
static unsigned stepped(unsigned Number, unsigned Addend) {
  return Number * 3 + Addend;
}

constexpr int NumThreads = 6, NumStreams = 4, NumSteps = 30, BlockSize = 32;

static void work(int Id) {
  unsigned *Number;
  cudaStream_t Streams[NumStreams + 1]; // and the thread's own
  CHECK(cudaMalloc(&Number, 4));
  CHECK(cudaMemset(Number, 0, 4));
  for (int I = 0; I != NumStreams; ++I)
    CHECK(cudaStreamCreateWithFlags(
        &Streams[I], I % 2 ? cudaStreamNonBlocking : cudaStreamDefault));
  Streams[NumStreams] = cudaStreamPerThread;
  CHECK(cudaDeviceSynchronize());

  std::minstd_rand Random(Id + 1);
  std::vector<int> Called;
  struct Call {
    std::vector<int> *Called;
    int Step;
  };
  std::vector<Call> Calls(NumSteps);
  unsigned Expected = 0;
  cudaStream_t Last = nullptr;
  for (int I = 0; I != NumSteps; ++I) {
    cudaStream_t Next = Streams[Random() % (NumStreams + 1)];
    if (Last && Last != Next) {
      cudaEvent_t Done;
      CHECK(cudaEventCreateWithFlags(&Done, cudaEventDisableTiming));
      CHECK(cudaEventRecord(Done, Last));
      CHECK(cudaStreamWaitEvent(Next, Done, 0));
      CHECK(cudaEventDestroy(Done)); // which does not end the wait
    }
    step<<<1, BlockSize, 0, Next>>>(Number, I, Random() % 2000);
    CHECK(cudaGetLastError());
    Calls[I] = {&Called, I};
    CHECK(cudaLaunchHostFunc(
        Next,
        [](void *C) {
          static_cast<Call *>(C)->Called->push_back(
              static_cast<Call *>(C)->Step);
        },
        &Calls[I]));
    Expected = stepped(Expected, I);
    Last = Next;
  }
  CHECK(cudaStreamSynchronize(Last));
  unsigned Result;
  CHECK(cudaMemcpyAsync(&Result, Number, 4, cudaMemcpyDeviceToHost,
                        Streams[1]));
  CHECK(cudaStreamSynchronize(Streams[1]));
  expect(Result == Expected, "the order of a thread's kernels");
  bool InOrder = Called.size() == NumSteps;
  for (int I = 0; InOrder && I != NumSteps; ++I)
    InOrder = Called[I] == I;
  expect(InOrder, "the order of calls of the host");
  for (int I = 0; I != NumStreams; ++I)
    CHECK(cudaStreamDestroy(Streams[I]));
  CHECK(cudaFreeAsync(Number, cudaStreamPerThread));
}

/// Launches in the legacy default stream stand between those in blocking ones.
static void workAroundTheDefaultStream() {
  unsigned *Number, Result, Expected = 0, Addend = 0;
  cudaStream_t Streams[2];
  CHECK(cudaMalloc(&Number, 4));
  CHECK(cudaMemset(Number, 0, 4));
  for (cudaStream_t &S : Streams)
    CHECK(cudaStreamCreate(&S));
  CHECK(cudaDeviceSynchronize()); // the fill may be in a thread's own stream
  for (int I = 0; I != 20; ++I)
    for (cudaStream_t S : {Streams[I % 2], cudaStreamLegacy}) {
      step<<<1, BlockSize, 0, S>>>(Number, ++Addend, 1000);
      Expected = stepped(Expected, Addend);
    }
  CHECK(cudaMemcpy(&Result, Number, 4, cudaMemcpyDeviceToHost));
  expect(Result == Expected, "the order around the default stream");
}

int main() {
  std::vector<std::thread> Workers;
  for (int I = 0; I != NumThreads; ++I)
    Workers.emplace_back(work, I);
  for (std::thread &W : Workers)
    W.join();
  CHECK(cudaDeviceSynchronize());
  unsigned Ran;
  CHECK(cudaMemcpyFromSymbol(&Ran, Threads, 4));
  expect(Ran == NumThreads * NumSteps * BlockSize, "how many threads ran");
  workAroundTheDefaultStream();

  unsigned *Number;
  CHECK(cudaMalloc(&Number, 4));
  std::puts(Wrong ? "FAIL" : "PASS");
  for (int I = 0; I != 10; ++I)
    step<<<64, 256, 0, cudaStreamPerThread>>>(Number, I, 1000000);
  return Wrong != 0;
}
