//===- Checker.h - Runs a program in all ways -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interprets a PTX program, compiles it at -O0 and -O3 for every chip, runs the
// code on the emulator, with strict hazards or as code of the host, and
// compares what all of them leave in memory.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_RANDOM_CHECKER_H
#define HEDDLE_TEST_RANDOM_CHECKER_H

#include "Program.h"
#include "heddle/Emulator/Translator.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::random {

struct Verdict {
  enum class Kind : uint8_t {
    Same,      ///< All agree.
    Different, ///< A compiled program did something else.
    Rejected,  ///< The compiler did not take it.
    Undefined, ///< The interpreter stopped with a fault, or did not take it.
    TooLong,   ///< More instructions than a test should take.
    Crashed,   ///< The process ended; only who watches it can say so.
  };
  Kind K = Kind::Same;
  /// The way of running that differs, as an index of Checker::ways().
  std::optional<unsigned> Way;
  std::string Message;
};

/// Chip and optimization level.
struct Way {
  std::string Chip;
  std::string Level;
};

/// What optimized code is made with besides the program, as its seed decides.
struct Disturbances {
  bool Profiles = false;  ///< A profile of random numbers.
  bool Tunings = false;   ///< A tuning document of random decisions.
  bool SinglePass = true; ///< The code generator of one pass at -O0.
};

class Checker {
public:
  /// Hazards are strict where all is emulated.
  explicit Checker(Disturbances D = {},
                   emu::Execution Mode = emu::Execution::Emulate);
  ~Checker();

  /// All combinations of chips and levels.
  const std::vector<Way> &ways() const;
  /// Runs the kernel of \p PTX in two ways, which both levels and both chips
  /// are in and which the seed's parity chooses; with \p Only, in that way
  /// alone; or in all.
  Verdict check(const std::string &PTX, const ProgramShape &Shape,
                std::optional<unsigned> Only = std::nullopt,
                bool AllWays = false);
  /// Interprets only.
  Verdict interpret(const std::string &PTX, const ProgramShape &Shape);
  /// Whether the interpreter takes the module of an instruction; the answer for
  /// a mnemonic is found once. What the compiler does not take is a defect.
  bool isSupported(const std::string &Mnemonic, const std::string &PTX);
  /// Mnemonics that were not supported, with the first message about each.
  std::vector<std::pair<std::string, std::string>> unsupported() const;
  /// How many mnemonics were.
  size_t numSupported() const;
  /// Instructions that threads have executed in the interpreter.
  uint64_t numInterpreted() const;
  /// Functions that were generated in one pass, where that was asked for, and
  /// those that were not, in this process.
  uint64_t numInOnePass() const;
  uint64_t numNotInOnePass() const;

private:
  struct State;
  std::unique_ptr<State> S;
};

} // namespace heddle::random

#endif // HEDDLE_TEST_RANDOM_CHECKER_H
