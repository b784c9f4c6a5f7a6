// Two levels of functions that are inlined, a loop, and a local variable.
__device__ __forceinline__ float square(float x) { return x * x; }

__device__ __forceinline__ float norm(float x, float y) {
  float sum = square(x) + square(y);
  return sqrtf(sum);
}

extern "C" __global__ void scale(const float *x, const float *y, float *out,
                                 int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float value = norm(x[i], y[i]);
  for (int k = 0; k != 3; ++k)
    value += x[(i + k) % n];
  out[i] = value;
}
