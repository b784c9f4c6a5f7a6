//===- CudaAsyncTest.cpp - Order between streams and threads ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What waits for what, and what does not: a stream is held up by a function of
// the host, and the others are looked at. Threads with modules of their own.
//
//===----------------------------------------------------------------------===//

#include "CudaProgram.h"
#include "Runtime/Runtime.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

extern "C" {
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t, cudaHostFn_t, void *);
cudaError_t cudaStreamQuery_ptsz(cudaStream_t);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t);
}

namespace {

/// Holds up a stream until it is opened, and keeps the order of what runs.
class Gate {
public:
  /// Enqueues waiting for the gate with Enqueue(Function, Data).
  template <typename Fn> void close(Fn Enqueue) {
    expectSuccess(Enqueue(
        [](void *G) {
          while (!static_cast<Gate *>(G)->IsOpen)
            std::this_thread::yield();
        },
        this));
  }
  void open() { IsOpen = true; }

private:
  std::atomic<bool> IsOpen{false};
};

/// Notes the order in which marks are reached.
class Marks {
public:
  template <typename Fn> void add(int Number, Fn Enqueue) {
    auto *M = new Mark{this, Number};
    expectSuccess(Enqueue(
        [](void *Data) {
          std::unique_ptr<Mark> M(static_cast<Mark *>(Data));
          std::lock_guard Lock(M->Owner->Mutex);
          M->Owner->Reached.push_back(M->Number);
        },
        M));
  }
  std::vector<int> reached() {
    std::lock_guard Lock(Mutex);
    return Reached;
  }

private:
  struct Mark {
    Marks *Owner;
    int Number;
  };
  std::mutex Mutex;
  std::vector<int> Reached;
};

/// Enqueues functions of the host in a stream.
auto in(cudaStream_t Stream) {
  return [=](cudaHostFn_t Function, void *Data) {
    return cudaLaunchHostFunc(Stream, Function, Data);
  };
}
/// The same in stream 0 of code built with --default-stream per-thread.
auto inThreads() {
  return [](cudaHostFn_t Function, void *Data) {
    return cudaLaunchHostFunc_ptsz(nullptr, Function, Data);
  };
}

class CudaAsync : public CudaProgram {
protected:
  cudaStream_t stream(unsigned Flags = 0) {
    cudaStream_t S = nullptr;
    expectSuccess(cudaStreamCreateWithFlags(&S, Flags));
    return S;
  }
};

/// A function that a stream runs, by itself or as a node of a graph, may not
/// wait for streams, use their memory or enqueue anything.
TEST_F(CudaAsync, FunctionsOfStreamsMayNotCall) {
  struct {
    cudaStream_t Stream;
    void *Memory = nullptr;
    std::vector<cudaError_t> Codes = {};
  } Calls{stream()};
  expectSuccess(cudaMalloc(&Calls.Memory, 16));
  expectSuccess(cudaLaunchHostFunc(
      Calls.Stream,
      [](void *Place) {
        auto &C = *static_cast<decltype(Calls) *>(Place);
        void *Other = nullptr;
        C.Codes = {cudaFree(C.Memory),
                   cudaMalloc(&Other, 16),
                   cudaStreamSynchronize(C.Stream),
                   cudaMemsetAsync(C.Memory, 0, 16, C.Stream),
                   cudaMemset(C.Memory, 0, 16),
                   cudaDeviceSynchronize()};
      },
      &Calls));
  expectSuccess(cudaStreamSynchronize(Calls.Stream));
  EXPECT_EQ(Calls.Codes,
            std::vector<cudaError_t>(6, cudaError_t(/*NotPermitted*/ 800)));
  expectSuccess(cudaGetLastError());
  expectSuccess(cudaFree(Calls.Memory));
}

/// The legacy default stream waits for all blocking streams, and they for it;
/// one that does not block goes its own way.
TEST_F(CudaAsync, TheLegacyDefaultStreamIsABarrier) {
  cudaStream_t First = stream(), Later = stream();
  cudaStream_t Apart = stream(cudaStreamNonBlocking);
  Gate G;
  Marks M;
  G.close(in(First));
  M.add(1, in(First));
  M.add(2, in(nullptr));
  M.add(3, in(Later));
  M.add(4, in(Apart));
  expectSuccess(cudaStreamSynchronize(Apart)); // while First is held up
  EXPECT_EQ(M.reached(), std::vector<int>({4}));
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(Later), cudaErrorNotReady);
  G.open();
  expectSuccess(cudaDeviceSynchronize());
  EXPECT_EQ(M.reached(), std::vector<int>({4, 1, 2, 3}));
}

