//===- Integer.cpp - References of the exact kernels ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels whose results are whole numbers or text.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace reference {

void reduce(ManifestWriter &W) {
  const unsigned N = 5000;
  const Random Source{11, -1000, 1000};
  std::vector<int32_t> Integers = Source.integers<int32_t>(N);
  std::vector<float> In(Integers.begin(), Integers.end());

  W.launch("reduce", {5, 1, 1}, {128, 1, 1});
  W.scalar(N);
  W.buffer("in", In);
  W.buffer<float>("sum", 1, "\"zero\"");
  W.buffer<int32_t>("max", 1, "{\"fill\": -2147483648}");
  W.buffer<uint32_t>("ctas", 1, "\"zero\"");

  W.expect("sum", std::vector<float>{
                      float(std::accumulate(In.begin(), In.end(), 0.0))});
  W.expect("max", std::vector<int32_t>{
                      *std::max_element(Integers.begin(), Integers.end())});
  W.expect("ctas", std::vector<uint32_t>{5});
}

void scan(ManifestWriter &W) {
  const unsigned N = 1000, BlockSize = 128, Blocks = ceilDiv(N, BlockSize);
  const Random Source{12, 0, 1000000000};
  std::vector<uint32_t> In = Source.integers<uint32_t>(N);

  W.launch("scan_parts", {Blocks, 1, 1}, {BlockSize, 1, 1});
  W.scalar(N);
  W.buffer<uint32_t>("in", N, Source.json());
  W.output<uint32_t>("out", N);
  W.output<uint32_t>("totals", Blocks);
  W.launch("scan_totals", {1, 1, 1}, {BlockSize, 1, 1});
  W.scalar(Blocks);
  W.again("totals");
  W.launch("scan_add", {Blocks, 1, 1}, {BlockSize, 1, 1});
  W.scalar(N);
  W.again("totals");
  W.again("out");

  std::vector<uint32_t> Out(N);
  std::partial_sum(In.begin(), In.end(), Out.begin());
  std::vector<uint32_t> Totals(Blocks);
  for (unsigned B = 0; B < Blocks; ++B)
    Totals[B] = Out[std::min(N, (B + 1) * BlockSize) - 1];
  W.expect("out", Out);
  W.expect("totals", Totals);
}

void histogram(ManifestWriter &W) {
  const unsigned N = 5003, Bins = 64;
  const Random Source{13, 0, 255};
  std::vector<uint8_t> In = Source.integers<uint8_t>(N);

  W.launch("histogram", {3, 1, 1}, {96, 1, 1});
  W.scalar(N);
  W.buffer<uint8_t>("in", N, Source.json());
  W.buffer<uint32_t>("counts", Bins, "\"zero\"");

  std::vector<uint32_t> Counts(Bins);
  for (uint8_t Value : In)
    ++Counts[Value % Bins];
  W.expect("counts", Counts);
}

void mandelbrot(ManifestWriter &W) {
  const unsigned Width = 60, Height = 44, MaxIterations = 100;
  const float Left = -2.1f, Top = 1.1f, Step = 0.05f;

  W.launch("mandelbrot", {4, 6, 1}, {16, 8, 1});
  W.scalar(Width);
  W.scalar(Height);
  W.scalar(MaxIterations);
  W.scalar(Left);
  W.scalar(Top);
  W.scalar(Step);
  W.output<uint16_t>("counts", Width * Height);

  std::vector<uint16_t> Counts;
  for (unsigned Y = 0; Y < Height; ++Y)
    for (unsigned X = 0; X < Width; ++X) {
      float CR = std::fma(float(X), Step, Left);
      float CI = std::fma(float(Y), -Step, Top);
      float R = 0, I = 0;
      unsigned N = 0;
      for (; N < MaxIterations && R * R + I * I <= 4.0f; ++N) {
        float Product = R * I;
        R = R * R - I * I + CR;
        I = std::fma(2.0f, Product, CI);
      }
      Counts.push_back(uint16_t(N));
    }
  W.expect("counts", Counts);
}

