#include "activation.h"
extern "C" __global__ void network(const float *In, float *Out, int Which, int Steps, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  Activation F = Activations[Which];
  float X = In[I];
  for (int S = 0; S < Steps; ++S)
    X = F(0.9f * X - 0.1f) + 0.05f;
  Out[I] = X;
}
