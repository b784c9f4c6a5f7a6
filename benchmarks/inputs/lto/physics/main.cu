#include "step.h"
extern "C" __global__ void simulate(const float *X, float *Out, int Steps, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  State S = {X[I], 0, 0, 0, 2};
  float Total = 0;
  for (int T = 0; T < Steps; ++T) {
    float Force = gravity(S) + drag(S) + spring(S) + friction(S);
    accelerate(S, Force, 0.01f);
    move(S, 0.01f);
    collide(S);
    heat(S, 0.01f);
    Total += energy(S);
  }
  Out[I] = Total + S.Heat;
}
