//===- Names.cpp - Names as people write them -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes demangled names apart.
//
//===----------------------------------------------------------------------===//

#include "Names.h"
#include "heddle/Object/SourceFrames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::debug {

static bool isWordPart(char C) { return isAlnum(C) || C == '_'; }

/// How many characters `operator` and what it names take there; 0 if it does
/// not stand there.
static size_t operatorAt(StringRef Name, size_t At) {
  constexpr StringLiteral Word = "operator";
  StringRef Rest = Name.substr(At);
  if (!Rest.consume_front(Word) || (At && isWordPart(Name[At - 1])) ||
      (!Rest.empty() && isWordPart(Rest.front())))
    return 0;
  size_t Size =
      Rest.starts_with("()") || Rest.starts_with("[]")
          ? 2
          : Rest.take_while([](char C) { return !isWordPart(C) && C != '('; })
                .size();
  return Word.size() + Size;
}

namespace {

/// Where the parts of a demangled name are.
struct NameParts {
  size_t Begin = 0; ///< Behind the type of the result.
  size_t End;       ///< In front of the parameters.
};

} // namespace

static NameParts partsOf(StringRef Name) {
  NameParts P;
  P.End = Name.size();
  size_t Depth = 0;
  bool HasOperator = false;
  for (size_t N = 0; N < Name.size(); ++N) {
    if (size_t Size = Depth ? 0 : operatorAt(Name, N)) {
      HasOperator = true;
      N += Size - 1;
      continue;
    }
    char C = Name[N];
    // Parameters of a function that something is within, and `(anonymous
    // namespace)`, have a name behind them.
    if (!Depth && C == '(')
      P.End = N;
    if (!Depth && C == ':')
      P.End = Name.size();
    if (!Depth && C == ' ' && !HasOperator && P.End == Name.size())
      P.Begin = N + 1;
    Depth += C == '<' || C == '(' || C == '{';
    Depth -= (C == '>' || C == ')' || C == '}') && Depth;
  }
  return P;
}

StringRef withoutResult(StringRef Name) {
  return Name.drop_front(partsOf(Name).Begin);
}

StringRef plainName(StringRef Name) {
  NameParts P = partsOf(Name);
  return Name.slice(P.Begin, P.End);
}

std::string sourceName(StringRef Name) {
  if (!Name.starts_with("_Z"))
    return Name.str();
  std::string Result = functionName(Name);
  // A type without a name.
  bool IsUnnamed = StringRef(Result).ends_with("'");
  return IsUnnamed ? std::string() : Result;
}

static std::string withoutSpaces(StringRef Name) {
  std::string Result = Name.str();
  erase(Result, ' ');
  return Result;
}

bool isMeant(StringRef Name, StringRef Wanted) {
  if (Name == Wanted)
    return true;
  Wanted.consume_front("::");
  std::string Full = withoutSpaces(Name), Part = withoutSpaces(Wanted);
  StringRef Scope = Full;
  return Full == Part ||
         (!Part.empty() && Scope.consume_back(Part) && Scope.ends_with("::"));
}

} // namespace heddle::debug
