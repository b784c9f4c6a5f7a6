//===- NativeTranslator.h - Kernels as code of the host ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The translator by LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_NATIVE_NATIVETRANSLATOR_H
#define HEDDLE_LIB_NATIVE_NATIVETRANSLATOR_H

#include "heddle/Emulator/Translator.h"
#include "heddle/Native/NativeInterface.h"

#include <string>

namespace heddle::native {

/// Null, with a message, if there is none for this host.
emu::Translator *createTranslator(const emu::WarpLayout &Layout,
                                  const std::string &Processor,
                                  std::shared_ptr<ObjectStore> Store,
                                  std::string &Message);

} // namespace heddle::native

#endif // HEDDLE_LIB_NATIVE_NATIVETRANSLATOR_H
