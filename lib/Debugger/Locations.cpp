//===- Locations.cpp - Breakpoints and where they are -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the places that a location means, in all modules and in those that
// come, and carries out the commands about breakpoints.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::debug {

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

std::optional<SourceLine> DebugSession::lineOf(CodePlace P,
                                               StringRef Spec) const {
  return P.In->lineIn(Spec.rsplit(':').first, P.PC);
}

std::string DebugSession::placeText(CodePlace P, StringRef Spec) const {
  std::string Text = P.In->describe(P.PC);
  if (auto Line = lineOf(P, Spec))
    Text +=
        ": file " + Line->File.str() + ", line " + std::to_string(Line->Line);
  return Text;
}

/// The file that a line is of where none is named.
std::string DebugSession::defaultFile() const {
  return At && Grid ? frames()[SelectedFrame].Where.File : ListFile;
}

std::string DebugSession::whyNoPTXLines(StringRef File) const {
  std::string Result;
  for (const auto &M : Modules)
    if (M->isPTX(File) && !M->whyNoPTXLines().empty())
      Result += ("\nThe lines of " + File +
                 " are not known: " + M->whyNoPTXLines() + ".")
                    .str();
  return Result;
}

/// `FILE:7` of `+2` in line 5; any other location as it is.
std::string DebugSession::absolute(StringRef Spec) const {
  uint32_t By;
  bool IsBack = Spec.starts_with("-");
  if (!(IsBack || Spec.starts_with("+")) || !At || !Grid ||
      Spec.drop_front().trim().getAsInteger(10, By))
    return Spec.str();
  const SourceFrame Here = frames()[SelectedFrame].Where;
  return Here.File + ":" +
         std::to_string(IsBack ? Here.Line - std::min(By, Here.Line)
                               : Here.Line + By);
}

/// `FILE` and `ns::f` of `FILE:ns::f`; no file if there is none.
static std::pair<StringRef, StringRef> splitFile(StringRef Spec) {
  size_t Colon = Spec.find(':');
  if (Colon == StringRef::npos || Spec.substr(Colon).starts_with("::"))
    return {StringRef(), Spec};
  return {Spec.take_front(Colon), Spec.drop_front(Colon + 1)};
}

/// Where functions of a name begin, in a file if one is named.
static std::vector<uint32_t> functionsOf(const Module &M, StringRef Spec) {
  auto [File, Function] = splitFile(Spec);
  std::vector<uint32_t> PCs = M.findFunction(Function);
  if (!File.empty())
    erase_if(PCs, [&, File = File](uint32_t PC) {
      auto Line = M.lineOf(PC);
      return !Line || !isFile(Line->File, File);
    });
  return PCs;
}

/// The places that \p Spec means. \p MayCome: later modules may have some.
/// \p OfStop: of a function, where its arguments have values.
Expected<std::vector<CodePlace>>
DebugSession::findPlaces(StringRef TheSpec, bool &MayCome, bool OfStop) {
  std::lock_guard Lock(StateMutex);
  MayCome = false;
  std::vector<CodePlace> Result;
  std::string Whole = absolute(TheSpec.trim());
  StringRef Spec = Whole;
  if (Spec.empty()) {
    if (!At || !Grid)
      return createStringError("no default location now");
    return std::vector<CodePlace>{{Code, frames()[SelectedFrame].PC}};
  }
  if (Spec.starts_with("*")) {
    MayCome = Modules.empty();
    Expected<Value> V = evaluate(Spec.drop_front());
    if (!V)
      return V.takeError();
    for (const auto &M : Modules)
      if (!Code || M.get() == Code)
        if (auto PC = M->pcAt(V->integer()))
          return std::vector<CodePlace>{{M.get(), *PC}};
    return createStringError("no instruction begins at 0x" +
                             utohexstr(V->integer(), /*LowerCase=*/true));
  }
  auto [File, Number] = Spec.rsplit(':');
  std::string DefaultFile;
  uint32_t Line = 0;
  bool IsLine = !Number.empty() && !Number.getAsInteger(10, Line);
  if (!IsLine && !Spec.getAsInteger(10, Line)) {
    IsLine = true;
    DefaultFile = defaultFile();
    File = DefaultFile;
    if (File.empty())
      return createStringError("no default source file; name one, as in "
                               "FILE:LINE");
  }
  uint32_t Least = ~uint32_t(0);
  for (const auto &M : Modules) {
    uint32_t Found = Line;
    std::vector<uint32_t> PCs =
        IsLine ? M->findLine(File, Found) : functionsOf(*M, Spec);
    // All modules' places are of one line.
    if (PCs.empty() || (IsLine && Found > Least))
      continue;
    if (IsLine && Found < Least)
      Result.clear();
    Least = Found;
    // A line of PTX is what it says.
    bool Skips = OfStop && !(IsLine && (ShowsPTX || M->isPTX(File)));
    for (uint32_t PC : PCs)
      Result.push_back({M.get(), Skips ? M->behindPrologue(PC) : PC});
  }
  if (!Result.empty())
    return Result;
  MayCome = true;
  if (IsLine)
    return createStringError("No line " + Twine(Line) + " in file \"" + File +
                             "\"." + whyNoPTXLines(File));
  return createStringError("Function \"" + Spec + "\" not defined.");
}

