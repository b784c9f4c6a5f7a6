// Textures and surfaces by their handles, with the inline assembly of clang's
// headers.
#define __global__ __attribute__((global))

extern "C" __global__ void textures(unsigned long picture,
                                    unsigned long plane, float *out) {
  int thread = __nvvm_read_ptx_sreg_tid_x();
  float r, g, b, a, x = 0.3f * thread, y = 0.7f * thread;
  asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
      : "=f"(r), "=f"(g), "=f"(b), "=f"(a)
      : "l"(picture), "f"(x), "f"(y));
  out[thread] = r + g;
  out[32 + thread] = b * a;
  asm("tld4.g.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
      : "=f"(r), "=f"(g), "=f"(b), "=f"(a)
      : "l"(picture), "f"(x), "f"(y));
  out[64 + thread] = r - g + b - a;
  unsigned width;
  asm("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(picture));
  int column = thread % 8 * 4, row = thread / 8;
  unsigned texel;
  asm volatile("suld.b.2d.b32.zero %0, [%1, {%2, %3}];"
               : "=r"(texel)
               : "l"(plane), "r"(column), "r"(row)
               : "memory");
  out[96 + thread] = texel;
  asm volatile("sust.b.2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(plane),
               "r"(column), "r"(row), "r"(texel + width + thread)
               : "memory");
}
