// Products of matrices, copies and barriers by clang's builtins; no headers.
#define SHARED __attribute__((address_space(3)))
#define GLOBAL __attribute__((address_space(1)))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

// Two tiles of 16 x 16 of halves, copied without registers.
static __attribute__((device)) void load(const int *from, SHARED int *to) {
  __attribute__((shared)) static long arrived;
  SHARED long *barrier = (SHARED long *)&arrived;
  int thread = __nvvm_read_ptx_sreg_tid_x();
  if (thread == 0)
    __nvvm_mbarrier_init_shared(barrier, 64); // each thread, and its copies
  __syncthreads();
  for (int i = 0; i != 2; ++i)
    __nvvm_cp_async_cg_shared_global_16(
        (SHARED char *)to + 16 * (thread + 32 * i),
        (const GLOBAL char *)((const char *)from + 16 * (thread + 32 * i)));
  __nvvm_cp_async_ca_shared_global_4(
      (SHARED char *)to + 1024 + 4 * thread,
      (const GLOBAL char *)((const char *)from + 4 * thread), 4);
  __nvvm_cp_async_mbarrier_arrive_noinc_shared(barrier);
  long token = __nvvm_mbarrier_arrive_shared(barrier);
  while (!__nvvm_mbarrier_test_wait_shared(barrier, token))
    ;
  __nvvm_cp_async_commit_group();
  __nvvm_cp_async_wait_group(0);
  __syncthreads();
}

extern "C" __global__ void products(const int *in, float *out) {
  __shared__ alignas(128) static int tile[320];
  load(in, (SHARED int *)tile);
  int thread = __nvvm_read_ptx_sreg_tid_x();

  int a[8], b[8], h[4];
  float c[8], d[8];
  for (int i = 0; i != 8; ++i)
    c[i] = i + thread;
  __hmma_m16n16k16_ld_a(a, tile, 16, 0);
  __hmma_m16n16k16_ld_b(b, tile + 128, 16, 1);
  __hmma_m16n16k16_mma_f32f32(d, a, b, c, 1, 0);
  __hmma_m16n16k16_st_c_f32(out, d, 16, 0);

  __hmma_m32n8k16_ld_a(a, tile, 8, 1);
  __hmma_m32n8k16_ld_b(b, in, 16, 0);
  __hmma_m32n8k16_ld_c_f16(h, in, 8, 0);
  __hmma_m32n8k16_mma_f32f16(d, a, b, h, 2, 0);
  __hmma_m32n8k16_st_c_f32((float *)(out + 256), d, 8, 0);

  int s[8], t[8];
  __imma_m16n16k16_ld_a_s8(a, in, 16, 0);
  __imma_m16n16k16_ld_b_s8(b, in + 64, 16, 1);
  __imma_m16n16k16_ld_c(s, in, 16, 0);
  __imma_m16n16k16_mma_s8(t, a, b, s, 1, 1);
  __imma_m16n16k16_st_c_i32((int *)(out + 512), t, 16, 1);

  __mma_bf16_m16n16k16_ld_a(a, in, 16, 0);
  __mma_bf16_m16n16k16_ld_b(b, in, 16, 0);
  __mma_bf16_m16n16k16_mma_f32(d, a, b, c, 0, 0);
  for (int i = 0; i != 8; ++i)
    out[768 + 32 * i + thread] = d[i];

  __mma_tf32_m16n16k8_ld_a(a, in, 8, 0);
  __mma_tf32_m16n16k8_ld_b(b, in, 8, 1);
  __mma_tf32_m16n16k8_mma_f32(d, a, b, c, 1, 0);
  for (int i = 0; i != 8; ++i)
    out[1024 + 32 * i + thread] = d[i] + tile[256 + thread];

  double x, y, z[2] = {1.0 * thread, 2.0}, w[2];
  __dmma_m8n8k4_ld_a(&x, (const double *)in, 4, 0);
  __dmma_m8n8k4_ld_b(&y, (const double *)in, 4, 1);
  __dmma_m8n8k4_mma_f64(w, &x, &y, z, 1, 0);
  out[1280 + thread] = w[0];
  out[1312 + thread] = w[1];

  int one, other, ones[2] = {thread, 3}, counts[2];
  __bmma_m8n8k128_ld_a_b1(&one, in, 128, 0);
  __bmma_m8n8k128_ld_b_b1(&other, in + 32, 128, 1);
  __bmma_m8n8k128_mma_xor_popc_b1(counts, &one, &other, ones, 1);
  out[1344 + thread] = counts[0];
  out[1376 + thread] = counts[1];
}
