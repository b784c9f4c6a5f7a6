// Products of matrices.
#include "Dialect.h"

#define TILE 16

KERNEL sgemm(int Size, GLOBAL const float *RESTRICT A,
             GLOBAL const float *RESTRICT B, GLOBAL float *RESTRICT C) {
  SHARED float TileA[TILE][TILE], TileB[TILE][TILE];
  int Row = BLOCK_Y * TILE + THREAD_Y, Column = BLOCK * TILE + THREAD;
  float Sum = 0;
  for (int Start = 0; Start < Size; Start += TILE) {
    TileA[THREAD_Y][THREAD] = A[Row * Size + Start + THREAD];
    TileB[THREAD_Y][THREAD] = B[(Start + THREAD_Y) * Size + Column];
    BARRIER();
    for (int K = 0; K < TILE; ++K)
      Sum = FMA(TileA[THREAD_Y][K], TileB[K][THREAD], Sum);
    BARRIER();
  }
  C[Row * Size + Column] = Sum;
}

#define PART 64
#define STEP 16

#ifdef __OPENCL_VERSION__

// Half-precision inputs and single-precision sums: a block has a part of 64 x
// 64, of which each of its 128 threads has 4 x 8 elements.
KERNEL hgemm(int Size, GLOBAL const Half *RESTRICT A,
             GLOBAL const Half *RESTRICT B, GLOBAL float *RESTRICT C) {
  SHARED float TileA[PART][STEP], TileB[STEP][PART];
  int Row = THREAD / 8 * 4, Column = THREAD % 8 * 8;
  float Sums[4][8];
  for (int I = 0; I < 4; ++I)
    for (int J = 0; J < 8; ++J)
      Sums[I][J] = 0;
  for (int Start = 0; Start < Size; Start += STEP) {
    for (int I = THREAD; I < PART * STEP; I += 128) {
      TileA[I / STEP][I % STEP] =
          LOAD_HALF(A, (BLOCK_Y * PART + I / STEP) * Size + Start + I % STEP);
      TileB[I / PART][I % PART] =
          LOAD_HALF(B, (Start + I / PART) * Size + BLOCK * PART + I % PART);
    }
    BARRIER();
    for (int K = 0; K < STEP; ++K)
      for (int I = 0; I < 4; ++I)
        for (int J = 0; J < 8; ++J)
          Sums[I][J] = FMA(TileA[Row + I][K], TileB[K][Column + J], Sums[I][J]);
    BARRIER();
  }
  for (int I = 0; I < 4; ++I)
    for (int J = 0; J < 8; ++J)
      C[(BLOCK_Y * PART + Row + I) * Size + BLOCK * PART + Column + J] =
          Sums[I][J];
}

#else

// The same by the matrix unit: a warp has a quarter of the part, in 2 x 4
// products of 16 x 8 elements. The tile of B stands transposed, so that the
// two halves of a register are neighbours.
KERNEL hgemm(int Size, const Half *RESTRICT A, const Half *RESTRICT B,
             float *RESTRICT C) {
  SHARED Half TileA[PART][STEP + 8], TileB[PART][STEP + 8];
  int Lane = THREAD % 32, Group = Lane / 4, Pair = Lane % 4 * 2;
  int Row = THREAD / 64 * 32, Column = THREAD / 32 % 2 * 32;
  float Sums[2][4][4] = {};
  for (int Start = 0; Start < Size; Start += STEP) {
    for (int I = THREAD; I < PART * STEP; I += 128) {
      TileA[I / STEP][I % STEP] =
          A[(BLOCK_Y * PART + I / STEP) * Size + Start + I % STEP];
      TileB[I % PART][I / PART] =
          B[(Start + I / PART) * Size + BLOCK * PART + I % PART];
    }
    BARRIER();
    for (int I = 0; I < 2; ++I) {
      Word FromA[4];
      for (int P = 0; P < 4; ++P)
        FromA[P] = *(const Word *)&TileA[Row + I * 16 + Group + P % 2 * 8]
                                        [Pair + P / 2 * 8];
      for (int J = 0; J < 4; ++J) {
        const Half *FromB = &TileB[Column + J * 8 + Group][Pair];
        float *Sum = Sums[I][J];
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(Sum[0]), "+f"(Sum[1]), "+f"(Sum[2]), "+f"(Sum[3])
            : "r"(FromA[0]), "r"(FromA[1]), "r"(FromA[2]), "r"(FromA[3]),
              "r"(*(const Word *)FromB), "r"(*(const Word *)(FromB + 8)));
      }
    }
    BARRIER();
  }
  for (int I = 0; I < 2; ++I)
    for (int J = 0; J < 4; ++J)
      for (int P = 0; P < 4; ++P)
        C[(BLOCK_Y * PART + Row + I * 16 + Group + P / 2 * 8) * Size +
          BLOCK * PART + Column + J * 8 + Pair + P % 2] = Sums[I][J][P];
}

#endif
