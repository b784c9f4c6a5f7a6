// C = A B^T in half precision with sums in single precision, of CuTe's parts for
// sm_100a: products of 128 x 64 x 16 by tcgen05.mma into tensor memory, which
// TMEM::Allocator1Sm gives and tcgen05.ld reads. A and B stand by rows, the tile
// is 128 x 64 x 64; the threads copy tiles themselves.
#include "cute/tensor.hpp"
#include "cute/algorithm/cooperative_copy.hpp"
#include "cute/arch/tmem_allocator_sm100.hpp"
#include "cutlass/arch/barrier.h"
#include "cutlass/half.h"

using namespace cute;

using Half = cutlass::half_t;
constexpr int TileM = 128, TileN = 64, TileK = 64, Columns = 64;
using Mma = decltype(make_tiled_mma(
    SM100_MMA_F16BF16_SS<Half, Half, float, TileM, TileN, UMMA::Major::K,
                         UMMA::Major::K>{}));
using LayoutA = decltype(UMMA::tile_to_mma_shape(
    UMMA::Layout_K_SW128_Atom<Half>{},
    partition_shape_A(Mma{}, Shape<Int<TileM>, Int<TileK>>{})));
using LayoutB = decltype(UMMA::tile_to_mma_shape(
    UMMA::Layout_K_SW128_Atom<Half>{},
    partition_shape_B(Mma{}, Shape<Int<TileN>, Int<TileK>>{})));

struct Storage {
  alignas(1024) Half a[cosize_v<LayoutA>];
  alignas(1024) Half b[cosize_v<LayoutB>];
  alignas(16) uint64_t barrier;
  uint32_t columns;
};

extern "C" __global__ __launch_bounds__(128) void
cutlass_gemm_sm100(const Half *a, const Half *b, float *c, int n, int k) {
  extern __shared__ __align__(1024) char bytes[];
  Storage &s = *reinterpret_cast<Storage *>(bytes);
  auto tile = [&](const Half *p, int row, auto rows) {
    Tensor all = make_tensor(make_gmem_ptr(p + size_t(row) * k),
                             make_layout(make_shape(rows, k), make_stride(k, _1{})));
    return local_tile(all, make_shape(rows, Int<TileK>{}), make_coord(_0{}, _));
  };
  Tensor tileC = make_tensor(
      make_gmem_ptr(c + size_t(blockIdx.y) * TileM * n + blockIdx.x * TileN),
      make_layout(Shape<Int<TileM>, Int<TileN>>{}, make_stride(n, _1{})));
  Mma mma;
  auto slice = mma.get_slice(0);
  Tensor fromA = slice.partition_A(tile(a, blockIdx.y * TileM, Int<TileM>{}));
  Tensor fromB = slice.partition_B(tile(b, blockIdx.x * TileN, Int<TileN>{}));
  Tensor toC = slice.partition_C(tileC);
  Tensor inA = make_tensor(make_smem_ptr(s.a), LayoutA{});
  Tensor inB = make_tensor(make_smem_ptr(s.b), LayoutB{});
  Tensor fragA = slice.make_fragment_A(inA), fragB = slice.make_fragment_B(inB);
  Tensor sum = slice.make_fragment_C(toC);
  TMEM::Allocator1Sm allocator;
  bool first = threadIdx.x < 32;
  if (first) {
    allocator.allocate(Columns, &s.columns);
    if (elect_one_sync())
      initialize_barrier(s.barrier, 1);
  }
  __syncthreads();
  sum.data() = s.columns;
  mma.accumulate_ = UMMA::ScaleOut::Zero;
  for (int t = 0; t < k / TileK; ++t) {
    cooperative_copy<128>(threadIdx.x, fromA(_, _, _, t), inA);
    cooperative_copy<128>(threadIdx.x, fromB(_, _, _, t), inB);
    cutlass::arch::fence_view_async_shared();
    __syncthreads();
    if (first) {
      for (int i = 0; i < size<2>(fragA); ++i) {
        gemm(mma, fragA(_, _, i), fragB(_, _, i), sum);
        mma.accumulate_ = UMMA::ScaleOut::One;
      }
      cutlass::arch::umma_arrive(&s.barrier);
    }
    wait_barrier(s.barrier, t % 2);
  }
  auto load = make_tmem_copy(SM100_TMEM_LOAD_32dp32b32x{}, sum);
  auto part = load.get_slice(threadIdx.x);
  Tensor to = part.partition_D(toC);
  Tensor registers = make_tensor<float>(shape(to));
  copy(load, part.partition_S(sum), registers);
  copy(registers, to);
  __syncthreads();
  if (first) {
    allocator.release_allocation_lock();
    allocator.free(s.columns, Columns);
  }
}
