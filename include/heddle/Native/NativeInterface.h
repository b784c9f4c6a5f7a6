//===- NativeInterface.h - What libheddle-native.so offers ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library has LLVM in it, and is loaded where something is translated.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_NATIVE_NATIVEINTERFACE_H
#define HEDDLE_NATIVE_NATIVEINTERFACE_H

#include "heddle/Emulator/Translator.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::native {

/// Objects of the host's code that earlier processes have made, by everything
/// that they depend on but the library's build. Any thread may use it.
class ObjectStore {
public:
  virtual ~ObjectStore() = default;
  virtual std::optional<std::string> find(std::string_view Key) = 0;
  virtual void insert(std::string_view Key, std::string Object) = 0;
};

struct NativeInterface {
  /// A translator for warps with \p Layout, which the caller owns; null, with a
  /// message, if there is none for this host. \p Processor is LLVM's name of
  /// one whose instructions the code may use; empty: all of the host's. Without
  /// a store every object is made anew.
  emu::Translator *(*Create)(const emu::WarpLayout &Layout,
                             const std::string &Processor,
                             std::shared_ptr<ObjectStore> Store,
                             std::string &Message);
};

} // namespace heddle::native

/// The one function that the library shows.
extern "C" const heddle::native::NativeInterface *heddleNativeInterface();

#endif // HEDDLE_NATIVE_NATIVEINTERFACE_H