/// Blocking streams do not wait for each other.
TEST_F(CudaAsync, StreamsRunConcurrently) {
  cudaStream_t First = stream(), Second = stream();
  Gate G;
  Marks M;
  G.close(in(First));
  M.add(1, in(First));
  M.add(2, in(Second));
  expectSuccess(cudaStreamSynchronize(Second));
  EXPECT_EQ(M.reached(), std::vector<int>({2}));
  G.open();
  expectSuccess(cudaDeviceSynchronize());
}

/// An event stands for what was enqueued before it was recorded.
TEST_F(CudaAsync, EventsOrderStreams) {
  cudaStream_t First = stream(cudaStreamNonBlocking);
  cudaStream_t Second = stream(cudaStreamNonBlocking);
  cudaEvent_t Event;
  expectSuccess(cudaEventCreate(&Event));
  Gate G;
  Marks M;
  G.close(in(First));
  M.add(1, in(First));
  expectSuccess(cudaEventRecord(Event, First));
  M.add(2, in(Second)); // before it waits
  expectSuccess(cudaStreamWaitEvent(Second, Event, 0));
  M.add(3, in(Second));
  while (M.reached() != std::vector<int>({2}))
    std::this_thread::yield();
  EXPECT_EQ(cudaEventQuery(Event), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(Second), cudaErrorNotReady);
  G.open();
  expectSuccess(cudaDeviceSynchronize());
  EXPECT_EQ(M.reached(), std::vector<int>({2, 1, 3}));
  expectSuccess(cudaEventDestroy(Event));
}

/// Each thread has a default stream of its own; all of them are ordered with
/// the legacy one, and not with each other.
TEST_F(CudaAsync, ThreadsHaveDefaultStreams) {
  Gate G;
  Marks M;
  G.close(inThreads());
  M.add(1, inThreads());
  std::thread([&] {
    M.add(2, inThreads());
    expectSuccess(cudaStreamSynchronize_ptsz(nullptr));
    EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaSuccess);
  }).join();
  EXPECT_EQ(M.reached(), std::vector<int>({2}));
  EXPECT_EQ(cudaStreamQuery_ptsz(nullptr), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaErrorNotReady);
  M.add(3, in(cudaStreamLegacy));
  EXPECT_EQ(cudaStreamQuery(cudaStreamLegacy), cudaErrorNotReady);
  G.open();
  expectSuccess(cudaDeviceSynchronize());
  EXPECT_EQ(M.reached(), std::vector<int>({2, 1, 3}));
}

constexpr char Crash[] = R"(
.visible .entry crash() {
  .reg .u64 %a;
  mov.u64 %a, 64;
  st.global.u32 [%a], 1;
  ret;
})";

/// A fault is every thread's error until the device is reset.
TEST_F(CudaAsync, AFaultIsEverybodysError) {
  start(Crash);
  const void *Kernel = kernel("crash");
  void *Memory;
  expectSuccess(cudaMalloc(&Memory, 64));
  expectSuccess(cudaLaunchKernel(Kernel, {1, 1, 1}, {1, 1, 1}, nullptr, 0, {}));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  std::thread([&] {
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress); // it stays
    EXPECT_EQ(cudaMemsetAsync(Memory, 0, 64, nullptr), cudaErrorIllegalAddress);
    EXPECT_EQ(
        cudaLaunchKernel(Kernel, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr),
        cudaErrorIllegalAddress);
  }).join();
  expectSuccess(cudaDeviceReset());
  cudaGetLastError();
  std::thread([] {
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    void *Fresh;
    expectSuccess(cudaMalloc(&Fresh, 64));
    expectSuccess(cudaFree(Fresh));
  }).join();
}

