//===- Settings.h - The settings of the cache -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where settings come from, the strongest first: options (--cache-set and kin),
// HEDDLE_CACHE_* in the environment, the configuration file, then, for what is
// still unset, CUDA_CACHE_DISABLE, CUDA_CACHE_PATH and CUDA_CACHE_MAXSIZE, and
// the defaults of Settings.def.
//
// The configuration file is $HEDDLE_CACHE_CONFIG, else
// $XDG_CONFIG_HOME/heddle/cache.conf, else ~/.config/heddle/cache.conf: lines
// `name = value`, comments behind '#'.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_SETTINGS_H
#define HEDDLE_CACHE_SETTINGS_H

#include "heddle-cache/Result.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cache {

enum class SettingKind : uint8_t {
  Text,
  Bool,
  Size,
  Seconds,
  Milliseconds,
  Number
};

enum class SettingId : uint8_t {
#define HEDDLE_CACHE_SETTING(Id, ...) Id,
#include "heddle-cache/Settings.def"
};

struct SettingInfo {
  SettingId Id;
  std::string_view Name;
  SettingKind Kind;
  std::string_view Default;
  std::string_view Help;
};

/// The table, by SettingId.
std::span<const SettingInfo> settingTable();

/// The setting with this name; null if there is none.
const SettingInfo *findSetting(std::string_view Name);

enum class Mode : uint8_t { On, Off, ReadOnly, Refresh };

/// The value of an environment variable; null if it is unset.
using Environment = std::function<const char *(const char *Name)>;

/// The environment of this process.
Environment processEnvironment();

/// Values of all settings.
class Settings {
public:
  /// The defaults, and no directory.
  Settings();

  /// Sets one; the error says what the setting takes. Source is remembered for
  /// the user.
  Status set(SettingId Id, std::string_view Value, std::string_view Source);
  /// The same by name.
  Status set(std::string_view Name, std::string_view Value,
             std::string_view Source);

  std::string_view text(SettingId Id) const { return at(Id).Text; }
  /// A Size in bytes, Seconds, Milliseconds or a Number.
  uint64_t number(SettingId Id) const { return at(Id).Number; }
  bool flag(SettingId Id) const { return at(Id).Number != 0; }
  Mode mode() const;
  /// "default", a file, a variable or an option.
  std::string_view source(SettingId Id) const { return at(Id).Source; }

  /// Settings of this process without options. What is not understood keeps its
  /// default and is described in Complaints: a bad setting never fails a
  /// compilation.
  static Settings load(const Environment &Env,
                       std::vector<std::string> &Complaints);

private:
  struct Value {
    std::string Text;
    uint64_t Number = 0;
    std::string Source = "default";
  };
  const Value &at(SettingId Id) const {
    return Values[static_cast<size_t>(Id)];
  }
  std::vector<Value> Values;
};

} // namespace heddle::cache

#endif // HEDDLE_CACHE_SETTINGS_H
