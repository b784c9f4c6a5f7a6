#include "step.h"
__device__ float drag(const State &S) { return -0.1f * S.V * fabsf(S.V); }
