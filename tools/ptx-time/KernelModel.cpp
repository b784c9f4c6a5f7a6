//===- KernelModel.cpp - Microbenchmarks in the timing model ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An emulator with the base's figures, and the kernels compiled for the base.
//
//===----------------------------------------------------------------------===//

#include "KernelModel.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/Runtime/Profile.h"
#include "heddle/Tooling/LoadedCompiler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBufferRef.h"

using namespace llvm;

namespace heddle::timing {

static Expected<CompileResult> compileFor(const isa::ChipInfo &Chip,
                                          StringRef Text) {
  Expected<LoadedCompiler> Compiler = LoadedCompiler::load();
  if (!Compiler)
    return Compiler.takeError();
  CompileOptions Options;
  if (auto Fault = Options.set(OptionId::Chip, Chip.Name))
    return createStringError(*Fault);
  CompileResult Code =
      Compiler->compile(MemoryBufferRef(Text, "microbenchmarks"), Options);
  if (!Code.Succeeded)
    return createStringError(Code.Failure);
  return Code;
}

Expected<KernelModel> KernelModel::create(const Calibration &C,
                                          StringRef Text) {
  emu::EmulatorOptions Settings;
  Settings.Chip = C.Base.Name;
  Settings.StrictHazards = false;
  Settings.Timing = true;
  isa::ChipInfo Changed = C.Base;
  std::optional<std::string> Fault = Settings.Changes.parse(C.changes());
  if (!Fault)
    Fault = Settings.Changes.apply(Changed);
  if (Fault)
    return createStringError("with the device's figures " +
                             std::string(C.Base.Name) +
                             " is no chip, choose another --base: " + *Fault);
  Expected<CompileResult> Code = compileFor(C.Base, Text);
  if (!Code)
    return Code.takeError();
  KernelModel M;
  M.ClockMHz = Changed.ClockMHz;
  if (Error E = emu::createEmulatorDevice(Settings).moveInto(M.Device))
    return std::move(E);
  ArrayRef<uint8_t> Bytes(reinterpret_cast<const uint8_t *>(Code->Bytes.data()),
                          Code->Bytes.size());
  if (Error E = M.Device->loadModule(Bytes).moveInto(M.Module))
    return std::move(E);
  constexpr uint64_t ResultBytes = 1 << 20, Alignment = 256;
  if (Error E = M.Device->allocate(ResultBytes, Alignment).moveInto(M.Results))
    return std::move(E);
  if (Error E = M.Device->allocate(BufferBytes, Alignment).moveInto(M.Buffer))
    return std::move(E);
  return std::move(M);
}

Expected<double> KernelModel::cycles(StringRef Kernel, const BenchGrid &Grid,
                                     const BenchArguments &Arguments) {
  ArrayRef<rt::KernelInfo> Kernels = Module->kernels();
  const auto *It = find_if(
      Kernels, [&](const rt::KernelInfo &K) { return K.Name == Kernel; });
  if (It == Kernels.end())
    return createStringError("no kernel '" + Kernel + "'");
  std::vector<uint8_t> Parameters;
  for (uint64_t Word : {Results, Buffer, Arguments.Count, Arguments.Extra}) {
    size_t At = Parameters.size();
    Parameters.resize(At + sizeof(Word));
    support::endian::write64le(&Parameters[At], Word);
  }
  rt::LaunchConfig Config;
  Config.Grid.X = Grid.CTAs;
  Config.Block.X = Grid.Threads;
  Config.DynamicSharedBytes = Grid.SharedBytes;
  Config.Params = Parameters;
  Expected<rt::LaunchResult> Result =
      Device->launch(*Module, It - Kernels.begin(), Config);
  if (!Result)
    return Result.takeError();
  if (!Result->Profile)
    return createStringError("the model has no time of '" + Kernel + "'");
  return Result->Profile->Cycles;
}

Expected<double> KernelModel::nanoseconds(StringRef Kernel, uint64_t Count) {
  Expected<double> Cycles = cycles(Kernel, BenchGrid(), {0, Count, 0});
  if (!Cycles)
    return Cycles.takeError();
  return *Cycles * 1e3 / ClockMHz;
}

Expected<std::vector<uint64_t>>
KernelModel::run(StringRef Kernel, const BenchGrid &Grid,
                 const BenchArguments &Arguments, unsigned Words) {
  if (Expected<double> Cycles = cycles(Kernel, Grid, Arguments); !Cycles)
    return Cycles.takeError();
  std::vector<uint64_t> Read(Words);
  if (Error E = Device->copyFromDevice(
          {reinterpret_cast<uint8_t *>(Read.data()), Words * sizeof(uint64_t)},
          Results))
    return std::move(E);
  return Read;
}

} // namespace heddle::timing
