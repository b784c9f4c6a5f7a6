//===- main.cpp - Runs the kernels' manifests on the host -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// heddle-kernel-host MANIFEST... carries manifests out on a device that is the
// host's CPU, running the CUDA sources themselves. It shows that manifests and
// sources agree without a word from Heddle's compiler or emulator.
//
//===----------------------------------------------------------------------===//

#include "HostKernels.h"
#include "heddle/Manifest/ManifestRunner.h"
#include <cstdlib>
#include <cstring>

using namespace heddle;
using namespace llvm;

namespace {

class HostModule : public rt::Module {
public:
  HostModule() : Kernels(host::makeKernels()), Symbols(host::makeSymbols()) {
    for (const host::Kernel &K : Kernels)
      Infos.push_back(K.Info);
  }
  ArrayRef<rt::KernelInfo> kernels() const override { return Infos; }
  ArrayRef<rt::SymbolInfo> symbols() const override { return Symbols; }
  const host::Kernel &kernel(unsigned Index) const { return Kernels[Index]; }

private:
  std::vector<host::Kernel> Kernels;
  std::vector<rt::KernelInfo> Infos;
  std::vector<rt::SymbolInfo> Symbols;
};

/// Device addresses are host addresses.
class HostDevice : public rt::Device {
public:
  StringRef name() const override { return "the host's CPU"; }
  StringRef chip() const override { return "host"; }

  Expected<rt::DeviceAddress> allocate(uint64_t Size, uint64_t Align) override {
    uint64_t Rounded = alignTo(std::max<uint64_t>(Size, 2), Align);
    auto *Words = static_cast<uint16_t *>(std::aligned_alloc(Align, Rounded));
    if (!Words)
      return createStringError("out of memory");
    std::fill_n(Words, Rounded / 2, rt::PoisonPattern);
    return reinterpret_cast<uint64_t>(Words);
  }
  Error free(rt::DeviceAddress Address) override {
    std::free(reinterpret_cast<void *>(Address));
    return Error::success();
  }
  Error copyToDevice(rt::DeviceAddress To, ArrayRef<uint8_t> From) override {
    std::memcpy(reinterpret_cast<void *>(To), From.data(), From.size());
    return Error::success();
  }
  Error copyFromDevice(MutableArrayRef<uint8_t> To,
                       rt::DeviceAddress From) override {
    std::memcpy(To.data(), reinterpret_cast<void *>(From), To.size());
    return Error::success();
  }
  Error copyOnDevice(rt::DeviceAddress To, rt::DeviceAddress From,
                     uint64_t Size) override {
    std::memmove(reinterpret_cast<void *>(To), reinterpret_cast<void *>(From),
                 Size);
    return Error::success();
  }
  Error fill(rt::DeviceAddress To, ArrayRef<uint8_t> Pattern,
             uint64_t Count) override {
    for (uint64_t I = 0; I < Count; ++I)
      if (Error E = copyToDevice(To + I * Pattern.size(), Pattern))
        return E;
    return Error::success();
  }

  Expected<std::unique_ptr<rt::Module>> loadModule(ArrayRef<uint8_t>) override {
    return std::make_unique<HostModule>();
  }
  Expected<rt::LaunchResult> launch(rt::Module &M, unsigned Index,
                                    const rt::LaunchConfig &Config) override {
    host::runGrid(static_cast<HostModule &>(M).kernel(Index), Config);
    if (std::string Text = host::takeOutput(); !Text.empty() && Sink)
      Sink(Text);
    return rt::LaunchResult();
  }
  void setOutputSink(rt::OutputSink S) override { Sink = std::move(S); }

private:
  rt::OutputSink Sink;
};

} // namespace

/// Prints what failed; returns whether nothing did.
static Expected<bool> run(StringRef Path) {
  HostDevice Device;
  rt::Manifest Manifest;
  if (Error E = rt::readManifest(Path).moveInto(Manifest))
    return E;
  std::unique_ptr<rt::ManifestRunner> Runner;
  if (Error E =
          rt::ManifestRunner::create(Device, Manifest, {}).moveInto(Runner))
    return E;
  if (Error E = Runner->launchAll())
    return E;
  std::vector<rt::CheckReport> Checks;
  if (Error E = Runner->check().moveInto(Checks))
    return E;
  bool Passed = true;
  for (const rt::CheckReport &Check : Checks) {
    if (Check.Passed)
      continue;
    Passed = false;
    outs() << Check.Place << ": " << Check.What << ": " << Check.Message
           << "\n";
    for (const std::string &Line : Check.Details)
      outs() << "  " << Line << "\n";
  }
  return Passed;
}

int main(int Argc, char **Argv) {
  unsigned Passed = 0, Failed = 0;
  for (int I = 1; I < Argc; ++I) {
    Expected<bool> Result = run(Argv[I]);
    if (!Result)
      outs() << toString(Result.takeError()) << "\n";
    bool Good = Result && *Result;
    ++(Good ? Passed : Failed);
  }
  outs() << Passed << " manifests hold, " << Failed << " do not\n";
  return Failed || !Passed;
}
