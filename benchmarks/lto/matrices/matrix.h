// Small matrices, passed by address.
struct Matrix {
  float M[3][3];
};
__device__ void identity(Matrix *R);
__device__ void multiply(const Matrix *A, const Matrix *B, Matrix *R);
__device__ void transpose(const Matrix *A, Matrix *R);
__device__ float trace(const Matrix *A);
