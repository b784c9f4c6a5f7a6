#include "vec.h"
extern "C" __global__ void bounce(const float *In, float *Out, int Steps, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  Vec P = {In[I], In[N + I], In[2 * N + I]}, V = {0.5f, -0.25f, 0.125f};
  for (int S = 0; S < Steps; ++S) {
    P = add(P, scale(V, 0.01f));
    float L = lengthOf(P);
    Vec Normal = scale(P, 1 / (L + 1));
    if (dot(Normal, V) > 0)
      V = reflect(V, Normal);
    V = add(V, scale(cross(P, V), 0.001f));
  }
  Out[I] = P.X;
  Out[N + I] = P.Y;
  Out[2 * N + I] = P.Z;
}
