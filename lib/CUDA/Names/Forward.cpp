//===- Forward.cpp - The way into libheddle-cuda ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of each library with NVIDIA's names. It uses nothing of the C++
// library, which programs in C do not have to have.
//
//===----------------------------------------------------------------------===//

#include "Names/Forward.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>

using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

static constexpr char FileName[] = "libheddle-cuda.so.1";

static std::atomic<void *> Loaded{nullptr};
static std::atomic<bool> Failed{false};

/// One line, whichever thread and library of ours fails first.
static void *fail(const char *Reason) {
  if (!Failed.exchange(true))
    std::fprintf(stderr, "heddle: CUDA is not available: %s\n", Reason);
  return nullptr;
}

/// Writes the name of libheddle-cuda beside this library. The loader knows the
/// folder as it was when it loaded this library, whatever folder the program is
/// in now.
static bool nameLibrary(char (&Path)[PATH_MAX + sizeof(FileName) + 1]) {
  Dl_info Info;
  link_map *Self = nullptr;
  if (!dladdr1(FileName, &Info, reinterpret_cast<void **>(&Self),
               RTLD_DL_LINKMAP) ||
      dlinfo(Self, RTLD_DI_ORIGIN, Path) != 0)
    return false;
  std::strcat(std::strcat(Path, "/"), FileName);
  return true;
}

void *heddle::cuda::libheddleCuda() {
  if (void *Library = Loaded.load(std::memory_order_acquire))
    return Library;
  if (Failed)
    return nullptr;
  char Path[PATH_MAX + sizeof(FileName) + 1];
  if (!nameLibrary(Path))
    return fail("the dynamic loader does not say where its libraries are");
  void *Library = dlopen(Path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!Library)
    return fail(dlerror());
  handOverRegistrations(Library);
  Loaded.store(Library, std::memory_order_release);
  return Library;
}

[[gnu::weak]] void heddle::cuda::handOverRegistrations(void *) {}

void *heddle::cuda::findFunction(void *Library, const char *Name) {
  void *Function = dlsym(Library, Name);
  return Function ? Function : fail(dlerror());
}

//===----------------------------------------------------------------------===//
// What calls do where it cannot be loaded
//===----------------------------------------------------------------------===//

static int unavailable() { return LibraryUnavailable; }

/// nvJitLinkResult has no such code; this is its internal error.
static int linkerUnavailable() { return 6; }

/// What functions of NVTX return: a range of no number, a handle of nothing,
/// and of the library that is injected a failure.
static void *noAnnotations() { return nullptr; }

/// CUPTI_ERROR_NOT_INITIALIZED.
static int profilerUnavailable() { return 15; }

/// NVML_ERROR_LIBRARY_NOT_FOUND.
static int managementUnavailable() { return 12; }

static const char *errorText() {
  return "libheddle-cuda.so.1 is not available";
}

namespace {
/// cudaChannelFormatDesc.
struct ChannelDescription {
  int Bits[4], Kind;
};
} // namespace
static ChannelDescription noChannels() { return {}; }

/// Stands for a function that is not there, and returns what its callers take
/// for a failure.
static void *substituteFor(const char *Name) {
  if (std::strncmp(Name, "nvJitLink", 9) == 0)
    return reinterpret_cast<void *>(linkerUnavailable);
  if (std::strcmp(Name, "cudaGetErrorName") == 0 ||
      std::strcmp(Name, "cudaGetErrorString") == 0 ||
      std::strcmp(Name, "nvmlErrorString") == 0)
    return reinterpret_cast<void *>(errorText);
  if (std::strncmp(Name, "nvtx", 4) == 0 ||
      std::strcmp(Name, "InitializeInjectionNvtx2") == 0)
    return reinterpret_cast<void *>(noAnnotations);
  if (std::strncmp(Name, "cupti", 5) == 0)
    return reinterpret_cast<void *>(profilerUnavailable);
  if (std::strncmp(Name, "nvml", 4) == 0)
    return reinterpret_cast<void *>(managementUnavailable);
  if (std::strcmp(Name, "cudaCreateChannelDesc") == 0)
    return reinterpret_cast<void *>(noChannels);
  return reinterpret_cast<void *>(unavailable);
}

/// How the program reaches a function: by its stub (Trace/Calls.h). Names are
/// that of the function and, behind it, that by which the program calls it.
static void *stubOf(void *Library, const char *Names, void *Function) {
  using Lookup = void *(const char *, void *);
  void *StubOf = findFunction(Library, "heddleStubOf");
  const char *Called = Names + std::strlen(Names) + 1;
  return StubOf ? reinterpret_cast<Lookup *>(StubOf)(Called, Function)
                : Function;
}

/// Where the assembly of Exports.cpp goes at the first call of a function.
extern "C" __attribute__((used, visibility("hidden"))) void *
heddleResolve(const char *Names, std::atomic<void *> *Slot) {
  void *Library = libheddleCuda();
  void *Function = Library ? findFunction(Library, Names) : nullptr;
  Function = Function ? stubOf(Library, Names, Function) : substituteFor(Names);
  Slot->store(Function, std::memory_order_release);
  return Function;
}
