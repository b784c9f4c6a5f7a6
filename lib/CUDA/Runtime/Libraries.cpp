//===- Libraries.cpp - Libraries of the runtime API ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's, which need no context here: the runtime API works in the
// primary one.
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "Runtime/Runtime.h"

using namespace heddle;
using namespace heddle::cuda;

extern "C" {

// The driver's, elsewhere in this library.
cudaError_t cuLibraryLoadData(FatBinary **, const void *, int *, void **,
                              unsigned, int *, void **, unsigned);
cudaError_t cuLibraryLoadFromFile(FatBinary **, const char *, int *, void **,
                                  unsigned, int *, void **, unsigned);
cudaError_t cuLibraryUnload(FatBinary *);
cudaError_t cuLibraryGetKernel(KernelHandle **, FatBinary *, const char *);
cudaError_t cuLibraryGetKernelCount(unsigned *, FatBinary *);
cudaError_t cuLibraryEnumerateKernels(KernelHandle **, unsigned, FatBinary *);
cudaError_t cuLibraryGetGlobal(unsigned long long *, size_t *, FatBinary *,
                               const char *);
cudaError_t cuLibraryGetManaged(unsigned long long *, size_t *, FatBinary *,
                                const char *);
cudaError_t cuLibraryGetUnifiedFunction(void **, FatBinary *, const char *);
cudaError_t cuKernelSetAttribute(int, int, KernelHandle *, int);

} // extern "C"

/// Runs a function of the driver API as one of the runtime's: the thread uses
/// it, and its last error is kept.
template <typename Fn, typename... Args>
static cudaError_t inRuntime(Fn Function, Args... Arguments) {
  if (llvm::Expected<rt::Context &> C = Process::get().context(); !C)
    return finish(convert(C.takeError(), cudaErrorNoDevice));
  return finish(Function(Arguments...));
}

extern "C" {

cudaError_t cudaLibraryLoadData(FatBinary **Library, const void *Image,
                                int *JitOptions, void **JitValues,
                                unsigned JitCount, int *Options, void **Values,
                                unsigned Count) {
  return inRuntime(cuLibraryLoadData, Library, Image, JitOptions, JitValues,
                   JitCount, Options, Values, Count);
}

cudaError_t cudaLibraryLoadFromFile(FatBinary **Library, const char *Path,
                                    int *JitOptions, void **JitValues,
                                    unsigned JitCount, int *Options,
                                    void **Values, unsigned Count) {
  return inRuntime(cuLibraryLoadFromFile, Library, Path, JitOptions, JitValues,
                   JitCount, Options, Values, Count);
}

cudaError_t cudaLibraryUnload(FatBinary *Library) {
  return inRuntime(cuLibraryUnload, Library);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *Kernel, FatBinary *Library,
                                 const char *Name) {
  return inRuntime(cuLibraryGetKernel, Kernel, Library, Name);
}

cudaError_t cudaLibraryGetKernelCount(unsigned *Count, FatBinary *Library) {
  return inRuntime(cuLibraryGetKernelCount, Count, Library);
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *Kernels, unsigned Count,
                                        FatBinary *Library) {
  return inRuntime(cuLibraryEnumerateKernels, Kernels, Count, Library);
}

cudaError_t cudaLibraryGetGlobal(void **Pointer, size_t *Bytes,
                                 FatBinary *Library, const char *Name) {
  unsigned long long Address = 0;
  cudaError_t Code = inRuntime(cuLibraryGetGlobal, Pointer ? &Address : nullptr,
                               Bytes, Library, Name);
  if (Code == cudaSuccess && Pointer)
    *Pointer = pointerOf(Address);
  return Code;
}

cudaError_t cudaLibraryGetManaged(void **Pointer, size_t *Bytes,
                                  FatBinary *Library, const char *Name) {
  unsigned long long Address = 0;
  cudaError_t Code = inRuntime(
      cuLibraryGetManaged, Pointer ? &Address : nullptr, Bytes, Library, Name);
  if (Code == cudaSuccess && Pointer)
    *Pointer = pointerOf(Address);
  return Code;
}

cudaError_t cudaLibraryGetUnifiedFunction(void **Function, FatBinary *Library,
                                          const char *Name) {
  return inRuntime(cuLibraryGetUnifiedFunction, Function, Library, Name);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t Kernel,
                                            cudaFuncAttribute Attribute,
                                            int Value, int Device) {
  if (!Process::get().device(Device))
    return finish(cudaErrorInvalidDevice);
  DeviceScope Scope(Device);
  return inRuntime(cuKernelSetAttribute, int(Attribute), Value, Kernel, Device);
}

} // extern "C"
