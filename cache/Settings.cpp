//===- Settings.cpp - The settings of the cache -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses values and the configuration file, and puts the sources of settings
// over one another.
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/Settings.h"

#include "File.h"

#include <charconv>
#include <cstdlib>
#include <pwd.h>
#include <unistd.h>

namespace heddle::cache {

static constexpr SettingInfo Table[] = {
#define HEDDLE_CACHE_SETTING(Id, Name, Kind, Default, Help)                    \
  {SettingId::Id, Name, SettingKind::Kind, Default, Help},
#include "heddle-cache/Settings.def"
};

/// No configuration file is larger, in bytes.
static constexpr uint64_t MaxConfigSize = 1 << 20;

std::span<const SettingInfo> settingTable() { return Table; }

const SettingInfo *findSetting(std::string_view Name) {
  for (const SettingInfo &S : Table)
    if (S.Name == Name)
      return &S;
  return nullptr;
}

Environment processEnvironment() {
  return [](const char *Name) -> const char * { return std::getenv(Name); };
}

static std::string_view trimBlanks(std::string_view S) {
  constexpr std::string_view Blanks = " \t\r\n";
  size_t First = S.find_first_not_of(Blanks);
  if (First == std::string_view::npos)
    return {};
  return S.substr(First, S.find_last_not_of(Blanks) - First + 1);
}

/// A number with a unit out of Units ("KMGT" with Factors); false if it is none
/// or does not fit.
static bool parseScaled(std::string_view Text, std::string_view Units,
                        const uint64_t *Factors, uint64_t &Value) {
  auto [End, Code] =
      std::from_chars(Text.data(), Text.data() + Text.size(), Value);
  if (Code != std::errc())
    return false;
  std::string_view Unit = Text.substr(static_cast<size_t>(End - Text.data()));
  if (Unit.empty())
    return true;
  size_t Index = Unit.size() == 1 ? Units.find(Unit[0]) : Units.npos;
  return Index != Units.npos &&
         !__builtin_mul_overflow(Value, Factors[Index], &Value);
}

static bool parseMode(std::string_view Text, Mode &M) {
  struct Row {
    std::string_view Name;
    Mode Value;
  };
  static constexpr Row Rows[] = {{"on", Mode::On},
                                 {"off", Mode::Off},
                                 {"read-only", Mode::ReadOnly},
                                 {"refresh", Mode::Refresh}};
  for (const Row &R : Rows)
    if (R.Name == Text) {
      M = R.Value;
      return true;
    }
  return false;
}

/// The number that a value stands for; an error says what is taken instead.
static const char *parseValue(const SettingInfo &S, std::string_view Text,
                              uint64_t &Number) {
  static constexpr uint64_t Powers[] = {uint64_t(1) << 10, uint64_t(1) << 20,
                                        uint64_t(1) << 30, uint64_t(1) << 40};
  static constexpr uint64_t Times[] = {1, 60, 3600, 86400};
  Mode M;
  switch (S.Kind) {
  case SettingKind::Text:
    if (S.Id == SettingId::Mode && !parseMode(Text, M))
      return "on, off, read-only or refresh";
    return nullptr;
  case SettingKind::Bool:
    Number = Text == "true";
    return Text == "true" || Text == "false" ? nullptr : "true or false";
  case SettingKind::Size:
    return parseScaled(Text, "KMGT", Powers, Number)
               ? nullptr
               : "a number of bytes, such as 5G";
  case SettingKind::Seconds:
    return parseScaled(Text, "smhd", Times, Number)
               ? nullptr
               : "a time, such as 90s or 30d";
  case SettingKind::Milliseconds:
    return parseScaled(Text, "", nullptr, Number) ? nullptr
                                                  : "a number of milliseconds";
  case SettingKind::Number:
    return parseScaled(Text, "", nullptr, Number) ? nullptr : "a number";
  }
  return nullptr;
}

Settings::Settings() : Values(std::size(Table)) {
  for (const SettingInfo &S : Table)
    (void)set(S.Id, S.Default, "default");
}

Status Settings::set(SettingId Id, std::string_view Text,
                     std::string_view Source) {
  const SettingInfo &S = Table[static_cast<size_t>(Id)];
  uint64_t Number = 0;
  if (const char *Takes = parseValue(S, Text, Number))
    return Fault{Counter::ConfigError,
                 std::string(Source) + ": value '" + std::string(Text) +
                     "' of cache setting '" + std::string(S.Name) +
                     "' is not understood; it takes " + Takes};
  Value &V = Values[static_cast<size_t>(Id)];
  V.Text = Text;
  V.Number = Number;
  V.Source = Source;
  return std::nullopt;
}

Status Settings::set(std::string_view Name, std::string_view Value,
                     std::string_view Source) {
  if (const SettingInfo *S = findSetting(Name))
    return set(S->Id, Value, Source);
  return Fault{Counter::ConfigError, std::string(Source) +
                                         ": there is no cache setting '" +
                                         std::string(Name) + "'"};
}

Mode Settings::mode() const {
  Mode M = Mode::On;
  parseMode(text(SettingId::Mode), M);
  return M;
}

namespace {

/// Collects the settings of a process.
class Loader {
public:
  Loader(const Environment &Env, std::vector<std::string> &Complaints)
      : Env(Env), Complaints(Complaints) {}

