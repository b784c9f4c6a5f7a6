//===- HeddleTarget.h - The Heddle target of LLVM ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where everything that uses LLVM's MC layer or code generator finds the
// target.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_HEDDLETARGET_H
#define HEDDLE_TARGET_HEDDLETARGET_H

namespace llvm {
class Target;
}

namespace heddle {

/// The target's triple; its architecture is unknown to LLVM, so that the target
/// is looked up here and not by the triple.
inline constexpr char TargetTriple[] = "heddle-unknown-unknown";

/// Data layout of every module that the target takes; see docs/ir-contract.md.
inline constexpr char TargetDataLayout[] =
    "e-p:64:64-p3:32:32-p4:32:32-p5:32:32-p101:32:32-i64:64-i128:128-v16:16-"
    "v32:32-n32:64-S64-A5";

/// The one object that LLVM's factories hang on. Its processors are the chips'
/// names.
llvm::Target &getTheHeddleTarget();

/// Puts assembler, disassembler, instruction printer and object writer into the
/// target. May be called any number of times and from any thread.
void initializeHeddleMC();

/// The same and the code generator (library HeddleCodeGen) with its passes.
void initializeHeddleTarget();

} // namespace heddle

#endif // HEDDLE_TARGET_HEDDLETARGET_H
