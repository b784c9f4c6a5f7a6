__device__ __noinline__ float unused(float x) { return x * x + 3.0f; }
__device__ __noinline__ float cube(float x) {
  float y = x * x;
  return y * x;
}
__device__ __noinline__ float unused2(float x) { return x * x + 5.0f; }
