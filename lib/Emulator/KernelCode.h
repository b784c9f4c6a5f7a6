//===- KernelCode.h - When a kernel becomes host code -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host code of one kernel: made when a launch asks for it, or in the
// background once the kernel has run for long enough.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_KERNELCODE_H
#define HEDDLE_LIB_EMULATOR_KERNELCODE_H

#include "heddle/Emulator/Translator.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

namespace heddle::emu {

struct LoadedCode;

/// May be used from any thread.
class KernelCode : public std::enable_shared_from_this<KernelCode> {
public:
  /// Thread instructions of a kernel after which a translation may pay off, and
  /// how many of them for each of its instructions: about as long as the
  /// emulator takes for these, a translation takes (docs/native.md).
  static constexpr uint64_t LeastEmulated = 50'000'000,
                            EmulatedForEach = 500'000;

  /// Of the kernel of \p Module that starts at \p Entry.
  KernelCode(LoadedCode &Module, uint32_t Entry, std::shared_ptr<Translator> By)
      : Module(Module), Entry(Entry), By(std::move(By)) {}

  /// The host code; null if it is not there.
  const TranslatedCode *ready() const {
    return Ready.load(std::memory_order_acquire);
  }
  /// Makes the host code, unless that has been tried.
  void translate();
  /// Counts thread instructions that were emulated, and starts a translation
  /// when they are enough.
  void count(uint64_t ThreadInstructions);

private:
  void translateInBackground();
  uint64_t longEnough() const;

  LoadedCode &Module; ///< Which owns this, but while a thread translates.
  const uint32_t Entry;
  const std::shared_ptr<Translator> By;
  std::atomic<const TranslatedCode *> Ready{nullptr};
  std::atomic<uint64_t> Emulated{0};
  std::once_flag Tried, Started;
  std::shared_ptr<const TranslatedCode> Code;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_KERNELCODE_H
