//===- Float.cpp - References of the floating-point kernels -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with floating-point results, exact or with a stated bound. This file
// is compiled without contraction: std::fma stands where the kernel fuses.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace reference {

/// Half the distance between 1 and the next float: the largest relative error
/// of one rounding.
static constexpr double HalfUlp = 0x1p-24;

std::string number(double Value) {
  char Buffer[40];
  std::snprintf(Buffer, sizeof Buffer, "%.17g", Value);
  return Buffer;
}

std::string Random::json() const {
  return "{\"random\": {\"seed\": " + std::to_string(Seed) +
         ", \"low\": " + number(Low) + ", \"high\": " + number(High) + "}}";
}

void saxpy(ManifestWriter &W) {
  const unsigned N = 1000;
  const float A = 2.5f;
  const Random SourceX{1, -4, 4}, SourceY{2, -4, 4};

  W.launch("saxpy", {4, 1, 1}, {256, 1, 1});
  W.scalar(N);
  W.scalar(A);
  W.buffer<float>("x", N, SourceX.json());
  W.buffer<float>("y", N, SourceY.json());

  std::vector<float> X = SourceX.reals<float>(N), Y = SourceY.reals<float>(N);
  for (unsigned I = 0; I < N; ++I)
    Y[I] = std::fma(A, X[I], Y[I]);
  W.expect("y", Y);
}

void sgemm(ManifestWriter &W) {
  const unsigned M = 50, N = 37, K = 45, Tile = 16;
  const Random SourceA{3, -1, 1}, SourceB{4, -1, 1};

  W.launch("sgemm", {ceilDiv(N, Tile), ceilDiv(M, Tile), 1}, {Tile, Tile, 1});
  W.scalar(M);
  W.scalar(N);
  W.scalar(K);
  W.buffer<float>("a", M * K, SourceA.json());
  W.buffer<float>("b", K * N, SourceB.json());
  W.output<float>("c", M * N);

  std::vector<float> A = SourceA.reals<float>(M * K),
                     B = SourceB.reals<float>(K * N), C(M * N);
  for (unsigned I = 0; I < M; ++I)
    for (unsigned J = 0; J < N; ++J)
      for (unsigned L = 0; L < K; ++L)
        C[I * N + J] = std::fma(A[I * K + L], B[L * N + J], C[I * N + J]);
  W.expect("c", C);
}

/// A term of the sum, mass * d / (d^2 + s)^(3/2), has a relative error of at
/// most 24 roundings: one in each difference and its square (6), the sum of
/// squares (4), of which the root takes half and the cube three times as much
/// (15), rsqrt.approx at 2 ulp (4) three times (12) less what overlaps, and the
/// products. The sum adds one rounding of the running sum for each body. Terms
/// of both signs cancel, so the bound is absolute, over all bodies.
void nbody(ManifestWriter &W) {
  const unsigned N = 150, BlockSize = 64;
  const float Softening = 0.01f;
  const Random Source{5, 0.1, 1};

  W.launch("nbody", {ceilDiv(N, BlockSize), 1, 1}, {BlockSize, 1, 1});
  W.scalar(N);
  W.scalar(Softening);
  W.buffer<float>("bodies", 4 * N, Source.json());
  W.output<float>("accelerations", 4 * N);

  std::vector<float> Bodies = Source.reals<float>(4 * N), Result(4 * N);
  double Bound = 0;
  for (unsigned I = 0; I < N; ++I)
    for (unsigned Axis = 0; Axis < 3; ++Axis) {
      double Sum = 0, Magnitude = 0;
      for (unsigned J = 0; J < N; ++J) {
        double D[3], Distance2 = Softening;
        for (unsigned A = 0; A < 3; ++A) {
          D[A] = double(Bodies[4 * J + A]) - double(Bodies[4 * I + A]);
          Distance2 += D[A] * D[A];
        }
        double Term = Bodies[4 * J + 3] * D[Axis] / std::pow(Distance2, 1.5);
        Sum += Term;
        Magnitude += std::fabs(Term);
      }
      Result[4 * I + Axis] = float(Sum);
      Bound = std::max(Bound, (24 + N / 2) * HalfUlp * Magnitude);
    }
  W.expect("accelerations", Result, "\"atol\": " + number(Bound));
}

