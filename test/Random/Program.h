//===- Program.h - A random PTX program as a tree ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is a tree of statements rather than text, so that the reducer can
// take away what a difference does not need and the rest stays well-formed.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_RANDOM_PROGRAM_H
#define HEDDLE_TEST_RANDOM_PROGRAM_H

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::random {

/// A statement: Pieces[0] Bodies[0] Pieces[1] Bodies[1] ... Pieces[N]. One
/// without bodies is a group of lines that only make sense together.
struct Statement {
  std::vector<std::string> Pieces; ///< One more than bodies.
  std::vector<std::vector<Statement>> Bodies;
  /// For the start values of registers: the same without reading memory.
  std::string Simpler;
  /// May not be taken away.
  bool Needed = false;
  /// The bodies can stand on their own, one after the other.
  bool Unwrappable = false;
};

using Body = std::vector<Statement>;

/// A .func or the kernel.
struct FunctionText {
  std::string Name;
  std::string Header;                 ///< Up to the opening brace.
  std::vector<std::string> Registers; ///< Declarations, one for each name.
  Body Start, Statements, End;
};

/// How a program is launched. The data are those of Seed.
struct ProgramShape {
  uint32_t Grid = 1;
  uint32_t Block = 32;
  uint64_t Seed = 0;
  bool Contract = false; ///< -fmad=true; then only written roundings occur.
};

struct RandomProgram {
  ProgramShape Shape;
  std::vector<std::string> Module;     ///< Directives and variables.
  std::vector<FunctionText> Functions; ///< The kernel is the last one.

  /// The PTX text. Its first line is that of describe.
  std::string print() const;
};

/// `// heddle-random-ptx: grid=1 block=32 seed=5 contract=0`: what replaying a
/// text needs.
std::string describe(const ProgramShape &Shape);
/// Reads describe's line anywhere in \p Text; false if there is none.
bool readShape(const std::string &Text, ProgramShape &Shape);

/// Names and sizes that kernel and checker agree on. The kernel's parameters
/// are the addresses of four buffers and some scalars.
namespace layout {
constexpr const char *Kernel = "kernel";
constexpr uint32_t InputBytes = 1024; ///< Read by all threads.
constexpr uint32_t PrivateBytes = 64; ///< Of a thread in the second.
constexpr uint32_t SumBytes = 128;    ///< For atomics of all threads.
constexpr uint32_t OutputBytes = 512; ///< Of a thread in the fourth.
constexpr uint32_t StructBytes = 32;  ///< A parameter.
} // namespace layout

} // namespace heddle::random

#endif // HEDDLE_TEST_RANDOM_PROGRAM_H
