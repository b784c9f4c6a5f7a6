//===- DriverEntryPoints.cpp - Functions by name ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuGetProcAddress: what newer programs, the runtime's headers, Python's CUDA
// bindings and others take the driver API from.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "DriverExportTables.h"
#include "DriverTable.h"
#include "PerThread.h"

#include <atomic>
#include <cstdio>

using namespace llvm;
using namespace heddle::cuda;

/// Numbers of CUdriverProcAddressQueryResult.
enum QueryResult : int {
  FoundSymbol = 0,
  SymbolNotFound = 1,
  VersionNotSufficient = 2,
};
/// Bits of CUdriverProcAddress_flags.
constexpr unsigned long long PerThreadFlag = 2; // 1 says that it is not

extern "C" CUresult cuGetProcAddress_v2(const char *Name, void **Function,
                                        int Version, unsigned long long Flags,
                                        int *Status) {
  if (!Name || !Function || Flags > PerThreadFlag)
    return cudaErrorInvalidValue;
  DriverFunction Found =
      findDriverFunction(Name, Version, Flags == PerThreadFlag);
  *Function = Found.Function;
  if (Status)
    *Status = Found.Function  ? FoundSymbol
              : Found.IsKnown ? VersionNotSufficient
                              : SymbolNotFound;
  if (!Found.Function)
    log("there is no driver function " + Twine(Name) + " of version " +
        Twine(Version));
  return Found.Function || Status ? cudaSuccess : cudaErrorSymbolNotFound;
}

extern "C" CUresult cuGetProcAddress(const char *Name, void **Function,
                                     int Version, unsigned long long Flags) {
  return cuGetProcAddress_v2(Name, Function, Version, Flags, nullptr);
}

/// The runtime has no private tables. NVIDIA's asks for them, where a program
/// has it linked in, and ends the program's every call without a word of why.
extern "C" CUresult cuGetExportTable(const void **Table,
                                     const void *Identifier) {
  if (const void *Found = findExportTable(Identifier); Table && Found) {
    *Table = Found;
    return cudaSuccess;
  }
  static std::atomic_flag Said;
  if (!Said.test_and_set())
    std::fputs("heddle: the program asks for private tables of NVIDIA's driver,"
               " as one does that has NVIDIA's runtime linked in statically;"
               " build it with nvcc -cudart shared\n",
               stderr);
  if (Table)
    *Table = nullptr;
  return cudaErrorInvalidValue;
}

// The runtime's ways to the same.

extern "C" cudaError_t
cudaGetDriverEntryPointByVersion(const char *Name, void **Function,
                                 unsigned Version, unsigned long long Flags,
                                 int *Status) {
  if (Flags == 0 && PerThreadScope::isActive())
    Flags = PerThreadFlag;
  return finish(cuGetProcAddress_v2(Name, Function, static_cast<int>(Version),
                                    Flags, Status));
}

extern "C" cudaError_t cudaGetDriverEntryPoint(const char *Name,
                                               void **Function,
                                               unsigned long long Flags,
                                               int *Status) {
  return cudaGetDriverEntryPointByVersion(Name, Function, 13000, Flags, Status);
}

HEDDLE_PER_THREAD(cudaGetDriverEntryPoint, _ptsz)
HEDDLE_PER_THREAD(cudaGetDriverEntryPointByVersion, _ptsz)
