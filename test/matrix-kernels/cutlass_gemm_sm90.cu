// C = A B^T in half precision with sums in single precision, of CUTLASS's parts
// for sm_90a: PipelineTmaAsync with four stages and a warp that loads by TMA, and
// a warpgroup with CuTe's TiledMMA, which is wgmma. A and B stand by rows, a tile
// is 64 x 64 x 64. The tensor maps come with the launch.
#include "cute/tensor.hpp"
#include "cutlass/pipeline/sm90_pipeline.hpp"

using namespace cute;

constexpr int TileSize = 64, Stages = 4;
using Half = cutlass::half_t;
using Pipeline = cutlass::PipelineTmaAsync<Stages>;
using Mma = decltype(make_tiled_mma(
    SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{}));
using Layout3 = decltype(tile_to_shape(
    GMMA::Layout_K_SW128_Atom<Half>{},
    make_shape(Int<TileSize>{}, Int<TileSize>{}, Int<Stages>{})));

struct Storage {
  alignas(1024) Half a[cosize_v<Layout3>];
  alignas(1024) Half b[cosize_v<Layout3>];
  typename Pipeline::SharedStorage pipeline;
};

static __device__ void load(Pipeline &pipeline, Storage &s, const void *mapA,
                            const void *mapB, int tiles) {
  auto state = cutlass::make_producer_start_state<Pipeline>();
  for (int t = 0; t < tiles; ++t, ++state) {
    pipeline.producer_acquire(state);
    auto *barrier = pipeline.producer_get_barrier(state);
    constexpr auto Hint = static_cast<uint64_t>(TMA::CacheHintSm90::EVICT_NORMAL);
    SM90_TMA_LOAD_2D::copy(mapA, barrier, Hint, s.a + state.index() * TileSize * TileSize,
                           t * TileSize, int(blockIdx.y) * TileSize);
    SM90_TMA_LOAD_2D::copy(mapB, barrier, Hint, s.b + state.index() * TileSize * TileSize,
                           t * TileSize, int(blockIdx.x) * TileSize);
  }
  pipeline.producer_tail(state);
}

extern "C" __global__ __launch_bounds__(256) void
cutlass_gemm_sm90(const void *mapA, const void *mapB, float *c, int n, int k) {
  extern __shared__ __align__(1024) char bytes[];
  Storage &s = *reinterpret_cast<Storage *>(bytes);
  int tiles = k / TileSize;
  bool loads = threadIdx.x >= 128;
  typename Pipeline::Params params;
  params.transaction_bytes = 2 * TileSize * TileSize * sizeof(Half);
  params.role = loads ? Pipeline::ThreadCategory::Producer
                      : Pipeline::ThreadCategory::Consumer;
  params.is_leader = threadIdx.x == 128;
  params.num_consumers = 128;
  Pipeline pipeline(s.pipeline, params, Shape<_1, _1, _1>{});
  __syncthreads();
  if (loads) {
    if (threadIdx.x == 128)
      load(pipeline, s, mapA, mapB, tiles);
    return;
  }
  Tensor a = make_tensor(make_smem_ptr(s.a), Layout3{});
  Tensor b = make_tensor(make_smem_ptr(s.b), Layout3{});
  Mma mma;
  auto slice = mma.get_slice(threadIdx.x);
  Tensor tileC = make_tensor(
      make_gmem_ptr(c + size_t(blockIdx.y) * TileSize * n + blockIdx.x * TileSize),
      make_layout(make_shape(Int<TileSize>{}, Int<TileSize>{}), make_stride(n, _1{})));
  Tensor toC = slice.partition_C(tileC);
  Tensor fragA = slice.make_fragment_A(slice.partition_A(a));
  Tensor fragB = slice.make_fragment_B(slice.partition_B(b));
  Tensor sum = slice.make_fragment_C(toC);
  clear(sum);
  typename Pipeline::PipelineState state;
  for (int t = 0; t < tiles; ++t, ++state) {
    pipeline.consumer_wait(state);
    warpgroup_fence_operand(sum);
    warpgroup_arrive();
    gemm(mma, fragA(_, _, _, state.index()), fragB(_, _, _, state.index()), sum);
    warpgroup_commit_batch();
    warpgroup_wait<0>();
    warpgroup_fence_operand(sum);
    pipeline.consumer_release(state);
  }
  copy(sum, toC);
}

// Where a buffer is, a launch cannot know.
extern "C" __global__ void set_address(void *map, const void *address) {
  asm volatile(
      "tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(
          map),
      "l"(address)
      : "memory");
}
