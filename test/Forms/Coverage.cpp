//===- Coverage.cpp - Scalar mnemonics without a form -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands the rows and compares mnemonics, their modifiers sorted.
//
//===----------------------------------------------------------------------===//

#include "Coverage.h"
#include "heddle/PTX/Tables.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::forms;
using namespace llvm;

/// Heads of mnemonics that compute registers from registers.
static constexpr StringLiteral ScalarHeads[] = {
    "abs",   "add",   "addc",  "and",    "bfe",      "bfi",       "bfind",
    "bmsk",  "brev",  "clmad", "clz",    "cnot",     "copysign",  "cos",
    "cvt",   "div",   "dp2a",  "dp4a",   "ex2",      "fma",       "fns",
    "lg2",   "lop3",  "mad",   "mad24",  "madc",     "max",       "min",
    "mul",   "mul24", "neg",   "not",    "or",       "popc",      "prmt",
    "rcp",   "rem",   "rsqrt", "sad",    "selp",     "set",       "setp",
    "shf",   "shl",   "shr",   "sin",    "slct",     "sqrt",      "sub",
    "subc",  "szext", "tanh",  "testp",  "vabsdiff", "vabsdiff2", "vabsdiff4",
    "vadd",  "vadd2", "vadd4", "vavrg2", "vavrg4",   "vmad",      "vmax",
    "vmax2", "vmax4", "vmin",  "vmin2",  "vmin4",    "vset",      "vset2",
    "vset4", "vshl",  "vshr",  "vsub",   "vsub2",    "vsub4",     "xor"};

/// A mnemonic with its modifiers sorted, since they may stand in any order;
/// types keep theirs.
static std::string canonical(ArrayRef<StringRef> Parts) {
  SmallVector<StringRef> Modifiers, Types;
  for (StringRef Part : Parts.drop_front()) {
    ptx::Type Ty;
    (ptx::findType(Part, Ty) ? Types : Modifiers).push_back(Part);
  }
  llvm::sort(Modifiers);
  std::string Text = Parts.front().str();
  for (StringRef Part : Modifiers)
    Text += "." + Part.str();
  for (StringRef Part : Types)
    Text += "." + Part.str();
  return Text;
}

static std::string canonical(StringRef Mnemonic) {
  SmallVector<StringRef> Parts;
  Mnemonic.split(Parts, '.');
  return canonical(Parts);
}

/// Calls \p Each with every mnemonic of a row.
template <typename Fn>
static void expand(const ptx::FormRow &Row, ArrayRef<ptx::FormElement> Left,
                   SmallVectorImpl<StringRef> &Parts, Fn Each) {
  if (Left.empty()) {
    Each(ArrayRef<StringRef>(Parts));
    return;
  }
  if (Left.front().Optional)
    expand(Row, Left.drop_front(), Parts, Each);
  for (const ptx::FormChoice &Choice : ptx::getChoices(Left.front())) {
    Parts.push_back(ptx::getSpelling(Choice.Spelling));
    expand(Row, Left.drop_front(), Parts, Each);
    Parts.pop_back();
  }
}

void forms::printUncovered(const std::vector<const Form *> &Forms,
                           raw_ostream &OS) {
  StringSet<> Covered;
  for (const Form *F : Forms)
    Covered.insert(canonical(F->mnemonic()));
  for (StringRef Head : ScalarHeads) {
    for (const ptx::FormRow &Row : ptx::findForms(Head)) {
      // The elements begin with the rest of an opcode of several parts.
      SmallVector<StringRef> Parts = {Head};
      expand(Row, Row.getElements(), Parts, [&](ArrayRef<StringRef> All) {
        if (Covered.insert(canonical(All)).second)
          OS << join(All, ".") << '\n';
      });
    }
  }
}
