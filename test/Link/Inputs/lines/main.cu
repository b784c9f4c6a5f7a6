extern __device__ float cube(float x);
extern "C" __global__ void never(float *p) {
  p[1] = 3;
}
extern "C" __global__ void run(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s = 0;
  for (int k = 0; k < 4; ++k)
    s += cube(p[i] + k);
  p[i] = s;
}
