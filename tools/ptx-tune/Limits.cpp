//===- Limits.cpp - What the code of a kernel may take ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limits once, in a table; and what a code object says of a kernel.
//
//===----------------------------------------------------------------------===//

#include "Limits.h"
#include "heddle/Object/ObjectFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace llvm;

namespace heddle::tune {

static constexpr LimitInfo Table[] = {
    {LimitKind::Registers, "registers", "registers", "--max-registers"},
    {LimitKind::CodeBytes, "code_bytes", "bytes of code", "--max-code-bytes"},
    {LimitKind::CompileTime, "compile_time", "compile time",
     "--max-compile-time"},
};

ArrayRef<LimitInfo> limitTable() { return Table; }

std::optional<LimitKind> findLimit(StringRef Name) {
  for (const LimitInfo &Row : Table)
    if (Row.Name == Name)
      return Row.Kind;
  return std::nullopt;
}

std::string TimeLimit::str() const {
  return formatv("{0}{1}", json::Value(Value), IsRelative ? "x" : "");
}

void CodeFigures::raiseTo(const CodeFigures &Other) {
  Registers = std::max(Registers, Other.Registers);
  CodeBytes = std::max(CodeBytes, Other.CodeBytes);
}

/// The bytes of code in \p Start and in all sections that it reaches: each that
/// defines a symbol which a relocation of such a section names.
static uint64_t codeReachedFrom(const ObjectFile &Object, uint32_t Start) {
  SmallVector<uint32_t> Pending{Start};
  std::vector<bool> IsReached(Object.sections().size());
  IsReached[Start] = true;
  uint64_t Bytes = 0;
  while (!Pending.empty()) {
    uint32_t Index = Pending.pop_back_val();
    const Section &S = Object.sections()[Index];
    if (S.Kind == LoadKind::Text)
      Bytes += S.Size;
    for (const Relocation &R : Object.relocations(Index)) {
      std::optional<uint32_t> To = Object.symbols()[R.Symbol].Section;
      if (!To || IsReached[*To])
        continue;
      IsReached[*To] = true;
      Pending.push_back(*To);
    }
  }
  return Bytes;
}

Expected<CodeFigures> figuresOf(ArrayRef<uint8_t> Bytes, StringRef Kernel) {
  Expected<ObjectFile> Object = ObjectFile::create(Bytes);
  if (!Object)
    return Object.takeError();
  const heddle::Kernel *K = Object->findKernel(Kernel);
  if (!K)
    return createStringError("the code has no kernel '" + Kernel + "'");
  return CodeFigures{K->Metadata->Registers,
                     codeReachedFrom(*Object, K->Section)};
}

/// A whole number above 0.
static Error readCount(StringRef Text, std::optional<uint64_t> &Field) {
  uint64_t Number;
  if (Text.getAsInteger(10, Number) || Number == 0)
    return createStringError("takes a whole number above 0, not '" + Text +
                             "'");
  Field = Number;
  return Error::success();
}

static Error readTime(StringRef Text, std::optional<TimeLimit> &Field) {
  TimeLimit L;
  StringRef Number = Text;
  L.IsRelative = Number.consume_back("x");
  if (Number.getAsDouble(L.Value) || !std::isfinite(L.Value) ||
      !(L.Value > (L.IsRelative ? 1 : 0)))
    return createStringError(
        "takes milliseconds above 0, such as 250, or how many times what the "
        "untuned compilation takes, above 1, such as 1.5x; not '" +
        Text + "'");
  Field = L;
  return Error::success();
}

Error Limits::set(LimitKind Kind, StringRef Text) {
  switch (Kind) {
  case LimitKind::Registers:
    return readCount(Text, Registers);
  case LimitKind::CodeBytes:
    return readCount(Text, CodeBytes);
  case LimitKind::CompileTime:
    return readTime(Text, Time);
  }
  return Error::success();
}

std::optional<std::string> Limits::text(LimitKind Kind) const {
  switch (Kind) {
  case LimitKind::Registers:
    return Registers ? std::optional(std::to_string(*Registers)) : std::nullopt;
  case LimitKind::CodeBytes:
    return CodeBytes ? std::optional(std::to_string(*CodeBytes)) : std::nullopt;
  case LimitKind::CompileTime:
    return Time ? std::optional(Time->str()) : std::nullopt;
  }
  return std::nullopt;
}

std::vector<Excess> Limits::excessOf(const CodeFigures &F) const {
  std::vector<Excess> Result;
  auto Check = [&](LimitKind Kind, const std::optional<uint64_t> &Most,
                   uint64_t Found) {
    if (Most && Found > *Most)
      Result.push_back({Kind, formatv("over the limit on {0}: {1} of {2}",
                                      limitInfo(Kind).What, Found, *Most)});
  };
  Check(LimitKind::Registers, Registers, F.Registers);
  Check(LimitKind::CodeBytes, CodeBytes, F.CodeBytes);
  return Result;
}

std::string Limits::str() const {
  std::string Options;
  for (const LimitInfo &Row : Table)
    if (std::optional<std::string> Value = text(Row.Kind))
      Options +=
          formatv("{0}{1} {2}", Options.empty() ? "" : " ", Row.Option, *Value);
  return Options;
}

json::Object Limits::toJSON() const {
  json::Object O;
  for (const LimitInfo &Row : Table)
    if (std::optional<std::string> Value = text(Row.Kind))
      O[Row.Name] = *Value;
  return O;
}

Expected<Limits> Limits::fromJSON(const json::Object &O) {
  Limits L;
  for (const auto &[Name, Value] : O) {
    std::optional<LimitKind> Kind = findLimit(Name);
    std::optional<StringRef> Text = Value.getAsString();
    if (!Kind || !Text)
      return createStringError("unknown limit '" + StringRef(Name) + "'");
    if (Error E = L.set(*Kind, *Text))
      return createStringError("limit '" + StringRef(Name) + "' " +
                               toString(std::move(E)));
  }
  return L;
}

} // namespace heddle::tune
