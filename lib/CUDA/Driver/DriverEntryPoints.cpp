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

#include "Driver/Driver.h"
#include "Driver/DriverExportTables.h"
#include "Driver/DriverTable.h"
#include "PerThread.h"
#include "Trace/Calls.h"
#include "heddle/Support/CUDAVersion.h"
#include "llvm/ADT/STLExtras.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <mutex>
#include <set>

using namespace llvm;
using namespace heddle;
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
  *Function = trace::stubOf(Found.Symbol, Found.Function);
  if (Status)
    *Status = Found.Function  ? FoundSymbol
              : Found.IsKnown ? VersionNotSufficient
                              : SymbolNotFound;
  if (!Found.Function)
    log("there is no driver function " + Twine(Name) + " of version " +
        Twine(Version));
  return cudaSuccess;
}

extern "C" CUresult cuGetProcAddress(const char *Name, void **Function,
                                     int Version, unsigned long long Flags) {
  CUresult Code = cuGetProcAddress_v2(Name, Function, Version, Flags, nullptr);
  return Code == cudaSuccess && !*Function ? cudaErrorSymbolNotFound : Code;
}

//===----------------------------------------------------------------------===//
// Private tables
//===----------------------------------------------------------------------===//

/// Tables without which NVIDIA's runtime ends its every call, in the order in
/// which it asks. Programs run without the others, as NVRTC's.
static constexpr uint8_t RuntimeTables[][16] = {
    {0xF8, 0xCF, 0xF9, 0x51, 0x21, 0x46, 0x8B, 0x4E, 0xB9, 0xE2, 0xFB, 0x46,
     0x9E, 0x7C, 0x0D, 0xD9},
    {0x6B, 0xD5, 0xFB, 0x6C, 0x5B, 0xF4, 0xE7, 0x4A, 0x89, 0x87, 0xD9, 0x39,
     0x12, 0xFD, 0x9D, 0xF9}};

/// Says, once for each program and library, what is wrong with one that has
/// NVIDIA's runtime in it.
static void explainRuntime(const void *Caller) {
  static std::mutex Mutex;
  static auto *Said = new std::set<const void *>; // see Process.h
  Dl_info Module = {};
  link_map *Map = nullptr;
  if (!dladdr1(Caller, &Module, reinterpret_cast<void **>(&Map),
               RTLD_DL_LINKMAP))
    return;
  std::lock_guard Lock(Mutex);
  if (!Said->insert(Module.dli_fbase).second)
    return;
  // The program itself has no name in the list of what is loaded.
  bool IsProgram = Map && !*Map->l_name;
  std::fprintf(
      stderr,
      "heddle: %s %s has NVIDIA's runtime linked in statically, which "
      "asks for private tables of NVIDIA's driver that are not here%s\n",
      IsProgram ? "the program" : "the library", Module.dli_fname,
      IsProgram ? "; build it with nvcc -cudart shared, or with "
                  "NVCC_APPEND_FLAGS=\"-cudart shared\" in the "
                  "environment"
                : ": its functions fail");
}

/// The runtime has no private tables. NVIDIA's asks for them, where a program
/// has it linked in, and ends the program's every call without a word of why.
extern "C" CUresult cuGetExportTable(const void **Table, const void *Id) {
  if (const void *Found = findExportTable(Id); Table && Found) {
    *Table = Found;
    return cudaSuccess;
  }
  if (Id && llvm::any_of(RuntimeTables, [&](const uint8_t (&T)[16]) {
        return std::memcmp(Id, T, sizeof(T)) == 0;
      }))
    explainRuntime(trace::callerBehindStub(__builtin_return_address(0)));
  if (Table)
    *Table = nullptr;
  return cudaErrorInvalidValue;
}

// The runtime's ways to the same.

extern "C" cudaError_t cudaGetExportTable(const void **Table, const void *Id) {
  return finish(cuGetExportTable(Table, Id));
}

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
  return cudaGetDriverEntryPointByVersion(Name, Function, CUDAVersion, Flags,
                                          Status);
}

HEDDLE_PER_THREAD(cudaGetDriverEntryPoint, _ptsz)
HEDDLE_PER_THREAD(cudaGetDriverEntryPointByVersion, _ptsz)
