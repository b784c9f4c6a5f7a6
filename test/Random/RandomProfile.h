//===- RandomProfile.h - Profiles that lie ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A profile may be of other inputs, merged, sampled or damaged by hand; what it
// says may change how fast code is, and nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_RANDOM_RANDOMPROFILE_H
#define HEDDLE_TEST_RANDOM_RANDOMPROFILE_H

#include "heddle/Support/RandomGenerator.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace heddle::random {

/// A profile, in the format of files, of all functions that a code object made
/// with -fprofile-generate counts: none, few, very many or unlikely numbers of
/// everything. \p Arguments has the values that the launch will have, by
/// parameter, so that copies made for them are taken.
llvm::Expected<std::string>
makeRandomProfile(llvm::ArrayRef<uint8_t> CountingObject,
                  llvm::ArrayRef<uint64_t> Arguments, RandomGenerator &R);

} // namespace heddle::random

#endif // HEDDLE_TEST_RANDOM_RANDOMPROFILE_H
