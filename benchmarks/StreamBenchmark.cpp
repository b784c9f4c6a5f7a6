//===- StreamBenchmark.cpp - What a launch costs before it runs -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time of coding a launch as a packet and back, and of launches through a
// stream whose device does nothing: enqueuing, the queue's thread, the signal.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/Context.h"
#include "heddle/Runtime/PacketCoding.h"

#include <benchmark/benchmark.h>

using namespace heddle::rt;
using llvm::cantFail;
using llvm::Error;
using llvm::Expected;

namespace {

class IdleModule : public Module {
public:
  IdleModule() { Kernel.Name = "idle"; }
  llvm::ArrayRef<KernelInfo> kernels() const override { return Kernel; }
  llvm::ArrayRef<SymbolInfo> symbols() const override { return {}; }

private:
  KernelInfo Kernel;
};

/// A device whose launches end at once. It has no memory.
class IdleDevice : public Device {
public:
  llvm::StringRef name() const override { return "idle"; }
  llvm::StringRef chip() const override { return "none"; }
  Expected<DeviceAddress> allocate(uint64_t, uint64_t) override {
    return llvm::createStringError("no memory");
  }
  Error free(DeviceAddress) override { return Error::success(); }
  Error copyToDevice(DeviceAddress, llvm::ArrayRef<uint8_t>) override {
    return Error::success();
  }
  Error copyFromDevice(llvm::MutableArrayRef<uint8_t>, DeviceAddress) override {
    return Error::success();
  }
  Error copyOnDevice(DeviceAddress, DeviceAddress, uint64_t) override {
    return Error::success();
  }
  Error fill(DeviceAddress, llvm::ArrayRef<uint8_t>, uint64_t) override {
    return Error::success();
  }
  Expected<std::unique_ptr<Module>>
  loadModule(llvm::ArrayRef<uint8_t>) override {
    return std::make_unique<IdleModule>();
  }
  Expected<LaunchResult> launch(Module &, unsigned,
                                const LaunchConfig &) override {
    return LaunchResult();
  }
  void setOutputSink(OutputSink) override {}
};

KernelOp launchOf(Module &Code) {
  KernelOp Op;
  Op.Kernel = {&Code, 0};
  Op.Config.Grid = {1024, 1, 1};
  Op.Config.Block = {256, 1, 1};
  Op.Params.resize(32);
  return Op;
}

void codePacket(benchmark::State &State) {
  IdleModule Code;
  KernelOp Op = launchOf(Code);
  for (auto _ : State) {
    DispatchPacket Packet = cantFail(encode(Op, nullptr));
    benchmark::DoNotOptimize(Packet);
    LaunchConfig Config = decode(Packet);
    benchmark::DoNotOptimize(Config);
  }
}
BENCHMARK(codePacket)->Name("packet");

/// Waits once for as many launches as a queue may hold.
void launchInStream(benchmark::State &State) {
  constexpr unsigned Batch = 1024;
  Context Ctx(std::make_unique<IdleDevice>());
  Stream &S = Ctx.createStream(Stream::Kind::NonBlocking);
  IdleModule Code;
  const KernelOp Op = launchOf(Code);
  while (State.KeepRunningBatch(Batch)) {
    for (unsigned I = 0; I != Batch; ++I)
      cantFail(S.enqueue(Op));
    cantFail(S.synchronize());
  }
}
BENCHMARK(launchInStream)->Name("launch")->UseRealTime();

} // namespace

BENCHMARK_MAIN();
