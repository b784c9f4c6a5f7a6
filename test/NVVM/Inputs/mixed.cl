// Arguments of all kinds, memory of all kinds, intrinsics and inline assembly.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

typedef struct {
  float scale;
  int offset;
  double shift;
  char tail[3];
} Params;

__constant float table[4] = {1, 2, 4, 8};
__global int counter = 5;
__global int *__constant pointer = &counter;

__attribute__((noinline)) float helper(float x, Params p) {
  p.scale += 1; // of the callee's copy
  return x * p.scale + p.offset + (float)p.shift + p.tail[1];
}

__kernel void mixed(__global float *out, __global const float *in, uint n,
                    Params p, float4 v, uchar c, half h) {
  __local float tile[64];
  uint t = __nvvm_read_ptx_sreg_tid_x();
  uint i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + t;
  tile[t] = in[i];
  __nvvm_bar_sync(0);
  float x = tile[63 - t] * table[t & 3] + v.y;
  float a[5];
  for (int k = 0; k < 5; ++k)
    a[k] = x + k;
  p.scale = a[i % 5];
  out[i] = __nvvm_sqrt_rn_f(__nvvm_fabs_f(x)) + helper(x, p) +
           a[(i * 7) % 5] / (1.5f + c) + (float)h;

  int lane, odd;
  __asm__ volatile("" ::: "memory");
  __asm__("mov.u32 %0, %%laneid;\n\tand.b32 %1, %0, 1;"
          : "=&r"(lane), "=r"(odd));
  __asm__("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\t"
          "@p add.s32 %0, %0, %2;\n\t}"
          : "+r"(lane) : "r"(odd), "n"(1000));
  out[n + i] = __nvvm_shfl_sync_bfly_f32(-1, x, 1, 31) + lane;
  out[2 * n + i] = lane + *pointer + __builtin_roundf(x) +
                   __builtin_copysignf(1.0f, -x) + __nvvm_f2i_rm(x * 10) +
                   __nvvm_ex2_approx_ftz_f(0.125f * t) + 7u / (t + 1);
}
