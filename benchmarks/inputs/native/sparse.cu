// A sparse matrix and a graph, as rows of indices.
#include "Dialect.h"

KERNEL spmv(int Rows, GLOBAL const int *RESTRICT Starts,
            GLOBAL const int *RESTRICT Columns,
            GLOBAL const float *RESTRICT Values, GLOBAL const float *RESTRICT X,
            GLOBAL float *RESTRICT Y) {
  int Row = INDEX;
  if (Row >= Rows)
    return;
  float Sum = 0;
  for (int I = Starts[Row]; I < Starts[Row + 1]; ++I)
    Sum = FMA(Values[I], X[Columns[I]], Sum);
  Y[Row] = Sum;
}

// Only the first node has a level at first.
KERNEL bfsStart(int Nodes, GLOBAL int *RESTRICT Levels) {
  int Node = INDEX;
  if (Node < Nodes)
    Levels[Node] = Node == 0 ? 0 : -1;
}

// Several threads may give a node its level: all of them give the same.
KERNEL bfsStep(int Nodes, int Level, GLOBAL const int *RESTRICT Starts,
               GLOBAL const int *RESTRICT Targets, GLOBAL int *Levels) {
  int Node = INDEX;
  if (Node >= Nodes || Levels[Node] != Level)
    return;
  for (int I = Starts[Node]; I < Starts[Node + 1]; ++I)
    if (Levels[Targets[I]] < 0)
      Levels[Targets[I]] = Level + 1;
}