void DebugSession::resolve(Breakpoint &B) {
  if (B.Kind != Breakpoint::Location)
    return;
  bool MayCome;
  Expected<std::vector<CodePlace>> Found = findPlaces(B.Spec, MayCome);
  B.Places.clear();
  if (Found)
    B.Places = std::move(*Found);
  else
    consumeError(Found.takeError());
  StopsChanged = true;
}

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

std::pair<StringRef, StringRef> splitCondition(StringRef Text) {
  if (Text.starts_with("if ") || Text.starts_with("if("))
    return {StringRef(), Text.drop_front(2).trim()};
  for (StringRef Word : {" if ", " if("}) {
    size_t At = Text.find(Word);
    if (At != StringRef::npos)
      return {Text.take_front(At).trim(), Text.drop_front(At + 3).trim()};
  }
  return {Text.trim(), StringRef()};
}

Error DebugSession::addBreakpoint(StringRef Arguments, bool Temporary) {
  auto [TheSpec, ConditionText] = splitCondition(Arguments);
  if (TheSpec == "if" || TheSpec.ends_with(" if"))
    return createStringError("a condition is missing behind 'if'");
  std::string Whole = absolute(TheSpec);
  StringRef Spec = Whole;
  Breakpoint B;
  B.Temporary = Temporary;
  if (!ConditionText.empty()) {
    Expected<Expression> E = Expression::parse(ConditionText, Types);
    if (!E)
      return E.takeError();
    B.Condition = std::move(*E);
  }
  bool MayCome = false;
  Expected<std::vector<CodePlace>> Places = findPlaces(Spec, MayCome);
  if (!Places) {
    std::string Why = toString(Places.takeError());
    if (!MayCome)
      return createStringError(Why);
    if (!Modules.empty())
      print(Why + "\n");
  } else {
    B.Places = std::move(*Places);
  }
  B.Number = ++LastBreakpoint;
  B.Spec = Spec.str();
  // Wherever this is later, it is what was meant.
  if (!B.Places.empty() && (Spec.empty() || !Spec.starts_with("*"))) {
    uint32_t Line;
    if (!Spec.getAsInteger(10, Line))
      B.Spec = defaultFile() + ":" + Spec.str();
    else if (Spec.empty())
      B.Spec = "*" + std::to_string(
                         B.Places.front().In->addressOf(B.Places.front().PC));
  }
  std::string What = (Temporary ? "Temporary breakpoint " : "Breakpoint ") +
                     std::to_string(B.Number);
  if (B.Places.empty())
    print(What + " (" + Spec + ") pending.\n");
  else if (B.Places.size() == 1)
    print(What + " at " + placeText(B.Places.front(), Spec) + ".\n");
  else
    print(What + " at " + B.Places.front().In->describe(B.Places.front().PC) +
          ": " + Spec + ". (" + Twine(B.Places.size()) + " locations)\n");
  Breakpoints.push_back(std::move(B));
  StopsChanged = true;
  return Error::success();
}

Error DebugSession::commandBreak(StringRef Arguments) {
  return addBreakpoint(Arguments, /*Temporary=*/false);
}
Error DebugSession::commandTbreak(StringRef Arguments) {
  return addBreakpoint(Arguments, /*Temporary=*/true);
}

Error DebugSession::commandCatch(StringRef Arguments) {
  return addCatchpoint(Arguments, /*Temporary=*/false);
}
Error DebugSession::commandTcatch(StringRef Arguments) {
  return addCatchpoint(Arguments, /*Temporary=*/true);
}

