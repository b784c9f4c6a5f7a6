// One layer of a transformer: normalisation, attention with several heads, and
// two more products, all of them on the tensor cores. The host computes the
// same in double precision, rounding where the device rounds.
#include "check.cuh"
#include <algorithm>
#include <cmath>
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>

using namespace nvcuda;

constexpr int Tokens = 32, Width = 64, Heads = 4, HeadWidth = Width / Heads;
constexpr int Hidden = 2 * Width; // of the feed-forward part
constexpr int Tile = 16;          // of a product on the tensor cores
static_assert(HeadWidth == Tile && Tokens == 32, "a warp has a row of scores");

enum class Then { Nothing, Gelu, AddResidual };

__host__ __device__ inline float gelu(float X) {
  return 0.5f * X * (1 + erff(X * 0.70710678f));
}

template <typename Layout>
using FragmentB =
    wmma::fragment<wmma::matrix_b, Tile, Tile, Tile, half, Layout>;
using FragmentA =
    wmma::fragment<wmma::matrix_a, Tile, Tile, Tile, half, wmma::row_major>;
using Accumulator = wmma::fragment<wmma::accumulator, Tile, Tile, Tile, float>;

/// A tile of A B for each block of one warp, of Columns columns in all and
/// Inner inner ones; then something for each element, which goes to Out, a
/// matrix of T.
template <Then Next, typename T>
__global__ void product(const half *A, const half *B, int Columns, int Inner,
                        const float *Residual, T *Out) {
  __shared__ float Result[Tile * Tile];
  int Row = blockIdx.y * Tile, Column = blockIdx.x * Tile;
  Accumulator Sum;
  wmma::fill_fragment(Sum, 0.0f);
  for (int K = 0; K != Inner; K += Tile) {
    FragmentA Left;
    FragmentB<wmma::row_major> Right;
    wmma::load_matrix_sync(Left, A + Row * Inner + K, Inner);
    wmma::load_matrix_sync(Right, B + K * Columns + Column, Columns);
    wmma::mma_sync(Sum, Left, Right, Sum);
  }
  wmma::store_matrix_sync(Result, Sum, Tile, wmma::mem_row_major);
  __syncwarp();
  for (int I = threadIdx.x; I < Tile * Tile; I += 32) {
    int At = (Row + I / Tile) * Columns + Column + I % Tile;
    float Value = Result[I];
    if (Next == Then::Gelu)
      Value = gelu(Value);
    else if (Next == Then::AddResidual)
      Value += Residual[At];
    Out[At] = Value;
  }
}

__device__ float sumOfWarp(float Value) {
  for (int Step = 16; Step; Step /= 2)
    Value += __shfl_xor_sync(~0u, Value, Step);
  return Value;
}

__device__ float maxOfWarp(float Value) {
  for (int Step = 16; Step; Step /= 2)
    Value = fmaxf(Value, __shfl_xor_sync(~0u, Value, Step));
  return Value;
}

/// Each row less its mean, over its standard deviation; a warp for each.
__global__ void normalize(const float *In, half *Out) {
  const float *Row = In + blockIdx.x * Width;
  float Sum = 0, Squares = 0;
  for (int I = threadIdx.x; I < Width; I += 32)
    Sum += Row[I];
  float Mean = sumOfWarp(Sum) / Width;
  for (int I = threadIdx.x; I < Width; I += 32)
    Squares += (Row[I] - Mean) * (Row[I] - Mean);
  float Scale = rsqrtf(sumOfWarp(Squares) / Width + 1e-5f);
  for (int I = threadIdx.x; I < Width; I += 32)
    Out[blockIdx.x * Width + I] = __float2half((Row[I] - Mean) * Scale);
}

