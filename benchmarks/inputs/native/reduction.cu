// Sums of many elements, sums up to each element, and counts of values.
#include "Dialect.h"

#define WIDTH 256

// Each block adds what its threads find in strides over the whole input.
KERNEL reduce(int Count, GLOBAL const float *RESTRICT In,
              GLOBAL float *RESTRICT Sums) {
  SHARED float Partial[WIDTH];
  float Sum = 0;
  for (int I = INDEX; I < Count; I += BLOCKS * WIDTH)
    Sum += In[I];
  Partial[THREAD] = Sum;
  BARRIER();
  for (int Half = WIDTH / 2; Half > 0; Half /= 2) {
    if (THREAD < Half)
      Partial[THREAD] += Partial[THREAD + Half];
    BARRIER();
  }
  if (THREAD == 0)
    Sums[BLOCK] = Partial[0];
}

// Sums up to each element of a block of elements, and the sum of the block.
KERNEL scanBlocks(int Count, GLOBAL const Word *RESTRICT In,
                  GLOBAL Word *RESTRICT Out, GLOBAL Word *RESTRICT Sums) {
  SHARED Word Partial[2][WIDTH];
  int I = INDEX, From = 0;
  Partial[0][THREAD] = I < Count ? In[I] : 0;
  BARRIER();
  for (int Distance = 1; Distance < WIDTH; Distance *= 2) {
    Word Value = Partial[From][THREAD];
    if (THREAD >= Distance)
      Value += Partial[From][THREAD - Distance];
    From = 1 - From;
    Partial[From][THREAD] = Value;
    BARRIER();
  }
  if (I < Count)
    Out[I] = Partial[From][THREAD];
  if (THREAD == WIDTH - 1)
    Sums[BLOCK] = Partial[From][THREAD];
}

// Adds to each block what the blocks before it have.
KERNEL scanAdd(int Count, GLOBAL const Word *RESTRICT SumsUpTo,
               GLOBAL Word *RESTRICT Out) {
  int I = INDEX;
  if (I < Count && BLOCK > 0)
    Out[I] += SumsUpTo[BLOCK - 1];
}

KERNEL zero(int Count, GLOBAL Word *RESTRICT Out) {
  int I = INDEX;
  if (I < Count)
    Out[I] = 0;
}

// How often each value of a byte is there.
KERNEL histogram(int Count, GLOBAL const Word *RESTRICT In, GLOBAL Word *Bins) {
  SHARED Word Counts[WIDTH];
  Counts[THREAD] = 0;
  BARRIER();
  for (int I = INDEX; I < Count; I += BLOCKS * WIDTH) {
    Word Four = In[I];
    SHARED_ATOMIC_ADD(&Counts[Four & 255], 1u);
    SHARED_ATOMIC_ADD(&Counts[Four >> 8 & 255], 1u);
    SHARED_ATOMIC_ADD(&Counts[Four >> 16 & 255], 1u);
    SHARED_ATOMIC_ADD(&Counts[Four >> 24], 1u);
  }
  BARRIER();
  ATOMIC_ADD(&Bins[THREAD], Counts[THREAD]);
}
