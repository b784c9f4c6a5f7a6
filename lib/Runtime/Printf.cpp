//===- Printf.cpp - Formatting what kernels print ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits the format into conversions and hands each to the host.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/Printf.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace heddle::rt {

namespace {

/// A conversion specification: %[flags][width][.precision][length]letter.
struct Conversion {
  std::string Flags;
  std::optional<int> Width, Precision;
  unsigned Bytes = 4;  ///< Of an integer.
  unsigned Narrow = 0; ///< Bits to which hh and h narrow an integer.
  char Letter = 0;

  /// For the host, with Length before the letter.
  std::string spec(const char *Length) const {
    std::string S = "%" + Flags;
    if (Width)
      S += std::to_string(*Width);
    if (Precision)
      S += "." + std::to_string(*Precision);
    return S + Length + Letter;
  }
};

class Formatter {
public:
  Formatter(const std::string &Format, PrintfArguments &Arguments)
      : Format(Format), Arguments(Arguments) {}

  PrintfResult run();

private:
  std::optional<uint64_t> argument(unsigned Bytes);
  bool parse(Conversion &C);
  bool parseNumber(std::optional<int> &Number);
  void parseLength(Conversion &C);
  bool print(Conversion &C);
  bool printInteger(const Conversion &C, bool Signed);
  template <typename T> void append(const std::string &Spec, T Value);
  char peek() const { return Pos < Format.size() ? Format[Pos] : 0; }

  const std::string &Format;
  PrintfArguments &Arguments;
  size_t Pos = 0;
  PrintfResult Result;
};

PrintfResult Formatter::run() {
  while (Pos < Format.size()) {
    size_t Percent = std::min(Format.find('%', Pos), Format.size());
    Result.Text.append(Format, Pos, Percent - Pos);
    Pos = Percent;
    if (Pos == Format.size())
      break;
    size_t Start = Pos++;
    Conversion C;
    if (!parse(C))
      break;
    size_t End = Pos;
    if (C.Letter == 0 || !std::strchr("diuoxXcspfFeEgGaA%", C.Letter))
      Result.Text.append(Format, Start, End - Start);
    else if (!print(C))
      break;
  }
  return std::move(Result);
}

std::optional<uint64_t> Formatter::argument(unsigned Bytes) {
  std::optional<uint64_t> Value = Arguments.next(Bytes);
  Result.Arguments += Value.has_value();
  return Value;
}

/// False if an argument cannot be read.
bool Formatter::parse(Conversion &C) {
  while (peek() && std::strchr("-+ #0", peek()))
    C.Flags += Format[Pos++];
  if (!parseNumber(C.Width))
    return false;
  if (C.Width && *C.Width < 0) {
    C.Flags += '-';
    C.Width = -*C.Width;
  }
  if (peek() == '.') {
    ++Pos;
    if (!parseNumber(C.Precision))
      return false;
    // No digits mean zero; a negative precision means none.
    C.Precision = C.Precision.value_or(0);
    if (*C.Precision < 0)
      C.Precision.reset();
  }
  parseLength(C);
  C.Letter = peek();
  Pos += Pos < Format.size();
  return true;
}

bool Formatter::parseNumber(std::optional<int> &Number) {
  if (peek() == '*') {
    ++Pos;
    std::optional<uint64_t> Value = argument(4);
    if (!Value)
      return false;
    Number =
        std::clamp(static_cast<int>(*Value), -MaxPrintfWidth, MaxPrintfWidth);
    return true;
  }
  while (peek() >= '0' && peek() <= '9')
    Number = std::min(Number.value_or(0) * 10 + (Format[Pos++] - '0'),
                      MaxPrintfWidth);
  return true;
}

void Formatter::parseLength(Conversion &C) {
  // long, long long, intmax_t, size_t and ptrdiff_t all have 64 bits.
  for (; peek() && std::strchr("hljztL", peek()); ++Pos) {
    if (peek() == 'h')
      C.Narrow = C.Narrow == 16 ? 8 : 16;
    else
      C.Bytes = 8;
  }
}

template <typename T> void Formatter::append(const std::string &Spec, T Value) {
  int Length = std::snprintf(nullptr, 0, Spec.c_str(), Value);
  if (Length <= 0)
    return;
  std::string Text(Length + 1, 0);
  std::snprintf(Text.data(), Text.size(), Spec.c_str(), Value);
  Text.resize(Length);
  Result.Text += Text;
}

bool Formatter::printInteger(const Conversion &C, bool Signed) {
  std::optional<uint64_t> Value = argument(C.Bytes);
  if (!Value)
    return false;
  unsigned Bits = C.Narrow ? C.Narrow : C.Bytes * 8;
  uint64_t V = *Value << (64 - Bits);
  if (Signed)
    append(C.spec("ll"),
           static_cast<long long>(static_cast<int64_t>(V) >> (64 - Bits)));
  else
    append(C.spec("ll"), static_cast<unsigned long long>(V >> (64 - Bits)));
  return true;
}

/// False if an argument cannot be read.
bool Formatter::print(Conversion &C) {
  switch (C.Letter) {
  case '%':
    Result.Text += '%';
    return true;
  case 'd':
  case 'i':
    return printInteger(C, true);
  case 'u':
  case 'o':
  case 'x':
  case 'X':
    return printInteger(C, false);
  case 'c': {
    std::optional<uint64_t> Value = argument(4);
    if (Value)
      append(C.spec(""), static_cast<int>(*Value));
    return Value.has_value();
  }
  case 's': {
    std::optional<uint64_t> Value = argument(8);
    std::optional<std::string> Text;
    if (Value)
      Text = *Value ? Arguments.string(*Value) : std::string("(null)");
    if (Text)
      append(C.spec(""), Text->c_str());
    return Text.has_value();
  }
  case 'p': {
    std::optional<uint64_t> Value = argument(8);
    if (Value)
      append(C.spec(""), reinterpret_cast<void *>(*Value));
    return Value.has_value();
  }
  default: {
    std::optional<uint64_t> Value = argument(8);
    if (Value)
      append(C.spec(""), std::bit_cast<double>(*Value));
    return Value.has_value();
  }
  }
}

} // namespace

PrintfResult formatPrintf(const std::string &Format,
                          PrintfArguments &Arguments) {
  return Formatter(Format, Arguments).run();
}

} // namespace heddle::rt
