#include "step.h"
__device__ float friction(const State &S) { return S.V > 0 ? -0.02f : 0.02f; }
