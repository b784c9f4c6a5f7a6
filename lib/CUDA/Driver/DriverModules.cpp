//===- DriverModules.cpp - Modules and launches -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules, libraries, the linker, and the launches of the driver API.
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "Driver/DriverTextureRefs.h"
#include "JitLink/Linker.h"
#include "PerThread.h"
#include "Runtime/Launch.h"
#include "Runtime/Runtime.h"
#include "heddle/Runtime/Occupancy.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Options of the JIT
//===----------------------------------------------------------------------===//

namespace {

/// Numbers of CUjit_option.
enum JitOption : int {
  MaxRegisters = 0,
  WallTime = 2,
  InfoLog = 3,
  InfoLogBytes = 4,
  ErrorLog = 5,
  ErrorLogBytes = 6,
  OptimizationLevel = 7,
  GenerateDebugInfo = 11,
  GenerateLineInfo = 13,
};

/// What a program asked of the compiler, and where it wants its messages.
class JitRequest {
public:
  JitRequest(unsigned Count, const int *Options, void **Values);
  const std::vector<std::string> &arguments() const { return Arguments; }
  /// Hands the compiler's messages over.
  void finish(bool Succeeded, const std::string &Log);

private:
  struct Buffer {
    char *Text = nullptr;
    void **Bytes = nullptr; ///< Gets how much was written.
    size_t Room = 0;
    void limit(void *&Size);
    void put(const std::string &Log);
  };
  std::vector<std::string> Arguments;
  Buffer Info, Error;
  float *Milliseconds = nullptr;
  uint64_t Begin = rt::timestampNow();
};

JitRequest::JitRequest(unsigned Count, const int *Options, void **Values) {
  for (unsigned I = 0; I != Count; ++I) {
    // Numbers stand where pointers do.
    auto Number = static_cast<unsigned>(reinterpret_cast<uintptr_t>(Values[I]));
    switch (Options[I]) {
    case MaxRegisters:
      if (Number)
        Arguments.push_back("--maxrregcount=" + std::to_string(Number));
      break;
    case WallTime:
      Milliseconds = reinterpret_cast<float *>(&Values[I]);
      break;
    case InfoLog:
      Info.Text = static_cast<char *>(Values[I]);
      break;
    case InfoLogBytes:
      Info.limit(Values[I]);
      break;
    case ErrorLog:
      Error.Text = static_cast<char *>(Values[I]);
      break;
    case ErrorLogBytes:
      Error.limit(Values[I]);
      break;
    case OptimizationLevel: // CUDA's level 4 is ours of 3
      Arguments.push_back("-O" + std::to_string(std::min(Number, 3u)));
      break;
    case GenerateDebugInfo:
      if (Number)
        Arguments.push_back("-g");
      break;
    case GenerateLineInfo:
      if (Number)
        Arguments.push_back("-lineinfo");
      break;
    default: // the target, the cache and the like: as the device has them
      break;
    }
  }
}

/// Numbers stand where pointers do; what is written replaces the size.
void JitRequest::Buffer::limit(void *&Size) {
  Bytes = &Size;
  Room = reinterpret_cast<uintptr_t>(Size);
}

void JitRequest::Buffer::put(const std::string &Log) {
  if (!Bytes)
    return;
  size_t Size = 0;
  if (Text && Room) {
    Size = std::min(Room - 1, Log.size());
    std::memcpy(Text, Log.data(), Size);
    Text[Size++] = 0;
  }
  *Bytes = reinterpret_cast<void *>(Size);
}

void JitRequest::finish(bool Succeeded, const std::string &Log) {
  Info.put(Succeeded ? Log : "");
  Error.put(Succeeded ? "" : Log);
  if (Milliseconds)
    *Milliseconds = (rt::timestampNow() - Begin) / 1e6f;
  if (!Succeeded && !Error.Text)
    std::fprintf(stderr, "heddle: %s", Log.c_str());
}

} // namespace

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static ImageTable &images() { return Process::get().Images; }

