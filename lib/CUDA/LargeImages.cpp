//===- LargeImages.cpp - Kernels that are compiled apart --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries have modules with hundreds of kernels, of which a program launches
// few. The kernels of a large module are compiled one by one, when they are
// asked for. The first has the variables of the module, all others use those.
//
//===----------------------------------------------------------------------===//

#include "Images.h"
#include "Process.h"
#include "heddle/Driver/CompileService.h"
#include "heddle/Link/Bundle.h"
#include "heddle/Tuning/KernelText.h"

#include <cstdio>

using namespace llvm;

namespace heddle::cuda {

/// Text of less than this is compiled at once. nvcc writes about 30 bytes for
/// an instruction.
static constexpr size_t LargeBytes = 256 << 10;

/// Counters of launches are variables that each kernel's code has of its own.
static bool countsLaunches() {
  return any_of(compilerArgumentsOfEnvironment(), [](StringRef Option) {
    return Option.ltrim('-').starts_with("fprofile-generate");
  });
}

/// Names the kernels of an image that are compiled apart.
void ImageTable::separate(FatBinary &Image) {
  LoadedImage &Here = Image.here();
  if (Here.Source.size() < LargeBytes || isLinkBundle(Here.Source) ||
      countsLaunches())
    return;
  tuning::KernelNames Kernels = tuning::kernelNames(Here.Source);
  if (Kernels.AreApart && Kernels.Names.size() > 1)
    Here.Apart = std::move(Kernels.Names);
}

/// Compiles and loads one kernel of a large image.
cudaError_t ImageTable::compileApart(FatBinary &Image, const std::string &Name,
                                     KernelCode &Made, std::string *Log) {
  LoadedImage &Here = Image.here();
  std::vector<std::string> Options = Image.compilerOptions();
  Options.push_back("--entry=" + Name);
  std::vector<uint8_t> Object;
  std::string Messages;
  cudaError_t Code = compileWith(service(), Here.Source, Image.Name, Options,
                                 Object, Messages);
  if (Log)
    *Log += Messages;
  else if (Code != cudaSuccess)
    std::fprintf(stderr, "heddle: %s", Messages.c_str());
  if (Code != cudaSuccess)
    return Code;
  Expected<rt::Context &> Context = Process::get().context();
  if (!Context)
    return fail(cudaErrorNoDevice, toString(Context.takeError()), Log);
  if (!Here.Module) {
    Code = loadObject(Context->device(), Image, Object, Log);
    if (Code == cudaSuccess)
      bindManaged(Image);
    Made.Code = Here.Module.get();
    return Code;
  }
  auto Module = Context->device().loadReplacement(Object, *Here.Module);
  if (!Module)
    return fail(cudaErrorInvalidKernelImage, toString(Module.takeError()), Log);
  Made.Own = std::move(*Module);
  Made.Code = Made.Own.get();
  return cudaSuccess;
}

/// Finds a kernel of a loaded image, which it compiles if kernels are apart.
cudaError_t ImageTable::loadKernel(FatBinary &Image, const std::string &Name,
                                   rt::KernelObject &Loaded, std::string *Log) {
  LoadedImage &Here = Image.here();
  rt::Module *Code = Here.Module.get();
  if (!Here.Apart.empty()) {
    if (!is_contained(Here.Apart, Name))
      return cudaErrorInvalidDeviceFunction;
    auto [It, IsNew] = Here.Parts.try_emplace(Name);
    if (IsNew)
      It->second.Failure = compileApart(Image, Name, It->second, Log);
    if (It->second.Failure != cudaSuccess)
      return It->second.Failure;
    Code = It->second.Code;
  }
  std::optional<unsigned> Index = Code->findKernel(Name);
  if (!Index)
    return cudaErrorInvalidDeviceFunction;
  Loaded = {Code, *Index};
  return cudaSuccess;
}

/// Loads an image and its variables, for which a large one has to have a
/// kernel.
cudaError_t ImageTable::loadVariables(FatBinary &Image, std::string *Log) {
  cudaError_t Code = load(Image, Log);
  const LoadedImage &Here = Image.here();
  for (const std::string &Name : Here.Apart) {
    if (Here.Module || Code != cudaSuccess)
      break;
    rt::KernelObject Loaded;
    Code = loadKernel(Image, Name, Loaded, Log);
  }
  return Code;
}

} // namespace heddle::cuda
