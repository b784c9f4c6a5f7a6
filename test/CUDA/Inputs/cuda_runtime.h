// What the programs of these tests use of the CUDA runtime, so that clang
// builds them on a machine without a CUDA toolkit. Types and names are the
// API's.
#ifndef HEDDLE_TEST_CUDA_RUNTIME_H
#define HEDDLE_TEST_CUDA_RUNTIME_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

#include <cstddef>
#include <cstdlib>

struct uint3 {
  unsigned x, y, z;
};
struct float4 {
  float x, y, z, w;
};
struct uchar4 {
  unsigned char x, y, z, w;
};
static inline __host__ __device__ float4 make_float4(float X, float Y, float Z,
                                                     float W) {
  return {X, Y, Z, W};
}
static inline __host__ __device__ uchar4 make_uchar4(unsigned char X,
                                                     unsigned char Y,
                                                     unsigned char Z,
                                                     unsigned char W) {
  return {X, Y, Z, W};
}
struct dim3 {
  unsigned x, y, z;
  constexpr __host__ __device__ dim3(unsigned X = 1, unsigned Y = 1,
                                     unsigned Z = 1)
      : x(X), y(Y), z(Z) {}
  constexpr __host__ __device__ dim3(uint3 V) : x(V.x), y(V.y), z(V.z) {}
  constexpr __host__ __device__ operator uint3() const { return {x, y, z}; }
};
#include <__clang_cuda_builtin_vars.h>

enum cudaError_t : int { cudaSuccess = 0 };
enum cudaMemcpyKind : int {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
using cudaStream_t = struct CUstream_st *;
using cudaEvent_t = struct CUevent_st *;
using cudaGraph_t = struct CUgraph_st *;
using cudaGraphNode_t = struct CUgraphNode_st *;
using cudaGraphExec_t = struct CUgraphExec_st *;
using cudaHostFn_t = void (*)(void *);
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDisableTiming = 2;

using cudaArray_t = struct cudaArray *;
using cudaTextureObject_t = unsigned long long;
enum cudaChannelFormatKind : int {
  cudaChannelFormatKindSigned,
  cudaChannelFormatKindUnsigned,
  cudaChannelFormatKindFloat
};
struct cudaChannelFormatDesc {
  int x, y, z, w;
  cudaChannelFormatKind f;
};
enum cudaResourceType : int { cudaResourceTypeArray };
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    char Others[56];
  } res;
};
enum cudaTextureAddressMode : int { cudaAddressModeWrap, cudaAddressModeClamp };
enum cudaTextureReadMode : int {
  cudaReadModeElementType,
  cudaReadModeNormalizedFloat
};
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  int filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};

struct cudaKernelNodeParams {
  void *func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void **kernelParams, **extra;
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void *userData;
};

// With streams of the threads' own as the default, other functions are called
// by the same names.
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define HEDDLE_PTDS(Name) asm(#Name "_ptds")
#define HEDDLE_PTSZ(Name) asm(#Name "_ptsz")
#else
#define HEDDLE_PTDS(Name)
#define HEDDLE_PTSZ(Name)
#endif

extern "C" {
const char *cudaGetErrorName(cudaError_t);
const char *cudaGetErrorString(cudaError_t);
cudaError_t cudaGetLastError();
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaMallocHost(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaFreeAsync(void *, cudaStream_t) HEDDLE_PTSZ(cudaFreeAsync);
cudaError_t cudaMemset(void *, int, size_t) HEDDLE_PTDS(cudaMemset);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind)
    HEDDLE_PTDS(cudaMemcpy);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind,
                            cudaStream_t = nullptr)
    HEDDLE_PTSZ(cudaMemcpyAsync);
cudaError_t cudaMemcpyFromSymbol(void *, const void *, size_t, size_t,
                                 cudaMemcpyKind)
    HEDDLE_PTDS(cudaMemcpyFromSymbol);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t)
    HEDDLE_PTSZ(cudaStreamSynchronize);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0)
    HEDDLE_PTSZ(cudaStreamWaitEvent);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr)
    HEDDLE_PTSZ(cudaEventRecord);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void *)
    HEDDLE_PTSZ(cudaLaunchHostFunc);
cudaChannelFormatDesc cudaCreateChannelDesc(int, int, int, int,
                                            cudaChannelFormatKind);
cudaError_t cudaMallocArray(cudaArray_t *, const cudaChannelFormatDesc *,
                            size_t, size_t = 0, unsigned = 0);
cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t, size_t, const void *,
                                size_t, size_t, size_t, cudaMemcpyKind)
    HEDDLE_PTDS(cudaMemcpy2DToArray);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *,
                                    const cudaResourceDesc *,
                                    const cudaTextureDesc *, const void *);
cudaError_t cudaGraphCreate(cudaGraph_t *, unsigned);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *, cudaGraph_t,
                                   const cudaGraphNode_t *, size_t,
                                   const cudaKernelNodeParams *);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *, cudaGraph_t,
                                 const cudaGraphNode_t *, size_t,
                                 const cudaHostNodeParams *);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *, cudaGraph_t,
                                     const cudaGraphNode_t *, size_t, void *,
                                     const void *, size_t, cudaMemcpyKind);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t,
                                 unsigned long long = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t)
    HEDDLE_PTSZ(cudaGraphLaunch);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);

// What clang's code for Kernel<<<...>>>(...) calls.
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0,
                                     cudaStream_t = nullptr);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t,
                             cudaStream_t);
cudaError_t cudaLaunchKernel_ptsz(const void *, dim3, dim3, void **, size_t,
                                  cudaStream_t);
}

template <typename T> cudaError_t cudaMalloc(T **Memory, size_t Size) {
  return cudaMalloc((void **)Memory, Size);
}
template <typename T> cudaError_t cudaMallocHost(T **Memory, size_t Size) {
  return cudaMallocHost((void **)Memory, Size);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void *Target, const T &Symbol, size_t Size) {
  return cudaMemcpyFromSymbol(Target, (const void *)&Symbol, Size, 0,
                              cudaMemcpyDeviceToHost);
}

template <typename T> cudaChannelFormatDesc cudaCreateChannelDesc();
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<uchar4>() {
  return cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
}

static inline __device__ int abs(int Value) {
  return Value < 0 ? -Value : Value;
}

template <typename T>
static inline __device__ T tex2D(cudaTextureObject_t Texture, float X,
                                 float Y) {
  T R;
  asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
      : "=f"(R.x), "=f"(R.y), "=f"(R.z), "=f"(R.w)
      : "l"(Texture), "f"(X), "f"(Y));
  return R;
}

static inline __device__ unsigned atomicAdd(unsigned *Place, unsigned Value) {
  return __atomic_fetch_add(Place, Value, __ATOMIC_RELAXED);
}

#endif // HEDDLE_TEST_CUDA_RUNTIME_H