void bitonic(ManifestWriter &W) {
  const unsigned N = 1024, Tile = 256;
  const Random Source{14, 0, 0xffffffff};
  const Dim Grid{N / Tile, 1, 1}, Block{Tile / 2, 1, 1};

  W.launch("bitonic_sort_tiles", Grid, Block);
  W.buffer<uint32_t>("data", N, Source.json());
  for (unsigned Length = 2 * Tile; Length <= N; Length *= 2) {
    for (unsigned Distance = Length / 2; Distance >= Tile; Distance /= 2) {
      W.launch("bitonic_step", Grid, Block);
      W.again("data");
      W.scalar(Length);
      W.scalar(Distance);
    }
    W.launch("bitonic_merge_tiles", Grid, Block);
    W.again("data");
    W.scalar(Length);
  }

  std::vector<uint32_t> Data = Source.integers<uint32_t>(N);
  std::sort(Data.begin(), Data.end());
  W.expect("data", Data);
}

static unsigned countQueens(unsigned Full, unsigned Columns, unsigned Left,
                            unsigned Right) {
  if (Columns == Full)
    return 1;
  unsigned Count = 0;
  for (unsigned Bit = 1; Bit & Full; Bit <<= 1)
    if (!(Bit & (Columns | Left | Right)))
      Count += countQueens(Full, Columns | Bit, (Left | Bit) << 1,
                           (Right | Bit) >> 1);
  return Count;
}

void recursion(ManifestWriter &W) {
  const unsigned N = 100;
  W.launch("recursion", {2, 1, 1}, {64, 1, 1});
  W.scalar(N);
  W.output<uint32_t>("queens", N);
  W.output<uint32_t>("ackermann", N);

  std::vector<uint32_t> Queens, Ackermann;
  for (unsigned I = 0; I < N; ++I) {
    Queens.push_back(countQueens((1u << (1 + I % 6)) - 1, 0, 0, 0));
    // The closed forms of the Ackermann function for 0, 1 and 2.
    const unsigned Y = I % 5, Values[3] = {Y + 1, Y + 2, 2 * Y + 3};
    Ackermann.push_back(Values[I % 3]);
  }
  W.expect("queens", Queens);
  W.expect("ackermann", Ackermann);
}

void spinlock(ManifestWriter &W) {
  const unsigned N = 90, Accounts = 11;
  const Dim Grid{2, 1, 1}, Block{48, 1, 1};

  W.launch("spinlock", Grid, Block);
  W.scalar(N);
  W.buffer<uint32_t>("lock", 1, "\"zero\"");
  W.buffer<uint32_t>("counters", 2, "\"zero\"");
  W.launch("transfer", Grid, Block);
  W.scalar(N);
  W.scalar(Accounts);
  W.buffer<uint32_t>("locks", Accounts, "\"zero\"");
  W.buffer<int32_t>("balances", Accounts, "{\"fill\": 1000}");
  W.launch("spinlock_inside", Grid, Block);
  W.scalar(N);
  W.again("lock");
  W.buffer<uint32_t>("counter", 1, "\"zero\"");

  std::vector<int32_t> Balances(Accounts, 1000);
  for (unsigned I = 0; I < N; ++I) {
    Balances[I % Accounts] -= int(I);
    Balances[(I * 6 + 3) % Accounts] += int(I);
  }
  W.expect("lock", std::vector<uint32_t>{0});
  W.expect("counters", std::vector<uint32_t>{N, N * (N - 1) / 2});
  W.expect("locks", std::vector<uint32_t>(Accounts, 0));
  W.expect("balances", Balances);
  W.expect("counter", std::vector<uint32_t>{N});
}

void printf(ManifestWriter &W) {
  const unsigned Blocks = 3, Threads = 20;
  const Random Source{15, -1000, 1000};
  std::vector<int32_t> Values = Source.integers<int32_t>(Blocks * Threads);

  W.launch("hello", {Blocks, 1, 1}, {Threads, 1, 1});
  W.buffer<int32_t>("values", Blocks * Threads, Source.json());
  W.output<int32_t>("returned", Blocks * Threads);

  std::string Text;
  char Line[160];
  for (unsigned B = 0; B < Blocks; ++B)
    for (unsigned T = 0; T < Threads; ++T) {
      std::snprintf(Line, sizeof Line, "block %u thread %2u: %+d %s %c\n", B, T,
                    Values[B * Threads + T], T % 2 ? "odd" : "even",
                    'a' + int(T));
      Text += Line;
    }
  std::snprintf(Line, sizeof Line, "%.3f %e %#x %lld %5.1f%% [%-6s|%6s]\n",
                1.0 / 3.0, 12345.678, 255u, -1234567890123ll, 99.5, "left",
                "right");
  W.expectOutput(Text + Line);
  // On the device printf returns the number of arguments after the format.
  W.expect("returned", std::vector<int32_t>(Blocks * Threads, 5));
}

} // namespace reference