static CUresult load(CUmodule *Module, const void *Image, unsigned Count,
                     const int *Options, void **Values,
                     ImageLife Life = ImageLife::Device,
                     const char *Name = "<program>") {
  DriverCall Call;
  if (CUresult Code = Call.context(); Code != cudaSuccess)
    return Code;
  if (!Module || !Image || (Count && (!Options || !Values)))
    return cudaErrorInvalidValue;
  JitRequest Request(Count, Options, Values);
  std::string Log;
  CUresult Code =
      images().open(Image, Name, Request.arguments(), Life, *Module, Log);
  Request.finish(Code == cudaSuccess, Log);
  return Code;
}

static CUresult loadFile(CUmodule *Module, const char *Path, unsigned Count,
                         const int *Options, void **Values,
                         ImageLife Life = ImageLife::Device) {
  if (!Path)
    return cudaErrorInvalidValue;
  std::ifstream File(Path, std::ios::binary);
  if (!File)
    return cudaErrorFileNotFound;
  std::vector<char> Bytes(std::istreambuf_iterator<char>(File), {});
  Bytes.insert(Bytes.end(), 64, 0); // the end of a text; never a short header
  return load(Module, Bytes.data(), Count, Options, Values, Life, Path);
}

static CUresult symbol(FatBinary *Image, const char *Name, CUdeviceptr *Address,
                       size_t *Bytes, bool WantsManaged) {
  return inContext([=] {
    if (!Name)
      return cudaErrorInvalidValue;
    rt::SymbolInfo Info;
    if (CUresult Code = images().variable(Image, Name, Info);
        Code != cudaSuccess)
      return Code;
    if (WantsManaged && !Info.IsManaged)
      return cudaErrorSymbolNotFound;
    if (Address)
      *Address = Info.Address;
    if (Bytes)
      *Bytes = Info.Size;
    // Copies find the variable as a block of memory.
    if (!Info.IsManaged)
      Process::get().Pointers.addSymbol(Info.Address, Info.Size);
    return cudaSuccess;
  });
}

static CUresult kernelOf(CUfunction *Kernel, FatBinary *Image,
                         const char *Name) {
  return inContext([=] {
    return Kernel && Name ? images().kernel(Image, Name, *Kernel)
                          : cudaErrorInvalidValue;
  });
}

static CUresult enumerate(CUfunction *Kernels, unsigned Count,
                          FatBinary *Image) {
  return inContext([=] {
    std::vector<std::string> Names = images().kernelNames(Image);
    for (unsigned I = 0; I < Count && I < Names.size(); ++I)
      if (CUresult Code = images().kernel(Image, Names[I].c_str(), Kernels[I]);
          Code != cudaSuccess)
        return Code;
    return cudaSuccess;
  });
}

static CUresult count(unsigned *Count, FatBinary *Image) {
  return inContext([=] {
    if (!Count)
      return cudaErrorInvalidValue;
    *Count = images().kernelNames(Image).size();
    return cudaSuccess;
  });
}

