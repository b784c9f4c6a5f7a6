#include "matrix.h"
extern "C" __global__ void rotate(const float *Angles, float *Out, int Steps, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float S = Angles[I] * 0.1f, C = 1 - 0.5f * S * S;
  Matrix Turn = {{{C, -S, 0}, {S, C, 0}, {0, 0, 1}}}, P, Q;
  identity(&P);
  for (int T = 0; T < Steps; ++T) {
    multiply(&P, &Turn, &Q);
    transpose(&Q, &P);
  }
  Out[I] = trace(&P) + P.M[0][1];
}