static double normalCDF(double X) { return 0.5 * std::erfc(-X / M_SQRT2); }

/// The error of D1 is that of a quotient of rounded terms, below 8 roundings of
/// its numerator's largest term over its denominator; the density (at most 0.4)
/// turns it into one of the distribution function, to which erfcf adds 5 ulp.
/// Both products and the difference are rounded. So the error of a price is
/// below (spot + strike) * (0.4 * 8 * |log + drift| / spread + 2 * |D1| + 16)
/// roundings; the largest over all options is the bound.
void blackscholes(ManifestWriter &W) {
  const unsigned N = 500;
  const float Rate = 0.02f, Volatility = 0.3f;
  const Random Spots{6, 5, 30}, Strikes{7, 5, 60}, Terms{8, 0.25, 5};

  W.launch("blackscholes", {4, 1, 1}, {128, 1, 1});
  W.scalar(N);
  W.scalar(Rate);
  W.scalar(Volatility);
  W.buffer<float>("spot", N, Spots.json());
  W.buffer<float>("strike", N, Strikes.json());
  W.buffer<float>("years", N, Terms.json());
  W.output<float>("call", N);
  W.output<float>("put", N);

  std::vector<float> Spot = Spots.reals<float>(N),
                     Strike = Strikes.reals<float>(N),
                     Years = Terms.reals<float>(N), Call(N), Put(N);
  double Bound = 0;
  for (unsigned I = 0; I < N; ++I) {
    double S = Spot[I], K = Strike[I], T = Years[I], R = Rate, V = Volatility;
    double Spread = V * std::sqrt(T), Drift = (R + 0.5 * V * V) * T;
    double D1 = (std::log(S / K) + Drift) / Spread, D2 = D1 - Spread;
    double Discounted = K * std::exp(-R * T);
    Call[I] = float(S * normalCDF(D1) - Discounted * normalCDF(D2));
    Put[I] = float(Discounted * normalCDF(-D2) - S * normalCDF(-D1));
    double Largest = 1 + std::fabs(std::log(S / K)) + Drift;
    Bound = std::max(Bound,
                     (S + K) * HalfUlp *
                         (0.4 * 8 * Largest / Spread + 2 * std::fabs(D1) + 16));
  }
  W.expect("call", Call, "\"atol\": " + number(Bound));
  W.expect("put", Put, "\"atol\": " + number(Bound));
}

void stencil(ManifestWriter &W) {
  const int Width = 45, Height = 35, Tile = 16;
  const float Beyond = 0.25f;
  const Random Source{9, -10, 10};

  W.launch("stencil", {ceilDiv(Width, Tile), ceilDiv(Height, Tile), 1},
           {Tile, Tile, 1});
  W.scalar(Width);
  W.scalar(Height);
  W.buffer<float>("in", Width * Height, Source.json());
  W.output<float>("out", Width * Height);
  W.symbol<float>("Beyond", 1, "{\"fill\": " + number(Beyond) + "}");

  const std::vector<float> Weights = {0.5f, 0.1f, 0.15f, 0.2f, 0.05f};
  std::vector<float> In = Source.reals<float>(Width * Height), Out;
  auto Cell = [&](int X, int Y) {
    bool Inside = X >= 0 && X < Width && Y >= 0 && Y < Height;
    return Inside ? In[Y * Width + X] : Beyond;
  };
  for (int Y = 0; Y < Height; ++Y)
    for (int X = 0; X < Width; ++X) {
      float Sum = Weights[0] * Cell(X, Y);
      Sum = std::fma(Weights[1], Cell(X, Y - 1), Sum);
      Sum = std::fma(Weights[2], Cell(X, Y + 1), Sum);
      Sum = std::fma(Weights[3], Cell(X - 1, Y), Sum);
      Sum = std::fma(Weights[4], Cell(X + 1, Y), Sum);
      Out.push_back(Sum);
    }
  W.expect("out", Out);
  W.expectSymbol("Weights", Weights);
}

