//===- CompileOptions.cpp - The options of a compilation --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser over the option table: ptxas's conventions are one dash or two,
// a value after '=' or as the next argument, and -O3 without either.
//
//===----------------------------------------------------------------------===//

#include "heddle/Options/CompileOptions.h"

#include "Spelling.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace heddle {

namespace {

constexpr OptionInfo Table[] = {
#define OPTION_OF(Tool, Id, Long, Short, Kind, Values, Default, Effect, Help)  \
  {OptionId::Id,         Long,   Short,                                        \
   OptionKind::Kind,     Values, Default,                                      \
   OptionEffect::Effect, Help,   OptionTool::Tool},
#define HEDDLE_OPTION(...) OPTION_OF(All, __VA_ARGS__)
#define HEDDLE_COMPILE_OPTION(...) OPTION_OF(Compile, __VA_ARGS__)
#define HEDDLE_LINK_OPTION(...) OPTION_OF(Link, __VA_ARGS__)
#include "heddle/Options/CompileOptions.def"
};

/// Options files may name options files; a cycle ends here.
constexpr unsigned MaxOptionsFileDepth = 16;

/// Whether a program takes an option; All stands for any program.
bool isOptionOf(const OptionInfo &O, OptionTool Tool) {
  return Tool == OptionTool::All || O.Tool == OptionTool::All || O.Tool == Tool;
}

const OptionInfo *findOption(std::string_view Name, OptionTool Tool) {
  for (const OptionInfo &O : Table)
    if (isOptionOf(O, Tool) && (Name == O.Long || Name == O.Short))
      return &O;
  return nullptr;
}

/// -O3, -m64, -lmath: a value right after a one-letter option.
const OptionInfo *findLetter(std::string_view Name, OptionTool Tool) {
  const OptionInfo *O = findOption(Name.substr(0, 1), Tool);
  bool TakesValue = O && Name.size() > 1 &&
                    (O->Kind == OptionKind::Int || O->Id == OptionId::Library ||
                     O->Id == OptionId::LibraryPath);
  return TakesValue ? O : nullptr;
}

/// The option whose spelling is closest to Name, if any is close.
std::string suggestion(std::string_view Name, OptionTool Tool) {
  std::vector<std::string_view> Spellings;
  for (const OptionInfo &O : Table)
    if (isOptionOf(O, Tool))
      Spellings.insert(Spellings.end(), {O.Long, O.Short});
  std::string_view Best = findNearestSpelling(Name, Spellings);
  if (Best.empty())
    return "; see --help";
  return "; did you mean '" + std::string(Best.size() > 1 ? "--" : "-") +
         std::string(Best) + "'?";
}

bool parseInt(std::string_view S, int64_t &V) {
  auto [End, Code] = std::from_chars(S.data(), S.data() + S.size(), V);
  return Code == std::errc() && End == S.data() + S.size();
}

bool isEnumerated(const OptionInfo &O) {
  return O.Kind != OptionKind::Flag &&
         O.Values.find('|') != std::string_view::npos &&
         std::none_of(O.Values.begin(), O.Values.end(),
                      [](char C) { return C >= 'A' && C <= 'Z'; });
}

std::vector<std::string_view> split(std::string_view S, char Separator) {
  std::vector<std::string_view> Parts;
  while (true) {
    size_t End = S.find(Separator);
    Parts.push_back(S.substr(0, End));
    if (End == std::string_view::npos)
      return Parts;
    S.remove_prefix(End + 1);
  }
}

std::string valueError(const OptionInfo &O, std::string_view Value) {
  return "value '" + std::string(Value) + "' is not defined for option '" +
         std::string(O.Long) + "'; it takes " + std::string(O.Values);
}

/// Whether Value is in the domain that the table states for O.
bool inDomain(const OptionInfo &O, std::string_view Value) {
  if (isEnumerated(O)) {
    std::vector<std::string_view> Choices = split(O.Values, '|');
    return std::find(Choices.begin(), Choices.end(), Value) != Choices.end();
  }
  if (O.Kind != OptionKind::Int)
    return true;
  int64_t V, Low = 0, High = INT32_MAX;
  if (!parseInt(Value, V))
    return false;
  if (size_t Dots = O.Values.find(".."); Dots != std::string_view::npos) {
    parseInt(O.Values.substr(0, Dots), Low);
    parseInt(O.Values.substr(Dots + 2), High);
  } else if (parseInt(O.Values, Low)) {
    High = Low;
  }
  return V >= Low && V <= High;
}

/// Whether an argument is -Wname; plain -Werror is an option of ptxas.
bool isWarningOption(std::string_view Arg) {
  return Arg.size() > 2 && Arg.starts_with("-W") && Arg != "-Werror";
}

/// The options of one line of an options file: blanks separate, quotes group.
std::vector<std::string> splitArguments(std::string_view Text) {
  std::vector<std::string> Args;
  std::string Current;
  char Quote = 0;
  bool InArgument = false;
  for (char C : Text) {
    if (Quote ? C == Quote : (C == '"' || C == '\'')) {
      Quote = Quote ? 0 : C;
      InArgument = true;
    } else if (!Quote && (C == ' ' || C == '\t' || C == '\n' || C == '\r')) {
      if (InArgument)
        Args.push_back(std::move(Current));
      Current.clear();
      InArgument = false;
    } else {
      Current += C;
      InArgument = true;
    }
  }
  if (InArgument)
    Args.push_back(std::move(Current));
  return Args;
}

bool readFile(const std::string &Name, std::string &Contents) {
  std::ifstream File(Name);
  std::stringstream Text;
  Text << File.rdbuf();
  Contents = std::move(Text).str();
  return !File.fail() || (File.is_open() && Contents.empty());
}

} // namespace

