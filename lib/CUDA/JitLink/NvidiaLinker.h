//===- NvidiaLinker.h - NVIDIA's nvJitLink, for its LTO-IR ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LTO-IR that NVIDIA's compilers wrote is in a form of their own. NVIDIA's
// nvJitLink makes PTX of it, for which it needs no driver; libraries that bring
// LTO-IR along, such as cuVS, have it installed beside them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_JITLINK_NVIDIALINKER_H
#define HEDDLE_LIB_CUDA_JITLINK_NVIDIALINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda {

/// The functions of a libnvJitLink of NVIDIA's that is on this machine.
struct NvidiaFunctions;

/// Whether Bytes are LTO-IR of NVIDIA's compilers, or a fat binary with such
/// and without PTX.
bool hasNvidiaLTOIR(std::string_view Bytes);

/// A link of LTO-IR to PTX.
class NvidiaLinker {
public:
  /// Begins a link with those of \p Options, which are nvJitLinkCreate's, that
  /// say how code is generated. An error where the library is not found or does
  /// not take them.
  static llvm::Expected<std::unique_ptr<NvidiaLinker>>
  create(llvm::ArrayRef<std::string> Options);
  ~NvidiaLinker();

  /// Adds an input of the nvJitLinkInputType \p Type. Returns an
  /// nvJitLinkResult.
  int add(int Type, std::string_view Bytes, const char *Name);
  /// The PTX of all that was added; an error has the library's messages.
  llvm::Expected<std::string> complete();

private:
  explicit NvidiaLinker(const NvidiaFunctions &Library) : Library(Library) {}
  llvm::Error failed(llvm::StringRef What);

  const NvidiaFunctions &Library;
  void *Handle = nullptr; ///< The library's own.
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_JITLINK_NVIDIALINKER_H
