//===- EmbeddedFile.cpp - Files in the values of options --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files of any bytes as text that command lines and options files can hold, so
// that helper processes and reproducers have them.
//
//===----------------------------------------------------------------------===//

#include "heddle/Options/CompileOptions.h"

#include <array>

namespace heddle {

static constexpr std::string_view Start = "data:", Middle = ";base64,",
                                  Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                           "abcdefghijklmnopqrstuvwxyz"
                                           "0123456789+/";
static constexpr unsigned DigitBits = 6;

/// Blanks and quotes separate and group arguments in options files.
static std::string withoutSeparators(std::string_view Name) {
  std::string Result(Name);
  for (char &C : Result)
    if (C <= ' ' || C == '"' || C == '\'')
      C = '_';
  return Result;
}

std::string encodeEmbeddedFile(const EmbeddedFile &File) {
  std::string Text(Start);
  Text += withoutSeparators(File.Name);
  Text += Middle;
  uint32_t Bits = 0;
  unsigned Count = 0;
  auto Put = [&] { Text += Digits[Bits >> Count & ((1u << DigitBits) - 1)]; };
  for (unsigned char Byte : File.Bytes) {
    Bits = Bits << 8 | Byte;
    for (Count += 8; Count >= DigitBits;) {
      Count -= DigitBits;
      Put();
    }
  }
  if (Count != 0) {
    Bits <<= DigitBits - Count;
    Count = 0;
    Put();
  }
  while ((Text.size() - Text.rfind(',') - 1) % 4)
    Text += '=';
  return Text;
}

std::optional<EmbeddedFile> decodeEmbeddedFile(std::string_view Text) {
  size_t At = Text.rfind(Middle);
  if (!Text.starts_with(Start) || At == std::string_view::npos)
    return std::nullopt;
  EmbeddedFile File{std::string(Text.substr(Start.size(), At - Start.size())),
                    {}};
  std::array<int8_t, 256> Values;
  Values.fill(-1);
  for (size_t I = 0; I != Digits.size(); ++I)
    Values[static_cast<unsigned char>(Digits[I])] = static_cast<int8_t>(I);
  std::string_view Body = Text.substr(At + Middle.size());
  Body = Body.substr(0, Body.find('='));
  uint32_t Bits = 0;
  unsigned Count = 0;
  for (unsigned char C : Body) {
    if (Values[C] < 0)
      return std::nullopt;
    Bits = Bits << DigitBits | static_cast<uint32_t>(Values[C]);
    Count += DigitBits;
    if (Count >= 8) {
      Count -= 8;
      File.Bytes += static_cast<char>(Bits >> Count);
    }
  }
  return File;
}

} // namespace heddle
