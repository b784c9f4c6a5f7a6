//===- Limits.h - What the code of a kernel may take ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits that a configuration has to keep besides being fast. They are about
// what is compiled, whatever measures it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_LIMITS_H
#define HEDDLE_TOOLS_PTX_TUNE_LIMITS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::tune {

enum class LimitKind : uint8_t { Registers, CodeBytes, CompileTime };

/// One row of the table of limits.
struct LimitInfo {
  LimitKind Kind;
  llvm::StringLiteral Name; ///< In files.
  llvm::StringLiteral What; ///< In messages: over the limit on WHAT.
  llvm::StringLiteral Option;
};

/// The table, by LimitKind.
llvm::ArrayRef<LimitInfo> limitTable();
inline const LimitInfo &limitInfo(LimitKind K) {
  return limitTable()[static_cast<size_t>(K)];
}
/// The kind of that name; none if there is none.
std::optional<LimitKind> findLimit(llvm::StringRef Name);

/// How long a compilation may take, of processor time.
struct TimeLimit {
  /// Milliseconds, or how many times what the untuned compilation takes.
  double Value = 0;
  bool IsRelative = false;

  /// "250" or "1.5x".
  std::string str() const;
};

/// What the code of a kernel takes.
struct CodeFigures {
  uint64_t Registers = 0; ///< Of a thread.
  uint64_t CodeBytes = 0; ///< Of the kernel and all functions that it reaches.

  void raiseTo(const CodeFigures &Other);
};

/// The figures of a kernel in a code object; an error if it has no such kernel.
llvm::Expected<CodeFigures> figuresOf(llvm::ArrayRef<uint8_t> Object,
                                      llvm::StringRef Kernel);

/// A limit that something is over.
struct Excess {
  LimitKind Kind;
  std::string Text; ///< "over the limit on registers: 40 of 32".
};

class Limits {
public:
  /// Sets a limit from its text: a whole number above 0, or a time as
  /// TimeLimit::str has it.
  llvm::Error set(LimitKind Kind, llvm::StringRef Text);
  bool any() const { return Registers || CodeBytes || Time; }
  const std::optional<uint64_t> &registers() const { return Registers; }
  const std::optional<uint64_t> &codeBytes() const { return CodeBytes; }
  const std::optional<TimeLimit> &time() const { return Time; }

  /// The limits that \p F is over, registers first.
  std::vector<Excess> excessOf(const CodeFigures &F) const;
  /// As options of the command line, which set them again; empty: none.
  std::string str() const;
  /// { NAME: TEXT, ... }
  llvm::json::Object toJSON() const;
  /// What toJSON wrote; an error names what it does not know.
  static llvm::Expected<Limits> fromJSON(const llvm::json::Object &O);

private:
  /// The text of a limit; none if it is not set.
  std::optional<std::string> text(LimitKind Kind) const;

  std::optional<uint64_t> Registers, CodeBytes;
  std::optional<TimeLimit> Time;
};

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_LIMITS_H
