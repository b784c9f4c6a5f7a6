// Variables that are the same for all threads of a warp, in a loop that is, too:
// without a debugger in mind the compiler has them in uniform registers.
extern "C" __global__ void uniform(const int *in, int *out, int n) {
  int base = blockIdx.x * 3 + n;
  int twice = base * 2 - 7;
  long long wide = (long long)base << 33;
  bool odd = twice & 4;
  int sum = 0;
  for (int k = 0; k < n; ++k) {
    int at = (base + k * twice) & 63;
    if (odd)
      sum += in[at] + threadIdx.x;
    else
      sum -= in[at ^ 1];
    sum ^= k;
    wide += at;
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + base + odd + int(wide >> 7);
}
