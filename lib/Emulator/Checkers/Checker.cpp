//===- Checker.cpp - Optional checks of what kernels do ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of checks, and what makes their checkers.
//
//===----------------------------------------------------------------------===//

#include "Checkers/Checker.h"
#include "CTA.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle::emu {

namespace {

struct CheckRow {
  CheckKind Kind;
  StringLiteral Name;
};
constexpr CheckRow Rows[] = {
#define HEDDLE_CHECK(Enumerator, Name, Meaning) {CheckKind::Enumerator, Name},
#include "heddle/Emulator/Checks.def"
};

} // namespace

Expected<CheckSet> CheckSet::parse(StringRef Names) {
  CheckSet Result;
  SmallVector<StringRef> List;
  Names.split(List, ',');
  for (StringRef Name : List) {
    const CheckRow *Found = nullptr;
    std::string Known;
    for (const CheckRow &Row : Rows) {
      Found = Row.Name == Name ? &Row : Found;
      Known += (Known.empty() ? "" : ", ") + Row.Name.str();
    }
    if (!Found)
      return createStringError("unknown check '" + Name + "' (known: " + Known +
                               ")");
    Result.add(Found->Kind);
  }
  return Result;
}

std::string describePC(const LoadedCode &Code, uint32_t PC) {
  std::string Text;
  raw_string_ostream OS(Text);
  const CodeSection *S = Code.Image.sectionOf(PC);
  uint64_t Offset = Code.Image.offsetInSection(PC);
  OS << "PC " << format_hex(Offset, 6);
  if (S)
    if (auto Line = Code.Lines.lookup(S->ObjectSection, Offset))
      OS << " (" << Line->File << ":" << Line->Line << ")";
  return Text;
}

std::vector<std::unique_ptr<Checker>> makeCheckers(const CheckSet &Checks,
                                                   const Cluster &C) {
  std::vector<std::unique_ptr<Checker>> Result;
#define HEDDLE_CHECK(Enumerator, Name, Meaning)
#define HEDDLE_CLUSTER_CHECK(Enumerator, Name, Meaning)                        \
  if (Checks.contains(CheckKind::Enumerator))                                  \
    Result.push_back(make##Enumerator##Checker(C));
#include "heddle/Emulator/Checks.def"
  return Result;
}

} // namespace heddle::emu
