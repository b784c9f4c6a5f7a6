//===- Runtime11.cpp - What version 11 has otherwise ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of libcudart.so.11.0 whose parameters or structures version 12
// changed. Runtime.def gives them their names.
//
//===----------------------------------------------------------------------===//

#include "PerThread.h"
#include "Process.h"
#include "Runtime/Runtime.h"
#include "Runtime/RuntimeGraphs.h"

#include <cstddef>
#include <cstring>

using namespace heddle;
using namespace heddle::cuda;

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char *, void **, unsigned,
                                             unsigned long long, int *);

/// The last version 11.
static constexpr int Version11 = 11080;

cudaError_t cudaRuntimeGetVersion_11(int *Version) {
  *Version = Version11;
  return cudaSuccess;
}

/// The structure ended before clusters until 11.8.
cudaError_t cudaFuncGetAttributes_11(void *Out, const void *Function) {
  cudaFuncAttributes A;
  if (!Out)
    return finish(cudaErrorInvalidValue);
  cudaError_t Code = cudaFuncGetAttributes(&A, Function);
  if (Code == cudaSuccess)
    std::memcpy(Out, &A, offsetof(cudaFuncAttributes, clusterDimMustBeSet));
  return Code;
}

/// The structure ended before cube maps; `_v2` has the whole.
cudaError_t cudaGetTextureObjectTextureDesc_11(void *Out,
                                               cudaTextureObject_t Texture) {
  cudaTextureDesc D;
  if (!Out)
    return finish(cudaErrorInvalidValue);
  cudaError_t Code = cudaGetTextureObjectTextureDesc(&D, Texture);
  if (Code == cudaSuccess)
    std::memcpy(Out, &D, offsetof(cudaTextureDesc, seamlessCubemap));
  return Code;
}

/// The driver's functions as they were in the last version 11.
cudaError_t cudaGetDriverEntryPoint_11(const char *Name, void **Function,
                                       unsigned long long Flags) {
  int Status;
  return cudaGetDriverEntryPointByVersion(Name, Function, Version11, Flags,
                                          &Status);
}

cudaError_t cudaGraphInstantiate_11(cudaGraphExec_t *Exec, cudaGraph_t Graph,
                                    cudaGraphNode_t *ErrorNode, char *Log,
                                    size_t LogSize) {
  if (ErrorNode)
    *ErrorNode = nullptr;
  if (Log && LogSize)
    *Log = 0;
  return cudaGraphInstantiate(Exec, Graph, 0);
}

cudaError_t cudaGraphExecUpdate_11(cudaGraphExec_t Exec, cudaGraph_t Graph,
                                   cudaGraphNode_t *ErrorNode, int *Result) {
  cudaGraphExecUpdateResultInfo Info = {};
  cudaError_t Code = cudaGraphExecUpdate(Exec, Graph, &Info);
  if (ErrorNode)
    *ErrorNode = nullptr;
  if (Result)
    *Result = Info.result;
  return Code;
}

} // extern "C"

HEDDLE_PER_THREAD(cudaGetDriverEntryPoint_11, _ptsz)
