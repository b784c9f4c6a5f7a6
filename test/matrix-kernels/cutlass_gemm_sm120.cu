// C = A B^T of numbers of 4 bits (e2m1) with a scale (ue4m3) for each 16, of
// CUTLASS's collective main loop for sm_120a, which CollectiveBuilder puts
// together: a warp that loads by TMA and in bulk, two warpgroups that take
// fragments by ldmatrix and multiply with mma.sync of kind mxf4nvf4. A and B stand
// by rows, scales in CUTLASS's blocks of 128 rows by 4. A tile is 128 x 128 x 128.
// The tensor maps come with the launch.
#include "cute/tensor.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"

using namespace cute;

using Number = cutlass::nv_float4_t<cutlass::float_e2m1_t>;
using TileShape = Shape<_128, _128, _128>;
using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
    cutlass::arch::Sm120, cutlass::arch::OpClassBlockScaledTensorOp, Number,
    cutlass::layout::RowMajor, 32, Number, cutlass::layout::ColumnMajor, 32,
    float, TileShape, Shape<_1, _1, _1>, cutlass::gemm::collective::StageCount<3>,
    cutlass::gemm::KernelTmaWarpSpecializedCooperative>::CollectiveOp;
using Pipeline = typename Mainloop::MainloopPipeline;
using State = typename Mainloop::PipelineState;

constexpr int TileRows = 128, TileK = 128, RowBytes = TileK / 2,
              ScaleBytes = TileRows * TileK / 16;
constexpr int Consumers = size(typename Mainloop::TiledMma{});

struct Storage {
  typename Mainloop::TensorStorage tensors;
  typename Mainloop::PipelineStorage pipeline;
};

static __device__ void load(Pipeline &pipeline, Storage &s, const void *mapA,
                            const void *mapB, const char *scalesA,
                            const char *scalesB, int tiles) {
  auto state = cutlass::make_producer_start_state<Pipeline>();
  auto at = [&](auto &part, int bytes) {
    return reinterpret_cast<char *>(&part) + state.index() * bytes;
  };
  for (int t = 0; t < tiles; ++t, ++state) {
    pipeline.producer_acquire(state);
    auto *barrier = pipeline.producer_get_barrier(state);
    constexpr auto Hint = static_cast<uint64_t>(TMA::CacheHintSm90::EVICT_NORMAL);
    SM90_TMA_LOAD_2D::copy(mapA, barrier, Hint, at(s.tensors.smem_A, TileRows * RowBytes),
                           t * RowBytes, int(blockIdx.y) * TileRows);
    SM90_TMA_LOAD_2D::copy(mapB, barrier, Hint, at(s.tensors.smem_B, TileRows * RowBytes),
                           t * RowBytes, int(blockIdx.x) * TileRows);
    SM90_BULK_COPY_G2S::copy(scalesA + (size_t(blockIdx.y) * tiles + t) * ScaleBytes,
                             barrier, at(s.tensors.smem_SFA, ScaleBytes), ScaleBytes);
    SM90_BULK_COPY_G2S::copy(scalesB + (size_t(blockIdx.x) * tiles + t) * ScaleBytes,
                             barrier, at(s.tensors.smem_SFB, ScaleBytes), ScaleBytes);
  }
  pipeline.producer_tail(state);
}

extern "C" __global__ __launch_bounds__(Consumers + 128) void
cutlass_gemm_sm120(const void *mapA, const void *mapB, const char *scalesA,
                   const char *scalesB, float *c, int n, int k) {
  extern __shared__ __align__(1024) char bytes[];
  Storage &s = *reinterpret_cast<Storage *>(bytes);
  int tiles = k / TileK;
  bool loads = threadIdx.x >= Consumers;
  typename Pipeline::Params params;
  params.transaction_bytes = Mainloop::TmaTransactionBytes;
  params.role = loads ? Pipeline::ThreadCategory::Producer
                      : Pipeline::ThreadCategory::Consumer;
  params.is_leader = threadIdx.x == Consumers;
  params.num_consumers = Consumers;
  Pipeline pipeline(s.pipeline, params, Shape<_1, _1, _1>{});
  __syncthreads();
  if (loads) {
    if (threadIdx.x == Consumers)
      load(pipeline, s, mapA, mapB, scalesA, scalesB, tiles);
    return;
  }
  typename Mainloop::TiledMma mma;
  Tensor sum = partition_fragment_C(mma, take<0, 2>(TileShape{}));
  typename Mainloop::Params unused;
  Mainloop().mma(pipeline, State(), sum, tiles, threadIdx.x, s.tensors, unused,
                 make_coord(int(blockIdx.y), int(blockIdx.x), _, 0));
  Tensor tileC = make_tensor(
      make_gmem_ptr(c + size_t(blockIdx.y) * TileRows * n + blockIdx.x * TileRows),
      make_layout(take<0, 2>(TileShape{}), make_stride(n, _1{})));
  copy(sum, mma.get_slice(threadIdx.x).partition_C(tileC));
}

// Where a buffer is, a launch cannot know.
extern "C" __global__ void set_address(void *map, const void *address) {
  asm volatile(
      "tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(
          map),
      "l"(address)
      : "memory");
}
