//===- AddressSpace.h - Address spaces of the LLVM IR -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers of docs/ir-contract.md, for everything that makes or takes IR.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_ADDRESSSPACE_H
#define HEDDLE_SUPPORT_ADDRESSSPACE_H

namespace heddle::addrspace {

enum : unsigned {
  Generic = 0,
  Global = 1,
  Shared = 3,
  Const = 4, ///< offsets in constant bank 3
  Local = 5,
  Param = 101, ///< offsets in constant bank 0
};

} // namespace heddle::addrspace

#endif // HEDDLE_SUPPORT_ADDRESSSPACE_H
