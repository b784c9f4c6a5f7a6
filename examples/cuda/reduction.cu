// Adds up an array in one launch: every block its part, and after all blocks
// have met, the first one the parts.
#include "check.cuh"
#include <cooperative_groups.h>
#include <vector>

namespace cg = cooperative_groups;

/// The sum of a block's values, in thread 0.
__device__ unsigned long long sumOfBlock(unsigned long long Value) {
  __shared__ unsigned long long Parts[32];
  auto Block = cg::this_thread_block();
  auto Warp = cg::tiled_partition<32>(Block);
  for (int Step = 16; Step; Step /= 2)
    Value += Warp.shfl_down(Value, Step);
  if (Warp.thread_rank() == 0)
    Parts[Warp.meta_group_rank()] = Value;
  Block.sync();
  Value = 0;
  if (Block.thread_rank() == 0)
    for (unsigned I = 0; I != Warp.meta_group_size(); ++I)
      Value += Parts[I];
  Block.sync();
  return Value;
}

__global__ void reduce(const unsigned *In, int Count, unsigned long long *Parts,
                       unsigned long long *Result) {
  auto Grid = cg::this_grid();
  unsigned long long Sum = 0;
  for (long I = Grid.thread_rank(); I < Count; I += Grid.size())
    Sum += In[I];
  Sum = sumOfBlock(Sum);
  if (threadIdx.x == 0)
    Parts[blockIdx.x] = Sum;
  Grid.sync();
  if (blockIdx.x != 0)
    return;
  Sum = sumOfBlock(threadIdx.x < gridDim.x ? Parts[threadIdx.x] : 0);
  if (threadIdx.x == 0)
    *Result = Sum;
}

int main() {
  int Count = 50000, NumBlocks = 8;
  std::vector<unsigned> Values(Count);
  unsigned long long Expected = 0, Result = 0;
  for (int I = 0; I != Count; ++I)
    Expected += Values[I] = I * 2654435761u;
  unsigned *In;
  unsigned long long *Parts, *Out;
  CHECK(cudaMalloc(&In, Count * sizeof(unsigned)));
  CHECK(cudaMalloc(&Parts, NumBlocks * sizeof(*Parts)));
  CHECK(cudaMalloc(&Out, sizeof(*Out)));
  CHECK(cudaMemcpy(In, Values.data(), Count * sizeof(unsigned),
                   cudaMemcpyHostToDevice));
  void *Arguments[] = {&In, &Count, &Parts, &Out};
  CHECK(cudaLaunchCooperativeKernel((void *)reduce, dim3(NumBlocks), dim3(256),
                                    Arguments, 0, nullptr));
  CHECK(cudaMemcpy(&Result, Out, sizeof(Result), cudaMemcpyDeviceToHost));
  std::printf("%llu\n", Result);
  return verdict(Result == Expected);
}
