//===- WithheldBodies.h - What MLIR shall not translate ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies of functions, out of the way of MLIR's translation of the module to
// LLVM IR.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_TRANSLATION_WITHHELDBODIES_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_TRANSLATION_WITHHELDBODIES_H

#include "mlir/IR/BuiltinOps.h"

namespace heddle::lowering {

/// Takes the bodies of functions without debug information out of a module
/// while it lives. Each is put back and translated by BodyTranslator when
/// MLIR's translation comes to its function.
class WithheldBodies {
public:
  explicit WithheldBodies(mlir::ModuleOp Module);
  ~WithheldBodies();
  WithheldBodies(const WithheldBodies &) = delete;
  WithheldBodies &operator=(const WithheldBodies &) = delete;

private:
  mlir::ModuleOp Module;
};

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_TRANSLATION_WITHHELDBODIES_H
