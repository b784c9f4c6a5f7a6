//===- BuiltinKinds.h - How builtins become instructions --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kinds of heddle/Target/Builtins.def, for both code generators.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_BUILTINKINDS_H
#define HEDDLE_LIB_TARGET_HEDDLE_BUILTINKINDS_H

namespace heddle {

/// What the operands of a builtin's instruction are made of.
enum class BuiltinKind {
  Lop3,
  BitField,
  SignedBitField,
  InsertBits,
  FindLeading,
  SignedFindLeading,
  Elements,
  Flush,
  Saturate,
  Tanh,
  Reciprocal,
  Narrow,
  PackPair,
  UnpackPair,
  PrepareDivision,
  FixDivision,
  PrepareRoot,
  FixRoot,
};

} // namespace heddle

#endif // HEDDLE_LIB_TARGET_HEDDLE_BUILTINKINDS_H
