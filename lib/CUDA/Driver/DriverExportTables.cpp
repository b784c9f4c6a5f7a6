//===- DriverExportTables.cpp - Tables without a header ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table begins with its size in bytes, but for one, functions follow.
// NVIDIA's check of its own driver is not answered, nor anything that leads to
// it.
//
//===----------------------------------------------------------------------===//

#include "Driver/DriverExportTables.h"
#include "Driver/Driver.h"
#include "Process.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

using namespace heddle::cuda;

static CUresult notSupported() { return cudaErrorNotSupported; }

static CUresult threadContext(CUcontext *Context) {
  return cuCtxGetCurrent(Context);
}

static CUresult contextNumber(CUcontext Context, unsigned long long *Number) {
  return cuCtxGetId(Context, Number);
}

/// The stream that a handle stands for, as a handle of its own.
static CUresult streamOf(CUcontext, cudaStream_t Stream, cudaStream_t *Meant,
                         unsigned IsPerThread) {
  if (!Meant)
    return cudaErrorInvalidValue;
  *Meant = Stream        ? Stream
           : IsPerThread ? cudaStreamPerThread
                         : cudaStreamLegacy;
  return cudaSuccess;
}

static CUresult streamNumber(CUcontext, cudaStream_t Stream,
                             unsigned long long *Number) {
  return cuStreamGetId(Stream, Number);
}

//===----------------------------------------------------------------------===//
// Storage of contexts
//===----------------------------------------------------------------------===//

/// Calls Function for a context, the thread's if it is null.
template <typename Fn> static CUresult withContext(CUcontext Context, Fn Do) {
  if (!Context)
    Context = currentContext();
  return isContext(Context) ? Do(Context) : cudaErrorDeviceUninitialized;
}

static CUresult putValue(CUcontext Context, void *Key, void *Value,
                         ContextStorage::Ended WhenEnded) {
  return withContext(Context, [=](CUcontext C) {
    return Process::get().Storage.put(C, Key, Value, WhenEnded)
               ? cudaSuccess
               : cudaErrorInvalidResourceHandle;
  });
}

static CUresult removeValue(CUcontext Context, void *Key) {
  return withContext(Context, [=](CUcontext C) {
    return Process::get().Storage.remove(C, Key)
               ? cudaSuccess
               : cudaErrorInvalidResourceHandle;
  });
}

static CUresult findValue(void **Value, CUcontext Context, void *Key) {
  return withContext(Context, [=](CUcontext C) {
    std::optional<void *> Found = Process::get().Storage.find(C, Key);
    if (!Found)
      return cudaErrorInvalidResourceHandle;
    if (!Value)
      return cudaErrorInvalidValue;
    *Value = *Found;
    return cudaSuccess;
  });
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {

/// ContextStorage, without a size in front.
struct StorageTable {
  CUresult (*Put)(CUcontext, void *, void *, ContextStorage::Ended) = putValue;
  CUresult (*Remove)(CUcontext, void *) = removeValue;
  CUresult (*Find)(void **, CUcontext, void *) = findValue;
  CUresult (*None)() = nullptr;
};

/// The tools' table, which public lists of such tables name after CUPTI, and
/// which they give functions up to byte 0x1E0. Ours says that it has none:
/// CUPTI asks the size first, as it has to of an older driver, and then reports
/// that it cannot work. Where there is no table at all, CUPTI 13.2 looks up the
/// text of its error, for which it asks for the table. Version 12 calls the
/// function at 0x100 without a look at the size, so there are some that fail.
struct ToolsTable {
  uint64_t Bytes = sizeof(Bytes);
  CUresult (*Functions[127])();

  ToolsTable() {
    for (auto &Function : Functions)
      Function = notSupported;
  }
};

/// What a thread has, of which public lists name the current context. cuBLAS,
/// cuSPARSE and cuSOLVER ask for it before they launch.
struct ThreadTable {
  uint64_t Bytes = sizeof(ThreadTable);
  CUresult (*Unknown)() = notSupported;
  CUresult (*Context)(CUcontext *) = threadContext;
};

/// What is known of a context, of which public lists name its number and, by
/// what cuBLAS passes, a stream and its number. cuBLAS and cuSPARSE keep memory
/// by these numbers.
struct ContextTable {
  uint64_t Bytes = sizeof(ContextTable);
  CUresult (*UpToNumber[3])();
  CUresult (*Number)(CUcontext, unsigned long long *) = contextNumber;
  CUresult (*UpToStreamNumber[34])();
  CUresult (*StreamNumber)(CUcontext, cudaStream_t,
                           unsigned long long *) = streamNumber;
  CUresult (*UpToStream[11])();
  CUresult (*Stream)(CUcontext, cudaStream_t, cudaStream_t *,
                     unsigned) = streamOf;
  CUresult (*Others[41])();

  ContextTable() {
    for (auto &Function : UpToNumber)
      Function = notSupported;
    for (auto &Function : UpToStreamNumber)
      Function = notSupported;
    for (auto &Function : UpToStream)
      Function = notSupported;
    for (auto &Function : Others)
      Function = notSupported;
  }
};
static_assert(offsetof(ContextTable, Number) == 0x20);
static_assert(offsetof(ContextTable, StreamNumber) == 0x138);
static_assert(offsetof(ContextTable, Stream) == 0x198);

struct TableRow {
  unsigned char Identifier[16];
  const void *Table;
};

} // namespace

const void *heddle::cuda::findExportTable(const void *Identifier) {
  static const ToolsTable Tools;
  static const ThreadTable Thread;
  static const ContextTable Context;
  static const StorageTable Storage;
  static const TableRow Rows[] = {
      {{0x7C, 0xB6, 0x3F, 0x9B, 0x9C, 0xA4, 0x8E, 0x42, //
        0xA4, 0x84, 0xBE, 0xB6, 0x6E, 0x6A, 0xED, 0x7F},
       &Tools},
      {{0x42, 0xD8, 0x5A, 0x81, 0x23, 0xF6, 0xCB, 0x47, //
        0x82, 0x98, 0xF6, 0xE7, 0x8A, 0x3A, 0xEC, 0xDC},
       &Thread},
      {{0x21, 0x31, 0x8C, 0x60, 0x97, 0x14, 0x32, 0x48, //
        0x8C, 0xA6, 0x41, 0xFF, 0x73, 0x24, 0xC8, 0xF2},
       &Context},
      {{0xC6, 0x93, 0x33, 0x6E, 0x11, 0x21, 0xDF, 0x11, //
        0xA8, 0xC3, 0x68, 0xF3, 0x55, 0xD8, 0x95, 0x93},
       &Storage},
  };
  for (const TableRow &Row : Rows)
    if (Identifier && std::memcmp(Identifier, Row.Identifier, 16) == 0)
      return Row.Table;
  return nullptr;
}
