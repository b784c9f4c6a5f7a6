// C = A B for half precision, as kernels for sm_80 do it: tiles of 64 x 64 x 32
// that cp.async brings into three stages of shared memory, with zeros beyond the
// edges, fragments by ldmatrix, products by mma.sync. m, n and k are multiples of
// 8.
#include <cstdint>
#include <cuda_fp16.h>

constexpr int TileM = 64, TileN = 64, TileK = 32, Stages = 3;
// Rows are padded so that ldmatrix has no bank conflicts.
constexpr int PitchA = TileK + 8, PitchB = TileN + 8;

struct Stage {
  half a[TileM * PitchA], b[TileK * PitchB];
};

__device__ uint32_t sharedAddress(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ void copy16(half *to, const half *from, bool valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   sharedAddress(to)),
               "l"(from), "r"(valid ? 16 : 0)
               : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ void waitGroups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
__device__ void loadA(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(sharedAddress(p)));
}
__device__ void loadB(uint32_t (&r)[4], const half *p) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(sharedAddress(p)));
}
__device__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                         uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void __launch_bounds__(128)
    mma_gemm(const half *a, const half *b, float *c, int m, int n, int k) {
  __shared__ Stage stages[Stages];
  int firstRow = blockIdx.y * TileM, firstColumn = blockIdx.x * TileN;
  int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  int rowOfWarp = warp / 2 * 32, columnOfWarp = warp % 2 * 32;

  auto load = [&](Stage &s, int k0) {
    for (int i = thread; i < TileM * TileK / 8; i += 128) {
      int row = i / (TileK / 8), column = i % (TileK / 8) * 8;
      bool valid = firstRow + row < m && k0 + column < k;
      copy16(s.a + row * PitchA + column,
             valid ? a + size_t(firstRow + row) * k + k0 + column : a, valid);
    }
    for (int i = thread; i < TileK * TileN / 8; i += 128) {
      int row = i / (TileN / 8), column = i % (TileN / 8) * 8;
      bool valid = k0 + row < k && firstColumn + column < n;
      copy16(s.b + row * PitchB + column,
             valid ? b + size_t(k0 + row) * n + firstColumn + column : b,
             valid);
    }
  };

  float sum[2][4][4] = {};
  int steps = (k + TileK - 1) / TileK;
  for (int s = 0; s < Stages - 1; ++s) {
    if (s < steps)
      load(stages[s], s * TileK);
    commit();
  }
  for (int step = 0; step < steps; ++step) {
    waitGroups<Stages - 2>();
    __syncthreads();
    int next = step + Stages - 1;
    if (next < steps)
      load(stages[next % Stages], next * TileK);
    commit();
    const Stage &s = stages[step % Stages];
    for (int kk = 0; kk < TileK; kk += 16) {
      uint32_t fa[2][4], fb[2][4];
      for (int i = 0; i < 2; ++i)
        loadA(fa[i], s.a + (rowOfWarp + 16 * i + lane % 16) * PitchA + kk +
                         lane / 16 * 8);
      for (int j = 0; j < 2; ++j)
        loadB(fb[j], s.b + (kk + lane % 16) * PitchB + columnOfWarp + 16 * j +
                         lane / 16 * 8);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
          multiply(sum[i][j], fa[i], fb[j / 2][j % 2 * 2],
                   fb[j / 2][j % 2 * 2 + 1]);
    }
  }
  waitGroups<0>();
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e) {
        int row = firstRow + rowOfWarp + 16 * i + lane / 4 + e / 2 * 8;
        int column = firstColumn + columnOfWarp + 8 * j + lane % 4 * 2 + e % 2;
        if (row < m && column < n)
          c[size_t(row) * n + column] = sum[i][j][e];
      }
}
