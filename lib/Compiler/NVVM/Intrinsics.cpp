//===- Intrinsics.cpp - What intrinsics of NVVM stand for -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks names up in Intrinsics.def.
//
//===----------------------------------------------------------------------===//

#include "Import.h"

using namespace llvm;

namespace heddle::compiler::nvvm {

namespace {
struct Row {
  StringLiteral Name, Text;
};
} // namespace

static constexpr Row NVVMRows[] = {
#define HEDDLE_NVVM(Name, Text) {Name, Text},
#include "Intrinsics.def"
};
static constexpr Row LLVMRows[] = {
#define HEDDLE_LLVM(Name, Text) {Name, Text},
#include "Intrinsics.def"
};
static constexpr Row ContractRows[] = {
#define HEDDLE_CONTRACT(Name) {Name, ""},
#include "Intrinsics.def"
};

/// Whether a name is one that Pattern stands for; Groups becomes what its
/// braces stand for in the text.
static bool matches(StringRef Pattern, StringRef Name,
                    SmallVectorImpl<StringRef> &Groups) {
  size_t Brace = Pattern.find('{');
  if (Brace == StringRef::npos)
    return Pattern == Name;
  if (!Name.consume_front(Pattern.take_front(Brace)))
    return false;
  auto [Inner, Rest] = Pattern.drop_front(Brace + 1).split('}');
  SmallVector<StringRef> Choices;
  Inner.split(Choices, '|');
  for (StringRef Choice : Choices) {
    auto [Spelling, Meaning] = Choice.split('=');
    StringRef After = Name;
    if (!After.consume_front(Spelling))
      continue;
    Groups.push_back(Choice.contains('=') ? Meaning : Spelling);
    if (matches(Rest, After, Groups))
      return true;
    Groups.pop_back();
  }
  return false;
}

/// The text of the first row whose pattern stands for Name.
static std::optional<std::string> findRow(ArrayRef<Row> Rows, StringRef Name) {
  for (const Row &R : Rows) {
    SmallVector<StringRef> Groups;
    if (!matches(R.Name, Name, Groups))
      continue;
    std::string Text = R.Text.str();
    for (auto [I, Group] : enumerate(Groups)) {
      std::string Place = "<" + std::to_string(I + 1) + ">";
      for (size_t At; (At = Text.find(Place)) != std::string::npos;)
        Text.replace(At, Place.size(), Group);
    }
    return Text;
  }
  return std::nullopt;
}

Expected<std::optional<Snippet>> describeIntrinsic(const CallBase &Call) {
  StringRef Name = Call.getCalledFunction()->getName();
  Name.consume_front("llvm.");
  std::optional<std::string> Text;
  if (Name.consume_front("nvvm."))
    Text = findRow(NVVMRows, Name);
  else if (findRow(ContractRows, Name))
    return std::nullopt;
  else
    Text = findRow(LLVMRows, Name);
  if (!Text)
    return createStringError("intrinsic '" +
                             Call.getCalledFunction()->getName() +
                             "' is not supported");
  Snippet S;
  S.Text = std::move(*Text);
  S.Ties.assign(Call.arg_size(), -1);
  return S;
}

} // namespace heddle::compiler::nvvm
