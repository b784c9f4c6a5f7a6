//===- CudaFFTTest.cpp - Transforms of libcufft ---------------------------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results are compared with the transform's definition, summed in extended
// precision: all elements of short lines, some of long ones.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Runtime.h"
#include "gtest/gtest.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <map>
#include <numbers>
#include <random>
#include <vector>

extern "C" {
int cufftCreate(int *);
int cufftDestroy(int);
int cufftPlan1d(int *, int, int, int);
int cufftPlan2d(int *, int, int, int);
int cufftPlan3d(int *, int, int, int, int);
int cufftPlanMany(int *, int, int *, int *, int, int, int *, int, int, int,
                  int);
int cufftMakePlan1d(int, int, int, int, size_t *);
int cufftXtMakePlanMany(int, int, long long *, long long *, long long,
                        long long, int, long long *, long long, long long, int,
                        long long, size_t *, int);
int cufftEstimate1d(int, int, int, size_t *);
int cufftGetSize(int, size_t *);
int cufftSetAutoAllocation(int, int);
int cufftSetWorkArea(int, void *);
int cufftSetStream(int, cudaStream_t);
int cufftExecC2C(int, void *, void *, int);
int cufftExecZ2Z(int, void *, void *, int);
int cufftExecR2C(int, void *, void *);
int cufftExecD2Z(int, void *, void *);
int cufftExecC2R(int, void *, void *);
int cufftExecZ2D(int, void *, void *);
int cufftXtExec(int, void *, void *, int);
int cufftXtSetCallback(int, void **, int, void **);
int cufftGetVersion(int *);
}

namespace {

constexpr int Forward = -1, Inverse = 1;
constexpr int C2C = 0x29, R2C = 0x2a, C2R = 0x2c;
constexpr int Z2Z = 0x69, D2Z = 0x6a, Z2D = 0x6c;
enum Result { Success, InvalidPlan, InvalidType = 3, InvalidValue };
enum { InvalidSize = 8, NoWorkspace = 13, NotSupported = 16 };

using Wide = std::complex<long double>;

/// Memory that host and device share.
template <typename T> class Shared {
public:
  explicit Shared(size_t Count) : Count(Count) {
    EXPECT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&Data),
                                Count * sizeof(T), 1),
              cudaSuccess);
    std::memset(static_cast<void *>(Data), 0, Count * sizeof(T));
  }
  Shared(const Shared &) = delete;
  Shared &operator=(const Shared &) = delete;
  ~Shared() { cudaFree(Data); }

  T *begin() { return Data; }
  T *end() { return Data + Count; }
  T &operator[](size_t I) { return Data[I]; }

private:
  size_t Count;
  T *Data = nullptr;
};

template <typename T> T randomNumber() {
  static std::minstd_rand Source(7);
  return std::uniform_real_distribution<T>(-1, 1)(Source);
}

template <typename T> void randomise(std::complex<T> &X) {
  X = {randomNumber<T>(), randomNumber<T>()};
}
template <typename T> void randomise(T &X) { X = randomNumber<T>(); }

using Extents = std::vector<int>;

int count(const Extents &N) {
  int Count = 1;
  for (int Extent : N)
    Count *= Extent;
  return Count;
}

/// exp(2 pi i K / N) for all K.
const std::vector<Wide> &rootsOfOne(int N) {
  static std::map<int, std::vector<Wide>> Known;
  std::vector<Wide> &Roots = Known[N];
  for (int K = int(Roots.size()); K < N; ++K)
    Roots.push_back(
        std::polar(1.0L, 2 * std::numbers::pi_v<long double> * K / N));
  return Roots;
}

/// Element K of the transform of a dense array, by its definition.
Wide element(const std::vector<Wide> &X, const Extents &N, int K,
             int Direction) {
  Wide Sum = 0;
  for (size_t I = 0; I != X.size(); ++I) {
    Wide Factor = 1;
    int RestI = int(I), RestK = K;
    for (size_t Axis = N.size(); Axis-- > 0;) {
      long long Extent = N[Axis], Product = RestI % Extent * (RestK % Extent);
      Factor *= rootsOfOne(N[Axis])[Product % Extent];
      RestI /= N[Axis];
      RestK /= N[Axis];
    }
    Sum += X[I] * (Direction == Forward ? std::conj(Factor) : Factor);
  }
  return Sum;
}

/// Results may be off by some roundings of the largest that there can be.
template <typename T> long double allowed(const Extents &N) {
  long double Size = std::sqrt((long double)count(N));
  return 16 * std::numeric_limits<T>::epsilon() * std::max(Size, 2.0L);
}

