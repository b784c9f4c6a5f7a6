// Multiplies pairs of matrices, each pair in a stream of its own, and takes the
// time with events.
#include "check.cuh"
#include <vector>

constexpr int Tile = 16;

/// C = A B, of Size times Size floats; Size is a multiple of Tile.
__global__ void multiply(const float *A, const float *B, float *C, int Size) {
  __shared__ float TileA[Tile][Tile], TileB[Tile][Tile];
  int X = threadIdx.x, Y = threadIdx.y;
  int Row = blockIdx.y * Tile + Y, Column = blockIdx.x * Tile + X;
  float Sum = 0;
  for (int K = 0; K != Size; K += Tile) {
    TileA[Y][X] = A[Row * Size + K + X];
    TileB[Y][X] = B[(K + Y) * Size + Column];
    __syncthreads();
    for (int I = 0; I != Tile; ++I)
      Sum += TileA[Y][I] * TileB[I][X];
    __syncthreads();
  }
  C[Row * Size + Column] = Sum;
}

/// Small integers, whose sums of products are exact in any order.
static float element(int Matrix, int Index) {
  return (Index * 7 + Matrix * 3) % 11 - 5;
}

int main() {
  const int Size = 64, NumPairs = 3;
  const size_t Count = Size * Size, Bytes = Count * sizeof(float);
  struct Pair {
    float *Host, *A, *B, *C; // Host is pinned, and has all three
    cudaStream_t Stream;
  } Pairs[NumPairs];
  cudaEvent_t Begin, End, Done[NumPairs];
  CHECK(cudaEventCreate(&Begin));
  CHECK(cudaEventCreate(&End));
  CHECK(cudaEventRecord(Begin));
  for (int P = 0; P != NumPairs; ++P) {
    Pair &It = Pairs[P];
    CHECK(cudaStreamCreateWithFlags(&It.Stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&Done[P], cudaEventDisableTiming));
    CHECK(cudaMallocHost(&It.Host, 3 * Bytes));
    CHECK(cudaMalloc(&It.A, Bytes));
    CHECK(cudaMalloc(&It.B, Bytes));
    CHECK(cudaMalloc(&It.C, Bytes));
    for (size_t I = 0; I != 2 * Count; ++I)
      It.Host[I] = element(P, I);
    CHECK(cudaMemcpyAsync(It.A, It.Host, Bytes, cudaMemcpyHostToDevice,
                          It.Stream));
    CHECK(cudaMemcpyAsync(It.B, It.Host + Count, Bytes, cudaMemcpyHostToDevice,
                          It.Stream));
    multiply<<<dim3(Size / Tile, Size / Tile), dim3(Tile, Tile), 0,
               It.Stream>>>(It.A, It.B, It.C, Size);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(It.Host + 2 * Count, It.C, Bytes,
                          cudaMemcpyDeviceToHost, It.Stream));
    CHECK(cudaEventRecord(Done[P], It.Stream));
  }
  for (cudaEvent_t Event : Done)
    CHECK(cudaStreamWaitEvent(nullptr, Event));
  CHECK(cudaEventRecord(End));
  CHECK(cudaEventSynchronize(End));
  float Milliseconds;
  CHECK(cudaEventElapsedTime(&Milliseconds, Begin, End));
  std::printf("%d products of %d x %d: %.3f ms\n", NumPairs, Size, Size,
              Milliseconds);
  bool IsRight = Milliseconds > 0;
  for (int P = 0; P != NumPairs; ++P)
    for (int Row = 0; Row != Size; ++Row)
      for (int Column = 0; Column != Size; ++Column) {
        float Sum = 0;
        for (int K = 0; K != Size; ++K)
          Sum += element(P, Row * Size + K) *
                 element(P, Count + K * Size + Column);
        IsRight &= Pairs[P].Host[2 * Count + Row * Size + Column] == Sum;
      }
  return verdict(IsRight);
}
