//===- conditional.cu - A search that a graph does ------------------------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of the Collatz sequence from a number down to 1: a graph loops
// while a kernel says so, and branches by whether the number is even. The host
// launches the graph and looks at the result.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>

static void check(cudaError_t Code, int Line) {
  if (Code == cudaSuccess)
    return;
  std::printf("FAIL: line %d: %s\n", Line, cudaGetErrorName(Code));
  std::exit(1);
}
#define CHECK(Call) check(Call, __LINE__)

struct State {
  unsigned Number, Steps;
};

__global__ void parity(State *S, cudaGraphConditionalHandle IsOdd) {
  cudaGraphSetConditional(IsOdd, S->Number & 1);
}
__global__ void odd(State *S) { S->Number = 3 * S->Number + 1; }
__global__ void even(State *S) { S->Number /= 2; }
__global__ void count(State *S, cudaGraphConditionalHandle GoesOn) {
  ++S->Steps;
  cudaGraphSetConditional(GoesOn, S->Number != 1);
}

static cudaGraphNode_t addKernel(cudaGraph_t Graph, cudaGraphNode_t Before,
                                 void *Kernel, void **Arguments) {
  cudaKernelNodeParams P = {};
  P.func = Kernel;
  P.gridDim = P.blockDim = dim3(1);
  P.kernelParams = Arguments;
  cudaGraphNode_t Node;
  CHECK(cudaGraphAddKernelNode(&Node, Graph, &Before, Before ? 1 : 0, &P));
  return Node;
}

static cudaGraphNode_t addConditional(cudaGraph_t Graph, cudaGraphNode_t Before,
                                      cudaGraphConditionalHandle Condition,
                                      cudaGraphConditionalNodeType Kind,
                                      unsigned Size, cudaGraph_t *Bodies) {
  cudaGraphNodeParams P = {};
  P.type = cudaGraphNodeTypeConditional;
  P.conditional.handle = Condition;
  P.conditional.type = Kind;
  P.conditional.size = Size;
  cudaGraphNode_t Node;
  CHECK(cudaGraphAddNode(&Node, Graph, &Before, nullptr, Before ? 1 : 0, &P));
  for (unsigned I = 0; I != Size; ++I)
    Bodies[I] = P.conditional.phGraph_out[I];
  return Node;
}

int main() {
  State *S;
  CHECK(cudaMallocManaged(&S, sizeof(State)));
  cudaGraph_t Graph, Loop, Branch[2];
  CHECK(cudaGraphCreate(&Graph, 0));
  cudaGraphConditionalHandle GoesOn, IsOdd;
  CHECK(cudaGraphConditionalHandleCreate(&GoesOn, Graph, 1,
                                         cudaGraphCondAssignDefault));
  addConditional(Graph, nullptr, GoesOn, cudaGraphCondTypeWhile, 1, &Loop);
  CHECK(cudaGraphConditionalHandleCreate(&IsOdd, Loop));
  void *First[] = {&S, &IsOdd}, *Middle[] = {&S}, *Last[] = {&S, &GoesOn};
  cudaGraphNode_t Look = addKernel(Loop, nullptr, (void *)parity, First);
  cudaGraphNode_t Choice =
      addConditional(Loop, Look, IsOdd, cudaGraphCondTypeIf, 2, Branch);
  addKernel(Branch[0], nullptr, (void *)odd, Middle);
  addKernel(Branch[1], nullptr, (void *)even, Middle);
  addKernel(Loop, Choice, (void *)count, Last);
  cudaGraphExec_t Exec;
  CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
  bool IsRight = true;
  for (unsigned Begin : {2u, 27u, 97u, 6u}) {
    *S = {Begin, 0};
    CHECK(cudaGraphLaunch(Exec, 0));
    CHECK(cudaDeviceSynchronize());
    unsigned Steps = 0;
    for (unsigned N = Begin; N != 1; ++Steps)
      N = N & 1 ? 3 * N + 1 : N / 2;
    std::printf("%u: %u steps\n", Begin, S->Steps);
    IsRight = IsRight && S->Number == 1 && S->Steps == Steps;
  }
  std::puts(IsRight ? "PASS" : "FAIL");
  return IsRight ? 0 : 1;
}