/// Compares all elements of small arrays and some of large ones.
template <typename T, typename Fn>
void compare(const std::vector<Wide> &X, const Extents &N, int Direction,
             Fn Found) {
  int Step = std::max(1, count(N) / 31);
  for (int K = 0; K < count(N); K += Step) {
    Wide Expected = element(X, N, K, Direction), Got = Found(K);
    ASSERT_LE(std::abs(Got - Expected), allowed<T>(N))
        << "element " << K << " of " << count(N) << ", direction " << Direction;
  }
}

template <typename T> struct Api;
template <> struct Api<float> {
  static constexpr int Complex = C2C, FromReal = R2C, ToReal = C2R;
  static constexpr auto Exec = cufftExecC2C;
  static constexpr auto ExecFromReal = cufftExecR2C;
  static constexpr auto ExecToReal = cufftExecC2R;
};
template <> struct Api<double> {
  static constexpr int Complex = Z2Z, FromReal = D2Z, ToReal = Z2D;
  static constexpr auto Exec = cufftExecZ2Z;
  static constexpr auto ExecFromReal = cufftExecD2Z;
  static constexpr auto ExecToReal = cufftExecZ2D;
};

int makePlan(Extents N, int Type) {
  int Plan = -1;
  EXPECT_EQ(cufftPlanMany(&Plan, int(N.size()), N.data(), nullptr, 1, 0,
                          nullptr, 1, 0, Type, 1),
            Success);
  return Plan;
}

template <typename T> void checkComplex(const Extents &N, bool IsInPlace) {
  Shared<std::complex<T>> In(count(N)), Out(count(N));
  int Plan = makePlan(N, Api<T>::Complex);
  for (int Direction : {Forward, Inverse}) {
    for (std::complex<T> &X : In)
      randomise(X);
    std::vector<Wide> X(In.begin(), In.end());
    Shared<std::complex<T>> &To = IsInPlace ? In : Out;
    ASSERT_EQ(Api<T>::Exec(Plan, In.begin(), To.begin(), Direction), Success);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    compare<T>(X, N, Direction, [&](int K) { return Wide(To[K]); });
  }
  EXPECT_EQ(cufftDestroy(Plan), Success);
}

/// The index of an element in the half of an array that is kept.
int halved(int K, const Extents &N) {
  int Half = N.back() / 2 + 1;
  return K / N.back() * Half + K % N.back();
}

/// How far lines of real elements are from each other.
int lineDistance(const Extents &N, bool IsInPlace) {
  return IsInPlace ? N.back() / 2 * 2 + 2 : N.back();
}

template <typename T> void checkReal(const Extents &N, bool IsInPlace) {
  int Lines = count(N) / N.back(), Half = N.back() / 2 + 1;
  int Distance = lineDistance(N, IsInPlace);
  Shared<T> In(size_t(Lines) * Distance);
  Shared<std::complex<T>> Out(size_t(Lines) * Half);
  std::vector<Wide> X(count(N));
  for (int I = 0; I != count(N); ++I) {
    T &Place = In[I / N.back() * Distance + I % N.back()];
    randomise(Place);
    X[I] = Place;
  }
  auto *To =
      IsInPlace ? reinterpret_cast<std::complex<T> *>(In.begin()) : Out.begin();
  int Plan = makePlan(N, Api<T>::FromReal);
  ASSERT_EQ(Api<T>::ExecFromReal(Plan, In.begin(), To), Success);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cufftDestroy(Plan);
  compare<T>(X, N, Forward, [&](int K) {
    return K % N.back() < Half ? Wide(To[halved(K, N)])
                               : element(X, N, K, Forward);
  });

  // And back, which gives the input times the number of its elements.
  Plan = makePlan(N, Api<T>::ToReal);
  std::vector<std::complex<T>> Kept(To, To + size_t(Lines) * Half);
  Shared<T> Back(size_t(Lines) * Distance);
  T *Real = IsInPlace ? In.begin() : Back.begin();
  ASSERT_EQ(Api<T>::ExecToReal(Plan, To, Real), Success);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cufftDestroy(Plan);
  for (int I = 0; I != count(N); ++I) {
    long double Got = Real[I / N.back() * Distance + I % N.back()];
    ASSERT_LE(std::abs(Got / count(N) - X[I].real()),
              16 * std::numeric_limits<T>::epsilon())
        << I;
  }
  // A program's input stays as it is.
  if (!IsInPlace) {
    EXPECT_TRUE(std::equal(Kept.begin(), Kept.end(), To));
  }
}

/// Products of radices, lengths in two steps, primes, and those whose
/// convolution takes two steps.
const std::vector<Extents> Arrays = {
    {1},    {2},     {3},       {4},        {5},       {6},      {7},
    {8},    {11},    {13},      {17},       {31},      {60},     {97},
    {128},  {243},   {1000},    {1001},     {2048},    {4099},   {8192},
    {8193}, {10007}, {16384},   {4, 6},     {5, 7},    {17, 19}, {1, 8},
    {9, 1}, {64, 3}, {3, 4, 5}, {2, 17, 8}, {7, 1, 6}, {8, 4, 2}};

