// Functions of libdevice, which use most of the intrinsics of arithmetic,
// inline assembly and tables.
float __nv_sinf(float);
void __nv_sincosf(float, float *, float *);
float __nv_powf(float, float);
float __nv_tgammaf(float);
float __nv_erfcinvf(float);
float __nv_tanhf(float);
float __nv_roundf(float);
float __nv_fast_fdividef(float, float);
float __nv_fsub_rz(float, float);
float __nv_frcp_rd(float);
float __nv_half2float(short);
int __nv_clz(int);
int __nv_ffs(int);
double __nv_exp(double);
double __nv_lgamma(double);
double __nv_cospi(double);
double __nv_j0(double);
double __nv_fmod(double, double);
double __nv_nextafter(double, double);

__kernel void functions(__global float *out, __global const float *in) {
  uint i = __nvvm_read_ptx_sreg_tid_x();
  __global float *o = out + i * 20;
  float x = in[i], s, c;
  __nv_sincosf(x, &s, &c);
  o[0] = __nv_sinf(x * 1000000); // reduced by a table
  o[1] = __nv_powf(x, 1.3f);
  o[2] = (float)__nv_exp(x);
  o[3] = __nv_tgammaf(x);
  o[4] = (float)__nv_lgamma(x);
  o[5] = __nv_fast_fdividef(x, 3);
  o[6] = __nv_fsub_rz(x, 0.1f);
  o[7] = __nv_clz((int)(x * 1000));
  o[8] = (float)__nv_cospi(x);
  o[9] = __nv_erfcinvf(0.1f * x);
  o[10] = s;
  o[11] = c;
  o[12] = __nv_frcp_rd(x);
  o[13] = (float)__nv_j0(x);
  o[14] = __nv_tanhf(x);
  o[15] = __nv_ffs((int)x);
  o[16] = (float)__nv_fmod(x * 100, 7.0);
  o[17] = __nv_roundf(x);
  o[18] = (float)__nv_nextafter(x, 0.0);
  o[19] = __nv_half2float((short)(x * 1000));
}
