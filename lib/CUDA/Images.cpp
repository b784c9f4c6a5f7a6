//===- Images.cpp - Device code of a program --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a fat binary in the program's memory to a module on the device: the
// reader chooses the PTX, the compile service (with its cache) makes the code.
//
//===----------------------------------------------------------------------===//

#include "Images.h"
#include "Process.h"
#include "heddle/Driver/CompileService.h"
#include "heddle/FatBinary/FatBinary.h"

#include <cstdio>

using namespace llvm;

namespace heddle::cuda {

struct ImageTable::Compiler {
  CompileService Service;

  static CompileService::Setup setup() {
    CompileService::Setup S;
    std::vector<std::string> Complaints;
    S.Settings = cache::Settings::load(cache::processEnvironment(), Complaints);
    for (const std::string &Complaint : Complaints)
      log(Complaint);
    return S;
  }
  Compiler() : Service(setup()) {}
};

ImageTable::ImageTable() = default;
ImageTable::~ImageTable() = default;

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

FatBinary *ImageTable::add(const void *Start) {
  std::lock_guard Lock(Mutex);
  Images.push_back(std::make_unique<FatBinary>());
  Images.back()->Start = Start;
  return Images.back().get();
}

void ImageTable::remove(FatBinary *Image) {
  std::lock_guard Lock(Mutex);
  std::erase_if(Kernels, [&](auto &K) { return K.second.Owner == Image; });
  std::erase_if(Variables, [&](auto &V) { return V.second.Owner == Image; });
  // A library that is unloaded takes its code along. When the program ends, the
  // device may still be at work: then the module stays.
  for (std::unique_ptr<FatBinary> &I : Images)
    if (I.get() == Image)
      (void)I->Module.release();
  std::erase_if(Images, [&](auto &I) { return I.get() == Image; });
}

void ImageTable::addKernel(FatBinary *Image, const void *Host,
                           const char *Name) {
  std::lock_guard Lock(Mutex);
  Kernels[Host] = KernelHandle{Image, Name, 0, {}};
}

void ImageTable::addVariable(FatBinary *Image, const void *Host,
                             const char *Name, uint64_t Size) {
  std::lock_guard Lock(Mutex);
  Variables[Host] = Variable{Image, Name, Size};
}

void ImageTable::addManagedVariable(FatBinary *Image, void **Pointer,
                                    const char *Name, uint64_t Size) {
  std::lock_guard Lock(Mutex);
  Variables[Pointer] = Variable{Image, Name, Size, Pointer};
}

KernelHandle *ImageTable::kernel(const void *Host) {
  std::lock_guard Lock(Mutex);
  auto It = Kernels.find(Host);
  return It == Kernels.end() ? nullptr : &It->second;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// The PTX that a fat binary holds for the device.
static Expected<std::string> extractPTX(const void *Start) {
  Expected<ArrayRef<uint8_t>> Bytes = fatbin::locate(Start);
  if (!Bytes)
    return Bytes.takeError();
  return fatbin::extractPTX(*Bytes);
}

static cudaError_t fail(cudaError_t Code, const std::string &Message) {
  std::fprintf(stderr, "heddle: %s\n", Message.c_str());
  return Code;
}

cudaError_t ImageTable::load(FatBinary &Image) {
  if (Image.Module || Image.Failure != cudaSuccess)
    return Image.Failure;
  Expected<rt::Context &> Context = Process::get().context();
  if (!Context)
    return fail(cudaErrorNoDevice, toString(Context.takeError()));
  Expected<std::string> PTX = extractPTX(Image.Start);
  if (!PTX)
    return Image.Failure =
               fail(cudaErrorNoKernelImageForDevice, toString(PTX.takeError()));
  if (!TheCompiler)
    TheCompiler = std::make_unique<Compiler>();
  CompileOptions Options;
  std::vector<std::string> Arguments = {"--chip=" +
                                        Context->device().chip().str()};
  if (const char *Level = std::getenv("HEDDLE_OPT_LEVEL"))
    Arguments.push_back("-O" + std::string(Level));
  if (std::optional<std::string> Wrong = Options.parse(Arguments))
    return Image.Failure = fail(cudaErrorInvalidPtx, *Wrong);
  ServedResult Served =
      TheCompiler->Service.compile({*PTX, "<program>"}, Options);
  log("compiled " + Twine(PTX->size()) +
      " bytes of PTX: " + std::string(cache::originName(Served.From)));
  if (!Served.Result.Succeeded) {
    for (const Diagnostic &D : Served.Result.Messages)
      std::fputs(D.Rendered.c_str(), stderr);
    return Image.Failure = fail(cudaErrorInvalidPtx, Served.Result.Failure);
  }
  Expected<std::unique_ptr<rt::Module>> Module = Context->device().loadModule(
      ArrayRef(reinterpret_cast<const uint8_t *>(Served.Result.Bytes.data()),
               Served.Result.Bytes.size()));
  if (!Module)
    return Image.Failure =
               fail(cudaErrorInvalidKernelImage, toString(Module.takeError()));
  Image.Module = std::move(*Module);
  bindManaged(Image);
  return cudaSuccess;
}

/// Tells the program where its managed variables are.
void ImageTable::bindManaged(FatBinary &Image) {
  for (auto &[Host, V] : Variables) {
    if (V.Owner != &Image || !V.ManagedPointer)
      continue;
    const rt::SymbolInfo *Found = Image.Module->findSymbol(V.Name);
    if (!Found || !Found->IsManaged)
      continue;
    *V.ManagedPointer = reinterpret_cast<void *>(Found->Address);
    Process::get().Pointers.add(
        {Found->Address, Found->Size, cudaMemoryTypeManaged, /*IsOurs=*/false});
  }
}

cudaError_t ImageTable::initialize(FatBinary *Image) {
  std::lock_guard Lock(Mutex);
  return load(*Image);
}

cudaError_t ImageTable::load(KernelHandle &Kernel) {
  std::lock_guard Lock(Mutex);
  if (Kernel.Loaded.Owner)
    return cudaSuccess;
  if (cudaError_t Code = load(*Kernel.Owner); Code != cudaSuccess)
    return Code;
  std::optional<unsigned> Index = Kernel.Owner->Module->findKernel(Kernel.Name);
  if (!Index)
    return cudaErrorInvalidDeviceFunction;
  Kernel.Loaded = {Kernel.Owner->Module.get(), *Index};
  return cudaSuccess;
}

cudaError_t ImageTable::variable(const void *Host, rt::SymbolInfo &Symbol) {
  std::lock_guard Lock(Mutex);
  auto It = Variables.find(Host);
  if (It == Variables.end())
    return cudaErrorInvalidSymbol;
  FatBinary &Image = *It->second.Owner;
  if (cudaError_t Code = load(Image); Code != cudaSuccess)
    return Code;
  const rt::SymbolInfo *Found = Image.Module->findSymbol(It->second.Name);
  if (!Found)
    return cudaErrorInvalidSymbol;
  Symbol = *Found;
  return cudaSuccess;
}

void ImageTable::unload() {
  std::lock_guard Lock(Mutex);
  for (auto &[Host, Kernel] : Kernels)
    Kernel.Loaded = {};
  for (std::unique_ptr<FatBinary> &Image : Images)
    Image->Module.reset();
}

} // namespace heddle::cuda
