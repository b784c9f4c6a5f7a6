//===- TargetDescription.h - Triple and data layout -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What modules of LLVM IR say of the target; docs/ir-contract.md.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_TARGETDESCRIPTION_H
#define HEDDLE_SUPPORT_TARGETDESCRIPTION_H

namespace heddle {

/// The target's triple; its architecture is unknown to LLVM, so that the target
/// is looked up in heddle/Target/HeddleTarget.h and not by the triple.
inline constexpr char TargetTriple[] = "heddle-unknown-unknown";

/// Data layout of every module that the target takes.
inline constexpr char TargetDataLayout[] =
    "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-"
    "v32:32-n32:64-S64-A5";

} // namespace heddle

#endif // HEDDLE_SUPPORT_TARGETDESCRIPTION_H
