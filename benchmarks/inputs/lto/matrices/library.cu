#include "matrix.h"
__device__ void identity(Matrix *R) {
  for (int I = 0; I < 3; ++I)
    for (int J = 0; J < 3; ++J)
      R->M[I][J] = I == J;
}
__device__ void multiply(const Matrix *A, const Matrix *B, Matrix *R) {
  for (int I = 0; I < 3; ++I)
    for (int J = 0; J < 3; ++J) {
      float Sum = 0;
      for (int K = 0; K < 3; ++K)
        Sum += A->M[I][K] * B->M[K][J];
      R->M[I][J] = Sum;
    }
}
__device__ void transpose(const Matrix *A, Matrix *R) {
  for (int I = 0; I < 3; ++I)
    for (int J = 0; J < 3; ++J)
      R->M[I][J] = A->M[J][I];
}
__device__ float trace(const Matrix *A) { return A->M[0][0] + A->M[1][1] + A->M[2][2]; }
