//===- Scripts.cpp - Commands for scripts -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What files of commands are made of: source, echo, printf, if, while, and
// commands that users define.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdio>

using namespace llvm;

namespace heddle::debug {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// What a text means whose escapes are C's; others stand for themselves.
static std::string withoutEscapes(StringRef Text) {
  std::string Result;
  for (size_t N = 0; N < Text.size(); ++N) {
    if (Text[N] != '\\' || N + 1 == Text.size()) {
      Result += Text[N];
      continue;
    }
    char C = Text[++N];
    Result += C == 'n' ? '\n' : C == 't' ? '\t' : C == 'a' ? '\a' : C;
  }
  return Result;
}

Error DebugSession::commandEcho(StringRef Arguments) {
  print(withoutEscapes(Arguments));
  return Error::success();
}

/// Splits `"format", a, f(b, c)` behind the format at the commas that are not
/// within brackets or quotes.
static SmallVector<StringRef> splitArguments(StringRef Text) {
  SmallVector<StringRef> Result;
  size_t Depth = 0, Begin = 0;
  for (size_t N = 0; N <= Text.size(); ++N) {
    char C = N < Text.size() ? Text[N] : ',';
    Depth += C == '(' || C == '[';
    Depth -= (C == ')' || C == ']') && Depth;
    if (C == '\'' || C == '"')
      N = std::min(Text.find(C, N + 1), Text.size());
    if (C != ',' || (Depth && N < Text.size()))
      continue;
    Result.push_back(Text.slice(Begin, N).trim());
    Begin = N + 1;
  }
  return Result;
}

/// A value as printf's conversion has it; \p Flags are what stands between `%`
/// and the letter, without what says how long the value is.
Expected<std::string> DebugSession::converted(StringRef Flags, char Letter,
                                              StringRef Text) {
  StringRef Literal = Text;
  if (Letter == 's' && Literal.consume_front("\"") &&
      Literal.consume_back("\""))
    return withoutEscapes(Literal);
  Expected<Value> V = evaluate(Text);
  if (!V)
    return V.takeError();
  if (V->Of->AsNumber && V->isComplete())
    V = asNumber(*V);
  if (Letter == 's') {
    Format F;
    F.Letter = 's';
    std::string Shown = valueText(*V, F);
    // Without the address and the quotes that print has.
    size_t First = Shown.find('"'), Last = Shown.rfind('"');
    return First == Last
               ? Shown
               : withoutEscapes(StringRef(Shown).slice(First + 1, Last));
  }
  if (!V->Of->isScalar() || !V->isComplete())
    return createStringError("'" + Text + "' is no number");
  std::string Spec = ("%" + Flags).str();
  char Buffer[512];
  int Size;
  if (StringRef("eEfFgGaA").contains(Letter))
    Size = std::snprintf(Buffer, sizeof(Buffer), (Spec + Letter).c_str(),
                         V->number());
  else if (Letter == 'c')
    Size = std::snprintf(Buffer, sizeof(Buffer), (Spec + "c").c_str(),
                         int(V->integer()));
  else if (Letter == 'p')
    Size = std::snprintf(Buffer, sizeof(Buffer), (Spec + "#llx").c_str(),
                         static_cast<unsigned long long>(V->integer()));
  else
    Size = std::snprintf(
        Buffer, sizeof(Buffer), (Spec + "ll" + Letter).c_str(),
        static_cast<unsigned long long>(
            V->Of->Kind == Type::Float ? int64_t(V->number()) : V->integer()));
  return std::string(Buffer, std::clamp<int>(Size, 0, sizeof(Buffer) - 1));
}

/// Carries out a format: each conversion takes the next of \p Values.
Expected<std::string> DebugSession::formatted(StringRef Text,
                                              ArrayRef<StringRef> Values) {
  std::string Result;
  while (!Text.empty()) {
    size_t Percent = std::min(Text.find('%'), Text.size());
    Result += withoutEscapes(Text.take_front(Percent));
    Text = Text.drop_front(Percent);
    if (Text.consume_front("%%")) {
      Result += '%';
      continue;
    }
    if (!Text.consume_front("%"))
      break;
    StringRef Flags = Text.take_while(
        [](char C) { return isDigit(C) || StringRef("-+ #.'").contains(C); });
    Text = Text.drop_front(Flags.size()).ltrim("hlLjzt");
    if (Text.empty() || !StringRef("diouxXcspeEfFgGaA").contains(Text.front()))
      return createStringError("Bad format string");
    if (Values.empty())
      return createStringError("Wrong number of arguments for specified "
                               "format-string");
    Expected<std::string> One = converted(Flags, Text.front(), Values.front());
    if (!One)
      return One;
    Result += *One;
    Values = Values.drop_front();
    Text = Text.drop_front();
  }
  if (!Values.empty())
    return createStringError("Wrong number of arguments for specified "
                             "format-string");
  return Result;
}

Error DebugSession::commandPrintf(StringRef Arguments) {
  StringRef Text = Arguments.trim();
  size_t End = 1;
  while (End < Text.size() && Text[End] != '"')
    End += Text[End] == '\\' ? 2 : 1;
  if (!Text.starts_with("\"") || End >= Text.size())
    return createStringError("printf takes a format in quotes");
  StringRef Rest = Text.drop_front(End + 1).ltrim();
  if (!Rest.empty() && !Rest.consume_front(","))
    return createStringError("Bad format string, missing ','");
  SmallVector<StringRef> Values;
  if (!Rest.trim().empty())
    Values = splitArguments(Rest);
  Expected<std::string> Result = formatted(Text.slice(1, End), Values);
  if (!Result)
    return Result.takeError();
  print(*Result);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Files and blocks
//===----------------------------------------------------------------------===//

void DebugSession::carryOut(ArrayRef<std::string> Commands) {
  Pending.insert(Pending.end(), Commands.rbegin(), Commands.rend());
}

/// Stands in Pending behind what a command of the user's is made of; no line of
/// a script is it.
static constexpr StringLiteral EndOfCall = "\n";

/// The next command that waits; false if there is none.
bool DebugSession::takePending(std::string &Line) {
  while (!Pending.empty()) {
    Line = std::move(Pending.back());
    Pending.pop_back();
    if (Line != EndOfCall)
      return true;
    CallDepth -= CallDepth != 0;
  }
  return false;
}

Error DebugSession::callUser(ArrayRef<std::string> Commands,
                             StringRef Arguments) {
  constexpr unsigned Deepest = 1024; // as gdb's max-user-call-depth
  if (CallDepth == Deepest) {
    Pending.clear();
    CallDepth = 0;
    return createStringError(
        "Max user call depth exceeded -- command aborted.");
  }
  ++CallDepth;
  Pending.push_back(EndOfCall.str());
  carryOut(expanded(Commands, Arguments));
  return Error::success();
}

Error DebugSession::commandSource(StringRef Arguments) {
  auto Buffer = MemoryBuffer::getFile(Arguments, /*IsText=*/true);
  if (!Buffer)
    return createStringError(Arguments + ": " + Buffer.getError().message());
  SmallVector<StringRef> Lines;
  (*Buffer)->getBuffer().split(Lines, '\n');
  std::vector<std::string> Commands;
  for (StringRef Line : Lines)
    if (!Line.trim().empty())
      Commands.push_back(Line.str());
  carryOut(Commands);
  return Error::success();
}

/// The commands of a block, up to its `end`.
std::vector<std::string> DebugSession::readBlock() {
  std::vector<std::string> Lines;
  std::string Line;
  for (unsigned Depth = 0; readCommand(Line, ">");) {
    StringRef Text = StringRef(Line).trim();
    StringRef Word = splitWord(Text).first;
    if (Word == "end" && Depth-- == 0)
      break;
    Depth +=
        is_contained({"if", "while", "commands", "define", "document"}, Word);
    Lines.push_back(Text.str());
  }
  return Lines;
}

Expected<bool> DebugSession::isTrue(StringRef Condition) {
  Expected<Value> V = evaluate(Condition);
  if (!V)
    return V.takeError();
  if (V->Of->AsNumber && V->isComplete())
    return asNumber(*V).isTrue();
  if (!V->Of->isScalar() || !V->isComplete())
    return createStringError("'" + Condition + "' is no condition");
  return V->isTrue();
}

Error DebugSession::commandIf(StringRef Arguments) {
  std::vector<std::string> Then = readBlock();
  // `else` is one of the block's own commands, not of one within.
  auto Else = Then.end();
  unsigned Depth = 0;
  for (auto It = Then.begin(); It != Then.end(); ++It) {
    StringRef Word = splitWord(*It).first;
    if (Word == "else" && !Depth && Else == Then.end())
      Else = It;
    Depth += is_contained({"if", "while", "commands"}, Word);
    Depth -= Word == "end" && Depth;
  }
  Expected<bool> Holds = isTrue(Arguments);
  if (!Holds)
    return Holds.takeError();
  std::vector<std::string> Chosen(Then.begin(), Else);
  if (!*Holds)
    Chosen.assign(Else == Then.end() ? Else : Else + 1, Then.end());
  carryOut(Chosen);
  return Error::success();
}

Error DebugSession::commandWhile(StringRef Arguments) {
  std::vector<std::string> Block = readBlock();
  Expected<bool> Holds = isTrue(Arguments);
  if (!Holds)
    return Holds.takeError();
  if (!*Holds)
    return Error::success();
  // The block, and then all of it once more.
  std::vector<std::string> Again = {"while " + Arguments.str()};
  append_range(Again, Block);
  Again.push_back("end");
  carryOut(Again);
  carryOut(Block);
  return Error::success();
}

Error DebugSession::commandDefine(StringRef Arguments) {
  if (Arguments.empty() || !all_of(Arguments, [](char C) {
        return isAlnum(C) || C == '-' || C == '_';
      }))
    return createStringError("define takes a name");
  UserCommands[Arguments.str()] = readBlock();
  return Error::success();
}

Error DebugSession::commandDocument(StringRef) {
  readBlock(); // It is for people who read the script.
  return Error::success();
}

/// The commands that a user has defined as \p Name, with the words of
/// \p Arguments as `$arg0` and so on.
std::vector<std::string> DebugSession::expanded(ArrayRef<std::string> Commands,
                                                StringRef Arguments) {
  SmallVector<StringRef> Words;
  while (!Arguments.empty()) {
    auto [Word, Rest] = splitWord(Arguments);
    Words.push_back(Word);
    Arguments = Rest;
  }
  std::vector<std::string> Result;
  for (const std::string &Command : Commands) {
    std::string Text;
    StringRef Rest = Command;
    while (!Rest.empty()) {
      StringRef Behind = Rest;
      unsigned Number;
      if (Behind.consume_front("$argc")) {
        Text += std::to_string(Words.size());
        Rest = Behind;
      } else if (Behind.consume_front("$arg") &&
                 !Behind.consumeInteger(10, Number) && Number < Words.size()) {
        Text += Words[Number];
        Rest = Behind;
      } else {
        Text += Rest.front();
        Rest = Rest.drop_front();
      }
    }
    Result.push_back(std::move(Text));
  }
  return Result;
}

} // namespace heddle::debug
