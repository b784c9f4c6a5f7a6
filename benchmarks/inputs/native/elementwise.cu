// Kernels whose threads live for one to four elements.
#include "Dialect.h"

KERNEL saxpy(int Count, float Factor, GLOBAL const float *RESTRICT X,
             GLOBAL const float *RESTRICT Y, GLOBAL float *RESTRICT Out) {
  int I = INDEX;
  if (I < Count)
    Out[I] = FMA(Factor, X[I], Y[I]);
}

// Rows of four-element groups, each row with the same bias.
KERNEL biasRelu(int Groups, int Rows, GLOBAL const float4 *RESTRICT In,
                GLOBAL const float4 *RESTRICT Bias,
                GLOBAL float4 *RESTRICT Out) {
  int Column = INDEX, Row = INDEX_Y;
  if (Column >= Groups || Row >= Rows)
    return;
  float4 Value = In[Row * Groups + Column];
  float4 Added = Bias[Column];
  Value.x = MAX(Value.x + Added.x, 0.0f);
  Value.y = MAX(Value.y + Added.y, 0.0f);
  Value.z = MAX(Value.z + Added.z, 0.0f);
  Value.w = MAX(Value.w + Added.w, 0.0f);
  Out[Row * Groups + Column] = Value;
}

KERNEL cast(int Count, GLOBAL const float *RESTRICT In,
            GLOBAL Half *RESTRICT Out) {
  int I = INDEX;
  if (I < Count)
    STORE_HALF(Out, I, In[I]);
}

KERNEL gather(int Count, GLOBAL const Word *RESTRICT Places,
              GLOBAL const float *RESTRICT Table, GLOBAL float *RESTRICT Out) {
  int I = INDEX;
  if (I < Count)
    Out[I] = Table[Places[I]];
}
