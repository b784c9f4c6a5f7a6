//===- CUDADevice.h - A GPU behind CUDA's driver ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries out launch manifests on what libcuda.so.1 drives: a GPU, or the
// emulator behind our own library of that name. Nothing of CUDA is needed to
// build it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TIME_CUDADEVICE_H
#define HEDDLE_TOOLS_PTX_TIME_CUDADEVICE_H

#include "DriverContext.h"
#include "heddle/Runtime/Device.h"

namespace heddle::timing {

/// A device that runs PTX, and times it. Code objects that it is given are
/// ours, which say how parameters lie; the code is that of the PTX text set
/// before.
class CUDADevice : public rt::Device {
public:
  static llvm::Expected<std::unique_ptr<CUDADevice>>
  create(const DriverAPI &API);
  ~CUDADevice() override;

  /// What loadModule has the driver compile.
  void setText(std::string PTX) { Text = std::move(PTX); }
  /// How long the last launch took between two events, in nanoseconds.
  double lastNanoseconds() const { return Nanoseconds; }

  llvm::StringRef name() const override { return Context.device(); }
  llvm::StringRef chip() const override;
  llvm::Expected<rt::DeviceAddress> allocate(uint64_t Size,
                                             uint64_t Align) override;
  llvm::Error free(rt::DeviceAddress Address) override;
  llvm::Error copyToDevice(rt::DeviceAddress Destination,
                           llvm::ArrayRef<uint8_t> Source) override;
  llvm::Error copyFromDevice(llvm::MutableArrayRef<uint8_t> Destination,
                             rt::DeviceAddress Source) override;
  llvm::Error copyOnDevice(rt::DeviceAddress Destination,
                           rt::DeviceAddress Source, uint64_t Size) override;
  llvm::Error fill(rt::DeviceAddress Destination,
                   llvm::ArrayRef<uint8_t> Pattern, uint64_t Count) override;
  llvm::Expected<std::unique_ptr<rt::Module>>
  loadModule(llvm::ArrayRef<uint8_t> CodeObject) override;
  llvm::Expected<rt::LaunchResult>
  launch(rt::Module &M, unsigned KernelIndex,
         const rt::LaunchConfig &Config) override;
  /// The driver prints to standard output by itself.
  void setOutputSink(rt::OutputSink Sink) override {}

private:
  explicit CUDADevice(const DriverAPI &API) : API(API), Context(API) {}
  llvm::Error open();

  DriverAPI API;
  DriverContext Context;
  std::string Text;
  /// Reads our code objects.
  std::unique_ptr<rt::Device> Reader;
  double Nanoseconds = 0;
};

} // namespace heddle::timing

#endif // HEDDLE_TOOLS_PTX_TIME_CUDADEVICE_H
