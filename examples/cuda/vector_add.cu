// Adds two vectors.
#include "check.cuh"
#include <vector>

__global__ void add(const float *A, const float *B, float *C, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    C[I] = A[I] + B[I];
}

int main() {
  const int Count = 10000;
  const size_t Bytes = Count * sizeof(float);
  std::vector<float> A(Count), B(Count), C(Count, -1);
  for (int I = 0; I != Count; ++I) {
    A[I] = I;
    B[I] = 2 * I + 1;
  }
  float *DeviceA, *DeviceB, *DeviceC;
  CHECK(cudaMalloc(&DeviceA, Bytes));
  CHECK(cudaMalloc(&DeviceB, Bytes));
  CHECK(cudaMalloc(&DeviceC, Bytes));
  CHECK(cudaMemcpy(DeviceA, A.data(), Bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(DeviceB, B.data(), Bytes, cudaMemcpyHostToDevice));
  add<<<(Count + 255) / 256, 256>>>(DeviceA, DeviceB, DeviceC, Count);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(C.data(), DeviceC, Bytes, cudaMemcpyDeviceToHost));
  bool IsRight = true;
  for (int I = 0; I != Count; ++I)
    IsRight &= C[I] == 3.0f * I + 1;
  CHECK(cudaFree(DeviceA));
  CHECK(cudaFree(DeviceB));
  CHECK(cudaFree(DeviceC));
  return verdict(IsRight);
}
