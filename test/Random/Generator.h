//===- Generator.h - Makes random PTX programs ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs without undefined behaviour and without races, whose results PTX
// determines bit by bit.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_RANDOM_GENERATOR_H
#define HEDDLE_TEST_RANDOM_GENERATOR_H

#include "Program.h"

#include <functional>

namespace heddle::random {

/// Whether an instruction is one that can be tested. \p PTX is a module with
/// nothing else in it; the answer must depend on \p Mnemonic only, which may
/// also name the target.
using SupportTest =
    std::function<bool(const std::string &Mnemonic, const std::string &PTX)>;

/// The program of a seed. The same seed and the same answers of \p IsSupported
/// give the same program.
RandomProgram generate(uint64_t Seed, const SupportTest &IsSupported);

} // namespace heddle::random

#endif // HEDDLE_TEST_RANDOM_GENERATOR_H
