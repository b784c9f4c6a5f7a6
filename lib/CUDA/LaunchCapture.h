//===- LaunchCapture.h - Launches kept as manifests -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes launches of a program as manifests (docs/launch-manifest.md), with the
// module, all memory of the device before the launch, and what the launch
// changed in it: for ptx-run, ptx-prof and ptx-tune. Buffers have their
// addresses in the manifest, so that pointers in memory stay true.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_LAUNCHCAPTURE_H
#define HEDDLE_LIB_CUDA_LAUNCHCAPTURE_H

#include "ABI.h"
#include "Images.h"
#include "heddle/Runtime/Operation.h"
#include "llvm/ADT/StringMap.h"

#include <mutex>
#include <string>

namespace heddle::cuda {

/// Any thread may call anything at any time.
class LaunchCapture {
public:
  /// What HEDDLE_CAPTURE (the folder), HEDDLE_CAPTURE_KERNEL (a name, or a part
  /// of one; all) and HEDDLE_CAPTURE_LAUNCH (which launch of each kernel,
  /// counted from 1; the first) ask for.
  LaunchCapture();

  /// Whether any launch may be captured.
  bool isWanted() const { return !Folder.empty(); }
  /// Counts a launch of a kernel; whether it is to be captured.
  bool wants(llvm::StringRef Kernel);
  /// Captures a launch and carries it out, alone on the device. What stands in
  /// the way of capturing is told on stderr; the launch takes place anyhow.
  cudaError_t launch(const KernelHandle &Kernel, rt::KernelOp Op,
                     cudaStream_t Stream);

private:
  std::string Folder; ///< Empty: nothing is captured.
  std::string Part;
  unsigned Number = 1;

  std::mutex Mutex; ///< Of everything below, and of captures as a whole.
  llvm::StringMap<unsigned> Launches;
  unsigned NumCaptured = 0;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_LAUNCHCAPTURE_H
