//===- DebugSpace.h - Address spaces of debuggers ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers that debug information has for address spaces, in PTX and in
// objects.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_DEBUGSPACE_H
#define HEDDLE_SUPPORT_DEBUGSPACE_H

#include <cstdint>

namespace heddle {

/// The address spaces of cuda-gdb, which stand in DW_AT_address_class and in
/// front of DW_OP_xderef.
enum class DebugSpace : uint8_t {
  Const = 4,
  Global = 5,
  Local = 6,
  Param = 7,
  Shared = 8,
  Generic = 12,
};

} // namespace heddle

#endif // HEDDLE_SUPPORT_DEBUGSPACE_H