std::span<const OptionInfo> compileOptionTable() { return Table; }

CompileOptions::CompileOptions(OptionTool Tool)
    : Tool(Tool), Values(std::size(Table)) {}

std::optional<std::string>
CompileOptions::parse(std::span<const std::string> Args) {
  return parseList(Args, 0);
}

std::optional<std::string>
CompileOptions::parseList(std::span<const std::string> Args, unsigned Depth) {
  for (size_t I = 0; I < Args.size(); ++I)
    if (auto Error = parseAt(Args, I, Depth))
      return Error;
  return std::nullopt;
}

std::optional<std::string>
CompileOptions::parseWithoutFiles(std::span<const std::string> Args) {
  ReadsFiles = false;
  return parseList(Args, 0);
}

/// Puts the contents of a file that an option names in the place of its value.
/// They are what belongs to the key, and what a helper process is told.
std::optional<std::string>
CompileOptions::readValue(OptionId Id, std::string_view &Value,
                          std::string &Contents) const {
  bool IsTuning = Id == OptionId::Tuning && !Value.starts_with('{');
  bool IsProfile = Id == OptionId::ProfileUse && !decodeEmbeddedFile(Value);
  if (!IsTuning && !IsProfile)
    return std::nullopt;
  std::string Name(Value);
  if (!ReadsFiles || !readFile(Name, Contents))
    return std::string(IsTuning ? "tuning document '" : "profile '") + Name +
           (ReadsFiles ? "' could not be opened" : "' is a file");
  if (IsProfile)
    Contents = encodeEmbeddedFile({Name, std::move(Contents)});
  Value = Contents;
  return std::nullopt;
}

std::optional<std::string>
CompileOptions::parseAt(std::span<const std::string> Args, size_t &I,
                        unsigned Depth) {
  std::string_view Arg = Args[I];
  if (Arg.size() < 2 || Arg[0] != '-') {
    Inputs.emplace_back(Arg);
    return std::nullopt;
  }
  std::string_view Name = Arg.substr(Arg[1] == '-' ? 2 : 1);
  if (isWarningOption(Arg))
    return set(OptionId::Warning, Name.substr(1));
  std::optional<std::string_view> Value;
  if (size_t Equals = Name.find('='); Equals != std::string_view::npos) {
    Value = Name.substr(Equals + 1);
    Name = Name.substr(0, Equals);
  }
  const OptionInfo *O = findOption(Name, Tool);
  if (!O && !Value) {
    O = findLetter(Name, Tool);
    if (O)
      Value = Name.substr(1);
  }
  if (!O)
    return "unknown option '" + std::string(Arg) + "'" + suggestion(Name, Tool);

  if (O->Kind == OptionKind::Flag) {
    if (Value)
      return "option '" + std::string(O->Long) + "' takes no value";
    Value = "true";
  } else if (!Value) {
    if (I + 1 == Args.size())
      return "option '" + std::string(O->Long) +
             "' needs a value: " + std::string(O->Values);
    Value = Args[++I];
  }
  std::string Contents;
  if (auto Error = readValue(O->Id, *Value, Contents))
    return Error;
  if (O->Effect == OptionEffect::None && !given(O->Id))
    Ineffective.push_back(std::string(Arg.substr(0, Arg.find('='))));
  if (auto Error = set(O->Id, *Value))
    return Error;
  if (O->Id == OptionId::OptionsFile)
    return readOptionsFile(std::string(*Value), Depth + 1);
  return std::nullopt;
}

