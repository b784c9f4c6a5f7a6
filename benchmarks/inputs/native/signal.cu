// Fourier transforms of 1,024 elements, one for each block, by Stockham's
// steps of radix 2: each step reads one array and writes the other, in order.
#include "Dialect.h"

#define POINTS 1024
#define PAIRS 512

KERNEL fft(GLOBAL const float2 *RESTRICT Roots,
           GLOBAL const float2 *RESTRICT In, GLOBAL float2 *RESTRICT Out) {
  SHARED float2 Values[2][POINTS];
  int From = 0, Start = BLOCK * POINTS;
  Values[0][THREAD] = In[Start + THREAD];
  Values[0][THREAD + PAIRS] = In[Start + THREAD + PAIRS];
  for (int Run = 1; Run < POINTS; Run *= 2) {
    BARRIER();
    int Place = THREAD & (Run - 1);
    float2 Root = Roots[Place * (PAIRS / Run)];
    float2 A = Values[From][THREAD], B = Values[From][THREAD + PAIRS];
    float2 Turned = FLOAT2(FMA(B.x, Root.x, -(B.y * Root.y)),
                           FMA(B.x, Root.y, B.y * Root.x));
    From = 1 - From;
    int To = 2 * THREAD - Place;
    Values[From][To] = FLOAT2(A.x + Turned.x, A.y + Turned.y);
    Values[From][To + Run] = FLOAT2(A.x - Turned.x, A.y - Turned.y);
  }
  BARRIER();
  Out[Start + THREAD] = Values[From][THREAD];
  Out[Start + THREAD + PAIRS] = Values[From][THREAD + PAIRS];
}
