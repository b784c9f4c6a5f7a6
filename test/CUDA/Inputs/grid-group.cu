// Cooperative grids that meet through the functions of CUDA's device runtime, and in turn as the header does it.
#include <cooperative_groups.h>

// counts: threads that came to each of four meetings. out: threads that found fewer behind a meeting than the grid has,
// errors, and for each thread of the grid how often its rank was given out.
extern "C" __global__ void meet(unsigned *counts, unsigned *out) {
  unsigned long long group = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
  unsigned threads = 0, grids = 0, thread = 0, grid = 7;
  if (cudaCGGetSize(&threads, &grids, group) || cudaCGGetRank(&thread, &grid, group)) {
    atomicAdd(out + 1, 1);
    return;
  }
  for (int i = 0; i != 4; ++i) {
    atomicAdd(counts + i, 1);
    cudaError_t error = cudaSuccess;
    if (i % 3 == 0)
      error = cudaCGSynchronize(group, 0);
    else if (i == 1)
      error = cudaCGSynchronizeGrid(group, 0);
    else
      cooperative_groups::this_grid().sync();
    if (*(volatile unsigned *)(counts + i) != threads)
      atomicAdd(out, 1);
    if (error || grids != 1 || grid != 0)
      atomicAdd(out + 1, 1);
  }
  atomicAdd(out + 2 + thread, 1);
}

// What is no group has no size, and nothing waits for it; a caller may want one of two numbers.
extern "C" __global__ void refused(unsigned *counts, unsigned *out) {
  unsigned number = 0;
  unsigned long long group = cudaCGGetIntrinsicHandle(cudaCGScopeGrid), other = cudaCGGetIntrinsicHandle(cudaCGScope(2));
  out[0] = group != 0;
  out[1] = other != 0;
  out[2] = cudaCGSynchronize(other, 0);
  out[3] = cudaCGSynchronizeGrid(0, 0);
  out[4] = cudaCGSynchronize(group, 1);
  out[5] = cudaCGGetSize(&number, nullptr, other);
  out[6] = cudaCGGetRank(nullptr, &number, 0);
  out[7] = cudaCGGetSize(&number, nullptr, group);
  counts[0] = number;
  out[8] = cudaCGGetRank(nullptr, &number, group);
  counts[1] = number;
}