std::optional<std::string> CompileOptions::set(OptionId Id,
                                               std::string_view Value) {
  const OptionInfo &O = Table[index(Id)];
  if (!inDomain(O, Value))
    return valueError(O, Value);
  struct Value &V = Values[index(Id)];
  V.Given = true;
  if (O.Kind != OptionKind::List) {
    V.Texts.assign(1, std::string(Value));
  } else if (Id == OptionId::InputAsString || Id == OptionId::MLLVM ||
             Id == OptionId::CacheSet) {
    V.Texts.emplace_back(Value); // may contain commas of its own
  } else {
    for (std::string_view Part : split(Value, ',')) {
      if (Id == OptionId::Warning)
        if (auto Error = WarningSettings().apply(Part))
          return Error;
      V.Texts.emplace_back(Part);
    }
  }
  return std::nullopt;
}

WarningSettings CompileOptions::warnings() const {
  WarningSettings W;
  if (flag(OptionId::WarnSpills))
    W.enable(WarningId::Spills);
  if (flag(OptionId::WarnLocalMemory))
    W.enable(WarningId::LocalMemory);
  if (flag(OptionId::WarnDouble))
    W.enable(WarningId::DoublePrecision);
  if (flag(OptionId::WarningAsError))
    W.makeErrors();
  for (const std::string &Text : list(OptionId::Warning))
    W.apply(Text); // was checked when it was given
  if (flag(OptionId::DisableWarnings))
    W.dropAll();
  return W;
}

std::optional<std::string>
CompileOptions::readOptionsFile(const std::string &Name, unsigned Depth) {
  if (Depth > MaxOptionsFileDepth)
    return "options files are nested too deeply at '" + Name + "'";
  std::string Text;
  if (!ReadsFiles)
    return "options file '" + Name + "' is a file";
  if (!readFile(Name, Text))
    return "options file '" + Name + "' could not be opened";
  std::vector<std::string> Args = splitArguments(Text);
  return parseList(Args, Depth);
}

std::string_view CompileOptions::text(OptionId Id) const {
  const struct Value &V = Values[index(Id)];
  return V.Texts.empty() ? Table[index(Id)].Default
                         : std::string_view(V.Texts.back());
}

int64_t CompileOptions::number(OptionId Id) const {
  int64_t V = 0;
  parseInt(text(Id), V);
  return V;
}

/// A value without the characters that separate values and options.
static std::string escaped(std::string_view Text) {
  std::string Result;
  for (char C : Text) {
    if (C == '\\' || C == ',' || C == '\n')
      Result += '\\';
    Result += C;
  }
  return Result;
}

std::string CompileOptions::canonicalOutputOptions() const {
  std::string Result;
  for (const OptionInfo &O : Table) {
    if (O.Effect != OptionEffect::Output)
      continue;
    Result += O.Long;
    Result += '=';
    if (O.Kind == OptionKind::List) {
      for (const std::string &Text : list(O.Id))
        Result += escaped(Text) + ",";
    } else {
      Result += escaped(text(O.Id));
    }
    Result += '\n';
  }
  return Result;
}

std::vector<std::string> CompileOptions::commandLine() const {
  using enum OptionEffect;
  return commandLine({Output, Input, Report, Driver, Speed, Advice, None});
}

