//===- Knobs.cpp - Decisions worth searching --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table, and decisions as attributes of functions.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tuning/Knobs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace heddle::tuning {

#define HEDDLE_VALUES(...) {__VA_ARGS__}
#define HEDDLE_KNOB(Id, Name, Scope, Default, Domain, Help)                    \
  static constexpr int64_t Id##Values[] = HEDDLE_VALUES Domain;
#include "heddle/Tuning/Knobs.def"
#undef HEDDLE_VALUES

static const KnobInfo Table[] = {
#define HEDDLE_KNOB(Id, Name, Scope, Default, Domain, Help)                    \
  {Knob::Id,         Name,    "heddle-tune-" Name, "heddle.tune." Name,        \
   KnobScope::Scope, Default, Id##Values,          Help},
#include "heddle/Tuning/Knobs.def"
};

ArrayRef<KnobInfo> knobTable() { return Table; }

const KnobInfo *findKnob(StringRef Name) {
  const KnobInfo *Row =
      find_if(Table, [&](const KnobInfo &K) { return K.Name == Name; });
  return Row == std::end(Table) ? nullptr : Row;
}

int64_t knobOf(const Function &F, Knob K) {
  // No attribute of ours is negative, so that the unsigned value serves.
  return static_cast<int64_t>(F.getFnAttributeAsParsedInteger(
      knobInfo(K).Attribute, static_cast<uint64_t>(knobInfo(K).Default)));
}

void setKnob(Function &F, Knob K, int64_t Value) {
  F.addFnAttr(knobInfo(K).Attribute, std::to_string(Value));
}

int64_t loopKnobOf(const Loop &L, Knob K) {
  const KnobInfo &Row = knobInfo(K);
  return getOptionalIntLoopAttribute(&L, Row.Metadata)
      .value_or(static_cast<int>(Row.Default));
}

void setLoopKnob(Loop &L, Knob K, int64_t Value) {
  addStringMetadataToLoop(&L, knobInfo(K).Metadata.str().c_str(),
                          static_cast<unsigned>(Value));
}

SmallVector<InstructionChoice> instructionKnobOf(const Function &F, Knob K) {
  SmallVector<InstructionChoice> Choices;
  for (StringRef Part :
       split(F.getFnAttribute(knobInfo(K).Attribute).getValueAsString(), ',')) {
    auto [Number, Value] = Part.split(':');
    InstructionChoice C;
    if (!Number.getAsInteger(10, C.Number) && !Value.getAsInteger(10, C.Value))
      Choices.push_back(C);
  }
  llvm::sort(Choices);
  return Choices;
}

void setInstructionKnob(Function &F, Knob K,
                        ArrayRef<InstructionChoice> Choices) {
  std::string Text;
  for (const InstructionChoice &C : Choices)
    Text += (Text.empty() ? "" : ",") + std::to_string(C.Number) + ":" +
            std::to_string(C.Value);
  F.addFnAttr(knobInfo(K).Attribute, Text);
}

} // namespace heddle::tuning
