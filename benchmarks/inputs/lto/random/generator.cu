#include "generator.h"
__device__ void seed(Generator *G, unsigned Value) {
  G->A = Value ^ 123456789;
  G->B = Value * 69069 + 1;
  G->C = Value ^ (Value << 7);
  G->D = 88675123;
  G->Counter = 0;
}
__device__ unsigned next(Generator *G) {
  unsigned T = G->A ^ (G->A << 11);
  G->A = G->B;
  G->B = G->C;
  G->C = G->D;
  G->D = G->D ^ (G->D >> 19) ^ T ^ (T >> 8);
  G->Counter += 362437;
  return G->D + G->Counter;
}
__device__ float uniform(Generator *G) { return (next(G) >> 8) * 5.9604645e-8f; }