std::vector<std::string>
CompileOptions::commandLine(std::initializer_list<OptionEffect> Effects) const {
  std::vector<std::string> Arguments;
  for (const OptionInfo &O : Table) {
    if (!given(O.Id) || std::ranges::find(Effects, O.Effect) == Effects.end())
      continue;
    std::string Name = "--" + std::string(O.Long);
    if (O.Kind == OptionKind::Flag)
      Arguments.push_back(Name);
    else if (O.Id == OptionId::Warning)
      for (const std::string &Text : list(O.Id))
        Arguments.push_back("-W" + Text);
    else if (O.Kind == OptionKind::List)
      for (const std::string &Text : list(O.Id))
        Arguments.push_back(Name + "=" + Text);
    else
      Arguments.push_back(Name + "=" + std::string(text(O.Id)));
  }
  return Arguments;
}

static void appendWrapped(std::string &Out, std::string_view Text,
                          size_t Indent, size_t Width) {
  size_t Column = Width;
  for (std::string_view Word : split(Text, ' ')) {
    if (Column + Word.size() + 1 > Width) {
      Out += '\n';
      Out.append(Indent, ' ');
      Column = Indent;
    } else {
      Out += ' ';
      ++Column;
    }
    Out += Word;
    Column += Word.size();
  }
  Out += '\n';
}

static void appendOption(std::string &Out, const OptionInfo &O) {
  Out += "  --";
  Out += O.Long;
  if (O.Kind != OptionKind::Flag) {
    Out += '=';
    Out += O.Values;
  }
  if (O.Short != O.Long) {
    Out += "  (-";
    Out += O.Short;
    Out += ')';
  }
  std::string Text(O.Help);
  if (!O.Default.empty())
    Text += ". Default: " + std::string(O.Default);
  appendWrapped(Out, Text, 8, 80);
}

/// How the program is called.
static std::string_view usageOf(OptionTool Tool) {
  if (Tool == OptionTool::Link)
    return R"(Usage: ptx-link [options] FILE...

Links PTX, LLVM bitcode, objects of ptx-compile -c and archives of them to a
Heddle code object.

  ptx-link -dlto main.ptx vector.ptx -o program.hdo
  ptx-link main.hdo -L lib -lvector -o program.hdo
  ptx-link -r a.hdo b.hdo -o both.hdo
)";
  return R"(Usage: ptx-compile [options] FILE.ptx...

Compiles PTX to a Heddle code object, with the options of ptxas.

  ptx-compile -O3 -arch=sm_90 saxpy.ptx -o saxpy.hdo
  ptx-compile --chip=hd10 -v saxpy.ptx -o saxpy.hdo
  ptx-compile --emit=asm saxpy.ptx -o -
)";
}

std::string recordedRegisterLimit(std::string_view CommandLine) {
  std::istringstream Words{std::string(CommandLine)};
  std::vector<std::string> Args;
  for (std::string Word; Words >> Word;)
    Args.push_back(std::move(Word));
  CompileOptions Options;
  if (Options.parseWithoutFiles(Args))
    return "";
  return std::string(Options.text(OptionId::MaxRegCount));
}

std::string compileHelp(OptionTool Tool) {
  std::string Out(usageOf(Tool));
  struct {
    OptionEffect Effect;
    std::string_view Title;
  } constexpr Groups[] = {
      {OptionEffect::Output, "What is made"},
      {OptionEffect::Input, "What it is made for"},
      {OptionEffect::Report, "What is printed"},
      {OptionEffect::Speed, "How fast"},
      {OptionEffect::Advice, "What is known of the kernels"},
      {OptionEffect::Driver, "Input, output, information"},
      {OptionEffect::None, "Options of ptxas without effect here"}};
  for (const auto &Group : Groups) {
    Out += "\n" + std::string(Group.Title) + ":\n";
    for (const OptionInfo &O : Table)
      if (O.Effect == Group.Effect && isOptionOf(O, Tool))
        appendOption(Out, O);
  }
  Out += "\nWarnings (-Wno-NAME turns one off, -Werror=NAME makes it an "
         "error, 'all' stands for all):\n";
  for (const WarningInfo &W : warningTable()) {
    Out += "  -W" + std::string(W.Name);
    appendWrapped(Out, std::string(W.Help) + (W.IsDefault ? "" : " (off)"), 8,
                  80);
  }
  return Out;
}

} // namespace heddle
