// Functions with parameters of their templates, which clang describes, after its
// optimiser: a number that is a sum of powers, by Horner's rule.
template <typename T, int Count> struct Digits {
  T digit[Count];
};

template <typename T, int Count, int Base>
__attribute__((device, noinline)) static T value(const Digits<T, Count> *of) {
  T sum = 0;
#pragma clang loop unroll(disable)
  for (int i = 0; i < Count; ++i) {
    T next = sum * Base;
    sum = next + of->digit[i];
  }
  return sum;
}

extern "C" __attribute__((global)) void templates(const Digits<int, 4> *in, int *out) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  int ten = value<int, 4, 10>(in + i);
  int eight = value<int, 4, 8>(in + i);
  out[i] = ten - eight;
}
