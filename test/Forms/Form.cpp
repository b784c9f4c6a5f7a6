//===- Form.cpp - Lists of forms --------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adding forms, and the list of families.
//
//===----------------------------------------------------------------------===//

#include "Form.h"
#include "Families.h"

using namespace heddle;
using namespace heddle::forms;

static std::string plainText(const std::string &Mnemonic, size_t NumResults,
                             size_t NumSources) {
  std::string Text = Mnemonic;
  const char *Separator = " ";
  for (size_t N = 0; N != NumResults; ++N, Separator = ", ")
    Text += Separator + ("$d" + std::to_string(N));
  for (size_t N = 0; N != NumSources; ++N)
    Text += ", $s" + std::to_string(N);
  return Text + ";";
}

Form &FormList::add(std::string Mnemonic, std::vector<Source> Sources,
                    std::vector<Result> Results, Reference Expected) {
  std::string Text = plainText(Mnemonic, Results.size(), Sources.size());
  return addText(std::move(Mnemonic), std::move(Text), std::move(Sources),
                 std::move(Results), std::move(Expected));
}

Form &FormList::addText(std::string Name, std::string Text,
                        std::vector<Source> Sources,
                        std::vector<Result> Results, Reference Expected) {
  Form F;
  F.Name = std::move(Name);
  F.Text = std::move(Text);
  F.Sources = std::move(Sources);
  F.Results = std::move(Results);
  F.Expected = std::move(Expected);
  Forms.push_back(std::move(F));
  return Forms.back();
}

Form &FormList::addJudged(std::string Mnemonic, std::vector<Source> Sources,
                          std::vector<Result> Results, Judge Accepts) {
  Form &F =
      add(std::move(Mnemonic), std::move(Sources), std::move(Results), nullptr);
  F.Accepts = std::move(Accepts);
  return F;
}

const std::vector<Family> &forms::families() {
  static const std::vector<Family> All = {
#define HEDDLE_FAMILY(Name, Function) {Name, Function},
#include "Families.def"
  };
  return All;
}