Error DebugSession::addCatchpoint(StringRef Arguments, bool Temporary) {
  auto [What, Kernel] = splitWord(Arguments);
  if (What != "launch")
    return createStringError(
        "catch takes: launch [KERNEL]; faults stop always");
  Breakpoint B;
  B.Number = ++LastBreakpoint;
  B.Kind = Breakpoint::Launch;
  B.Temporary = Temporary;
  B.Spec = Kernel.str();
  print("Catchpoint " + Twine(B.Number) + " (launch" +
        (Kernel.empty() ? "" : " of " + Kernel) + ")\n");
  Breakpoints.push_back(std::move(B));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Changing them
//===----------------------------------------------------------------------===//

Breakpoint *DebugSession::findBreakpoint(StringRef Number, std::string &Why) {
  unsigned N;
  if (Number.getAsInteger(10, N)) {
    Why = ("bad breakpoint number '" + Number + "'").str();
    return nullptr;
  }
  auto It =
      find_if(Breakpoints, [N](const Breakpoint &B) { return B.Number == N; });
  if (It != Breakpoints.end())
    return &*It;
  Why = ("No breakpoint number " + Number + ".").str();
  return nullptr;
}

void DebugSession::erase(unsigned Number) {
  erase_if(Breakpoints,
           [Number](const Breakpoint &B) { return B.Number == Number; });
  StopsChanged = true;
}

Expected<std::vector<unsigned>> readNumbers(StringRef Text, StringRef Of) {
  constexpr unsigned Most = 10000;
  std::vector<unsigned> Result;
  while (!Text.empty()) {
    auto [Word, Rest] = splitWord(Text);
    auto [First, Last] = Word.split('-');
    unsigned From, To;
    if (First.getAsInteger(10, From) ||
        (Word.contains('-') ? Last.getAsInteger(10, To)
                            : First.getAsInteger(10, To)) ||
        To < From || To - From > Most)
      return createStringError("bad " + Of + " number '" + Word + "'");
    for (unsigned N = From; N <= To; ++N)
      Result.push_back(N);
    Text = Rest;
  }
  return Result;
}

Error DebugSession::forBreakpoints(StringRef Numbers,
                                   function_ref<void(Breakpoint &)> Do) {
  Expected<std::vector<unsigned>> List = readNumbers(Numbers, "breakpoint");
  if (!List)
    return List.takeError();
  for (unsigned Number : *List) {
    std::string Why;
    Breakpoint *B = findBreakpoint(std::to_string(Number), Why);
    if (!B)
      return createStringError(Why);
    Do(*B);
  }
  return Error::success();
}

Error DebugSession::commandDelete(StringRef Arguments) {
  if (Arguments.consume_front("display"))
    return commandUndisplay(Arguments.trim());
  Arguments.consume_front("breakpoints");
  Arguments = Arguments.trim();
  if (Arguments.empty()) {
    Breakpoints.clear();
    StopsChanged = true;
  }
  return forBreakpoints(Arguments, [&](Breakpoint &B) { erase(B.Number); });
}

Error DebugSession::commandClear(StringRef Arguments) {
  bool MayCome;
  Expected<std::vector<CodePlace>> Places = findPlaces(Arguments, MayCome);
  if (!Places)
    return Places.takeError();
  std::string Deleted;
  erase_if(Breakpoints, [&](const Breakpoint &B) {
    bool IsThere =
        any_of(B.Places, [&](CodePlace P) { return is_contained(*Places, P); });
    if (IsThere)
      Deleted += " " + std::to_string(B.Number);
    return IsThere;
  });
  StopsChanged = true;
  if (Deleted.empty())
    return createStringError("No breakpoint at " +
                             (Arguments.empty() ? "this line" : Arguments) +
                             ".");
  print("Deleted breakpoint" + Deleted + "\n");
  return Error::success();
}

Error DebugSession::changeBreakpoints(StringRef Arguments, bool Enable) {
  StopsChanged = true;
  Arguments.consume_front("breakpoints");
  Arguments = Arguments.trim();
  if (Arguments.empty())
    for (Breakpoint &B : Breakpoints)
      B.Enabled = Enable;
  return forBreakpoints(Arguments, [&](Breakpoint &B) { B.Enabled = Enable; });
}

Error DebugSession::commandEnable(StringRef Arguments) {
  return changeBreakpoints(Arguments, true);
}
Error DebugSession::commandDisable(StringRef Arguments) {
  return changeBreakpoints(Arguments, false);
}

Error DebugSession::commandCondition(StringRef Arguments) {
  auto [Number, Text] = splitWord(Arguments);
  std::string Why;
  Breakpoint *B = findBreakpoint(Number, Why);
  if (!B)
    return createStringError(Why);
  B->Quick = {};
  if (Text.empty()) {
    B->Condition.reset();
    print("Breakpoint " + Twine(B->Number) + " now unconditional.\n");
    return Error::success();
  }
  Expected<Expression> E = Expression::parse(Text, Types);
  if (!E)
    return E.takeError();
  B->Condition = std::move(*E);
  return Error::success();
}

Error DebugSession::commandIgnore(StringRef Arguments) {
  auto [Number, Count] = splitWord(Arguments);
  std::string Why;
  Breakpoint *B = findBreakpoint(Number, Why);
  if (!B)
    return createStringError(Why);
  if (Count.getAsInteger(10, B->Ignore))
    return createStringError("ignore takes a number and a count");
  print("Will ignore next " + Twine(B->Ignore) + " crossings of breakpoint " +
        Twine(B->Number) + ".\n");
  return Error::success();
}

Error DebugSession::commandCommands(StringRef Arguments) {
  std::string Why = "there is no breakpoint";
  std::string Number =
      Arguments.empty() ? std::to_string(LastBreakpoint) : Arguments.str();
  Breakpoint *B = findBreakpoint(Number, Why);
  std::vector<std::string> Lines = readBlock();
  if (!B)
    return createStringError(Why);
  B->Commands = std::move(Lines);
  return Error::success();
}

} // namespace heddle::debug
