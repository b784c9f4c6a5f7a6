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

#ifndef HEDDLE_RANDOMPTX_GENERATOR_H
#define HEDDLE_RANDOMPTX_GENERATOR_H

#include "heddle/RandomPTX/Program.h"

#include <functional>

namespace heddle::random {

/// Whether an instruction, written with the generator's register names, is one
/// that can be tested: the answer must depend on \p Mnemonic only.
using SupportTest = std::function<bool(const std::string &Mnemonic,
                                       const std::string &Instruction)>;

/// The program of a seed. The same seed and the same answers of \p IsSupported
/// give the same program.
RandomProgram generate(uint64_t Seed, const SupportTest &IsSupported);

/// A kernel that consists of \p Instruction, for a SupportTest to try.
std::string probeText(const std::string &Instruction);

} // namespace heddle::random

#endif // HEDDLE_RANDOMPTX_GENERATOR_H
