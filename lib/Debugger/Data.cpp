//===- Data.cpp - Values, memory and registers ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints and changes what the thread in focus has: print, x, display, info
// registers, set.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace heddle::debug {

Expected<Value> DebugSession::evaluate(StringRef Text) {
  Expected<Expression> E = Expression::parse(Text, Types);
  if (!E)
    return E.takeError();
  ThreadScope S(*this, At);
  return E->evaluate(S);
}

/// Reads a format in front of an expression: `/4xw`.
static Expected<Format> takeFormat(StringRef &Text, StringRef Letters,
                                   Format F = {}) {
  if (!Text.consume_front("/"))
    return F;
  auto [Word, Rest] = splitWord(Text);
  F.Count = 1;
  StringRef Digits = Word.take_while(isDigit);
  if (!Digits.empty() && Digits.getAsInteger(10, F.Count))
    return createStringError("'" + Digits + "' is no count");
  for (char C : Word.drop_front(Digits.size())) {
    if (StringRef("bhwg").contains(C))
      F.Size = C;
    else if (Letters.contains(C))
      F.Letter = C;
    else
      return createStringError(std::string("undefined output format \"") + C +
                               "\"");
  }
  Text = Rest;
  return F;
}

static constexpr StringLiteral PrintLetters = "duxotcfaz",
                               ExamineLetters = "duxotcfazis";

void DebugSession::remember(Value V) { History.push_back(std::move(V)); }

/// Whether a value is a variable of the module, whose type nobody knows.
static bool hasNoType(const Value &V) {
  return V.Of->Kind == Type::Void && V.At.Kind == Place::Memory;
}

Error DebugSession::commandPrint(StringRef Arguments) {
  Expected<Format> F = takeFormat(Arguments, PrintLetters);
  if (!F)
    return F.takeError();
  Expected<Value> V = evaluate(Arguments.empty() ? "$" : Arguments);
  if (!V) {
    // Of a variable by itself it is no error to be nowhere.
    if (!declaredType(Arguments))
      return V.takeError();
    consumeError(V.takeError());
    print(OptimizedOut + "\n");
    return Error::success();
  }
  if (hasNoType(*V))
    return createStringError("'" + Arguments +
                             "' has unknown type; cast it to its declared "
                             "type");
  if (V->Of->Kind == Type::Void) {
    print("void\n");
    return Error::success();
  }
  remember(*V);
  print("$" + Twine(History.size()) + " = " + formatValue(*V, *F) + "\n");
  return Error::success();
}

Error DebugSession::commandOutput(StringRef Arguments) {
  Expected<Format> F = takeFormat(Arguments, PrintLetters);
  if (!F)
    return F.takeError();
  Expected<Value> V = evaluate(Arguments);
  if (!V)
    return V.takeError();
  print(formatValue(*V, *F));
  return Error::success();
}

