//===- DeviceLibrary.h - The library in device code -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device library holds what is better written once in C++ than emitted by
// the backend: division, reciprocal and square root. It is compiled to LLVM
// bitcode with the toolchain, stands in this library as bytes, and is linked
// into the modules that call it. docs/ir-contract.md names its functions.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DEVICELIBRARY_DEVICELIBRARY_H
#define HEDDLE_DEVICELIBRARY_DEVICELIBRARY_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm {
class Function;
class LLVMContext;
class Module;
} // namespace llvm

namespace heddle {

/// The library for any number of modules of one context. Each function is read
/// when it is first needed.
class DeviceLibrary {
public:
  /// Whether the library has a function of that name.
  static bool defines(llvm::StringRef Name);
  /// Whether M calls a function of the library that it does not have; most
  /// modules do not.
  static bool isNeededBy(const llvm::Module &M);
  explicit DeviceLibrary(llvm::LLVMContext &Context);
  ~DeviceLibrary();

  /// As linkDeviceLibrary.
  llvm::Error linkInto(llvm::Module &M);

private:
  llvm::Expected<const llvm::Function *> find(llvm::StringRef Name);

  llvm::LLVMContext &Context;
  /// Each has the function that it is named after.
  llvm::StringMap<std::unique_ptr<llvm::Module>> Modules;
};

/// Links into \p M the library functions that it calls, directly or through
/// others, and gives them internal linkage. It does nothing where none is
/// called. Functions marked alwaysinline are left for the inliner.
llvm::Error linkDeviceLibrary(llvm::Module &M);

} // namespace heddle

#endif // HEDDLE_DEVICELIBRARY_DEVICELIBRARY_H
