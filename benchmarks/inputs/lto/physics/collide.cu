#include "step.h"
__device__ void collide(State &S) {
  if (S.X < 0) {
    S.X = -S.X;
    S.V = -0.8f * S.V;
  }
}
