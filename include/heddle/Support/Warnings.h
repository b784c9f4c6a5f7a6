//===- Warnings.h - Which warnings are given --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of warnings, and which of them are dropped, given, or errors.
// Depends on the standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_WARNINGS_H
#define HEDDLE_SUPPORT_WARNINGS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle {

enum class WarningId : uint8_t {
#define HEDDLE_WARNING(Id, ...) Id,
#include "heddle/Support/Warnings.def"
};

struct WarningInfo {
  WarningId Id;
  std::string_view Name; ///< What -W takes.
  bool IsDefault;        ///< Given unless turned off.
  std::string_view Help; ///< Half a sentence.
};

namespace detail {
inline constexpr bool On = true, Off = false;
inline constexpr WarningInfo WarningTable[] = {
#define HEDDLE_WARNING(Id, Name, Default, Help)                                \
  {WarningId::Id, Name, Default, Help},
#include "heddle/Support/Warnings.def"
};
} // namespace detail

inline constexpr size_t NumWarnings = std::size(detail::WarningTable);

/// All warnings, by WarningId.
inline constexpr const auto &warningTable() { return detail::WarningTable; }

/// The row of a warning.
inline const WarningInfo &getWarningInfo(WarningId Id) {
  return detail::WarningTable[static_cast<size_t>(Id)];
}

/// What becomes of each warning. Later settings win over earlier ones, except
/// that dropAll wins over all.
class WarningSettings {
public:
  WarningSettings();

  /// Obeys the text after `-W`: NAME, no-NAME, error=NAME, no-error=NAME, with
  /// `all` as a name for all of them; and `error` and `no-error`. Returns an
  /// error's text, or nothing.
  std::optional<std::string> apply(std::string_view Text);
  void enable(WarningId Id) { at(Id).Given = true; }
  /// -Werror: what is given is an error, unless no-error=NAME was said.
  void makeErrors() { AreErrors = true; }
  /// -w
  void dropAll() { IsSilent = true; }

  bool isEnabled(WarningId Id) const { return !IsSilent && at(Id).Given; }
  bool isError(WarningId Id) const {
    return isEnabled(Id) && at(Id).IsError.value_or(AreErrors);
  }

private:
  struct State {
    bool Given = false;
    std::optional<bool> IsError;
  };
  State &at(WarningId Id) { return States[static_cast<size_t>(Id)]; }
  const State &at(WarningId Id) const {
    return States[static_cast<size_t>(Id)];
  }

  std::array<State, NumWarnings> States;
  bool AreErrors = false;
  bool IsSilent = false;
};

} // namespace heddle

#endif // HEDDLE_SUPPORT_WARNINGS_H
