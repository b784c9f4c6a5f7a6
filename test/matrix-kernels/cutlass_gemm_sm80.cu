// C = A B in half precision with sums in single precision by CUTLASS's kernel for
// sm_80: cp.async in three stages, ldmatrix, mma.sync. A stands by rows, B by
// columns, C by rows. The parameters are made on the device, so that a launch
// needs no code of the host.
#include "cutlass/epilogue/thread/linear_combination.h"
#include "cutlass/gemm/kernel/default_gemm.h"
#include "cutlass/gemm/threadblock/threadblock_swizzle.h"

using Epilogue = cutlass::epilogue::thread::LinearCombination<float, 4, float, float>;
using Kernel = cutlass::gemm::kernel::DefaultGemm<
    cutlass::half_t, cutlass::layout::RowMajor, 8, cutlass::half_t,
    cutlass::layout::ColumnMajor, 8, float, cutlass::layout::RowMajor, float,
    cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80,
    cutlass::gemm::GemmShape<64, 64, 32>, cutlass::gemm::GemmShape<32, 32, 32>,
    cutlass::gemm::GemmShape<16, 8, 16>, Epilogue,
    cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>, 3, false,
    cutlass::arch::OpMultiplyAdd>::GemmKernel;

extern "C" __global__ void cutlass_gemm_sm80(cutlass::half_t *a,
                                             cutlass::half_t *b, float *c,
                                             int m, int n, int k) {
  extern __shared__ __align__(16) char storage[];
  typename Kernel::Params params(
      {m, n, k}, {int(gridDim.x), int(gridDim.y), 1}, {a, k}, {b, k}, {c, n},
      {c, n}, typename Epilogue::Params(1.0f, 0.0f));
  Kernel()(params, *reinterpret_cast<typename Kernel::SharedStorage *>(storage));
}
