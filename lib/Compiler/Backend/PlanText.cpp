//===- PlanText.cpp - Register plans as text --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// { "KERNEL": { "level": 2, "limit": 40, "spread": false, "balance": true,
//               "hide": false } }
//
//===----------------------------------------------------------------------===//

#include "Backend/PlanText.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <map>

using namespace llvm;

namespace heddle::compiler {

std::string describePlans(const RegisterPlans &Plans) {
  // In the order of the names, since that of the plans is a hash's.
  std::map<StringRef, const RegisterPlan *> Sorted;
  for (const auto &Entry : Plans.named())
    Sorted[Entry.first()] = &Entry.second;
  json::Object Functions;
  for (auto [Name, Plan] : Sorted)
    Functions[Name] = json::Object{{"level", int64_t(Plan->Level)},
                                   {"limit", int64_t(Plan->Limit)},
                                   {"spread", Plan->SpreadsRegisters},
                                   {"balance", Plan->BalancesPipes},
                                   {"hide", Plan->HidesMemory}};
  return formatv("{0}\n", json::Value(std::move(Functions))).str();
}

static Error wrongPlan(StringRef Function) {
  return createStringError("the register plan of '" + Function +
                           "' is not of the form {\"level\": 0..6, "
                           "\"limit\": 0..255, \"spread\": BOOL, "
                           "\"balance\": BOOL, \"hide\": BOOL}");
}

Expected<RegisterPlans> parsePlans(StringRef Text) {
  constexpr int64_t MostRegisters = 255;
  constexpr auto LastLevel = int64_t(RegisterPressureLevel::Passes);
  Expected<json::Value> Parsed = json::parse(Text);
  if (!Parsed)
    return Parsed.takeError();
  const json::Object *Functions = Parsed->getAsObject();
  if (!Functions)
    return createStringError("a register plan is an object of JSON");
  RegisterPlans Plans;
  for (const auto &[Name, Value] : *Functions) {
    const json::Object *Decided = Value.getAsObject();
    if (!Decided || Decided->size() != 5)
      return wrongPlan(Name);
    std::optional<int64_t> Level = Decided->getInteger("level");
    std::optional<int64_t> Limit = Decided->getInteger("limit");
    std::optional<bool> Spread = Decided->getBoolean("spread");
    std::optional<bool> Balance = Decided->getBoolean("balance");
    std::optional<bool> Hide = Decided->getBoolean("hide");
    if (!Level || !Limit || !Spread || !Balance || !Hide || *Level < 0 ||
        *Level > LastLevel || *Limit < 0 || *Limit > MostRegisters)
      return wrongPlan(Name);
    Plans.set(StringRef(Name), {.Level = RegisterPressureLevel(*Level),
                                .Limit = unsigned(*Limit),
                                .SpreadsRegisters = *Spread,
                                .BalancesPipes = *Balance,
                                .HidesMemory = *Hide});
  }
  return Plans;
}

} // namespace heddle::compiler
