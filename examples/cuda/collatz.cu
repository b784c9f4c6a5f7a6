// Counts the steps of the Collatz sequence from each number to 1: threads of a
// warp take as many turns as the one with most steps.
#include "check.cuh"
#include <vector>

__host__ __device__ int stepsOf(unsigned Value) {
  int Count = 0;
  while (Value != 1) {
    Value = Value % 2 ? 3 * Value + 1 : Value / 2;
    ++Count;
  }
  return Count;
}

__global__ void countSteps(int *Counts, int Numbers) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Numbers)
    Counts[I] = stepsOf(I + 1);
}

int main() {
  const int Numbers = 16384;
  std::vector<int> Counts(Numbers, -1);
  int *DeviceCounts;
  CHECK(cudaMalloc(&DeviceCounts, Numbers * sizeof(int)));
  countSteps<<<Numbers / 256, 256>>>(DeviceCounts, Numbers);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(Counts.data(), DeviceCounts, Numbers * sizeof(int),
                   cudaMemcpyDeviceToHost));
  bool IsRight = true;
  for (int I = 0; I != Numbers; ++I)
    IsRight &= Counts[I] == stepsOf(I + 1);
  return verdict(IsRight);
}
