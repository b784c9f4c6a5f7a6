// C = A B^T for half precision, as kernels for sm_90a do it: a thread brings boxes
// of 64 x 64 with 128-byte swizzling into four stages by TMA, a warpgroup
// multiplies them with wgmma, mbarriers say when a stage is full and empty. A
// cluster of two CTAs shares the boxes of B, of which each brings one half.
#include <cstdint>
#include <cuda_fp16.h>

constexpr int TileM = 64, TileN = 64, TileK = 64, Stages = 4;

struct __align__(64) TensorMap {
  char bytes[128];
};
struct __align__(1024) Shared {
  half a[Stages][TileM * TileK], b[Stages][TileN * TileK];
  uint64_t full[Stages], empty[Stages];
};

__device__ uint32_t sharedAddress(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ void init(uint64_t *barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                   sharedAddress(barrier)),
               "r"(count)
               : "memory");
}
__device__ void wait(uint64_t *barrier, int parity) {
  asm volatile("{\n.reg .pred p;\nW:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
               "@p bra D;\nbra W;\nD:\n}" ::"r"(sharedAddress(barrier)),
               "r"(parity)
               : "memory");
}
__device__ void expect(uint64_t *barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   sharedAddress(barrier)),
               "r"(bytes)
               : "memory");
}
__device__ void arriveAt(uint64_t *barrier, int rank) {
  asm volatile("{\n.reg .b32 a;\nmapa.shared::cluster.u32 a, %0, %1;\n"
               "mbarrier.arrive.shared::cluster.b64 _, [a];\n}" ::"r"(
                   sharedAddress(barrier)),
               "r"(rank)
               : "memory");
}
__device__ void loadBox(half *to, const TensorMap *map, int x, int y,
                        uint64_t *barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile."
               "mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                   sharedAddress(to)),
               "l"(map), "r"(x), "r"(y), "r"(sharedAddress(barrier))
               : "memory");
}
__device__ void loadBoxForAll(half *to, const TensorMap *map, int x, int y,
                              uint64_t *barrier, short ranks) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile."
               "mbarrier::complete_tx::bytes.multicast::cluster "
               "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(sharedAddress(to)),
               "l"(map), "r"(x), "r"(y), "r"(sharedAddress(barrier)),
               "h"(ranks)
               : "memory");
}
// Rows of 128 bytes, swizzled, groups of eight 1024 bytes apart.
__device__ uint64_t descriptor(const half *p) {
  return uint64_t(sharedAddress(p) >> 4) | uint64_t(1024 >> 4) << 32 |
         uint64_t(1) << 62;
}
__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,"
      "%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, "
      "0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
        "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]),
        "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
        "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]),
        "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]),
        "+f"(d[31])
      : "l"(a), "l"(b));
}

/// Puts a tensor's address into its map.
extern "C" __global__ void set_address(TensorMap *map, const half *tensor) {
  asm volatile(
      "tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(
          map),
      "l"(tensor)
      : "memory");
}

extern "C" __global__ void __cluster_dims__(1, 2, 1)
    tma_gemm(const TensorMap *mapA, const TensorMap *mapB, float *c, int m,
             int n, int k) {
  extern __shared__ char memory[];
  Shared &s = *reinterpret_cast<Shared *>(
      (reinterpret_cast<uintptr_t>(memory) + 1023) & ~uintptr_t(1023));
  int rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  int row = blockIdx.y * TileM, column = blockIdx.x * TileN;
  if (threadIdx.x == 0)
    for (int i = 0; i < Stages; ++i) {
      init(&s.full[i], 1);
      init(&s.empty[i], 2);
    }
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
  int steps = (k + TileK - 1) / TileK;
  if (threadIdx.x >= 128) {
    if (threadIdx.x == 128)
      for (int i = 0; i < steps; ++i) {
        int stage = i % Stages;
        wait(&s.empty[stage], i / Stages % 2 ^ 1);
        expect(&s.full[stage], (TileM + TileN) * TileK * int(sizeof(half)));
        loadBox(s.a[stage], mapA, i * TileK, row, &s.full[stage]);
        // This CTA's half of B's rows, for both.
        loadBoxForAll(s.b[stage] + rank * (TileN / 2) * TileK, mapB, i * TileK,
                      column + rank * (TileN / 2), &s.full[stage], 3);
      }
  } else {
    float d[32] = {};
    for (int i = 0; i < steps; ++i) {
      int stage = i % Stages;
      wait(&s.full[stage], i / Stages % 2);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      for (int kk = 0; kk < TileK; kk += 16)
        multiply(d, descriptor(s.a[stage]) + kk * 2 / 16,
                 descriptor(s.b[stage]) + kk * 2 / 16);
      asm volatile("wgmma.commit_group.sync.aligned;\n"
                   "wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (threadIdx.x < 2)
        arriveAt(&s.empty[stage], threadIdx.x);
    }
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = 0; i < 32; ++i) {
      int y = row + 16 * warp + lane / 4 + i / 2 % 2 * 8;
      int x = column + i / 4 * 8 + lane % 4 * 2 + i % 2;
      if (y < m && x < n)
        c[size_t(y) * n + x] = d[i];
    }
  }
  // The other CTA may still write here.
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}
