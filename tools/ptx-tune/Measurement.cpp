//===- Measurement.cpp - What became of a configuration ---------*- C++ -*-===//
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

#include "Measurement.h"

using namespace llvm;

namespace heddle::tune {

namespace {

struct VerdictRow {
  StringLiteral Name, T4;
};

} // namespace

/// By Verdict.
static constexpr VerdictRow Verdicts[] = {
    {"correct", "correct"},         {"timeout", "timeout"},
    {"compile", "compile"},         {"runtime", "runtime"},
    {"correctness", "correctness"}, {"constraints", "constraints"},
    {"order", "correctness"},
};

StringRef verdictName(Verdict V) {
  return Verdicts[static_cast<size_t>(V)].Name;
}

StringRef t4Name(Verdict V) { return Verdicts[static_cast<size_t>(V)].T4; }

std::optional<Verdict> findVerdict(StringRef Name) {
  const auto *At = find_if(
      Verdicts, [&](const VerdictRow &Row) { return Row.Name == Name; });
  if (At == std::end(Verdicts))
    return std::nullopt;
  return static_cast<Verdict>(At - std::begin(Verdicts));
}

json::Object toJSON(const Measurement &M) {
  json::Object O{{"cycles", static_cast<int64_t>(M.Cycles)},
                 {"became", verdictName(M.Became)}};
  if (M.Cost != tuning::Unusable)
    O["cost"] = M.Cost;
  if (M.Code.CodeBytes) {
    O["registers"] = M.Code.Registers;
    O["code_bytes"] = M.Code.CodeBytes;
  }
  if (!M.Over.empty()) {
    json::Array Over;
    for (LimitKind K : M.Over)
      Over.push_back(limitInfo(K).Name);
    O["over"] = std::move(Over);
  }
  if (!M.Place.Chip.empty())
    O["place"] =
        json::Object{{"workload", static_cast<int64_t>(M.Place.Workload)},
                     {"chip", M.Place.Chip},
                     {"buffer", M.Place.Buffer}};
  if (!M.Fault.empty())
    O["fault"] = json::fixUTF8(M.Fault);
  return O;
}

std::optional<Measurement> measurementOf(const json::Object &O) {
  std::optional<Verdict> V = findVerdict(O.getString("became").value_or(""));
  if (!V)
    return std::nullopt;
  Measurement M;
  M.Became = *V;
  M.Cost = O.getNumber("cost").value_or(tuning::Unusable);
  M.Cycles = static_cast<uint64_t>(O.getInteger("cycles").value_or(0));
  M.Code.Registers = O.getInteger("registers").value_or(0);
  M.Code.CodeBytes = O.getInteger("code_bytes").value_or(0);
  if (const json::Array *Over = O.getArray("over"))
    for (const json::Value &Name : *Over)
      if (auto Kind = findLimit(Name.getAsString().value_or("")))
        M.Over.push_back(*Kind);
  if (const json::Object *Place = O.getObject("place"))
    M.Place = {static_cast<size_t>(Place->getInteger("workload").value_or(0)),
               Place->getString("chip").value_or("").str(),
               Place->getString("buffer").value_or("").str()};
  M.Fault = O.getString("fault").value_or("").str();
  return M;
}

json::Object configurationJSON(const tuning::Configuration &C) {
  json::Object O;
  for (const auto &[Name, Value] : C)
    O[Name] = Value;
  return O;
}

} // namespace heddle::tune
