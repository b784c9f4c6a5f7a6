//===- Data.cpp - Values, memory and registers ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints and changes what the thread in focus has: print, x, display, info
// registers.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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

static constexpr StringLiteral PrintLetters = "duxotcfazs",
                               ExamineLetters = "duxotcfazis";

/// Reads characters up to a zero, or as many as are shown.
Expected<std::string> DebugSession::stringAt(MemorySpace Space,
                                             uint64_t &Address) {
  ThreadScope S(*this, At);
  SmallVector<uint8_t> Characters;
  while (Characters.size() < MostElements) {
    Expected<Value> C = S.load(Types.Char, Space, Address);
    if (!C)
      return C.takeError();
    ++Address;
    if (C->Bytes[0] == 0)
      return formatString(Characters, /*IsCut=*/false);
    Characters.push_back(C->Bytes[0]);
  }
  return formatString(Characters, /*IsCut=*/true);
}

std::string DebugSession::valueText(const Value &V, Format F) {
  F.Elements = MostElements;
  F.IsPretty = PrintsPretty;
  bool IsString = V.Of->Kind == Type::Pointer && !V.Of->IsReference &&
                  V.Of->Element->IsChar && V.Of->Element->Size == 1 &&
                  V.isComplete() && (!F.Letter || F.Letter == 's');
  if (!IsString)
    return formatValue(V, F);
  uint64_t Address = V.integer();
  std::string Text = "0x" + utohexstr(Address, /*LowerCase=*/true);
  if (!Address && V.Of->Space == MemorySpace::Generic)
    return Text;
  Expected<std::string> Characters = stringAt(V.Of->Space, Address);
  if (!Characters)
    return Text + " <error: " + toString(Characters.takeError()) + ">";
  return Text + " " + *Characters;
}

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
  print("$" + Twine(History.size()) + " = " + valueText(*V, *F) + "\n");
  return Error::success();
}

Error DebugSession::commandOutput(StringRef Arguments) {
  Expected<Format> F = takeFormat(Arguments, PrintLetters);
  if (!F)
    return F.takeError();
  Expected<Value> V = evaluate(Arguments);
  if (!V)
    return V.takeError();
  print(valueText(*V, *F));
  return Error::success();
}

/// The type that is named, or that an expression has. Null: nobody knows it.
Expected<const Type *> DebugSession::typeOf(StringRef Text) {
  if (const Type *Declared = declaredType(Text))
    return Declared;
  if (const Type *Named = Expression::parseType(Text, Types))
    return Named;
  Expected<Value> V = evaluate(Text);
  if (!V)
    return V.takeError();
  return hasNoType(*V) ? nullptr : V->Of;
}

Error DebugSession::commandPtype(StringRef Arguments) {
  Expected<const Type *> T = typeOf(Arguments);
  if (!T)
    return T.takeError();
  print("type = " +
        (*T ? describeType(**T) : "<data variable, no debug info>") + "\n");
  return Error::success();
}

Error DebugSession::commandWhatis(StringRef Arguments) {
  Expected<const Type *> T = typeOf(Arguments);
  if (!T)
    return T.takeError();
  print("type = " + (*T ? (*T)->Name : "<data variable, no debug info>") +
        "\n");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Error DebugSession::examineCode(uint64_t Count, const Value &At) {
  auto PC = Code->pcAt(At.integer());
  if (!PC)
    return createStringError("no instruction begins at 0x" +
                             utohexstr(At.integer(), /*LowerCase=*/true));
  uint64_t N = 0;
  for (; N < Count && Code->code().blockOf(*PC + N); ++N)
    print(instructionLine(*PC + N, *PC + N == pcOfFocus()));
  if (Code->code().blockOf(*PC + N))
    NextExamined = makeInteger(At.Of, Code->addressOf(*PC + N));
  return Error::success();
}

Error DebugSession::examineStrings(uint64_t Count, const Value &At) {
  uint64_t Address = At.integer();
  MemorySpace Space =
      At.Of->Kind == Type::Pointer ? At.Of->Space : MemorySpace::Generic;
  for (uint64_t N = 0; N < Count; ++N) {
    std::string Line = "0x" + utohexstr(Address, true) + ":\t";
    Expected<std::string> Text = stringAt(Space, Address);
    if (!Text)
      return Text.takeError();
    print(Line + *Text + "\n");
  }
  NextExamined = makeInteger(At.Of, Address);
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
  NextExamined =
      makeInteger(At.Of, At.integer() + F.Count * stepOf(Space, Bytes));
  return Error::success();
}

/// Shows memory at an address, or, without one, behind what was shown last.
Error DebugSession::examine(const Format &F, StringRef Text) {
  if (Text.empty() && !NextExamined)
    return createStringError("x takes an address");
  Expected<Value> V = Text.empty() ? *NextExamined : evaluate(Text);
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
  if (F.Letter == 'i')
    return examineCode(F.Count, Address);
  if (F.Letter == 's')
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
  LastExamine = *F;
  return examine(*F, Arguments);
}

//===----------------------------------------------------------------------===//
// Displays
//===----------------------------------------------------------------------===//

void DebugSession::showDisplays() {
  for (const Display &D : Displays) {
    std::string Head = std::to_string(D.Number) + ": ";
    if (D.IsMemory) {
      print(Head + "x/" +
            (D.F.Count > 1 ? std::to_string(D.F.Count) : std::string()) +
            D.F.Letter + " " + D.Text + "\n");
      if (Error E = examine(D.F, D.Text))
        print(toString(std::move(E)) + "\n");
      continue;
    }
    Expected<Value> V = evaluate(D.Text);
    print(
        Head + D.Text + " = " +
        (V ? valueText(*V, D.F) : "<error: " + toString(V.takeError()) + ">") +
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
  if (Arguments.empty())
    Displays.clear();
  Expected<std::vector<unsigned>> Numbers = readNumbers(Arguments, "display");
  if (!Numbers)
    return Numbers.takeError();
  for (unsigned Number : *Numbers) {
    size_t Before = Displays.size();
    erase_if(Displays, [&](const Display &D) { return D.Number == Number; });
    if (Displays.size() == Before)
      return createStringError("there is no display " + Twine(Number));
  }
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

} // namespace heddle::debug
