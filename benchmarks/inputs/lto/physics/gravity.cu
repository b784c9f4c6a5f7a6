#include "step.h"
__device__ float gravity(const State &S) { return -9.81f * S.Mass; }