/// softmax(Q K' / sqrt(HeadWidth)) V of one head, for Tile tokens a warp. A row
/// of Projected has the token's Q, K and V one behind the other.
__global__ void attend(const half *Projected, half *Out) {
  __shared__ float Scores[Tile * Tokens], Result[Tile * Tile];
  __shared__ half Weights[Tile * Tokens];
  constexpr int Pitch = 3 * Width;
  int Head = blockIdx.x * HeadWidth, First = blockIdx.y * Tile;
  const half *Q = Projected + First * Pitch + Head;
  const half *K = Projected + Width + Head, *V = K + Width;
  FragmentA Left;
  Accumulator Sum;
  wmma::load_matrix_sync(Left, Q, Pitch);
  for (int Token = 0; Token != Tokens; Token += Tile) {
    FragmentB<wmma::col_major> Keys; // K's rows are the columns
    wmma::load_matrix_sync(Keys, K + Token * Pitch, Pitch);
    wmma::fill_fragment(Sum, 0.0f);
    wmma::mma_sync(Sum, Left, Keys, Sum);
    wmma::store_matrix_sync(Scores + Token, Sum, Tokens, wmma::mem_row_major);
  }
  __syncwarp();
  for (int Row = 0; Row != Tile; ++Row) {
    float Score = Scores[Row * Tokens + threadIdx.x] / sqrtf(HeadWidth);
    float Power = expf(Score - maxOfWarp(Score));
    Weights[Row * Tokens + threadIdx.x] =
        __float2half(Power / sumOfWarp(Power));
  }
  __syncwarp();
  wmma::fill_fragment(Sum, 0.0f);
  for (int Token = 0; Token != Tokens; Token += Tile) {
    FragmentB<wmma::row_major> Values;
    wmma::load_matrix_sync(Left, Weights + Token, Tokens);
    wmma::load_matrix_sync(Values, V + Token * Pitch, Pitch);
    wmma::mma_sync(Sum, Left, Values, Sum);
  }
  wmma::store_matrix_sync(Result, Sum, Tile, wmma::mem_row_major);
  __syncwarp();
  for (int I = threadIdx.x; I < Tile * Tile; I += 32)
    Out[(First + I / Tile) * Width + Head + I % Tile] = __float2half(Result[I]);
}

//===----------------------------------------------------------------------===//
// The same on the host
//===----------------------------------------------------------------------===//

using Matrix = std::vector<double>;

static double rounded(double Value) {
  return __half2float(__float2half(Value));
}

static Matrix productOf(const Matrix &A, const Matrix &B, int Columns) {
  int Inner = B.size() / Columns;
  Matrix C(A.size() / Inner * Columns);
  for (size_t At = 0; At != C.size(); ++At)
    for (int K = 0; K != Inner; ++K)
      C[At] += A[At / Columns * Inner + K] * B[K * Columns + At % Columns];
  return C;
}

template <typename Fn> static Matrix map(Matrix M, Fn Function) {
  for (double &Value : M)
    Value = Function(Value);
  return M;
}

static Matrix plus(Matrix A, const Matrix &B) {
  for (size_t I = 0; I != A.size(); ++I)
    A[I] += B[I];
  return A;
}

static Matrix normalized(Matrix M) {
  for (int Token = 0; Token != Tokens; ++Token) {
    double *Row = &M[Token * Width], Mean = 0, Variance = 0;
    for (int I = 0; I != Width; ++I)
      Mean += Row[I] / Width;
    for (int I = 0; I != Width; ++I)
      Variance += (Row[I] - Mean) * (Row[I] - Mean) / Width;
    for (int I = 0; I != Width; ++I)
      Row[I] = rounded((Row[I] - Mean) / std::sqrt(Variance + 1e-5));
  }
  return M;
}

static Matrix attended(const Matrix &P) {
  Matrix Out(Tokens * Width);
  for (int Head = 0; Head != Heads; ++Head)
    for (int Row = 0; Row != Tokens; ++Row) {
      auto At = [&](int Token, int Part, int I) {
        return P[Token * 3 * Width + Part * Width + Head * HeadWidth + I];
      };
      double Weights[Tokens] = {}, Largest = -INFINITY, Sum = 0;
      for (int Token = 0; Token != Tokens; ++Token) {
        for (int I = 0; I != HeadWidth; ++I)
          Weights[Token] += At(Row, 0, I) * At(Token, 1, I);
        Weights[Token] /= std::sqrt(double(HeadWidth));
        Largest = std::max(Largest, Weights[Token]);
      }
      for (double &Weight : Weights)
        Sum += Weight = std::exp(Weight - Largest);
      for (int I = 0; I != HeadWidth; ++I) {
        double Value = 0;
        for (int Token = 0; Token != Tokens; ++Token)
          Value += rounded(Weights[Token] / Sum) * At(Token, 2, I);
        Out[Row * Width + Head * HeadWidth + I] = rounded(Value);
      }
    }
  return Out;
}

