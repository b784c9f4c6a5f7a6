// In which order work runs that kernels enqueue. Each step appends its number
// to a list.
__device__ int Count;
__device__ int Steps[64];

__global__ void step(int Number) { Steps[atomicAdd(&Count, 1)] = Number; }

__global__ void tail(int Number, int Left) {
  step<<<1, 1>>>(Number + 1);
  Steps[atomicAdd(&Count, 1)] = Number;
  if (Left)
    tail<<<1, 1, 0, cudaStreamTailLaunch>>>(Number + 2, Left - 1);
}

__global__ void parent(int *Out) {
  // Last of all, though it is enqueued first.
  tail<<<1, 1, 0, cudaStreamTailLaunch>>>(50, 3);
  step<<<1, 1>>>(1);
  step<<<1, 1, 0, cudaStreamFireAndForget>>>(2);
  cudaStream_t Side;
  cudaStreamCreateWithFlags(&Side, cudaStreamNonBlocking);
  cudaEvent_t Done;
  cudaEventCreateWithFlags(&Done, cudaEventDisableTiming);
  step<<<1, 1, 0, Side>>>(3);
  cudaEventRecord(Done, Side);
  cudaStreamWaitEvent(0, Done);
  step<<<1, 1>>>(4);
  cudaMemsetAsync(Out, 0x11, 8, Side);
  cudaMemcpyAsync(Out + 1, Out, 4, cudaMemcpyDeviceToDevice, Side);
  cudaMemcpyAsync(Out + 2, Out + 1, 4, cudaMemcpyDeviceToDevice, Side);
  cudaStreamDestroy(Side);
  cudaEventDestroy(Done);
  Steps[atomicAdd(&Count, 1)] = 0;
  Out[3] = cudaGetLastError();
  step<<<1, 4096>>>(9); // too large a block
  Out[4] = cudaPeekAtLastError();
  Out[5] = cudaGetLastError();
  Out[6] = cudaGetLastError();
}

__global__ void collect(int *Out) {
  for (int I = 0; I != 16; ++I)
    Out[I] = I < Count ? Steps[I] : -1;
}