static uint64_t bitsOf(double Value) {
  uint64_t Bits;
  std::memcpy(&Bits, &Value, sizeof Bits);
  return Bits;
}

void jacobi(ManifestWriter &W) {
  const unsigned N = 300, Sweeps = 4;
  const double Coupling = -1.0 / 3;
  const Random Diagonals{10, 2, 4}, Rights{16, -1, 1};
  std::vector<double> Diagonal = Diagonals.reals<double>(N),
                      B = Rights.reals<double>(N), X(N), New(N);
  std::vector<uint64_t> Changes(Sweeps);

  for (unsigned S = 0; S < Sweeps; ++S) {
    W.launch("jacobi", {3, 1, 1}, {128, 1, 1});
    W.scalar(N);
    W.scalar(Coupling);
    if (S == 0) {
      W.buffer<double>("diagonal", N, Diagonals.json());
      W.buffer<double>("b", N, Rights.json());
      W.buffer<double>("even", N, "\"zero\"");
      W.output<double>("odd", N);
      W.buffer<uint64_t>("changes", Sweeps, "\"zero\"");
    } else {
      W.again("diagonal");
      W.again("b");
      W.again(S % 2 ? "odd" : "even");
      W.again(S % 2 ? "even" : "odd");
      W.again("changes", S * sizeof(uint64_t));
    }
    for (unsigned I = 0; I < N; ++I) {
      double Sum = B[I];
      if (I >= 1)
        Sum = std::fma(-Coupling, X[I - 1], Sum);
      if (I + 1 < N)
        Sum = std::fma(-Coupling, X[I + 1], Sum);
      New[I] = Sum / Diagonal[I];
      Changes[S] = std::max(Changes[S], bitsOf(std::fabs(New[I] - X[I])));
    }
    std::swap(X, New);
  }
  W.expect("even", X);
  W.expect("odd", New);
  W.expect("changes", Changes);
}

/// Adds up in the kernel's order: each lane its own entries, then the lanes by
/// a tree.
void spmv(ManifestWriter &W) {
  const unsigned Rows = 70, Columns = 60, MaxLength = 150, Warp = 32;
  std::vector<uint32_t> Start{0}, Column;
  for (unsigned Row = 0; Row < Rows; ++Row) {
    // A quarter of the rows are empty, a quarter may be longer than a warp.
    uint32_t Kind = Random{17, 0, 3}.integers<uint32_t>(Rows)[Row];
    uint32_t Long = Random{18, 1, MaxLength}.integers<uint32_t>(Rows)[Row];
    Start.push_back(Start.back() + (Kind == 0   ? 0
                                    : Kind == 3 ? Long
                                                : 1 + Long % 20));
  }
  const unsigned Entries = Start.back();
  const Random Columns_{19, 0, double(Columns - 1)}, Values{20, -1, 1},
      Vector{21, -1, 1};

  W.launch("spmv", {ceilDiv(Rows * Warp, 128), 1, 1}, {128, 1, 1});
  W.scalar(Rows);
  W.buffer("row_start", Start);
  W.buffer<uint32_t>("column", Entries, Columns_.json());
  W.buffer<float>("value", Entries, Values.json());
  W.buffer<float>("x", Columns, Vector.json());
  W.output<float>("y", Rows);

  Column = Columns_.integers<uint32_t>(Entries);
  std::vector<float> Value = Values.reals<float>(Entries),
                     X = Vector.reals<float>(Columns), Y;
  for (unsigned Row = 0; Row < Rows; ++Row) {
    float Lanes[Warp] = {};
    for (unsigned I = Start[Row]; I < Start[Row + 1]; ++I) {
      float &Lane = Lanes[(I - Start[Row]) % Warp];
      Lane = std::fma(Value[I], X[Column[I]], Lane);
    }
    for (unsigned Distance = Warp / 2; Distance; Distance /= 2)
      for (unsigned L = 0; L < Distance; ++L)
        Lanes[L] += Lanes[L + Distance];
    Y.push_back(Lanes[0]);
  }
  W.expect("y", Y);
}