/// Numbers between -Range and Range that look random and are exact in half
/// precision.
static Matrix makeMatrix(int Count, double Range, unsigned Seed) {
  Matrix M(Count);
  for (double &Value : M) {
    Seed = Seed * 1664525 + 1013904223;
    Value = rounded(((Seed >> 8) / double(1 << 23) - 1) * Range);
  }
  return M;
}

/// Device memory with a matrix of T.
template <typename T> static T *toDevice(const Matrix &M) {
  std::vector<T> Values(M.size());
  for (size_t I = 0; I != M.size(); ++I)
    Values[I] = static_cast<T>(static_cast<float>(M[I]));
  T *Pointer;
  CHECK(cudaMalloc(&Pointer, M.size() * sizeof(T)));
  CHECK(cudaMemcpy(Pointer, Values.data(), M.size() * sizeof(T),
                   cudaMemcpyHostToDevice));
  return Pointer;
}

int main() {
  Matrix X = makeMatrix(Tokens * Width, 1, 1);
  Matrix ToQKV = makeMatrix(Width * 3 * Width, 0.3, 2);
  Matrix ToOut = makeMatrix(Width * Width, 0.3, 3);
  Matrix Up = makeMatrix(Width * Hidden, 0.3, 4);
  Matrix Down = makeMatrix(Hidden * Width, 0.3, 5);

  auto *DeviceX = toDevice<float>(X);
  auto *DeviceQKV = toDevice<half>(ToQKV), *DeviceOut = toDevice<half>(ToOut);
  auto *DeviceUp = toDevice<half>(Up), *DeviceDown = toDevice<half>(Down);
  auto *Normal = toDevice<half>(Matrix(Tokens * Width));
  auto *Projected = toDevice<half>(Matrix(Tokens * 3 * Width));
  auto *Attended = toDevice<half>(Matrix(Tokens * Width));
  auto *Middle = toDevice<float>(Matrix(Tokens * Width));
  auto *Active = toDevice<half>(Matrix(Tokens * Hidden));
  auto *Result = toDevice<float>(Matrix(Tokens * Width));
  auto Tiles = [](int Columns) { return dim3(Columns / Tile, Tokens / Tile); };

  normalize<<<Tokens, 32>>>(DeviceX, Normal);
  product<Then::Nothing><<<Tiles(3 * Width), 32>>>(Normal, DeviceQKV, 3 * Width,
                                                   Width, nullptr, Projected);
  attend<<<dim3(Heads, Tokens / Tile), 32>>>(Projected, Attended);
  product<Then::AddResidual><<<Tiles(Width), 32>>>(Attended, DeviceOut, Width,
                                                   Width, DeviceX, Middle);
  normalize<<<Tokens, 32>>>(Middle, Normal);
  product<Then::Gelu>
      <<<Tiles(Hidden), 32>>>(Normal, DeviceUp, Hidden, Width, nullptr, Active);
  product<Then::AddResidual>
      <<<Tiles(Width), 32>>>(Active, DeviceDown, Width, Hidden, Middle, Result);
  CHECK(cudaGetLastError());
  std::vector<float> Values(Tokens * Width);
  CHECK(cudaMemcpy(Values.data(), Result, Values.size() * sizeof(float),
                   cudaMemcpyDeviceToHost));

  Matrix QKV = map(productOf(normalized(X), ToQKV, 3 * Width), rounded);
  Matrix Half = plus(productOf(attended(QKV), ToOut, Width), X);
  Matrix Inner = map(productOf(normalized(Half), Up, Hidden),
                     [](double V) { return rounded(gelu(V)); });
  Matrix Expected = plus(productOf(Inner, Down, Width), Half);
  double Worst = 0, Largest = 0;
  for (size_t I = 0; I != Expected.size(); ++I) {
    Worst = std::max(Worst, std::abs(Values[I] - Expected[I]));
    Largest = std::max(Largest, std::abs(Expected[I]));
  }
  std::printf("largest error %.2g of values up to %.2g\n", Worst, Largest);
  // A value may be rounded to the other of two neighbours in half precision.
  return verdict(Worst < Largest / 1000);
}
