// Variables of two phases that are spilled to the same slots, in shared memory, and
// that keep their values for so long only: the second phase stores over the first's.
extern "C" __global__ void __launch_bounds__(64) reused(const float *in, float *out, int n) {
  float a0 = in[threadIdx.x + 0] + 1.0f;
  float a1 = in[threadIdx.x + 1] + 2.0f;
  float a2 = in[threadIdx.x + 2] + 3.0f;
  float a3 = in[threadIdx.x + 3] + 4.0f;
  float a4 = in[threadIdx.x + 4] + 5.0f;
  float a5 = in[threadIdx.x + 5] + 6.0f;
  float a6 = in[threadIdx.x + 6] + 7.0f;
  float a7 = in[threadIdx.x + 7] + 8.0f;
  float a8 = in[threadIdx.x + 8] + 9.0f;
  float a9 = in[threadIdx.x + 9] + 10.0f;
  float a10 = in[threadIdx.x + 10] + 11.0f;
  float a11 = in[threadIdx.x + 11] + 12.0f;
  float a12 = in[threadIdx.x + 12] + 13.0f;
  float a13 = in[threadIdx.x + 13] + 14.0f;
  for (int k = 0; k < n; ++k)
    out[k * 64 + threadIdx.x] += k * a0 + a1 * a8 + a2 * a13 + a3 * a4;
  out[threadIdx.x] += a0 * a5 + a1 * a8 + a2 * a11 + a3 * a0 + a4 * a3 + a5 * a6 + a6 * a9 + a7 * a12 + a8 * a1 + a9 * a4 + a10 * a7 + a11 * a10 + a12 * a13 + a13 * a2;
  __syncthreads();
  float b0 = in[threadIdx.x + 0] * 1.0f;
  float b1 = in[threadIdx.x + 1] * 2.0f;
  float b2 = in[threadIdx.x + 2] * 3.0f;
  float b3 = in[threadIdx.x + 3] * 4.0f;
  float b4 = in[threadIdx.x + 4] * 5.0f;
  float b5 = in[threadIdx.x + 5] * 6.0f;
  float b6 = in[threadIdx.x + 6] * 7.0f;
  float b7 = in[threadIdx.x + 7] * 8.0f;
  float b8 = in[threadIdx.x + 8] * 9.0f;
  float b9 = in[threadIdx.x + 9] * 10.0f;
  float b10 = in[threadIdx.x + 10] * 11.0f;
  float b11 = in[threadIdx.x + 11] * 12.0f;
  float b12 = in[threadIdx.x + 12] * 13.0f;
  float b13 = in[threadIdx.x + 13] * 14.0f;
  for (int k = 0; k < n; ++k)
    out[k * 64 + threadIdx.x] += k * b0 + b1 * b8 + b2 * b13 + b3 * b4;
  out[threadIdx.x] += b0 * b5 + b1 * b8 + b2 * b11 + b3 * b0 + b4 * b3 + b5 * b6 + b6 * b9 + b7 * b12 + b8 * b1 + b9 * b4 + b10 * b7 + b11 * b10 + b12 * b13 + b13 * b2;
}
