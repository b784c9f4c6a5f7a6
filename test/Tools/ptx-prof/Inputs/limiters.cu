// Kernels with different limiters, for a page with something to show. They use
// no header, so that no toolkit is needed.
#define GLOBAL __attribute__((global))
#define SHARED __attribute__((shared))

static inline __attribute__((device)) int lane() {
  return __nvvm_read_ptx_sreg_tid_x();
}
static inline __attribute__((device)) int block() {
  return __nvvm_read_ptx_sreg_ctaid_x();
}

namespace demo {

template <typename T> struct Doubled {
  __attribute__((device)) T operator()(T x) const { return x + x; }
};

// Two loads, one store, little arithmetic.
template <typename T, typename Function>
GLOBAL void map(const T *in, T *out, Function f) {
  int i = block() * 256 + lane();
  out[i] = f(in[i]);
}

// Reads rows, writes columns: 32 sectors for each store.
template <int Size> GLOBAL void transposeNaive(const float *in, float *out) {
  int x = lane() % 32, y = block() * 8 + lane() / 32;
  for (int tile = 0; tile < Size / 32; ++tile)
    out[(tile * 32 + x) * Size + y] = in[y * Size + tile * 32 + x];
}

// Through shared memory, whose columns lie in one bank.
template <int Size, int Pitch>
GLOBAL void transposeShared(const float *in, float *out) {
  SHARED static float tile[32 * Pitch];
  int x = lane() % 32, y = lane() / 32;
  int tileX = block() % (Size / 32) * 32, tileY = block() / (Size / 32) * 32;
  for (int row = y; row < 32; row += 8)
    tile[row * Pitch + x] = in[(tileY + row) * Size + tileX + x];
  __nvvm_bar_sync(0);
  for (int row = y; row < 32; row += 8)
    out[(tileX + row) * Size + tileY + x] = tile[x * Pitch + row];
}

// A polynomial of many terms: arithmetic alone.
GLOBAL void polynomial(const float *in, float *out, int terms) {
  int i = block() * 256 + lane();
  float x = in[i], sum = 1, other = 2;
  for (int n = 0; n < terms; ++n) {
    sum = sum * x + 0.5f;
    other = other * x + 0.25f;
  }
  out[i] = sum + other;
}

// Threads of a warp take as many turns as their number says.
GLOBAL void diverging(const float *in, float *out) {
  int i = block() * 256 + lane();
  float x = in[i];
  for (int n = 0; n < i % 32; ++n)
    x = x * x + 1.0f / (x + n);
  out[i] = x;
}

} // namespace demo

template GLOBAL void demo::map(const float *, float *, demo::Doubled<float>);
template GLOBAL void demo::transposeNaive<256>(const float *, float *);
template GLOBAL void demo::transposeShared<256, 32>(const float *, float *);
