//===- Quotas.cpp - What users and processes may have -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a user's quota does not say is as the default's.
//
//===----------------------------------------------------------------------===//

#include "heddle/DeviceService/Quotas.h"

#include "heddle/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace heddle::deviced {

namespace {
struct QuotaRow {
  StringLiteral Name;
  uint64_t Least, Most;
  uint64_t Quota::*Field;
};
constexpr QuotaRow Rows[] = {
#define HEDDLE_QUOTA(Field, Name, Default, Least, Most, Meaning)               \
  {Name, Least, Most, &Quota::Field},
#include "heddle/DeviceService/Quotas.def"
};
} // namespace

std::optional<uint64_t> parseBytes(StringRef Text) {
  unsigned Shift = 0;
  Text.consume_back("B");
  if (Text.consume_back("G"))
    Shift = 30;
  else if (Text.consume_back("M"))
    Shift = 20;
  else if (Text.consume_back("K"))
    Shift = 10;
  uint64_t Number = 0;
  if (Text.getAsInteger(10, Number) || Number > UINT64_MAX >> Shift)
    return std::nullopt;
  return Number << Shift;
}

static std::optional<uint64_t> readValue(const json::Value &V) {
  if (std::optional<StringRef> Text = V.getAsString())
    return parseBytes(*Text);
  return V.getAsUINT64();
}

static Error readQuota(StringRef Whose, const json::Value &From, Quota &To) {
  const json::Object *O = From.getAsObject();
  if (!O)
    return createStringError("the quota of " + Whose + " is no object");
  for (const auto &[Key, Value] : *O) {
    StringRef Name = Key;
    const auto *Row =
        find_if(Rows, [&](const QuotaRow &R) { return R.Name == Name; });
    if (Row == std::end(Rows))
      return createStringError("the quota of " + Whose + ": there is no '" +
                               Name + "'");
    std::optional<uint64_t> Number = readValue(Value);
    if (!Number || *Number < Row->Least || *Number > Row->Most)
      return createStringError("the quota of " + Whose + ": '" + Name +
                               "' is a number from " + Twine(Row->Least) +
                               " to " + Twine(Row->Most));
    To.*Row->Field = *Number;
  }
  return Error::success();
}

Expected<Quotas> Quotas::parse(StringRef Text) {
  Expected<json::Value> Root = parseJSON(Text);
  if (!Root)
    return Root.takeError();
  Quotas All;
  const json::Object *O = Root->getAsObject();
  if (!O)
    return createStringError("is no object");
  for (const auto &[Key, Value] : *O)
    if (StringRef(Key) != "default" && StringRef(Key) != "users")
      return createStringError("there is no '" + StringRef(Key) +
                               "'; known are default and users");
  if (const json::Value *Default = O->get("default"))
    if (Error E = readQuota("default", *Default, All.Default))
      return std::move(E);
  const json::Value *Users = O->get("users");
  if (Users && !Users->getAsObject())
    return createStringError("users is no object");
  for (const auto &[Key, Value] :
       Users ? *Users->getAsObject() : json::Object()) {
    uint32_t User = 0;
    if (StringRef(Key).getAsInteger(10, User))
      return createStringError("'" + StringRef(Key) +
                               "' is no number of a user");
    Quota &Q = All.Users.try_emplace(User, All.Default).first->second;
    if (Error E = readQuota("user " + std::to_string(User), Value, Q))
      return std::move(E);
  }
  return All;
}

Expected<Quotas> Quotas::read(StringRef Path) {
  auto File = MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!File)
    return createStringError("cannot read '" + Path +
                             "': " + File.getError().message());
  Expected<Quotas> All = parse((*File)->getBuffer());
  if (!All)
    return createStringError("'" + Path + "': " + toString(All.takeError()));
  return All;
}

} // namespace heddle::deviced
