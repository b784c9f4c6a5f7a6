// C = A B^T of numbers of 4 bits with a scale for each 32 of them, as kernels for
// sm_120a do it: mma.sync with kind::mxf4. A warp computes 16 x 8 elements. Two
// numbers stand in a byte, k is a multiple of 64.
#include <cstdint>

extern "C" __global__ void mxf4_gemm(const uint8_t *a, const uint8_t *b,
                                     const uint8_t *scaleA,
                                     const uint8_t *scaleB, float *c, int n,
                                     int k) {
  int row = blockIdx.y * 16, column = blockIdx.x * 8;
  int group = threadIdx.x / 4, inGroup = threadIdx.x % 4;
  float d[4] = {};
  for (int k0 = 0; k0 < k; k0 += 64) {
    auto word = [&](const uint8_t *p, int line, int half) {
      return *reinterpret_cast<const uint32_t *>(
          p + (size_t(line) * k + k0 + 32 * half + 8 * inGroup) / 2);
    };
    uint32_t a0 = word(a, row + group, 0), a1 = word(a, row + group + 8, 0),
             a2 = word(a, row + group, 1), a3 = word(a, row + group + 8, 1),
             b0 = word(b, column + group, 0), b1 = word(b, column + group, 1);
    // The first two lanes of four have the scales of A, the third those of B.
    auto scales = [&](const uint8_t *p, int line) {
      return uint32_t(*reinterpret_cast<const uint16_t *>(
          p + (size_t(line) * k + k0) / 32));
    };
    uint32_t sa = inGroup < 2 ? scales(scaleA, row + group + 8 * inGroup) : 0;
    uint32_t sb = inGroup == 2 ? scales(scaleB, column + group) : 0;
    asm volatile(
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X"
        ".f32.e2m1.e2m1.f32.ue8m0 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3}, %10, {0, 0}, %11, {0, 2};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(sa),
          "r"(sb));
  }
  for (int i = 0; i < 4; ++i)
    c[size_t(row + group + i / 2 * 8) * n + column + inGroup * 2 + i % 2] = d[i];
}
