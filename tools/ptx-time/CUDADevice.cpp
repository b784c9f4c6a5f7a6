//===- CUDADevice.cpp - A GPU behind CUDA's driver --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of the driver's own compiler take their parameters as one block, laid
// out as in PTX, which is as our code objects have it.
//
//===----------------------------------------------------------------------===//

#include "CUDADevice.h"
#include "heddle/Emulator/Emulator.h"

#include <vector>

using namespace llvm;

namespace heddle::timing {

namespace {

class CUDAModule : public rt::Module {
public:
  CUDAModule(const DriverAPI &API, void *Handle,
             std::unique_ptr<rt::Module> TheLayout)
      : API(API), Handle(Handle), Layout(std::move(TheLayout)) {}
  ~CUDAModule() override { API.unloadModule(Handle); }

  ArrayRef<rt::KernelInfo> kernels() const override {
    return Layout->kernels();
  }
  ArrayRef<rt::SymbolInfo> symbols() const override { return Symbols; }

  /// Finds the functions and variables.
  Error resolve() {
    for (const rt::KernelInfo &K : kernels())
      if (Error E = API.check(API.getFunction(&Functions.emplace_back(), Handle,
                                              K.Name.c_str()),
                              K.Name))
        return E;
    for (rt::SymbolInfo S : Layout->symbols()) {
      size_t Bytes = 0;
      // The driver drops variables that no kernel uses.
      if (API.getGlobal(&S.Address, &Bytes, Handle, S.Name.c_str()) == 0)
        Symbols.push_back(std::move(S));
    }
    return Error::success();
  }

  std::vector<void *> Functions;

private:
  const DriverAPI &API;
  void *Handle;
  std::unique_ptr<rt::Module> Layout; ///< The same, compiled by us.
  std::vector<rt::SymbolInfo> Symbols;
};

} // namespace

StringRef CUDADevice::chip() const { return Reader->chip(); }

Expected<std::unique_ptr<CUDADevice>> CUDADevice::create(const DriverAPI &API) {
  std::unique_ptr<CUDADevice> D(new CUDADevice(API));
  if (Error E = D->open())
    return std::move(E);
  return std::move(D);
}

Error CUDADevice::open() {
  if (Error E = Context.open())
    return E;
  return emu::createEmulatorDevice().moveInto(Reader);
}

CUDADevice::~CUDADevice() = default;

Expected<rt::DeviceAddress> CUDADevice::allocate(uint64_t Size,
                                                 uint64_t Align) {
  constexpr uint64_t DriversAlign = 256;
  constexpr unsigned short Poison = 0x7FFB; // docs/launch-manifest.md
  if (Align > DriversAlign)
    return createStringError("no memory at multiples of " + Twine(Align));
  uint64_t Address = 0, Bytes = std::max<uint64_t>((Size + 1) / 2 * 2, 2);
  if (Error E = API.check(API.allocate(&Address, Bytes), "cuMemAlloc"))
    return std::move(E);
  if (Error E =
          API.check(API.fill16(Address, Poison, Bytes / 2), "cuMemsetD16"))
    return std::move(E);
  return Address;
}

Error CUDADevice::free(rt::DeviceAddress Address) {
  return API.check(API.free(Address), "cuMemFree");
}

Error CUDADevice::copyToDevice(rt::DeviceAddress Destination,
                               ArrayRef<uint8_t> Source) {
  return API.check(API.copyToDevice(Destination, Source.data(), Source.size()),
                   "cuMemcpyHtoD");
}

Error CUDADevice::copyFromDevice(MutableArrayRef<uint8_t> Destination,
                                 rt::DeviceAddress Source) {
  return API.check(
      API.copyFromDevice(Destination.data(), Source, Destination.size()),
      "cuMemcpyDtoH");
}

Error CUDADevice::copyOnDevice(rt::DeviceAddress Destination,
                               rt::DeviceAddress Source, uint64_t Size) {
  return API.check(API.copyOnDevice(Destination, Source, Size), "cuMemcpyDtoD");
}

Error CUDADevice::fill(rt::DeviceAddress Destination, ArrayRef<uint8_t> Pattern,
                       uint64_t Count) {
  std::vector<uint8_t> Bytes;
  Bytes.reserve(Pattern.size() * Count);
  for (uint64_t N = 0; N < Count; ++N)
    Bytes.insert(Bytes.end(), Pattern.begin(), Pattern.end());
  return copyToDevice(Destination, Bytes);
}

Expected<std::unique_ptr<rt::Module>>
CUDADevice::loadModule(ArrayRef<uint8_t> CodeObject) {
  std::unique_ptr<rt::Module> Layout;
  if (Error E = Reader->loadModule(CodeObject).moveInto(Layout))
    return std::move(E);
  void *Handle = nullptr;
  if (Error E =
          API.check(API.loadModule(&Handle, Text.c_str()), "cuModuleLoadData"))
    return std::move(E);
  auto M = std::make_unique<CUDAModule>(API, Handle, std::move(Layout));
  if (Error E = M->resolve())
    return std::move(E);
  return std::move(M);
}

Expected<rt::LaunchResult> CUDADevice::launch(rt::Module &M,
                                              unsigned KernelIndex,
                                              const rt::LaunchConfig &Config) {
  constexpr int MaxDynamicSharedSize = 8; // CUfunction_attribute
  // CU_LAUNCH_PARAM_*
  void *const ParamEnd = nullptr,
              *const ParamBuffer = reinterpret_cast<void *>(1),
              *const ParamSize = reinterpret_cast<void *>(2);
  const rt::KernelInfo &Kernel = M.kernels()[KernelIndex];
  void *Function = static_cast<CUDAModule &>(M).Functions[KernelIndex];
  if (rt::clusterOf(Kernel, Config).count() > 1 || Config.Cooperative)
    return createStringError("clusters and cooperative launches are not "
                             "supported yet");
  if (Error E = API.check(API.setAttribute(Function, MaxDynamicSharedSize,
                                           Config.DynamicSharedBytes),
                          "cuFuncSetAttribute"))
    return std::move(E);
  std::vector<uint8_t> Params(Config.Params.begin(), Config.Params.end());
  size_t Bytes = Params.size();
  void *Extra[] = {ParamBuffer, Params.data(), ParamSize, &Bytes, ParamEnd};
  const rt::Dim3 &G = Config.Grid, &B = Config.Block;
  float Milliseconds = 0;
  int Result = API.recordEvent(Context.start(), nullptr);
  if (Result == 0)
    Result = API.launch(Function, G.X, G.Y, G.Z, B.X, B.Y, B.Z,
                        Config.DynamicSharedBytes, nullptr, nullptr, Extra);
  if (Result == 0)
    Result = API.recordEvent(Context.end(), nullptr);
  if (Result == 0)
    Result = API.waitForEvent(Context.end());
  if (Result == 0)
    Result = API.elapsedTime(&Milliseconds, Context.start(), Context.end());
  if (Error E = API.check(Result, "launch of '" + Kernel.Name + "'"))
    return std::move(E);
  Nanoseconds = Milliseconds * 1e6;
  return rt::LaunchResult();
}

} // namespace heddle::timing
