//===- CompileOptions.h - The options of a compilation ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses ptxas-shaped command lines over the table CompileOptions.def. Depends
// on the standard library only, so that the command line can serve a cache hit
// without loading the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OPTIONS_COMPILEOPTIONS_H
#define HEDDLE_OPTIONS_COMPILEOPTIONS_H

#include "heddle/Support/Warnings.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

enum class OptionKind : uint8_t { Flag, Bool, Int, String, List };

enum class OptionEffect : uint8_t {
  Output, ///< changes the object: part of the cache key
  Input,  ///< changes it, too; what of it matters is in the key by itself
  Report, ///< changes what is printed
  Driver, ///< says what to read, write or do
  Speed,  ///< changes how long it takes
  Advice, ///< says where other options come from
  None,   ///< accepted without effect
};

/// The programs that take an option.
enum class OptionTool : uint8_t { All, Compile, Link };

enum class OptionId : uint8_t {
#define HEDDLE_OPTION(Id, ...) Id,
#include "heddle/Options/CompileOptions.def"
};

/// One row of the table.
struct OptionInfo {
  OptionId Id;
  std::string_view Long, Short; ///< without dashes
  OptionKind Kind;
  std::string_view Values; ///< "a|b|c", "LOW..HIGH" or a placeholder
  std::string_view Default;
  OptionEffect Effect;
  std::string_view Help;
  OptionTool Tool;
};

/// The table, by OptionId.
std::span<const OptionInfo> compileOptionTable();

/// The values of a command line: what was given, over the defaults.
class CompileOptions {
public:
  /// For the command line of ptx-compile, of ptx-link, or for either.
  explicit CompileOptions(OptionTool Tool = OptionTool::Compile);

  /// Takes a command line without the program's name. Reads options files.
  /// Returns the first error's text, or nothing.
  std::optional<std::string> parse(std::span<const std::string> Args);

  /// The same for a command line that somebody else has sent: what would have a
  /// file read is an error.
  std::optional<std::string>
  parseWithoutFiles(std::span<const std::string> Args);

  /// Sets one option as if given with that value. Returns an error's text.
  std::optional<std::string> set(OptionId Id, std::string_view Value);

  bool given(OptionId Id) const { return Values[index(Id)].Given; }
  /// A Flag or Bool.
  bool flag(OptionId Id) const { return text(Id) == "true"; }
  /// An Int; zero if it has neither value nor default.
  int64_t number(OptionId Id) const;
  /// The last value given, or the default.
  std::string_view text(OptionId Id) const;
  /// A List: everything given, in order.
  const std::vector<std::string> &list(OptionId Id) const {
    return Values[index(Id)].Texts;
  }

  /// What -W, -Werror, -w and ptxas's --warn-on options ask for together.
  WarningSettings warnings() const;

  /// Input files in the order given.
  const std::vector<std::string> &inputs() const { return Inputs; }
  /// Options given that have no effect, each once, as spelt on the command
  /// line.
  const std::vector<std::string> &withoutEffect() const { return Ineffective; }

  /// The options with Effect Output in canonical form, one "name=value" a
  /// line, in table order: what the cache key holds of them.
  std::string canonicalOutputOptions() const;

  /// What was given, but for inputs, as arguments that parse to the same; or of
  /// that what has one of these effects.
  std::vector<std::string> commandLine() const;
  std::vector<std::string>
  commandLine(std::initializer_list<OptionEffect> Effects) const;

private:
  struct Value {
    bool Given = false;
    std::vector<std::string> Texts;
  };
  static size_t index(OptionId Id) { return static_cast<size_t>(Id); }
  std::optional<std::string> parseAt(std::span<const std::string> Args,
                                     size_t &I, unsigned Depth);
  std::optional<std::string> parseList(std::span<const std::string> Args,
                                       unsigned Depth);
  std::optional<std::string> readOptionsFile(const std::string &Name,
                                             unsigned Depth);
  std::optional<std::string> readValue(OptionId Id, std::string_view &Value,
                                       std::string &Contents) const;

  OptionTool Tool;
  bool ReadsFiles = true;
  std::vector<Value> Values;
  std::vector<std::string> Inputs;
  std::vector<std::string> Ineffective;
};

/// The limit of registers in a command line for ptxas that the build of a
/// program recorded, as -maxrregcount takes it; empty if it has none, or has
/// what ptx-compile does not know.
std::string recordedRegisterLimit(std::string_view CommandLine);

/// A file in the value of an option: its name, for messages, and its bytes.
struct EmbeddedFile {
  std::string Name, Bytes;
};

/// As text without blanks or quotes, "data:NAME;base64,...".
std::string encodeEmbeddedFile(const EmbeddedFile &File);
/// None if the text is something else.
std::optional<EmbeddedFile> decodeEmbeddedFile(std::string_view Text);

/// The text of ptx-compile's or ptx-link's --help.
std::string compileHelp(OptionTool Tool);

} // namespace heddle

#endif // HEDDLE_OPTIONS_COMPILEOPTIONS_H