  Settings load() {
    takeDirectory();
    takeCUDA();
    takeFile();
    takeEnvironment();
    return std::move(Result);
  }

private:
  std::string_view get(const char *Name) {
    const char *Value = Env(Name);
    return Value ? Value : "";
  }

  void note(Status S) {
    if (S)
      Complaints.push_back(S->Text);
  }

  std::string home() {
    if (std::string_view Home = get("HOME"); !Home.empty())
      return std::string(Home);
    // A daemon may have no environment.
    passwd Entry, *Found = nullptr;
    char Buffer[4096];
    if (getpwuid_r(geteuid(), &Entry, Buffer, sizeof(Buffer), &Found) == 0 &&
        Found)
      return Found->pw_dir;
    return {};
  }

  /// $Variable/heddle, or Fallback/heddle in the home directory.
  std::string userDirectory(const char *Variable, const char *Fallback) {
    if (std::string_view Base = get(Variable); !Base.empty())
      return std::string(Base) + "/heddle";
    std::string Home = home();
    return Home.empty() ? Home : Home + "/" + Fallback + "/heddle";
  }

  void takeDirectory() {
    note(Result.set(SettingId::Dir, userDirectory("XDG_CACHE_HOME", ".cache"),
                    "default"));
  }

  /// What is set for CUDA holds where nothing is set for us, and is never
  /// complained of: it is not our setting.
  void takeCUDA() {
    if (get("CUDA_CACHE_DISABLE") == "1")
      (void)Result.set(SettingId::Mode, "off", "CUDA_CACHE_DISABLE");
    if (std::string_view Path = get("CUDA_CACHE_PATH"); !Path.empty())
      (void)Result.set(SettingId::Dir, std::string(Path) + "/heddle",
                       "CUDA_CACHE_PATH");
    if (std::string_view Size = get("CUDA_CACHE_MAXSIZE"); !Size.empty())
      (void)Result.set(SettingId::MaxSize, Size, "CUDA_CACHE_MAXSIZE");
  }

  void takeFile() {
    std::string Path(get("HEDDLE_CACHE_CONFIG"));
    bool IsNamed = !Path.empty();
    if (!IsNamed)
      Path = userDirectory("XDG_CONFIG_HOME", ".config") + "/cache.conf";
    cache::Result<std::string> Text = readWholeFile(Path, MaxConfigSize);
    if (!Text) {
      if (IsNamed)
        Complaints.push_back(Path + ": " + Text.fault().Text);
      return;
    }
    std::string_view Rest = *Text;
    for (unsigned Line = 1; !Rest.empty(); ++Line) {
      size_t End = Rest.find('\n');
      takeLine(Rest.substr(0, End), Path + ":" + std::to_string(Line));
      Rest.remove_prefix(End == Rest.npos ? Rest.size() : End + 1);
    }
  }

  void takeLine(std::string_view Line, const std::string &Place) {
    // A '#' inside a value (a remote's attribute) follows no blank.
    for (size_t I = 0; I != Line.size(); ++I)
      if (Line[I] == '#' &&
          (I == 0 || Line[I - 1] == ' ' || Line[I - 1] == '\t'))
        Line = Line.substr(0, I--);
    Line = trimBlanks(Line);
    if (Line.empty())
      return;
    size_t Equals = Line.find('=');
    if (Equals == Line.npos) {
      Complaints.push_back(Place + ": not of the form 'name = value'");
      return;
    }
    note(Result.set(trimBlanks(Line.substr(0, Equals)),
                    trimBlanks(Line.substr(Equals + 1)), Place));
  }

  void takeEnvironment() {
    for (const SettingInfo &S : Table) {
      std::string Name = "HEDDLE_CACHE_";
      for (char C : S.Name)
        Name += C >= 'a' && C <= 'z' ? static_cast<char>(C - 'a' + 'A') : C;
      if (const char *Value = Env(Name.c_str()))
        note(Result.set(S.Id, Value, Name));
    }
  }

  const Environment &Env;
  std::vector<std::string> &Complaints;
  Settings Result;
};

} // namespace

Settings Settings::load(const Environment &Env,
                        std::vector<std::string> &Complaints) {
  return Loader(Env, Complaints).load();
}

} // namespace heddle::cache
