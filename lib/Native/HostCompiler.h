//===- HostCompiler.h - LLVM IR as code of the host -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Optimises a module, makes an object of it, and places objects in memory.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_NATIVE_HOSTCOMPILER_H
#define HEDDLE_LIB_NATIVE_HOSTCOMPILER_H

#include "HostFeatures.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace heddle::native {

/// For the processor that this process runs on.
class HostCompiler {
public:
  /// With what the host's processor has, or if \p Processor is not empty, with
  /// what LLVM's processor of that name has, all of which the host must have.
  static llvm::Expected<std::unique_ptr<HostCompiler>>
  create(llvm::StringRef Processor);

  /// An object file of \p M. May be called from any thread.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> compile(llvm::Module &M);
  /// Places an object in memory, where it stays, and gives the address of the
  /// function \p Name in it.
  llvm::Expected<void *> load(std::unique_ptr<llvm::MemoryBuffer> Object,
                              llvm::StringRef Name);
  /// What the code depends on.
  const std::string &hostDescription() const { return Description; }
  const HostFeatures &features() const { return Features; }

private:
  llvm::Error startJIT();
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> takeTarget();
  void returnTarget(std::unique_ptr<llvm::TargetMachine> Target);

  std::unique_ptr<llvm::orc::LLJIT> J;
  /// Functions of the C library, which LLVM calls where the processor has no
  /// instruction.
  llvm::orc::JITDylib *Library = nullptr;
  std::unique_ptr<llvm::orc::JITTargetMachineBuilder> Builder;
  std::string Description;
  HostFeatures Features;
  std::mutex TargetsMutex;
  std::vector<std::unique_ptr<llvm::TargetMachine>> Targets; ///< Not in use.
};

} // namespace heddle::native

#endif // HEDDLE_LIB_NATIVE_HOSTCOMPILER_H
