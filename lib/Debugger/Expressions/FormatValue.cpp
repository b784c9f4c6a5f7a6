//===- FormatValue.cpp - Values as text -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints values and types as gdb does.
//
//===----------------------------------------------------------------------===//

#include "Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace llvm;

namespace heddle::debug {

std::string formatFloat(double Number, unsigned Bytes) {
  if (std::isnan(Number))
    return std::signbit(Number) ? "-nan" : "nan";
  if (std::isinf(Number))
    return Number < 0 ? "-inf" : "inf";
  // The shortest text that is the same number, without an exponent as far as
  // %g of that type would have none.
  int Most = Bytes == 8 ? 17 : Bytes == 4 ? 9 : 5;
  int Digits = 1;
  char Buffer[40];
  for (; Digits < Most; ++Digits) {
    std::snprintf(Buffer, sizeof(Buffer), "%.*g", Digits, Number);
    double Back = std::strtod(Buffer, nullptr);
    if (Bytes == 8 ? Back == Number : float(Back) == float(Number))
      break;
  }
  if (std::fabs(Number) >= 1)
    Digits = std::max(Digits,
                      std::min(Most, int(std::log10(std::fabs(Number))) + 1));
  std::snprintf(Buffer, sizeof(Buffer), "%.*g", Digits, Number);
  return Buffer;
}

/// A character as C writes it between quotes of a kind.
static std::string escaped(uint8_t C, char Quote) {
  if (C == '\n')
    return "\\n";
  if (C == '\t')
    return "\\t";
  if (C == '\\' || C == uint8_t(Quote))
    return {'\\', char(C)};
  if (isPrint(C))
    return {char(C)};
  char Buffer[8];
  std::snprintf(Buffer, sizeof(Buffer), "\\%03o", C);
  return Buffer;
}

static std::string quoted(uint8_t C) { return "'" + escaped(C, '\'') + "'"; }

constexpr uint64_t LeastRepeats = 10;

std::string formatString(ArrayRef<uint8_t> Characters, bool IsCut) {
  std::string Text;
  bool IsOpen = false; // A literal has no end yet.
  for (size_t N = 0; N < Characters.size();) {
    size_t Same = 1;
    while (N + Same < Characters.size() &&
           Characters[N + Same] == Characters[N])
      ++Same;
    bool Repeats = Same >= LeastRepeats;
    if (IsOpen && Repeats)
      Text += '"';
    if (!Text.empty() && (Repeats || !IsOpen))
      Text += ", ";
    if (Repeats)
      Text += quoted(Characters[N]) + " <repeats " + std::to_string(Same) +
              " times>";
    else if (!IsOpen)
      Text += '"';
    IsOpen = !Repeats;
    for (size_t Left = Repeats ? 0 : Same; Left; --Left)
      Text += escaped(Characters[N], '"');
    N += Same;
  }
  if (Text.empty())
    Text = "\"\"";
  return Text + (IsOpen ? "\"" : "") + (IsCut ? "..." : "");
}

static std::string inBase(uint64_t Bits, unsigned Base) {
  if (Bits == 0)
    return "0";
  std::string Text;
  for (; Bits; Bits /= Base)
    Text += hexdigit(Bits % Base, /*LowerCase=*/true);
  return {Text.rbegin(), Text.rend()};
}

/// The bits of a scalar in a format that takes them as an integer.
static std::string formatBits(const Value &V, char Letter) {
  uint64_t Bits = bitsOf(V.Bytes);
  switch (Letter) {
  case 'x':
  case 'a':
    return "0x" + inBase(Bits, 16);
  case 'z': {
    std::string Digits = inBase(Bits, 16);
    return "0x" + std::string(2 * V.Of->Size - Digits.size(), '0') + Digits;
  }
  case 'o':
    return Bits ? "0" + inBase(Bits, 8) : "0";
  case 't':
    return inBase(Bits, 2);
  case 'u':
    return std::to_string(Bits);
  case 'c': {
    int64_t Number = V.Of->Signed ? int64_t(V.integer()) : int64_t(Bits);
    return std::to_string(Number) + " " + quoted(uint8_t(Bits));
  }
  default: { // d
    unsigned Unused = 64 - 8 * V.Of->Size;
    return std::to_string(int64_t(Bits << Unused) >> Unused);
  }
  }
}

/// A scalar without a format.
static std::string formatPlain(const Value &V) {
  const Type &T = *V.Of;
  if (T.Kind == Type::Float)
    return formatFloat(V.number(), T.Size);
  if (T.IsReference)
    return "@0x" + inBase(V.integer(), 16);
  if (T.Kind == Type::Pointer)
    return "(" + T.Name + ") 0x" + inBase(V.integer(), 16);
  for (const auto &[Name, Number] : T.Enumerators)
    if (uint64_t(Number) == V.integer())
      return Name;
  if (T.IsBool)
    return V.integer() == 1   ? "true"
           : V.integer() == 0 ? "false"
                              : std::to_string(V.integer());
  if (T.IsChar)
    return formatBits(V, 'c');
  return T.Signed ? std::to_string(int64_t(V.integer()))
                  : std::to_string(V.integer());
}

static std::string formatScalar(const Value &V, char Letter) {
  const Type &T = *V.Of;
  if (Letter == 'f' && T.Size >= 2) {
    Type Float = T;
    if (T.Kind != Type::Float)
      Float.IsBFloat = false;
    Float.Kind = Type::Float;
    Value AsFloat = V;
    AsFloat.Of = &Float;
    return formatFloat(AsFloat.number(), T.Size);
  }
  if (!Letter || Letter == 'f' || Letter == 's')
    return formatPlain(V);
  return formatBits(V, Letter);
}

static std::string formatAt(const Value &V, const Format &F, unsigned Indent);

static bool isSame(const Value &A, const Value &B) {
  return A.Bytes == B.Bytes && A.Lost == B.Lost;
}

/// An array of characters; the zero that ends it is not shown.
static std::string formatCharacters(const Value &V, const Format &F) {
  ArrayRef<uint8_t> All = V.Bytes;
  bool IsCut = All.size() > F.Elements;
  if (IsCut)
    All = All.take_front(F.Elements);
  else if (!All.empty() && All.back() == 0)
    All = All.drop_back();
  return formatString(All, IsCut);
}

static std::string formatArray(const Value &V, const Format &F,
                               unsigned Indent) {
  const Type &T = *V.Of;
  bool IsString = T.Element->IsChar && T.Element->Size == 1 && T.Count &&
                  V.isComplete() && (!F.Letter || F.Letter == 's');
  if (IsString)
    return formatCharacters(V, F);
  std::string Text = "{";
  uint64_t Shown = 0, N = 0;
  for (; N < T.Count && Shown < F.Elements; ++Shown) {
    Value E = elementOf(V, N);
    uint64_t Same = 1;
    while (N + Same < T.Count && isSame(elementOf(V, N + Same), E))
      ++Same;
    Text += (N ? ", " : "") + formatAt(E, F, Indent);
    if (Same >= LeastRepeats)
      Text += " <repeats " + std::to_string(Same) + " times>";
    N += Same >= LeastRepeats ? Same : 1;
  }
  return Text + (N < T.Count ? "..." : "") + "}";
}

static std::string formatStruct(const Value &V, const Format &F,
                                unsigned Indent) {
  constexpr unsigned Step = 2;
  std::string Break =
      F.IsPretty ? "\n" + std::string(Indent + Step, ' ') : std::string();
  std::string Text = "{";
  for (const Type::Field &Field : V.Of->Fields) {
    bool IsPadding = Field.Bits && Field.Name.empty();
    if (IsPadding)
      continue;
    if (Text.size() > 1)
      Text += F.IsPretty ? "," : ", ";
    Text += Break;
    if (Field.IsBase)
      Text += "<" + Field.Name + "> = ";
    else if (!Field.Name.empty())
      Text += Field.Name + " = ";
    Text += formatAt(memberOf(V, Field), F, Indent + Step);
  }
  bool HasLines = F.IsPretty && Text.size() > 1;
  return Text + (HasLines ? "\n" + std::string(Indent, ' ') : "") + "}";
}

static std::string formatAt(const Value &V, const Format &F, unsigned Indent) {
  if (V.isLost() || (V.Of->isScalar() && !V.isComplete()))
    return OptimizedOut.str();
  switch (V.Of->Kind) {
  case Type::Void:
    return "void";
  case Type::Array:
    return formatArray(V, F, Indent);
  case Type::Struct:
    if (V.Of->AsNumber && V.isComplete())
      return formatScalar(asNumber(V), F.Letter);
    return formatStruct(V, F, Indent);
  default:
    return formatScalar(V, F.Letter);
  }
}

std::string formatValue(const Value &V, Format F) {
  return formatAt(V, F, /*Indent=*/0);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// `float position[3]`, `int (*function)(int)`.
static std::string declaration(const Type &T, StringRef Name) {
  StringRef Type = T.Name;
  if (size_t Star = Type.find("(*)"); Star != StringRef::npos)
    return (Type.take_front(Star + 2) + Name + Type.drop_front(Star + 2)).str();
  bool IsArray = T.Kind == debug::Type::Array && Type.contains(" [");
  StringRef Base = IsArray ? Type.take_front(Type.find(" [")) : Type;
  StringRef Dimensions =
      IsArray ? Type.drop_front(Base.size() + 1) : StringRef();
  bool NeedsSpace = !Base.ends_with("*") && !Name.empty();
  return (Base + (NeedsSpace ? " " : "") + Name + Dimensions).str();
}

/// The members of a structure between braces; those of one without a name
/// within it, too.
static std::string membersOf(const Type &T, unsigned Indent) {
  constexpr unsigned Step = 4;
  std::string Text = "{\n";
  for (const Type::Field &F : T.Fields) {
    if (F.IsBase)
      continue;
    bool IsUnnamed =
        StringRef(F.Of->Name).ends_with(" {...}") && F.Of->Kind == Type::Struct;
    Text += std::string(Indent + Step, ' ');
    if (IsUnnamed)
      Text += F.Of->Tag + " " + membersOf(*F.Of, Indent + Step) +
              (F.Name.empty() ? "" : " ") + F.Name;
    else
      Text += declaration(*F.Of, F.Name) +
              (F.Bits ? " : " + std::to_string(F.Bits) : std::string());
    Text += ";\n";
  }
  return Text + std::string(Indent, ' ') + "}";
}

std::string describeType(const Type &T) {
  if (T.Aliased)
    return describeType(*T.Aliased);
  if (T.Kind != Type::Struct && T.Enumerators.empty())
    return T.Name;
  // The tag stands behind `const`.
  size_t Qualified = T.Name.starts_with("const ")      ? 6
                     : T.Name.starts_with("volatile ") ? 9
                                                       : 0;
  std::string Text = T.Tag.empty() ? T.Name
                                   : T.Name.substr(0, Qualified) + T.Tag + " " +
                                         T.Name.substr(Qualified);
  if (!T.Enumerators.empty()) {
    Text += " {";
    int64_t Next = 0;
    for (const auto &[Name, Number] : T.Enumerators) {
      Text += (Text.back() == '{' ? "" : ", ") + Name;
      if (Number != Next)
        Text += " = " + std::to_string(Number);
      Next = Number + 1;
    }
    return Text + "}";
  }
  bool HasBase = false;
  for (const Type::Field &F : T.Fields)
    if (F.IsBase) {
      Text += (HasBase ? ", " : " : ") + F.Name;
      HasBase = true;
    }
  return Text + " " + membersOf(T, /*Indent=*/0);
}

} // namespace heddle::debug
