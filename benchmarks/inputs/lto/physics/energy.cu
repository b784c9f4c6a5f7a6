#include "step.h"
__device__ float energy(const State &S) { return 0.5f * S.Mass * S.V * S.V + 9.81f * S.Mass * S.X; }
