//===- Driver.h - What only the driver API has ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types of the driver API that the runtime API has not, and its contexts. A
// CUstream is a cudaStream_t, a CUfunction and a CUkernel a cudaKernel_t, a
// CUmodule and a CUlibrary a FatBinary, and so on.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_DRIVER_H
#define HEDDLE_LIB_CUDA_DRIVER_H

#include "Process.h"

namespace heddle::cuda {

/// Numbers as cudaError_t.
using CUresult = cudaError_t;
/// What the driver API says in place of a code that only the runtime API has.
CUresult driverCode(cudaError_t Code);
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUmodule = FatBinary *;
using CUfunction = KernelHandle *;
using CUcontext = struct ContextHandle *;
using CUlinkState = struct LinkHandle *;

/// All contexts of a device share what is on it but for streams.
struct ContextHandle {
  unsigned Device = 0; ///< By the program's number.
  unsigned Flags = 0;
  bool IsPrimary = false;
  unsigned Group = 0; ///< Of its streams; no other context ever has it.
  unsigned Cores = 0; ///< Of a green context: how many it was given; else 0.
  std::atomic<unsigned> Users{1};
  std::atomic<unsigned> Retained{0}; ///< Of a primary context: by how many.

  bool isGreen() const { return Cores != 0; }
};

/// Begins a function of the driver API: what it does leaves the runtime API's
/// last error alone.
class DriverCall {
public:
  DriverCall();
  ~DriverCall();
  DriverCall(const DriverCall &) = delete;
  DriverCall &operator=(const DriverCall &) = delete;

  /// Why functions that need one cannot go on: not initialised, no context.
  CUresult context() const;
  /// Only the first of the two.
  CUresult initialised() const;

private:
  cudaError_t Saved;
};

/// Whether there is such a context.
bool isContext(CUcontext Context);
/// The thread's; null if it has none.
CUcontext currentContext();
/// The context whose streams are of a group; null if it is gone.
CUcontext contextOfGroup(unsigned Group);
CUcontext primaryContext(unsigned Device);
/// Makes a context and ends it; the latter is false if there is none.
CUcontext addContext(unsigned Device, unsigned Flags, unsigned Cores);
bool endContext(CUcontext Context);
/// Whether the program has a device of that number.
bool isDevice(CUdevice Device);

extern "C" CUresult cuCtxGetCurrent(CUcontext *Context);
extern "C" CUresult cuCtxGetId(CUcontext Context, unsigned long long *Id);
extern "C" CUresult cuStreamGetCtx(cudaStream_t Stream, CUcontext *Context);
extern "C" CUresult cuStreamGetId(cudaStream_t Stream, unsigned long long *Id);

/// Runs Function(Arguments...), which needs the driver but no context.
template <typename Fn, typename... Args>
CUresult afterInit(Fn Function, Args... Arguments) {
  DriverCall Call;
  if (CUresult Code = Call.initialised(); Code != cudaSuccess)
    return Code;
  return driverCode(Function(Arguments...));
}

/// Runs Function(Arguments...) in the thread's current context.
template <typename Fn, typename... Args>
CUresult inContext(Fn Function, Args... Arguments) {
  DriverCall Call;
  if (CUresult Code = Call.context(); Code != cudaSuccess)
    return Code;
  return driverCode(Function(Arguments...));
}

/// A function of the driver API that is the runtime's, in the thread's current
/// context.
#define HEDDLE_SAME(Name, Parameters, Call)                                    \
  extern "C" CUresult Name Parameters {                                        \
    return inContext([=] { return Call; });                                    \
  }

/// The same, for what CUDA lets programs call before there is a context.
#define HEDDLE_SAME_WITHOUT_CONTEXT(Name, Parameters, Call)                    \
  extern "C" CUresult Name Parameters {                                        \
    return afterInit([=] { return Call; });                                    \
  }

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_DRIVER_H
