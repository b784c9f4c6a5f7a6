// What programs that were written for CUDA 13 call otherwise than CUDA 12 has it: a
// context's parameters, of which none of them has any.
#include <cuda.h>
#if CUDA_VERSION < 12050
typedef struct {
  int None;
} CUctxCreateParams;
#endif
#undef cuCtxCreate
#define cuCtxCreate(Context, Parameters, Flags, Device) cuCtxCreate_v2(Context, Flags, Device)
