// Variables of many types, in registers, in local and in shared memory, in
// blocks, in functions that are called and that are inlined.
enum Shape { Circle, Square = 4, Star };

struct Base {
  int id;
};

struct Particle : Base {
  float position[3];
  Shape shape;
  unsigned low : 5;
  int high : 7;
  Particle *next;
};

union Word {
  unsigned bits;
  float number;
};

template <typename T, int N> struct Table {
  T rows[N][2];
};

__constant__ short weights[4] = {1, -2, 3, -4};
__device__ int counter = 7;

__device__ __forceinline__ float squared(float x) {
  float result = x * x;
  return result;
}

__device__ __noinline__ int triangle(int n, const int &step) {
  int sum = 0;
  for (int i = 0; i < n; i += step) {
    int twice = 2 * i;
    sum += twice;
  }
  return sum;
}

__global__ void variables(const float *in, int *out, Base base, char letter,
                          bool flag, double scale) {
  __shared__ Table<int, 3> table;
  int i = threadIdx.x;
  int step = 1;
  Particle p;
  p.id = base.id + i;
  for (int k = 0; k < 3; ++k)
    p.position[k] = in[k] + i;
  p.shape = i % 2 ? Star : Square;
  p.low = i;
  p.high = -i;
  p.next = &p;
  Word w;
  w.number = 1.0f;
  if (i < 3) {
    table.rows[i][0] = i;
    table.rows[i][1] = 10 * i;
  }
  __syncthreads();
  long long total = triangle(i, step);
  unsigned char small = letter + i;
  bool odd = flag && (i & 1);
  double product = scale * i;
  float s = squared(p.position[1]);
  if (i > 4) {
    int total = i + weights[1];
    out[i] = total;
    i += counter;
  }
  out[threadIdx.x] = int(total) + small + odd + int(product) + int(s) + i +
                     int(w.bits) + table.rows[1][1];
}
