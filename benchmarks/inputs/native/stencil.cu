// Grids of which each point looks at its neighbours, and a transposition.
#include "Dialect.h"

KERNEL stencil2d(int Width, int Height, GLOBAL const float *RESTRICT In,
                 GLOBAL float *RESTRICT Out) {
  int X = INDEX, Y = INDEX_Y;
  if (X < 1 || Y < 1 || X >= Width - 1 || Y >= Height - 1)
    return;
  int I = Y * Width + X;
  float Around = In[I - 1] + In[I + 1] + In[I - Width] + In[I + Width];
  Out[I] = FMA(0.125f, Around, 0.5f * In[I]);
}

// A thread goes through all planes and keeps three of them.
KERNEL stencil3d(int Width, int Height, int Depth,
                 GLOBAL const float *RESTRICT In, GLOBAL float *RESTRICT Out) {
  int X = INDEX, Y = INDEX_Y;
  if (X < 1 || Y < 1 || X >= Width - 1 || Y >= Height - 1)
    return;
  int Plane = Width * Height, I = Y * Width + X;
  float Below = In[I], Here = In[I + Plane];
  for (int Z = 1; Z < Depth - 1; ++Z) {
    I += Plane;
    float Above = In[I + Plane];
    float Around = In[I - 1] + In[I + 1] + In[I - Width] + In[I + Width];
    Out[I] = FMA(0.0625f, Around + (Below + Above), 0.625f * Here);
    Below = Here;
    Here = Above;
  }
}

#define TILE 32
#define ROWS 8

KERNEL transpose(int Width, int Height, GLOBAL const float *RESTRICT In,
                 GLOBAL float *RESTRICT Out) {
  SHARED float Tile[TILE][TILE + 1];
  int X = BLOCK * TILE + THREAD, Y = BLOCK_Y * TILE + THREAD_Y;
  for (int Row = 0; Row < TILE; Row += ROWS)
    Tile[THREAD_Y + Row][THREAD] = In[(Y + Row) * Width + X];
  BARRIER();
  X = BLOCK_Y * TILE + THREAD;
  Y = BLOCK * TILE + THREAD_Y;
  for (int Row = 0; Row < TILE; Row += ROWS)
    Out[(Y + Row) * Height + X] = Tile[THREAD][THREAD_Y + Row];
}
