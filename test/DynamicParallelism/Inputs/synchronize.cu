// As CUDA 11 did it: a parent that waits for its children and uses what they
// have written. For nvcc -arch=sm_80 -DCUDA_FORCE_CDP1_IF_SUPPORTED.
__global__ void square(const int *From, int *To, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    To[I] = From[I] * From[I];
}

__global__ void sumOfSquares(const int *Data, int *Squares, int Count,
                             int *Out) {
  if (threadIdx.x == 0) {
    square<<<(Count + 31) / 32, 32>>>(Data, Squares, Count);
    cudaDeviceSynchronize();
    Out[1] = cudaGetLastError();
  }
  __syncthreads();
  int Sum = 0;
  for (int I = threadIdx.x; I < Count; I += blockDim.x)
    Sum += Squares[I];
  atomicAdd(&Out[0], Sum);
}
