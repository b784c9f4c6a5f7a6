// Several variables in shared memory, which each kernel has places of its own for,
// also in functions that are inlined.
struct Pair {
  int first, second;
};

__device__ int twice(int v) {
  __shared__ int inner[32];
  inner[threadIdx.x] = 2 * v;
  __syncthreads();
  return inner[31 - threadIdx.x];
}

__global__ void two(int *out) {
  __shared__ int low[32];
  __shared__ Pair high[32];
  low[threadIdx.x] = threadIdx.x;
  high[threadIdx.x] = {100 + (int)threadIdx.x, 200 + (int)threadIdx.x};
  __syncthreads();
  out[threadIdx.x] = low[31 - threadIdx.x] + high[threadIdx.x].second;
}

__global__ void three(int *out) {
  __shared__ double before[7];
  __shared__ int low[32];
  if (threadIdx.x < 7)
    before[threadIdx.x] = threadIdx.x + 0.5;
  low[threadIdx.x] = 7 + twice(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = low[31 - threadIdx.x] + (int)before[6];
}
