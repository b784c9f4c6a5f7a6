// Builds a graph of copies, kernels and a call of the host, with a fork and a
// join, and launches it several times.
#include "check.cuh"

__global__ void scale(const int *In, int *Out, int Factor, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Out[I] = In[I] * Factor;
}

__global__ void add(const int *A, const int *B, int *Out, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Out[I] = A[I] + B[I];
}

static cudaGraphNode_t addKernel(cudaGraph_t Graph, cudaGraphNode_t *After,
                                 size_t NumAfter, void *Kernel, int Count,
                                 void **Arguments) {
  cudaKernelNodeParams Params = {};
  Params.func = Kernel;
  Params.gridDim = dim3((Count + 127) / 128);
  Params.blockDim = dim3(128);
  Params.kernelParams = Arguments;
  cudaGraphNode_t Node;
  CHECK(cudaGraphAddKernelNode(&Node, Graph, After, NumAfter, &Params));
  return Node;
}

int main() {
  int Count = 1000, Three = 3, Ten = 10, NumLaunches = 0;
  const size_t Bytes = Count * sizeof(int);
  int *Host, *In, *Left, *Right, *Out;
  CHECK(cudaMallocHost(&Host, 2 * Bytes));
  CHECK(cudaMalloc(&In, Bytes));
  CHECK(cudaMalloc(&Left, Bytes));
  CHECK(cudaMalloc(&Right, Bytes));
  CHECK(cudaMalloc(&Out, Bytes));

  cudaGraph_t Graph;
  cudaGraphNode_t Copy, Branches[2], Join, Back, Call;
  CHECK(cudaGraphCreate(&Graph, 0));
  CHECK(cudaGraphAddMemcpyNode1D(&Copy, Graph, nullptr, 0, In, Host, Bytes,
                                 cudaMemcpyHostToDevice));
  void *ToLeft[] = {&In, &Left, &Three, &Count};
  void *ToRight[] = {&In, &Right, &Ten, &Count};
  void *ToOut[] = {&Left, &Right, &Out, &Count};
  Branches[0] = addKernel(Graph, &Copy, 1, (void *)scale, Count, ToLeft);
  Branches[1] = addKernel(Graph, &Copy, 1, (void *)scale, Count, ToRight);
  Join = addKernel(Graph, Branches, 2, (void *)add, Count, ToOut);
  CHECK(cudaGraphAddMemcpyNode1D(&Back, Graph, &Join, 1, Host + Count, Out,
                                 Bytes, cudaMemcpyDeviceToHost));
  cudaHostNodeParams Params = {[](void *Launches) { ++*(int *)Launches; },
                               &NumLaunches};
  CHECK(cudaGraphAddHostNode(&Call, Graph, &Back, 1, &Params));

  cudaGraphExec_t Exec;
  CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
  bool IsRight = true;
  for (int Round = 1; Round <= 3; ++Round) {
    for (int I = 0; I != Count; ++I)
      Host[I] = I * Round;
    CHECK(cudaGraphLaunch(Exec, nullptr));
    CHECK(cudaStreamSynchronize(nullptr));
    for (int I = 0; I != Count; ++I)
      IsRight &= Host[Count + I] == 13 * I * Round;
    IsRight &= NumLaunches == Round;
  }
  CHECK(cudaGraphExecDestroy(Exec));
  CHECK(cudaGraphDestroy(Graph));
  return verdict(IsRight);
}
