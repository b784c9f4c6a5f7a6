#include "step.h"
__device__ float spring(const State &S) { return -4.0f * (S.X - 1); }
