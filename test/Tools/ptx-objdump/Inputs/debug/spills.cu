// Variables that live longer than there are registers for them: spilled values, in
// shared memory where there is room.
extern "C" __global__ void __launch_bounds__(64) spills(const float *in, float *out, int n) {
  float v0 = in[threadIdx.x + 0] + 0.0f, v1 = in[threadIdx.x + 1] + 1.0f;
  float v2 = in[threadIdx.x + 2] + 2.0f, v3 = in[threadIdx.x + 3] + 3.0f;
  float v4 = in[threadIdx.x + 4] + 4.0f, v5 = in[threadIdx.x + 5] + 5.0f;
  float v6 = in[threadIdx.x + 6] + 6.0f, v7 = in[threadIdx.x + 7] + 7.0f;
  float v8 = in[threadIdx.x + 8] + 8.0f, v9 = in[threadIdx.x + 9] + 9.0f;
  float v10 = in[threadIdx.x + 10] + 10.0f, v11 = in[threadIdx.x + 11] + 11.0f;
  float v12 = in[threadIdx.x + 12] + 12.0f, v13 = in[threadIdx.x + 13] + 13.0f;
  float v14 = in[threadIdx.x + 14] + 14.0f, v15 = in[threadIdx.x + 15] + 15.0f;
  float v16 = in[threadIdx.x + 16] + 16.0f, v17 = in[threadIdx.x + 17] + 17.0f;
  float v18 = in[threadIdx.x + 18] + 18.0f, v19 = in[threadIdx.x + 19] + 19.0f;
  float v20 = in[threadIdx.x + 20] + 20.0f, v21 = in[threadIdx.x + 21] + 21.0f;
  float v22 = in[threadIdx.x + 22] + 22.0f, v23 = in[threadIdx.x + 23] + 23.0f;
  float v24 = in[threadIdx.x + 24] + 24.0f, v25 = in[threadIdx.x + 25] + 25.0f;
  float v26 = in[threadIdx.x + 26] + 26.0f, v27 = in[threadIdx.x + 27] + 27.0f;
  float v28 = in[threadIdx.x + 28] + 28.0f, v29 = in[threadIdx.x + 29] + 29.0f;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    sum += k * v0 + v1 * v2;
    out[k * 64 + threadIdx.x] = sum;
  }
  out[threadIdx.x] = sum +
                     v0 * v3 + v1 * v10 + v2 * v17 + v3 * v24 + v4 * v1 + v5 * v8 +
                     v6 * v15 + v7 * v22 + v8 * v29 + v9 * v6 + v10 * v13 + v11 * v20 +
                     v12 * v27 + v13 * v4 + v14 * v11 + v15 * v18 + v16 * v25 + v17 * v2 +
                     v18 * v9 + v19 * v16 + v20 * v23 + v21 * v0 + v22 * v7 + v23 * v14 +
                     v24 * v21 + v25 * v28 + v26 * v5 + v27 * v12 + v28 * v19 + v29 * v26;
}