TEST(CudaFFT, Complex) {
  for (const Extents &N : Arrays) {
    SCOPED_TRACE(testing::PrintToString(N));
    checkComplex<float>(N, false);
    checkComplex<double>(N, false);
    checkComplex<float>(N, true);
  }
}

TEST(CudaFFT, Real) {
  for (const Extents &N : Arrays) {
    SCOPED_TRACE(testing::PrintToString(N));
    checkReal<float>(N, false);
    checkReal<double>(N, false);
    checkReal<double>(N, true);
  }
}

/// Element I of transform B stands at B * Distance + I * Stride.
void checkStrides(int N, int Batch, int InStride, int InDistance, int OutStride,
                  int OutDistance, bool IsInPlace) {
  using Number = std::complex<double>;
  size_t InSize = size_t(Batch) * InDistance + size_t(N) * InStride;
  size_t OutSize = size_t(Batch) * OutDistance + size_t(N) * OutStride;
  Shared<Number> In(std::max(InSize, OutSize)), Other(OutSize);
  for (Number &X : In)
    randomise(X);
  std::vector<Number> Before(In.begin(), In.end());
  Shared<Number> &Out = IsInPlace ? In : Other;
  int Plan = -1, Embed[] = {N};
  ASSERT_EQ(cufftPlanMany(&Plan, 1, &N, Embed, InStride, InDistance, Embed,
                          OutStride, OutDistance, Z2Z, Batch),
            Success);
  ASSERT_EQ(cufftExecZ2Z(Plan, In.begin(), Out.begin(), Forward), Success);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cufftDestroy(Plan);
  for (int B = 0; B != Batch; ++B) {
    std::vector<Wide> X;
    for (int I = 0; I != N; ++I)
      X.push_back(Before[B * InDistance + I * InStride]);
    compare<double>(X, {N}, Forward, [&](int K) {
      return Wide(Out[B * OutDistance + K * OutStride]);
    });
  }
}

TEST(CudaFFT, StridesAndDistances) {
  for (int N : {6, 19, 300}) {
    SCOPED_TRACE(N);
    checkStrides(N, 5, 1, N, 1, N, false);
    checkStrides(N, 5, 5, 1, 1, N, false);
    checkStrides(N, 5, 1, N + 3, 7, 1, false);
    checkStrides(N, 5, 5, 1, 5, 1, true);
    // A block's results lie where others have not read yet.
    checkStrides(N, 500, 500, 1, 1, N, true);
  }
}

TEST(CudaFFT, ExtentsInMemory) {
  // Three arrays of 3 by 4, each in one of 5 by 6, two elements apart.
  int N[] = {3, 4}, Embed[] = {5, 6}, Plan = -1;
  Shared<std::complex<float>> In(3 * 60), Out(3 * 12);
  for (std::complex<float> &X : In)
    randomise(X);
  ASSERT_EQ(cufftPlanMany(&Plan, 2, N, Embed, 2, 60, nullptr, 1, 0, C2C, 3),
            Success);
  ASSERT_EQ(cufftExecC2C(Plan, In.begin(), Out.begin(), Forward), Success);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cufftDestroy(Plan);
  for (int B = 0; B != 3; ++B) {
    std::vector<Wide> X;
    for (int I = 0; I != 12; ++I)
      X.push_back(In[B * 60 + (I / 4 * 6 + I % 4) * 2]);
    compare<float>(X, {3, 4}, Forward,
                   [&](int K) { return Wide(Out[B * 12 + K]); });
  }
}

TEST(CudaFFT, WorkAreaAndStream) {
  constexpr int N = 4099;
  int Plan = -1;
  size_t Size = 0, Again = 0;
  cudaStream_t Stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&Stream), cudaSuccess);
  ASSERT_EQ(cufftCreate(&Plan), Success);
  ASSERT_EQ(cufftSetAutoAllocation(Plan, 0), Success);
  ASSERT_EQ(cufftMakePlan1d(Plan, N, C2C, 1, &Size), Success);
  EXPECT_EQ(cufftMakePlan1d(Plan, N, C2C, 1, &Size), InvalidPlan);
  EXPECT_EQ(cufftGetSize(Plan, &Again), Success);
  EXPECT_EQ(Size, Again);
  EXPECT_GE(Size, N * sizeof(std::complex<float>));
  ASSERT_EQ(cufftSetStream(Plan, Stream), Success);
  Shared<std::complex<float>> In(N), Out(N);
  for (std::complex<float> &X : In)
    randomise(X);
  EXPECT_EQ(cufftExecC2C(Plan, In.begin(), Out.begin(), Forward), NoWorkspace);
  Shared<char> Area(Size);
  ASSERT_EQ(cufftSetWorkArea(Plan, Area.begin()), Success);
  ASSERT_EQ(cufftExecC2C(Plan, In.begin(), Out.begin(), Forward), Success);
  ASSERT_EQ(cudaStreamSynchronize(Stream), cudaSuccess);
  std::vector<Wide> X(In.begin(), In.end());
  compare<float>(X, {N}, Forward, [&](int K) { return Wide(Out[K]); });
  EXPECT_EQ(cufftDestroy(Plan), Success);
  EXPECT_EQ(cufftDestroy(Plan), InvalidPlan);
  EXPECT_EQ(cudaStreamDestroy(Stream), cudaSuccess);
}

