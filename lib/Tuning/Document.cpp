//===- Document.cpp - Decisions as a document -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading and writing the JSON form.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tuning/Document.h"
#include "heddle/Support/JSON.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace heddle::tuning {

/// The form of documents; a later one gets another number.
static constexpr StringLiteral FormKey = "heddle_tuning";
static constexpr int64_t Form = 1;

static Error fault(const Twine &Message) {
  return createStringError("tuning document: " + Message);
}

/// The name closest to a misspelt one, as an addition to a message.
static std::string suggestion(StringRef Name) {
  const KnobInfo *Best = nullptr;
  unsigned Least = Name.size() / 3 + 1;
  for (const KnobInfo &K : knobTable())
    if (unsigned D = Name.edit_distance(K.Name, true, Least); D < Least) {
      Least = D;
      Best = &K;
    }
  return Best ? ("; did you mean '" + Best->Name + "'?").str() : "";
}

Expected<Decision> Decision::parse(StringRef Name) {
  auto [Knob, Place] = Name.split('@');
  Decision D;
  D.Row = findKnob(Knob);
  if (!D.Row)
    return createStringError("unknown decision '" + Name + "'" +
                             suggestion(Knob));
  if (!Name.contains('@')) {
    if (D.Row->Scope == KnobScope::Instruction)
      return createStringError("'" + Knob +
                               "' is decided for one instruction: '" + Knob +
                               "@NUMBER'");
    return D;
  }
  unsigned Number;
  if (D.Row->Scope == KnobScope::Function || D.Row->Scope == KnobScope::Launch)
    return createStringError("'" + Knob +
                             "' is decided for a whole kernel, "
                             "not for a part of it");
  if (Place.getAsInteger(10, Number))
    return createStringError("'" + Name +
                             "': a loop or instruction is a number");
  D.Place = Number;
  return D;
}

static Expected<Configuration> parseKernel(const json::Object &Values) {
  Configuration C;
  for (const auto &[Key, Value] : Values) {
    Expected<Decision> D = Decision::parse(Key);
    if (!D)
      return D.takeError();
    std::optional<int64_t> Number = Value.getAsInteger();
    if (!Number || !D->Row->accepts(*Number))
      return createStringError(
          formatv("'{0}' takes a whole number from {1} to {2}", StringRef(Key),
                  D->Row->Domain.front(), D->Row->Domain.back()));
    C[StringRef(Key).str()] = *Number;
  }
  return C;
}

Expected<Document> Document::parse(StringRef JSON) {
  Expected<json::Value> Root = parseJSON(JSON);
  if (!Root)
    return fault(toString(Root.takeError()));
  const json::Object *Top = Root->getAsObject();
  if (!Top || Top->getInteger(FormKey) != Form)
    return fault(formatv("it begins with {{ \"{0}\": {1}, ...", FormKey, Form));
  const json::Object *Kernels = Top->getObject("kernels");
  if (!Kernels)
    return fault("'kernels' is missing");
  Document D;
  for (const auto &[Name, Value] : *Kernels) {
    const json::Object *Values = Value.getAsObject();
    if (!Values)
      return fault("kernel '" + StringRef(Name) + "': not an object");
    Expected<Configuration> C = parseKernel(*Values);
    if (!C)
      return fault("kernel '" + StringRef(Name) +
                   "': " + toString(C.takeError()));
    D.Kernels[StringRef(Name).str()] = std::move(*C);
  }
  return D;
}

std::string Document::str() const {
  json::Object All;
  for (const auto &[Name, Values] : Kernels) {
    json::Object Kernel;
    for (const auto &[Key, Value] : Values)
      Kernel[Key] = Value;
    All[Name] = std::move(Kernel);
  }
  // Objects are written in the order of their keys.
  return formatv("{0}", json::Value(json::Object{{FormKey, Form},
                                                 {"kernels", std::move(All)}}));
}

Extents extentsOf(const Configuration &C, Knob First, const Extents &Launched) {
  Extents Result = Launched;
  for (auto [Axis, Extent] : enumerate(Result)) {
    const KnobInfo &Row = knobTable()[static_cast<size_t>(First) + Axis];
    auto Decided = C.find(Row.Name.str());
    if (Decided != C.end() && Decided->second != Row.Default)
      Extent = Decided->second;
  }
  return Result;
}

} // namespace heddle::tuning
