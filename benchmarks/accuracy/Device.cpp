//===- Device.cpp - Runs functions on the emulator --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Samples go to the device in parts, whose columns are allocated for each.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "Kernels.h"

#include <algorithm>
#include <cstring>

using namespace heddle::accuracy;

/// Samples of a launch, and threads of a CTA.
static constexpr size_t PartSize = size_t(1) << 18;
static constexpr unsigned BlockSize = 128;

static heddle::api::CodeObject compile(const std::string &PTX,
                                       const std::string &Library,
                                       const std::string &Level) {
  HeddleCompilerConfig Config;
  heddleCompilerConfigInit(&Config);
  Config.CacheMode = HEDDLE_CACHE_OFF;
  heddle::api::Compiler Compiler(&Config);
  if (Library.empty())
    return Compiler.compile(PTX, {Level.c_str()}, "kernels.ptx");
  heddle::api::Linker Linker(Compiler, {Level.c_str()});
  Linker.add(PTX, "kernels.ptx");
  Linker.add(Library, "libdevice.bc");
  return Linker.complete();
}

Device::Device(const std::string &PTX, const std::string &Library,
               const std::string &Level) {
  Module.emplace(Context, compile(PTX, Library, Level));
}

namespace {

/// A column of numbers of a format, on the host and on the device.
class Column {
public:
  Column(const heddle::api::Context &C, const Format &Of)
      : Of(Of), Bytes(PartSize * Of.bytes()), Memory(C, Bytes.size()),
        C(C.get()) {}

  void set(size_t Row, uint64_t Bits) {
    std::memcpy(&Bytes[Row * Of.bytes()], &Bits, Of.bytes());
  }
  uint64_t get(size_t Row) const {
    uint64_t Bits = 0;
    std::memcpy(&Bits, &Bytes[Row * Of.bytes()], Of.bytes());
    return Bits;
  }
  HeddleAddress address() const { return Memory.address(); }
  void copyToDevice(size_t Rows) {
    heddle::api::check(heddleCopyToDevice(C, nullptr, address(), Bytes.data(),
                                          Rows * Of.bytes()));
  }
  void copyFromDevice(size_t Rows) {
    heddle::api::check(heddleCopyFromDevice(C, nullptr, Bytes.data(), address(),
                                            Rows * Of.bytes()));
    heddle::api::check(heddleStreamSynchronize(C, nullptr));
  }

private:
  const Format &Of;
  std::vector<uint8_t> Bytes;
  heddle::api::Buffer<uint8_t> Memory;
  HeddleContext C;
};

} // namespace

void Device::run(const Function &F, const Samples &S, Judge &J) {
  std::vector<std::unique_ptr<Column>> Columns;
  for (const Format &Of : F.Arguments)
    Columns.push_back(std::make_unique<Column>(Context, Of));
  Column Results(Context, F.Result);
  HeddleLaunch L;
  heddleLaunchInit(&L);
  L.Module = Module->get();
  api::check(heddleModuleGetKernel(L.Module, kernelName(F).c_str(), &L.Kernel));
  std::vector<HeddleAddress> Addresses;
  for (const auto &C : Columns)
    Addresses.push_back(C->address());
  Addresses.push_back(Results.address());
  for (size_t First = 0; First < S.size(); First += PartSize) {
    size_t Rows = std::min(PartSize, S.size() - First);
    uint64_t Arguments[MaxArguments];
    for (size_t Row = 0; Row != Rows; ++Row) {
      S.get(First + Row, Arguments);
      for (size_t A = 0; A != Columns.size(); ++A)
        Columns[A]->set(Row, Arguments[A]);
    }
    for (const auto &C : Columns)
      C->copyToDevice(Rows);
    auto Threads = static_cast<uint32_t>(Rows);
    std::vector<const void *> Parameters;
    for (const HeddleAddress &A : Addresses)
      Parameters.push_back(&A);
    Parameters.push_back(&Threads);
    L.Arguments = Parameters.data();
    L.NumArguments = Parameters.size();
    L.Grid[0] = (Threads + BlockSize - 1) / BlockSize;
    L.Block[0] = BlockSize;
    api::check(heddleLaunch(Context.get(), nullptr, &L));
    Results.copyFromDevice(Rows);
    for (size_t Row = 0; Row != Rows; ++Row) {
      for (size_t A = 0; A != Columns.size(); ++A)
        Arguments[A] = Columns[A]->get(Row);
      J.look(Arguments, Results.get(Row));
    }
  }
}
