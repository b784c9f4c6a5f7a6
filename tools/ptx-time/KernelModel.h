//===- KernelModel.h - Microbenchmarks in the timing model ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some figures cannot be seen alone: a launch takes the kernel's own time too,
// and a stream does not quite reach what memory can. What the timing model says
// of the same kernel, on the base with the figures found so far, tells them
// apart.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TIME_KERNELMODEL_H
#define HEDDLE_TOOLS_PTX_TIME_KERNELMODEL_H

#include "Calibration.h"
#include "heddle/Runtime/Device.h"

namespace heddle::timing {

class KernelModel {
public:
  /// Of the kernels in \p Text.
  static llvm::Expected<KernelModel> create(const Calibration &C,
                                            llvm::StringRef Text);

  /// The cycles of a launch. Its buffer is one of the model, for BufferBytes.
  llvm::Expected<double> cycles(llvm::StringRef Kernel, const BenchGrid &Grid,
                                const BenchArguments &Arguments = {});
  /// The nanoseconds of a launch of one thread.
  llvm::Expected<double> nanoseconds(llvm::StringRef Kernel,
                                     uint64_t Count = 0);
  /// As Workbench::run.
  llvm::Expected<std::vector<uint64_t>> run(llvm::StringRef Kernel,
                                            const BenchGrid &Grid,
                                            const BenchArguments &Arguments,
                                            unsigned Words);

  static constexpr uint64_t BufferBytes = 1 << 20;

private:
  double ClockMHz = 0;
  std::unique_ptr<rt::Device> Device;
  std::unique_ptr<rt::Module> Module;
  rt::DeviceAddress Results = 0, Buffer = 0;
};

} // namespace heddle::timing

#endif // HEDDLE_TOOLS_PTX_TIME_KERNELMODEL_H
