// Layers of neural networks that look at whole rows.
#include "Dialect.h"

#define WIDTH 256
#define LENGTH 1024

// The sum, or the greatest, of a value of each thread, in all threads. CUDA's
// way goes through exchanges between lanes, which OpenCL 1.2 does not have.
#ifdef __OPENCL_VERSION__

#define ROOM WIDTH
#define OVER_BLOCK(NAME, JOIN)                                                 \
  FUNCTION float NAME(float Value, OF_SHARED float *Room) {                    \
    BARRIER();                                                                 \
    Room[THREAD] = Value;                                                      \
    BARRIER();                                                                 \
    for (int Half = WIDTH / 2; Half > 0; Half /= 2) {                          \
      if (THREAD < Half)                                                       \
        Room[THREAD] = JOIN(Room[THREAD], Room[THREAD + Half]);                \
      BARRIER();                                                               \
    }                                                                          \
    return Room[0];                                                            \
  }

#else

#define ROOM (WIDTH / 32)
#define OVER_BLOCK(NAME, JOIN)                                                 \
  FUNCTION float NAME(float Value, float *Room) {                              \
    for (int Lanes = 16; Lanes > 0; Lanes /= 2)                                \
      Value = JOIN(Value, __shfl_xor_sync(~0u, Value, Lanes));                 \
    BARRIER();                                                                 \
    if (THREAD % 32 == 0)                                                      \
      Room[THREAD / 32] = Value;                                               \
    BARRIER();                                                                 \
    Value = Room[0];                                                           \
    for (int Warp = 1; Warp < ROOM; ++Warp)                                    \
      Value = JOIN(Value, Room[Warp]);                                         \
    return Value;                                                              \
  }

#endif

#define ADD(A, B) ((A) + (B))
OVER_BLOCK(blockSum, ADD)
OVER_BLOCK(blockMax, MAX)

// A row of 1,024 elements for each block.
KERNEL softmax(GLOBAL const float *RESTRICT In, GLOBAL float *RESTRICT Out) {
  SHARED float Room[ROOM];
  float Values[LENGTH / WIDTH];
  float Greatest = -3.0e38f, Sum = 0;
  for (int I = 0; I < LENGTH / WIDTH; ++I) {
    Values[I] = In[BLOCK * LENGTH + I * WIDTH + THREAD];
    Greatest = MAX(Greatest, Values[I]);
  }
  Greatest = blockMax(Greatest, Room);
  for (int I = 0; I < LENGTH / WIDTH; ++I) {
    Values[I] = EXP(Values[I] - Greatest);
    Sum += Values[I];
  }
  float Scale = 1.0f / blockSum(Sum, Room);
  for (int I = 0; I < LENGTH / WIDTH; ++I)
    Out[BLOCK * LENGTH + I * WIDTH + THREAD] = Values[I] * Scale;
}

KERNEL layernorm(GLOBAL const float *RESTRICT In,
                 GLOBAL const float *RESTRICT Weight,
                 GLOBAL const float *RESTRICT Bias,
                 GLOBAL float *RESTRICT Out) {
  SHARED float Room[ROOM];
  float Values[LENGTH / WIDTH];
  float Sum = 0, Squares = 0;
  for (int I = 0; I < LENGTH / WIDTH; ++I) {
    Values[I] = In[BLOCK * LENGTH + I * WIDTH + THREAD];
    Sum += Values[I];
  }
  float Mean = blockSum(Sum, Room) / LENGTH;
  for (int I = 0; I < LENGTH / WIDTH; ++I) {
    Values[I] -= Mean;
    Squares = FMA(Values[I], Values[I], Squares);
  }
  float Scale = RSQRT(blockSum(Squares, Room) / LENGTH + 1.0e-5f);
  for (int I = 0; I < LENGTH / WIDTH; ++I) {
    int Column = I * WIDTH + THREAD;
    Out[BLOCK * LENGTH + Column] =
        FMA(Values[I] * Scale, Weight[Column], Bias[Column]);
  }
}

#define QUERIES 64
#define DEPTH 32

// A query for each thread, with keys and values of 32 elements: the greatest
// score so far scales what was added before.
KERNEL attention(int Keys, float Scale, GLOBAL const float *RESTRICT Q,
                 GLOBAL const float *RESTRICT K, GLOBAL const float *RESTRICT V,
                 GLOBAL float *RESTRICT Out) {
  SHARED float TileK[DEPTH][DEPTH], TileV[DEPTH][DEPTH];
  float Query[DEPTH], Sum[DEPTH];
  float Greatest = -3.0e38f, Weights = 0;
  int Row = BLOCK * QUERIES + THREAD;
  for (int I = 0; I < DEPTH; ++I) {
    Query[I] = Q[Row * DEPTH + I] * Scale;
    Sum[I] = 0;
  }
  for (int Start = 0; Start < Keys; Start += DEPTH) {
    BARRIER();
    for (int I = THREAD; I < DEPTH * DEPTH; I += QUERIES) {
      TileK[I / DEPTH][I % DEPTH] = K[Start * DEPTH + I];
      TileV[I / DEPTH][I % DEPTH] = V[Start * DEPTH + I];
    }
    BARRIER();
    for (int Key = 0; Key < DEPTH; ++Key) {
      float Score = 0;
      for (int I = 0; I < DEPTH; ++I)
        Score = FMA(Query[I], TileK[Key][I], Score);
      float Next = MAX(Greatest, Score);
      float Old = EXP(Greatest - Next), New = EXP(Score - Next);
      Greatest = Next;
      Weights = FMA(Weights, Old, New);
      for (int I = 0; I < DEPTH; ++I)
        Sum[I] = FMA(Sum[I], Old, New * TileV[Key][I]);
    }
  }
  for (int I = 0; I < DEPTH; ++I)
    Out[Row * DEPTH + I] = Sum[I] / Weights;
}
