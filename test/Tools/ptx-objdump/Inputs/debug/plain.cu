// Without CUDA's headers, whose types would be most of the debug information.
struct Pair {
  float first, second;
};

__attribute__((device)) static float sum(Pair p) { return p.first + p.second; }

extern "C" __attribute__((global)) void plain(const Pair *in, float *out) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  out[i] = sum(in[i]);
}
