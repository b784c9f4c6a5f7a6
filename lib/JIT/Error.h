//===- Error.h - Errors of the C API ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a HeddleError is, and how the structures of the C API cross the border.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_JIT_ERROR_H
#define HEDDLE_LIB_JIT_ERROR_H

#include "heddle-c/Base.h"
#include "heddle/Support/Message.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

struct HeddleErrorImpl {
  HeddleErrorCode Code;
  std::string Message;
  std::vector<heddle::Diagnostic> Diagnostics;
};

namespace heddle::jit {

HeddleError makeError(HeddleErrorCode Code, std::string Message,
                      std::vector<Diagnostic> Diagnostics = {});

/// The error of a parameter that must not be NULL.
HeddleError nullArgument(const char *Name);

/// Copies diagnostic Index of List to Out; 0 if there is none.
int copyDiagnostic(const std::vector<Diagnostic> &List, size_t Index,
                   HeddleDiagnostic *Out);

/// Reads a structure of the caller's, which may be older and shorter or newer
/// and longer than ours: what it does not have stays as Defaults say. False if
/// it states no size.
template <typename T> bool readStruct(const T *From, T &Defaults) {
  if (From->StructSize < sizeof(size_t))
    return false;
  std::memcpy(static_cast<void *>(&Defaults), From,
              std::min(From->StructSize, sizeof(T)));
  return true;
}

/// Writes as much of Value as the caller's structure has room for.
template <typename T> bool writeStruct(T *To, T Value) {
  if (!To || To->StructSize < sizeof(size_t))
    return false;
  Value.StructSize = To->StructSize;
  std::memcpy(static_cast<void *>(To), &Value,
              std::min(To->StructSize, sizeof(T)));
  return true;
}

} // namespace heddle::jit

#endif // HEDDLE_LIB_JIT_ERROR_H
