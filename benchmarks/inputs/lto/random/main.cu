#include "generator.h"
extern "C" __global__ void estimate(unsigned *Out, int Steps, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  Generator G;
  seed(&G, I);
  unsigned Inside = 0;
  for (int S = 0; S < Steps; ++S) {
    float X = uniform(&G), Y = uniform(&G);
    Inside += X * X + Y * Y < 1;
  }
  Out[I] = Inside;
}