/// A thread's module: adds a number of its own.
std::string moduleOf(int Number) {
  return R"(
.visible .entry add(.param .u64 p, .param .u32 n) {
  .reg .u64 %p, %a; .reg .u32 %n, %i, %t, %v; .reg .pred %q;
  ld.param.u64 %p, [p];
  ld.param.u32 %n, [n];
  mov.u32 %i, %ctaid.x;
  mov.u32 %t, %ntid.x;
  mul.lo.u32 %i, %i, %t;
  mov.u32 %t, %tid.x;
  add.u32 %i, %i, %t;
  setp.ge.u32 %q, %i, %n;
  @%q ret;
  mul.wide.u32 %a, %i, 4;
  add.u64 %a, %p, %a;
  ld.global.u32 %v, [%a];
  add.u32 %v, %v, )" +
         std::to_string(Number) + R"(;
  st.global.u32 [%a], %v;
  ret;
})";
}

/// One thread's part of the stress: modules come and go, two streams share
/// memory through an event, and everything is counted.
void work(int Number, int Rounds, std::atomic<int> &Wrong) {
  constexpr unsigned Count = 500;
  for (int Round = 0; Round != Rounds; ++Round) {
    struct {
      uint32_t Magic = 0x466243B1, Version = 1;
      const void *Data = nullptr, *Names = nullptr;
    } Wrapper;
    std::vector<char> Bytes = fatBinaryOf(
        ".version 8.0\n.target sm_90\n.address_size 64\n" + moduleOf(Number));
    Wrapper.Data = Bytes.data();
    void **Handle = __cudaRegisterFatBinary(&Wrapper);
    char Stub = 0;
    __cudaRegisterFunction(Handle, &Stub, nullptr, "add", -1, nullptr, nullptr,
                           nullptr, nullptr, nullptr);
    cudaStream_t First, Second;
    cudaEvent_t Event;
    void *Memory;
    unsigned N = Count, Results[Count];
    void *Arguments[] = {&Memory, &N};
    expectSuccess(cudaStreamCreateWithFlags(&First, cudaStreamNonBlocking));
    expectSuccess(cudaStreamCreateWithFlags(&Second, cudaStreamNonBlocking));
    expectSuccess(cudaEventCreate(&Event));
    expectSuccess(cudaMalloc(&Memory, sizeof(Results)));
    expectSuccess(cudaMemsetAsync(Memory, 0, sizeof(Results), First));
    for (int I = 0; I != 3; ++I) {
      cudaStream_t S = I % 2 ? Second : First;
      expectSuccess(
          cudaLaunchKernel(&Stub, {4, 1, 1}, {128, 1, 1}, Arguments, 0, S));
      expectSuccess(cudaEventRecord(Event, S));
      expectSuccess(cudaStreamWaitEvent(I % 2 ? First : Second, Event, 0));
    }
    expectSuccess(cudaMemcpyAsync(Results, Memory, sizeof(Results),
                                  cudaMemcpyDeviceToHost, Second));
    expectSuccess(cudaStreamSynchronize(Second));
    for (unsigned R : Results)
      Wrong += R != 3u * Number;
    expectSuccess(cudaFree(Memory));
    expectSuccess(cudaEventDestroy(Event));
    expectSuccess(cudaStreamDestroy(First));
    expectSuccess(cudaStreamDestroy(Second));
    __cudaUnregisterFatBinary(Handle);
  }
}

TEST_F(CudaAsync, ManyThreadsWithModulesOfTheirOwn) {
  setenv("HEDDLE_CACHE_MODE", "off", 1);
  std::atomic<int> Wrong{0};
  std::vector<std::thread> Threads;
  for (int Number = 1; Number <= 6; ++Number)
    Threads.emplace_back([&, Number] { work(Number, 4, Wrong); });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Wrong, 0);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

} // namespace