/// A module knows its context; Blender unloads one in a thread that has none.
static CUresult unload(FatBinary *Image) {
  return afterInit([=] {
    return images().close(Image) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

extern "C" {

CUresult cuModuleLoadData(CUmodule *Module, const void *Image) {
  return load(Module, Image, 0, nullptr, nullptr);
}
CUresult cuModuleLoadDataEx(CUmodule *Module, const void *Image, unsigned Count,
                            int *Options, void **Values) {
  return load(Module, Image, Count, Options, Values);
}
CUresult cuModuleLoadFatBinary(CUmodule *Module, const void *Image) {
  return load(Module, Image, 0, nullptr, nullptr);
}
CUresult cuModuleLoad(CUmodule *Module, const char *Path) {
  return loadFile(Module, Path, 0, nullptr, nullptr);
}
CUresult cuModuleUnload(CUmodule Module) { return unload(Module); }
CUresult cuModuleGetFunction(CUfunction *Kernel, CUmodule Module,
                             const char *Name) {
  return kernelOf(Kernel, Module, Name);
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr *Address, size_t *Bytes,
                              CUmodule Module, const char *Name) {
  return symbol(Module, Name, Address, Bytes, false);
}
CUresult cuModuleGetFunctionCount(unsigned *Count, CUmodule Module) {
  return count(Count, Module);
}
CUresult cuModuleEnumerateFunctions(CUfunction *Kernels, unsigned Count,
                                    CUmodule Module) {
  return enumerate(Kernels, Count, Module);
}
CUresult cuModuleGetLoadingMode(int *Mode) {
  constexpr int Lazy = 2;
  *Mode = Lazy;
  return cudaSuccess;
}

// Libraries: modules that belong to no context.

CUresult cuLibraryLoadData(FatBinary **Library, const void *Image,
                           int *JitOptions, void **JitValues, unsigned JitCount,
                           int *, void **, unsigned) {
  return load(Library, Image, JitCount, JitOptions, JitValues,
              ImageLife::Unload);
}
CUresult cuLibraryLoadFromFile(FatBinary **Library, const char *Path,
                               int *JitOptions, void **JitValues,
                               unsigned JitCount, int *, void **, unsigned) {
  return loadFile(Library, Path, JitCount, JitOptions, JitValues,
                  ImageLife::Unload);
}
CUresult cuLibraryUnload(FatBinary *Library) { return unload(Library); }
CUresult cuLibraryGetKernel(CUfunction *Kernel, FatBinary *Library,
                            const char *Name) {
  return kernelOf(Kernel, Library, Name);
}
CUresult cuLibraryGetModule(CUmodule *Module, FatBinary *Library) {
  if (!Module)
    return cudaErrorInvalidValue;
  *Module = Library;
  return cudaSuccess;
}
CUresult cuLibraryGetGlobal(CUdeviceptr *Address, size_t *Bytes,
                            FatBinary *Library, const char *Name) {
  return symbol(Library, Name, Address, Bytes, false);
}
CUresult cuLibraryGetManaged(CUdeviceptr *Address, size_t *Bytes,
                             FatBinary *Library, const char *Name) {
  return symbol(Library, Name, Address, Bytes, true);
}
/// No function of the device is one of the host too.
CUresult cuLibraryGetUnifiedFunction(void **Function, FatBinary *Library,
                                     const char *Name) {
  if (!Function)
    return cudaErrorInvalidValue;
  CUresult Code = symbol(Library, Name, nullptr, nullptr, false);
  return Code == cudaSuccess ? cudaErrorSymbolNotFound : Code;
}
CUresult cuLibraryGetKernelCount(unsigned *Count, FatBinary *Library) {
  return count(Count, Library);
}
CUresult cuLibraryEnumerateKernels(CUfunction *Kernels, unsigned Count,
                                   FatBinary *Library) {
  return enumerate(Kernels, Count, Library);
}
CUresult cuKernelGetFunction(CUfunction *Function, CUfunction Kernel) {
  if (!Function || !images().kernel(Kernel))
    return cudaErrorInvalidResourceHandle;
  *Function = Kernel;
  return cudaSuccess;
}

} // extern "C"

//===----------------------------------------------------------------------===//
// The linker
//===----------------------------------------------------------------------===//

namespace heddle::cuda {
struct LinkHandle {
  std::unique_ptr<JitRequest> Request;
  Linker Link;
};
} // namespace heddle::cuda

static HandleSet<LinkHandle> &links() {
  static auto *Made = new HandleSet<LinkHandle>; // see Process.h
  return *Made;
}

/// Adds an input, unless its kind is none that can be linked.
static CUresult addInput(LinkHandle *State, int Kind, unsigned Count,
                         const int *Options, void **Values,
                         llvm::function_ref<CUresult()> Add) {
  constexpr int Library = 4; // of CUjitInputType; NVVM follows
  return inContext([&] {
    if (!links().contains(State) || Kind < 0 ||
        (Count && (!Options || !Values)))
      return cudaErrorInvalidValue;
    if (Kind > Library) {
      State->Request->finish(false, "cuLink*: inputs are PTX, fat binaries, "
                                    "objects and archives of them\n");
      return cudaErrorNotSupported;
    }
    State->Link.addArguments(JitRequest(Count, Options, Values).arguments());
    CUresult Code = Add();
    if (Code != cudaSuccess)
      State->Request->finish(false, State->Link.log());
    return Code;
  });
}

extern "C" {

CUresult cuLinkCreate_v2(unsigned Count, int *Options, void **Values,
                         CUlinkState *State) {
  return inContext([=] {
    if (!State || (Count && (!Options || !Values)))
      return cudaErrorInvalidValue;
    auto Link = std::make_unique<LinkHandle>();
    Link->Request = std::make_unique<JitRequest>(Count, Options, Values);
    Link->Link.addArguments(Link->Request->arguments());
    *State = links().add(std::move(Link));
    return cudaSuccess;
  });
}

/// Options are those of the whole link: the compiler sees all inputs at once.
CUresult cuLinkAddData_v2(CUlinkState State, int Kind, void *Data, size_t Size,
                          const char *Name, unsigned Count, int *Options,
                          void **Values) {
  return addInput(State, Kind, Count, Options, Values, [&] {
    return Data ? State->Link.add({static_cast<const char *>(Data), Size},
                                  Name ? Name : "")
                : cudaErrorInvalidValue;
  });
}

CUresult cuLinkAddFile_v2(CUlinkState State, int Kind, const char *Path,
                          unsigned Count, int *Options, void **Values) {
  return addInput(State, Kind, Count, Options, Values,
                  [&] { return State->Link.addFile(Path); });
}

CUresult cuLinkComplete(CUlinkState State, void **Object, size_t *Size) {
  return inContext([=] {
    if (!links().contains(State) || !Object)
      return cudaErrorInvalidValue;
    CUresult Code = State->Link.complete();
    State->Request->finish(Code == cudaSuccess, State->Link.log());
    if (Code != cudaSuccess)
      return Code;
    *Object = const_cast<uint8_t *>(State->Link.object().data());
    if (Size)
      *Size = State->Link.object().size();
    return cudaSuccess;
  });
}

CUresult cuLinkDestroy(CUlinkState State) {
  return links().remove(State) ? cudaSuccess : cudaErrorInvalidValue;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

CUresult cuFuncGetAttribute(int *Value, int Attribute, CUfunction Kernel) {
  return inContext([=] {
    cudaFuncAttributes A;
    if (!Value)
      return cudaErrorInvalidValue;
    if (CUresult Code = cudaFuncGetAttributes(&A, Kernel); Code != cudaSuccess)
      return Code;
    // By the numbers of CUfunction_attribute.
    const int Values[] = {A.maxThreadsPerBlock,
                          static_cast<int>(A.sharedSizeBytes),
                          static_cast<int>(A.constSizeBytes),
                          static_cast<int>(A.localSizeBytes),
                          A.numRegs,
                          A.ptxVersion,
                          A.binaryVersion,
                          A.cacheModeCA,
                          A.maxDynamicSharedSizeBytes,
                          A.preferredShmemCarveout};
    if (Attribute < 0 || Attribute >= static_cast<int>(std::size(Values)))
      return cudaErrorNotSupported;
    *Value = Values[Attribute];
    return cudaSuccess;
  });
}

CUresult cuFuncSetAttribute(CUfunction Kernel, int Attribute, int Value) {
  return inContext(cudaFuncSetAttribute, Kernel,
                   static_cast<cudaFuncAttribute>(Attribute), Value);
}

CUresult cuKernelGetAttribute(int *Value, int Attribute, CUfunction Kernel,
                              CUdevice) {
  return cuFuncGetAttribute(Value, Attribute, Kernel);
}

CUresult cuKernelSetAttribute(int Attribute, int Value, CUfunction Kernel,
                              CUdevice) {
  return cuFuncSetAttribute(Kernel, Attribute, Value);
}

CUresult cuFuncSetCacheConfig(CUfunction Kernel, int) {
  return images().kernel(Kernel) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CUresult cuFuncSetSharedMemConfig(CUfunction Kernel, int) {
  return cuFuncSetCacheConfig(Kernel, 0);
}

CUresult cuFuncGetName(const char **Name, CUfunction Kernel) {
  return inContext(cudaFuncGetName, Name, static_cast<const void *>(Kernel));
}

CUresult cuKernelGetName(const char **Name, CUfunction Kernel) {
  return cuFuncGetName(Name, Kernel);
}

CUresult cuFuncGetModule(CUmodule *Module, CUfunction Kernel) {
  if (!Module || !images().kernel(Kernel))
    return cudaErrorInvalidResourceHandle;
  *Module = Kernel->Owner;
  return cudaSuccess;
}

CUresult cuKernelGetLibrary(FatBinary **Library, CUfunction Kernel) {
  return cuFuncGetModule(Library, Kernel);
}

CUresult cuKernelSetCacheConfig(CUfunction Kernel, int Config, CUdevice) {
  return cuFuncSetCacheConfig(Kernel, Config);
}

CUresult cuFuncGetParamInfo(CUfunction Kernel, size_t Index, size_t *Offset,
                            size_t *Size) {
  return inContext(cudaFuncGetParamInfo, static_cast<const void *>(Kernel),
                   Index, Offset, Size);
}

CUresult cuFuncGetParamCount(CUfunction Kernel, size_t *Count) {
  return inContext(cudaFuncGetParamCount, static_cast<const void *>(Kernel),
                   Count);
}

CUresult cuKernelGetParamCount(CUfunction Kernel, size_t *Count) {
  return cuFuncGetParamCount(Kernel, Count);
}

CUresult cuKernelGetParamInfo(CUfunction Kernel, size_t Index, size_t *Offset,
                              size_t *Size) {
  return cuFuncGetParamInfo(Kernel, Index, Offset, Size);
}

CUresult cuFuncIsLoaded(int *State, CUfunction Kernel) {
  constexpr int Loaded = 1;
  if (!State || !images().kernel(Kernel))
    return cudaErrorInvalidResourceHandle;
  *State = Loaded;
  return cudaSuccess;
}

CUresult cuFuncLoad(CUfunction Kernel) {
  return images().kernel(Kernel) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks,
                                                     CUfunction Kernel,
                                                     int BlockSize,
                                                     size_t Shared) {
  return inContext(cudaOccupancyMaxActiveBlocksPerMultiprocessor, Blocks,
                   static_cast<const void *>(Kernel), BlockSize, Shared);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *Blocks, CUfunction Kernel, int BlockSize, size_t Shared, unsigned) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(Blocks, Kernel, BlockSize,
                                                     Shared);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *Shared,
                                                 CUfunction Kernel, int Blocks,
                                                 int BlockSize) {
  return inContext(cudaOccupancyAvailableDynamicSMemPerBlock, Shared,
                   static_cast<const void *>(Kernel), Blocks, BlockSize);
}

/// The block with which most threads are resident on a core; of equal ones the
/// largest.
CUresult cuOccupancyMaxPotentialBlockSize(int *MinGrid, int *BlockSize,
                                          CUfunction Kernel,
                                          size_t (*SharedOf)(int),
                                          size_t Shared, int Limit) {
  return inContext([=] {
    cudaFuncAttributes A;
    if (!MinGrid || !BlockSize)
      return cudaErrorInvalidValue;
    if (CUresult Code = cudaFuncGetAttributes(&A, Kernel); Code != cudaSuccess)
      return Code;
    const rt::DeviceProperties &P = Process::get().properties();
    int Largest = A.maxThreadsPerBlock, Best = 0;
    if (Limit > 0)
      Largest = std::min(Largest, Limit);
    for (int Size = Largest; Size > 0;
         Size = (Size - 1) / int(P.WarpSize) * int(P.WarpSize)) {
      int Blocks = rt::computeOccupancy(P, ImageTable::info(*Kernel), Size,
                                        SharedOf ? SharedOf(Size) : Shared)
                       .CTAsPerCore;
      if (Blocks * Size <= Best)
        continue;
      Best = Blocks * Size;
      *BlockSize = Size;
      *MinGrid = Blocks * int(P.Cores);
    }
    return Best ? cudaSuccess : cudaErrorLaunchOutOfResources;
  });
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *MinGrid, int *BlockSize,
                                                   CUfunction Kernel,
                                                   size_t (*SharedOf)(int),
                                                   size_t Shared, int Limit,
                                                   unsigned) {
  return cuOccupancyMaxPotentialBlockSize(MinGrid, BlockSize, Kernel, SharedOf,
                                          Shared, Limit);
}

} // extern "C"

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// Arguments in a block of parameters.
struct UnpackedArguments {
  std::vector<void *> Places;
  std::vector<char> Padded; ///< The last one, where the block ends within it.
};
} // namespace

/// Arguments from a block of parameters, as `extra` names it: pairs of a number
/// and a pointer. NCCL gives as much of its last parameter as has a meaning;
/// the rest is zero.
static CUresult unpack(const rt::KernelInfo &Info, void **Extra,
                       UnpackedArguments &Arguments) {
  enum : uintptr_t { End = 0, BufferPointer = 1, BufferSize = 2 };
  char *Buffer = nullptr;
  size_t Size = 0;
  for (; reinterpret_cast<uintptr_t>(*Extra) != End; Extra += 2) {
    if (reinterpret_cast<uintptr_t>(*Extra) == BufferPointer)
      Buffer = static_cast<char *>(Extra[1]);
    else if (reinterpret_cast<uintptr_t>(*Extra) == BufferSize)
      Size = *static_cast<size_t *>(Extra[1]);
    else
      return cudaErrorInvalidValue;
  }
  for (const rt::ParamInfo &P : Info.Params) {
    if (!Buffer || P.Offset >= Size)
      return cudaErrorInvalidValue;
    char *Place = Buffer + P.Offset;
    if (uint64_t Given = Size - P.Offset; Given < P.Size) {
      Arguments.Padded.assign(Place, Place + Given);
      Arguments.Padded.resize(P.Size);
      Place = Arguments.Padded.data();
    }
    Arguments.Places.push_back(Place);
  }
  return cudaSuccess;
}

static CUresult launch(CUfunction Kernel, const rt::LaunchShape &Shape,
                       cudaStream_t Stream, void **Arguments, void **Extra,
                       ArrayRef<cudaLaunchAttribute> Attributes = {}) {
  return inContext([&] {
    if (!images().kernel(Kernel))
      return cudaErrorInvalidResourceHandle;
    if (CUresult Code = images().load(*Kernel); Code != cudaSuccess)
      return Code;
    UnpackedArguments Unpacked;
    if (Extra) {
      if (Arguments)
        return cudaErrorInvalidValue;
      if (CUresult Code = unpack(ImageTable::info(*Kernel), Extra, Unpacked);
          Code != cudaSuccess)
        return Code;
      Arguments = Unpacked.Places.data();
    }
    return launchKernel(Kernel, Shape, Arguments, Stream, /*IsTimed=*/true,
                        Attributes);
  });
}

namespace {
/// CUlaunchConfig.
struct LaunchConfig {
  unsigned GridX, GridY, GridZ, BlockX, BlockY, BlockZ, Shared;
  cudaStream_t Stream;
  const cudaLaunchAttribute *Attributes;
  unsigned NumAttributes;
};
static_assert(sizeof(LaunchConfig) == 56);
} // namespace

static cudaLaunchConfig_t asRuntime(const LaunchConfig &C) {
  return {{C.GridX, C.GridY, C.GridZ},
          {C.BlockX, C.BlockY, C.BlockZ},
          C.Shared,
          C.Stream,
          const_cast<cudaLaunchAttribute *>(C.Attributes),
          C.NumAttributes};
}

extern "C" {

CUresult cuLaunchKernel(CUfunction Kernel, unsigned GridX, unsigned GridY,
                        unsigned GridZ, unsigned BlockX, unsigned BlockY,
                        unsigned BlockZ, unsigned Shared, cudaStream_t Stream,
                        void **Arguments, void **Extra) {
  return launch(Kernel,
                {{GridX, GridY, GridZ}, {BlockX, BlockY, BlockZ}, Shared},
                Stream, Arguments, Extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction Kernel, unsigned GridX,
                                   unsigned GridY, unsigned GridZ,
                                   unsigned BlockX, unsigned BlockY,
                                   unsigned BlockZ, unsigned Shared,
                                   cudaStream_t Stream, void **Arguments) {
  rt::LaunchShape Shape = {
      {GridX, GridY, GridZ}, {BlockX, BlockY, BlockZ}, Shared};
  Shape.Cooperative = true;
  return launch(Kernel, Shape, Stream, Arguments, nullptr);
}

CUresult cuLaunchKernelEx(const LaunchConfig *C, CUfunction Kernel,
                          void **Arguments, void **Extra) {
  if (!C || (C->NumAttributes && !C->Attributes))
    return cudaErrorInvalidValue;
  rt::LaunchShape Shape = {{C->GridX, C->GridY, C->GridZ},
                           {C->BlockX, C->BlockY, C->BlockZ},
                           C->Shared};
  ArrayRef Attributes(C->Attributes, C->NumAttributes);
  applyAttributes(Attributes, Shape);
  return launch(Kernel, Shape, C->Stream, Arguments, Extra, Attributes);
}

CUresult cuOccupancyMaxActiveClusters(int *Clusters, CUfunction Kernel,
                                      const LaunchConfig *C) {
  return inContext([=] {
    if (!C)
      return cudaErrorInvalidValue;
    cudaLaunchConfig_t Same = asRuntime(*C);
    return Kernel ? cudaOccupancyMaxActiveClusters(Clusters, Kernel, &Same)
                  : countActiveClusters(Clusters, nullptr, &Same);
  });
}

CUresult cuOccupancyMaxPotentialClusterSize(int *Size, CUfunction Kernel,
                                            const LaunchConfig *C) {
  return inContext([=] {
    if (!C)
      return cudaErrorInvalidValue;
    cudaLaunchConfig_t Same = asRuntime(*C);
    return cudaOccupancyMaxPotentialClusterSize(Size, Kernel, &Same);
  });
}

CUresult cuLaunchHostFunc(cudaStream_t Stream, cudaHostFn_t Function,
                          void *UserData) {
  return inContext(cudaLaunchHostFunc, Stream, Function, UserData);
}

CUresult cuLaunchHostFunc_v2(cudaStream_t Stream, cudaHostFn_t Function,
                             void *UserData, unsigned Waiting) {
  return inContext(cudaLaunchHostFunc_v2, Stream, Function, UserData, Waiting);
}

} // extern "C"

HEDDLE_PER_THREAD(cuLaunchKernel, _ptsz)
HEDDLE_PER_THREAD(cuLaunchCooperativeKernel, _ptsz)
HEDDLE_PER_THREAD(cuLaunchKernelEx, _ptsz)
HEDDLE_PER_THREAD(cuLaunchHostFunc, _ptsz)
HEDDLE_PER_THREAD(cuLaunchHostFunc_v2, _ptsz)
