#include "shape.h"
extern "C" __global__ void measure(const float *Sizes, float *Out, int Steps, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  Square A(Sizes[I]);
  Circle B(Sizes[I]);
  const Shape *Chosen = (I / 32) % 2 ? static_cast<const Shape *>(&A) : &B;
  float Sum = 0;
  for (int S = 0; S < Steps; ++S)
    Sum += Chosen->area(0.5f + S) - Chosen->grow(Sum * 0.001f);
  Out[I] = Sum;
}
