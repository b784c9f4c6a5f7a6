// Structures and arrays that clang's optimiser has in pieces: in several registers,
// some of them constant or gone.
struct Range {
  long begin, end;
};

struct Best {
  float value;
  int at;
};

extern "C" __attribute__((global)) void pieces(const float *in, float *out, int n) {
  Range r = {__nvvm_read_ptx_sreg_tid_x(), n};
  Best best = {-1.0f, -1};
  float sums[2] = {0.0f, 0.0f};
#pragma clang loop unroll(disable)
  for (; r.begin < r.end; r.begin += 8) {
    float now = in[r.begin];
    if (now > best.value) {
      best.value = now;
      best.at = (int)r.begin;
    }
    sums[0] = sums[0] + now;
    sums[1] = sums[1] * now;
  }
  sums[1] = sums[1] + best.value;
  int i = __nvvm_read_ptx_sreg_tid_x();
  out[i] = sums[0] + sums[1];
  out[i + 8] = (float)best.at;
}
