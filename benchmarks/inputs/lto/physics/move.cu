#include "step.h"
__device__ void move(State &S, float Time) { S.X += S.V * Time; }