/// The difference is rounded in the reference as in the kernel. expf is within
/// 2 ulp (4 roundings), in numerator and denominator; the sum of positive terms
/// takes a rounding for each of a thread's additions and of the ten steps of
/// the two trees; the division takes one.
void softmax(ManifestWriter &W) {
  const unsigned Rows = 5, Columns = 300, Threads = 128;
  const Random Source{22, -8, 8};
  const double Bound = (4 + 4 + ceilDiv(Columns, Threads) + 10 + 1) * HalfUlp;

  W.launch("softmax", {Rows, 1, 1}, {Threads, 1, 1}, Threads / 32 * 4);
  W.scalar(Columns);
  W.buffer<float>("in", Rows * Columns, Source.json());
  W.output<float>("out", Rows * Columns);

  std::vector<float> In = Source.reals<float>(Rows * Columns), Out;
  for (unsigned R = 0; R < Rows; ++R) {
    const float *Row = In.data() + R * Columns;
    float Largest = *std::max_element(Row, Row + Columns);
    double Total = 0;
    for (unsigned C = 0; C < Columns; ++C)
      Total += std::exp(double(Row[C] - Largest));
    for (unsigned C = 0; C < Columns; ++C)
      Out.push_back(float(std::exp(double(Row[C] - Largest)) / Total));
  }
  W.expect("out", Out, "\"rtol\": " + number(Bound));
}

/// With operands below 16 in magnitude a double holds product and sum of halves
/// exactly, so the one rounding to half is that of the fused operation.
void haxpy(ManifestWriter &W) {
  const unsigned N = 1001;
  const _Float16 A = _Float16(1.75f);
  const Random SourceX{23, -4, 4}, SourceY{24, -4, 4};

  W.launch("haxpy", {4, 1, 1}, {128, 1, 1});
  W.scalar(N);
  W.scalar(A);
  W.buffer<_Float16>("x", N, SourceX.json());
  W.buffer<_Float16>("y", N, SourceY.json());
  W.launch("hdot2", {4, 1, 1}, {128, 1, 1});
  W.scalar(N / 2);
  W.again("x");
  W.again("y");
  W.output<_Float16>("dot", N / 2);

  std::vector<_Float16> X = SourceX.reals<_Float16>(N),
                        Y = SourceY.reals<_Float16>(N), Dot;
  for (unsigned I = 0; I < N; ++I)
    Y[I] = _Float16(double(A) * double(X[I]) + double(Y[I]));
  for (unsigned I = 0; I + 1 < N; I += 2)
    Dot.push_back(_Float16(
        std::fma(float(X[I]), float(Y[I]), float(X[I + 1]) * float(Y[I + 1]))));
  W.expect("y", Y);
  W.expect("dot", Dot);
}

void fptable(ManifestWriter &W) {
  const unsigned N = 200;
  const Random Source{25, 0.5, 4};
  W.launch("fptable", {2, 1, 1}, {128, 1, 1});
  W.scalar(N);
  W.buffer<float>("in", N, Source.json());
  W.output<float>("out", N);

  std::vector<float> In = Source.reals<float>(N), Out;
  for (unsigned I = 0; I < N; ++I) {
    float X = In[I];
    const float Unary[4] = {X * X, -X, std::sqrt(X), 0.5f * X};
    float Value = Unary[I % 4], Index = float(int(I));
    Out.push_back((I / 2) % 2 ? Value + Index : Value * Index);
  }
  W.expect("out", Out);
}

} // namespace reference
