//===- HostFeatures.h - What the host's code may use ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of the host on which it depends what is host code and what is a
// call of the emulator.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_NATIVE_HOSTFEATURES_H
#define HEDDLE_LIB_NATIVE_HOSTFEATURES_H

namespace heddle::native {

struct HostFeatures {
  bool Gathers = false;  ///< Loads and stores of 16 words at many places.
  bool Permutes = false; ///< Any of 32 words for each of 16.
  bool Halves = false;   ///< Conversions of half precision.
};

} // namespace heddle::native

#endif // HEDDLE_LIB_NATIVE_HOSTFEATURES_H