Error DebugSession::commandPtype(StringRef Arguments) {
  const Type *T = Types.find(Arguments);
  if (const Type *Declared = declaredType(Arguments))
    T = Declared;
  if (T) {
    print("type = " + describeType(*T) + "\n");
    return Error::success();
  }
  Expected<Value> V = evaluate(Arguments);
  if (!V)
    return V.takeError();
  print("type = " +
        (hasNoType(*V) ? "<data variable, no debug info>"
                       : describeType(*V->Of)) +
        "\n");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Error DebugSession::examineCode(uint64_t Count, uint64_t Address) {
  auto PC = Code->pcAt(Address);
  if (!PC)
    return createStringError("no instruction begins at 0x" +
                             utohexstr(Address, /*LowerCase=*/true));
  for (uint64_t N = 0; N < Count && Code->code().blockOf(*PC + N); ++N)
    print(instructionLine(*PC + N, *PC + N == pcOfFocus()));
  return Error::success();
}

Error DebugSession::examineStrings(uint64_t Count, const Value &At) {
  ThreadScope S(*this, this->At);
  uint64_t Address = At.integer();
  MemorySpace Space =
      At.Of->Kind == Type::Pointer ? At.Of->Space : MemorySpace::Generic;
  constexpr unsigned Most = 200;
  for (uint64_t N = 0; N < Count; ++N) {
    std::string Line = "0x" + utohexstr(Address, true) + ":\t\"";
    for (unsigned Length = 0;; ++Length) {
      Expected<Value> C = S.load(Types.Char, Space, Address);
      if (!C)
        return C.takeError();
      ++Address;
      if (C->Bytes[0] == 0 || Length == Most) {
        Line += C->Bytes[0] ? "\"..." : "\"";
        break;
      }
      raw_string_ostream(Line).write_escaped(
          StringRef(reinterpret_cast<const char *>(C->Bytes.data()), 1));
    }
    print(Line + "\n");
  }
  return Error::success();
}

Error DebugSession::examineUnits(const Format &F, const Value &At) {
  ThreadScope S(*this, this->At);
  unsigned Bytes = F.Size == 'b'   ? 1
                   : F.Size == 'h' ? 2
                   : F.Size == 'g' ? 8
                                   : 4;
  bool IsFloat = F.Letter == 'f' && Bytes > 1;
  const Type *T = IsFloat ? (Bytes == 2   ? Types.find("__half")
                             : Bytes == 4 ? Types.FloatType
                                          : Types.Double)
                          : Types.find(Bytes == 1   ? "s8"
                                       : Bytes == 2 ? "s16"
                                       : Bytes == 4 ? "s32"
                                                    : "s64");
  MemorySpace Space =
      At.Of->Kind == Type::Pointer ? At.Of->Space : MemorySpace::Generic;
  unsigned PerLine = Bytes == 1 ? 8 : Bytes == 8 ? 2 : Bytes == 2 ? 8 : 4;
  Format Unit = F;
  if (Unit.Letter == 'x')
    Unit.Letter = 'z'; // With all digits, as gdb does here.
  std::string Line;
  for (uint64_t N = 0; N < F.Count; ++N) {
    uint64_t Address = At.integer() + N * stepOf(Space, Bytes);
    Expected<Value> V = S.load(T, Space, Address);
    if (!V) {
      print(Line + (Line.empty() ? "" : "\n"));
      return V.takeError();
    }
    if (N % PerLine == 0)
      Line += (N ? "\n0x" : "0x") + utohexstr(Address, true) + ":";
    Line += "\t" + formatValue(*V, Unit);
  }
  print(Line + "\n");
  return Error::success();
}

Error DebugSession::examine(const Format &F, char Letter, StringRef Text) {
  Expected<Value> V = evaluate(Text);
  if (!V)
    return V.takeError();
  Value Address = *V;
  if (V->At.Kind == Place::Memory &&
      (V->Of->Kind == Type::Array || V->Of->Kind == Type::Void ||
       V->Of->Kind == Type::Struct))
    Address = makeInteger(Types.pointerTo(V->Of, V->At.Space), V->At.Address);
  if (!Address.Of->isScalar() || Address.Of->Kind == Type::Float)
    return createStringError("x takes an address");
  Convenience["_"] = Address;
  if (Letter == 'i')
    return examineCode(F.Count, Address.integer());
  if (Letter == 's')
    return examineStrings(F.Count, Address);
  return examineUnits(F, Address);
}

Error DebugSession::commandExamine(StringRef Arguments) {
  if (Error E = needGrid())
    return E;
  Format Before = LastExamine;
  Before.Count = 1;
  if (!Before.Letter)
    Before.Letter = 'x';
  Expected<Format> F = takeFormat(Arguments, ExamineLetters, Before);
  if (!F)
    return F.takeError();
  if (Arguments.empty())
    return createStringError("x takes an address");
  if (F->Letter != 'i' && F->Letter != 's')
    LastExamine = *F;
  return examine(*F, F->Letter, Arguments);
}

//===----------------------------------------------------------------------===//
// Displays
//===----------------------------------------------------------------------===//

void DebugSession::showDisplays() {
  for (const Display &D : Displays) {
    std::string Head = std::to_string(D.Number) + ": ";
    if (D.IsMemory) {
      print(Head + "x " + D.Text + "\n");
      if (Error E = examine(D.F, D.F.Letter, D.Text))
        print(toString(std::move(E)) + "\n");
      continue;
    }
    Expected<Value> V = evaluate(D.Text);
    print(Head + D.Text + " = " +
          (V ? formatValue(*V, D.F)
             : "<error: " + toString(V.takeError()) + ">") +
          "\n");
  }
}

Error DebugSession::commandDisplay(StringRef Arguments) {
  std::string Command =
      ("display" + Twine(Arguments.starts_with("/") ? "" : " ") + Arguments)
          .str();
  Expected<Format> F = takeFormat(Arguments, ExamineLetters);
  if (!F)
    return F.takeError();
  if (Arguments.empty()) {
    showDisplays();
    return Error::success();
  }
  Expected<Expression> E = Expression::parse(Arguments, Types);
  if (!E)
    return E.takeError();
  Display D;
  D.Number = ++LastDisplay;
  D.F = *F;
  D.IsMemory = F->Letter == 'i' || F->Letter == 's';
  D.Text = Arguments.str();
  D.Command = std::move(Command);
  Displays.push_back(D);
  if (!Grid || IsOver)
    return Error::success();
  std::vector<Display> Others;
  std::swap(Others, Displays);
  Displays.push_back(D);
  showDisplays();
  Displays = std::move(Others);
  return Error::success();
}

Error DebugSession::commandUndisplay(StringRef Arguments) {
  unsigned Number = 0;
  if (Arguments.empty()) {
    Displays.clear();
    return Error::success();
  }
  if (Arguments.getAsInteger(10, Number))
    return createStringError("undisplay takes a number");
  size_t Before = Displays.size();
  erase_if(Displays, [&](const Display &D) { return D.Number == Number; });
  if (Displays.size() == Before)
    return createStringError("there is no display " + Twine(Number));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// A line of `info registers`.
static std::string registerLine(StringRef Name, const Value &V) {
  std::string Text =
      (Name + std::string(Name.size() < 15 ? 15 - Name.size() : 1, ' ')).str();
  Format Hex, Number;
  Hex.Letter = 'x';
  Number.Letter = 'd';
  std::string Bits = formatValue(V, Hex);
  return Text + Bits +
         std::string(Bits.size() < 19 ? 19 - Bits.size() : 1, ' ') +
         formatValue(V, V.Of->IsBool ? Format() : Number) + "\n";
}

Error DebugSession::showRegister(StringRef Name) {
  Name.consume_front("$");
  ThreadScope S(*this, At);
  Expected<Value> V = S.lookupConvenience(Name);
  if (!V) {
    consumeError(V.takeError());
    return createStringError("Invalid register `" + Name + "'");
  }
  std::string Line = registerLine(Name, *V);
  if (Name == "pc")
    Line.insert(Line.size() - 1,
                " <" + Code->describe(*Code->pcAt(V->integer())) + ">");
  print(Line);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

Error DebugSession::commandSet(StringRef Arguments) {
  auto [Word, Rest] = splitWord(Arguments);
  auto [Second, Value] = splitWord(Rest);
  if (Word == "var" || Word == "variable") {
    Arguments = Rest;
  } else if (Word == "cuda" && Second == "break_on_launch") {
    if (Value != "none" && Value != "application" && Value != "all")
      return createStringError("break_on_launch is one of none, application "
                               "and all");
    BreakOnLaunch = Value != "none";
    return Error::success();
  } else if (Word == "scheduler-locking") {
    if (Rest != "on" && Rest != "off" && Rest != "step")
      return createStringError("scheduler-locking is on or off");
    FreezesOthers = Rest != "off";
    return Error::success();
  } else if (Word == "lines") {
    if (Rest != "ptx" && Rest != "source")
      return createStringError("lines are those of: ptx, source");
    std::lock_guard Lock(StateMutex);
    ShowsPTX = Rest == "ptx";
    for (const auto &M : Modules)
      M->showPTX(ShowsPTX);
    return Error::success();
  } else if (Word == "breakpoint-number") { // Of the next; for definitions.
    unsigned Next;
    if (Rest.getAsInteger(10, Next) || !Next)
      return createStringError("breakpoint-number is a number from 1 on");
    LastBreakpoint = Next - 1;
    return Error::success();
  } else if (Word == "listsize") {
    unsigned Size;
    if (Rest.getAsInteger(10, Size) || !Size)
      return createStringError("listsize is a number from 1 on");
    ListSize = Size;
    return Error::success();
  } else if (is_contained({"confirm", "pagination", "height", "width"}, Word)) {
    return Error::success(); // Nothing is asked, and nothing broken into pages.
  }
  Expected<Expression> E = Expression::parse(Arguments, Types);
  if (!E)
    return E.takeError();
  if (!E->assigns())
    return createStringError("set takes an assignment, or the name of a "
                             "setting; see help set");
  ThreadScope S(*this, At);
  return E->evaluate(S).takeError();
}

Error DebugSession::commandShow(StringRef Arguments) {
  if (Arguments == "cuda break_on_launch")
    print(BreakOnLaunch ? "all\n" : "none\n");
  else if (Arguments == "scheduler-locking")
    print(FreezesOthers ? "on\n" : "off\n");
  else if (Arguments == "lines")
    print(ShowsPTX ? "ptx\n" : "source\n");
  else if (Arguments == "listsize")
    print(Twine(ListSize) + "\n");
  else if (Arguments == "convenience")
    for (const auto &[Name, V] : Convenience)
      print("$" + Name + " = " + formatValue(V) + "\n");
  else
    return createStringError("show takes: cuda break_on_launch, "
                             "scheduler-locking, lines, listsize, convenience");
  return Error::success();
}

Error DebugSession::commandSource(StringRef Arguments) {
  auto Buffer = MemoryBuffer::getFile(Arguments, /*IsText=*/true);
  if (!Buffer)
    return createStringError(Arguments + ": " + Buffer.getError().message());
  SmallVector<StringRef> Lines;
  (*Buffer)->getBuffer().split(Lines, '\n');
  for (StringRef Line : reverse(Lines))
    if (!Line.trim().empty())
      Pending.push_back(Line.str());
  return Error::success();
}

} // namespace heddle::debug
