#include "step.h"
__device__ void accelerate(State &S, float Force, float Time) {
  S.A = Force / S.Mass;
  S.V += S.A * Time;
}
