#include "step.h"
__device__ void heat(State &S, float Time) { S.Heat += Time * (S.V * S.V - 0.01f * S.Heat); }
