// A program whose kernels launch kernels, for nvcc -rdc=true -lcudadevrt: sorts
// and prints what the host finds.
#include "../../DynamicParallelism/Inputs/quicksort.cu"

#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
  constexpr int Count = 2000;
  std::vector<int> Wanted(Count), Sorted(Count);
  for (int I = 0; I != Count; ++I)
    Wanted[I] = I * 7919 % 1009;
  int *Data;
  cudaMalloc(&Data, Count * sizeof(int));
  cudaMemcpy(Data, Wanted.data(), Count * sizeof(int), cudaMemcpyHostToDevice);
  quicksort<<<1, 1>>>(Data, 0, Count - 1, 0);
  cudaError_t Code = cudaDeviceSynchronize();
  cudaMemcpy(Sorted.data(), Data, Count * sizeof(int), cudaMemcpyDeviceToHost);
  std::sort(Wanted.begin(), Wanted.end());
  bool IsRight = Code == cudaSuccess && Sorted == Wanted;
  std::printf("%s: %s\n", IsRight ? "PASS" : "FAIL", cudaGetErrorString(Code));
  return !IsRight;
}
