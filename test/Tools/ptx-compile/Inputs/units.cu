// Many kernels with variables of all kinds, for units.py. What kernels call would keep
// them together, so that each has functions of its own.
struct Particle {
  float position[3];
  int charge;
};

__device__ int counter = 7;
__device__ Particle origin = {{1, 2, 3}, 4};
__constant__ float weights[4] = {1, 2, 4, 8};

template <int N> __device__ float squared(float x) {
  float result = x * x + N;
  return result;
}

template <int N> __device__ __noinline__ int steps(int n) {
  static int calls;
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += i * counter + N;
  calls = sum;
  return sum;
}

#define KERNEL(N)                                                                                                      \
  __global__ void kernel##N(const Particle *in, float *out, int n) {                                                   \
    __shared__ int before[N + 1];                                                                                      \
    __shared__ float tile[64];                                                                                         \
    int i = threadIdx.x;                                                                                               \
    Particle p = in[i];                                                                                                \
    p.charge += N;                                                                                                     \
    before[i % (N + 1)] = p.charge;                                                                                    \
    tile[i] = squared<N>(p.position[N % 3]) + weights[N % 4];                                                             \
    __syncthreads();                                                                                                   \
    for (int k = 0; k < n; ++k)                                                                                        \
      p.position[k % 3] += tile[(i + k) % 64] * origin.position[k % 3];                                                \
    out[i] = p.position[0] + p.position[1] + p.charge + before[0] + steps<N>(N % 2);                                      \
  }
#define FOUR(N) KERNEL(N##0) KERNEL(N##1) KERNEL(N##2) KERNEL(N##3)
FOUR(1) FOUR(2) FOUR(3) FOUR(4) FOUR(5) FOUR(6) FOUR(7) FOUR(8) FOUR(9) FOUR(10) FOUR(11) FOUR(12)
