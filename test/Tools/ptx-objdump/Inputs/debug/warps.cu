// Parts of a thread's number that the optimiser has in another form: of warp * 4 it
// makes threadIdx.x >> 3 without its lowest bits, of low the sum in more bits.
extern "C" __global__ void __launch_bounds__(64) warps(const float *in, float *out, int n) {
  __shared__ float part[2];
  unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0)
    part[warp] = in[warp];
  __syncthreads();
  unsigned low = (threadIdx.x + n) & 0xffff, high = threadIdx.x * 5 + n;
  unsigned masked = low & 0x3f, field = high >> 6;
  out[masked] = part[0] + (lane == 0 ? part[1] : 0);
  ((unsigned char *)(out + 64))[threadIdx.x] = (unsigned char)(low + high);
  out[96 + (field & 1)] = 1;
}