/// A plan that needs no memory says a size that can be allocated all the same.
TEST(CudaFFT, EveryPlanHasAWorkArea) {
  int Plan = -1;
  size_t Made = 0, Later = 0, Estimated = 0;
  ASSERT_EQ(cufftCreate(&Plan), Success);
  ASSERT_EQ(cufftMakePlan1d(Plan, 64, C2C, 1, &Made), Success);
  EXPECT_EQ(cufftGetSize(Plan, &Later), Success);
  EXPECT_EQ(cufftEstimate1d(64, C2C, 1, &Estimated), Success);
  EXPECT_GT(Made, 0u);
  EXPECT_EQ(Later, Made);
  EXPECT_EQ(Estimated, Made);
  EXPECT_EQ(cufftDestroy(Plan), Success);
}

/// Numbers of half precision; the transform itself is one of single precision.
TEST(CudaFFT, HalfPrecision) {
  constexpr int HalfComplex = 6;
  long long N = 64;
  int Plan = -1;
  size_t Size = 0;
  ASSERT_EQ(cufftCreate(&Plan), Success);
  ASSERT_EQ(cufftXtMakePlanMany(Plan, 1, &N, nullptr, 1, 0, HalfComplex,
                                nullptr, 1, 0, HalfComplex, 1, &Size,
                                HalfComplex),
            Success);
  Shared<_Float16> In(2 * N), Out(2 * N);
  std::vector<Wide> X;
  for (int I = 0; I != N; ++I) {
    In[2 * I] = _Float16(randomNumber<float>());
    In[2 * I + 1] = _Float16(randomNumber<float>());
    X.emplace_back(float(In[2 * I]), float(In[2 * I + 1]));
  }
  ASSERT_EQ(cufftXtExec(Plan, In.begin(), Out.begin(), Forward), Success);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cufftDestroy(Plan);
  for (int K = 0; K != N; ++K) {
    Wide Expected = element(X, {int(N)}, K, Forward);
    Wide Got = {float(Out[2 * K]), float(Out[2 * K + 1])};
    EXPECT_LE(std::abs(Got - Expected), 0x1p-11 * std::abs(Expected) + 0x1p-14);
  }
}

TEST(CudaFFT, Errors) {
  int Plan = -1, Version = 0, N[] = {4, 4, 4, 4};
  EXPECT_EQ(cufftPlan1d(&Plan, 0, C2C, 1), InvalidSize);
  EXPECT_EQ(cufftPlan1d(&Plan, 8, C2C, 0), InvalidSize);
  EXPECT_EQ(cufftPlan1d(&Plan, 8, 3, 1), InvalidType);
  EXPECT_EQ(cufftPlan1d(nullptr, 8, C2C, 1), InvalidValue);
  EXPECT_EQ(cufftPlan1d(&Plan, 2147483647, C2C, 1), InvalidSize);
  EXPECT_EQ(cufftPlanMany(&Plan, 4, N, nullptr, 1, 0, nullptr, 1, 0, C2C, 1),
            InvalidValue);
  EXPECT_EQ(cufftExecC2C(12345, &Plan, &Plan, Forward), InvalidPlan);
  ASSERT_EQ(cufftPlan2d(&Plan, 4, 4, C2C), Success);
  EXPECT_EQ(cufftExecC2C(Plan, nullptr, nullptr, Forward), InvalidValue);
  EXPECT_EQ(cufftExecR2C(Plan, N, N), InvalidPlan);
  EXPECT_EQ(cufftExecC2C(Plan, N, N, 0), InvalidValue);
  EXPECT_EQ(cufftXtSetCallback(Plan, nullptr, 0, nullptr), NotSupported);
  EXPECT_EQ(cufftDestroy(Plan), Success);
  EXPECT_EQ(cufftGetVersion(&Version), Success);
  EXPECT_EQ(Version / 1000, 12);
}

} // namespace
