//===- MemoryBenchmark.cpp - Copies and fills of CUDA programs --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gigabytes a second of the CUDA functions that fill and copy memory, and of
// memset and memcpy of the C library over as many bytes in turns with them:
// `ratio` is the first through the second. All memory has been touched before.
// Last come allocations, whose memory is touched for the first time.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

extern "C" {
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemset2D(void *, size_t, int, size_t, size_t);
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t,
                         cudaMemcpyKind);
int cuMemsetD16_v2(uint64_t, unsigned short, size_t);
int cuMemsetD32_v2(uint64_t, unsigned, size_t);
}

namespace {

constexpr size_t Bytes = 64 << 20;
constexpr unsigned Rounds = 25;

void check(cudaError_t Code) {
  if (Code == cudaSuccess)
    return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(Code));
  std::exit(1);
}

double secondsOf(const std::function<void()> &Work) {
  auto Start = std::chrono::steady_clock::now();
  Work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
      .count();
}

/// The best times of both, in turns: other work on the machine slows either.
void compare(const char *Name, const std::function<void()> &Ours,
             const std::function<void()> &Hosts, size_t Moved = Bytes) {
  constexpr double Never = std::numeric_limits<double>::infinity();
  double Seconds = Never, HostSeconds = Never;
  for (unsigned N = 0; N < Rounds; ++N) {
    Seconds = std::min(Seconds, secondsOf(Ours));
    HostSeconds = std::min(HostSeconds, secondsOf(Hosts));
  }
  std::printf("%-28s %6.2f GB/s  host %6.2f GB/s  ratio %.2f\n", Name,
              Moved / Seconds / 1e9, Moved / HostSeconds / 1e9,
              HostSeconds / Seconds);
}

struct Buffers {
  char *Device, *Other, *Pinned, *Managed;
  std::vector<char> From = std::vector<char>(Bytes, 1);
  std::vector<char> To = std::vector<char>(Bytes, 2);
};

Buffers allocateAll() {
  Buffers B;
  auto Pointer = [](char *&P) { return reinterpret_cast<void **>(&P); };
  check(cudaMalloc(Pointer(B.Device), Bytes));
  check(cudaMalloc(Pointer(B.Other), Bytes));
  check(cudaHostAlloc(Pointer(B.Pinned), Bytes, 0));
  check(cudaMallocManaged(Pointer(B.Managed), Bytes, 1));
  for (char *P : {B.Device, B.Other, B.Pinned, B.Managed})
    check(cudaMemset(P, 3, Bytes));
  return B;
}

void compareFills(Buffers &B) {
  auto Host = [&] { std::memset(B.To.data(), 5, Bytes); };
  // A fill is not over when the call returns.
  auto Fill = [&](const char *Name, const std::function<int()> &Call) {
    auto Ours = [&] {
      check(cudaError_t(Call()));
      check(cudaDeviceSynchronize());
    };
    compare(Name, Ours, Host);
  };
  uint64_t Address = reinterpret_cast<uintptr_t>(B.Device);
  Fill("memset", [&] { return cudaMemset(B.Device, 5, Bytes); });
  Fill("memset of 16 bits",
       [&] { return cuMemsetD16_v2(Address, 0x1234, Bytes / 2); });
  Fill("memset of 32 bits",
       [&] { return cuMemsetD32_v2(Address, 0x12345678, Bytes / 4); });
  Fill("memset managed", [&] { return cudaMemset(B.Managed, 5, Bytes); });
  Fill("memset pinned", [&] { return cudaMemset(B.Pinned, 5, Bytes); });
  for (size_t Row : {256, 4096}) {
    std::string Name = "memset 2D, rows of " + std::to_string(Row / 2);
    compare(
        Name.c_str(),
        [&] {
          check(cudaMemset2D(B.Device, Row, 5, Row / 2, Bytes / Row));
          check(cudaDeviceSynchronize());
        },
        [&] {
          for (size_t At = 0; At < Bytes; At += Row)
            std::memset(B.To.data() + At, 5, Row / 2);
        },
        Bytes / 2);
  }
}

void compareCopies(Buffers &B) {
  auto Host = [&] { std::memcpy(B.To.data(), B.From.data(), Bytes); };
  auto Copy = [&](const char *Name, void *To, const void *From,
                  cudaMemcpyKind Kind) {
    compare(Name, [=] { check(cudaMemcpy(To, From, Bytes, Kind)); }, Host);
  };
  Copy("pageable to device", B.Device, B.From.data(), cudaMemcpyHostToDevice);
  Copy("device to pageable", B.To.data(), B.Device, cudaMemcpyDeviceToHost);
  Copy("pinned to device", B.Device, B.Pinned, cudaMemcpyHostToDevice);
  Copy("device to pinned", B.Pinned, B.Device, cudaMemcpyDeviceToHost);
  Copy("managed to device", B.Device, B.Managed, cudaMemcpyDefault);
  Copy("device to device", B.Other, B.Device, cudaMemcpyDeviceToDevice);
  Copy("host to host", B.To.data(), B.From.data(), cudaMemcpyHostToHost);
  compare(
      "pageable to device, async",
      [&] {
        check(cudaMemcpyAsync(B.Device, B.From.data(), Bytes,
                              cudaMemcpyHostToDevice, nullptr));
        check(cudaDeviceSynchronize());
      },
      Host);
  for (size_t Row : {256, 4096}) {
    std::string Name = "copy 2D, rows of " + std::to_string(Row / 2);
    compare(
        Name.c_str(),
        [&] {
          check(cudaMemcpy2D(B.Device, Row, B.From.data(), Row, Row / 2,
                             Bytes / Row, cudaMemcpyHostToDevice));
        },
        [&] {
          for (size_t At = 0; At < Bytes; At += Row)
            std::memcpy(B.To.data() + At, B.From.data() + At, Row / 2);
        },
        Bytes / 2);
  }
}

void measureAllocations() {
  for (size_t Size : {size_t(4096), size_t(1) << 20, size_t(3) << 30}) {
    void *P = nullptr;
    double Seconds = secondsOf([&] { check(cudaMalloc(&P, Size)); });
    std::printf("cudaMalloc of %10zu bytes %8.1f us\n", Size, Seconds * 1e6);
    check(cudaFree(P));
  }
  compare(
      "memset of fresh memory",
      [] {
        void *P = nullptr;
        check(cudaMalloc(&P, Bytes));
        check(cudaMemset(P, 5, Bytes));
        check(cudaFree(P));
      },
      [] {
        void *P = std::malloc(Bytes);
        std::memset(P, 5, Bytes);
        asm volatile("" : : "r"(P) : "memory");
        std::free(P);
      });
}

} // namespace

int main() {
  Buffers B = allocateAll();
  compareFills(B);
  compareCopies(B);
  measureAllocations();
  return 0;
}
