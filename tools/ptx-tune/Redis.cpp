//===- Redis.cpp - A connection to a Redis server ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Over hiredis, blocking.
//
//===----------------------------------------------------------------------===//

#include "Redis.h"

#include <chrono>
#include <hiredis/hiredis.h>
#include <thread>

using namespace llvm;

namespace heddle::tune {

/// How long to wait for a connection or an answer, and how long a server may be
/// away before its users give up, in seconds.
static constexpr timeval AnswerTime = {10, 0};
static constexpr int MostAway = 30;

const Reply &Reply::operator[](size_t I) const {
  static const Reply None;
  return I < List.size() ? List[I] : None;
}

Redis::Redis(cache::RedisAddress Where) : Where(std::move(Where)) {}
Redis::~Redis() = default;
Redis::Redis(Redis &&) noexcept = default;

void Redis::Close::operator()(redisContext *C) const { redisFree(C); }

static Reply convert(const redisReply &R) {
  Reply Result;
  switch (R.type) {
  case REDIS_REPLY_STRING:
  case REDIS_REPLY_STATUS:
    Result.Kind = Reply::KindOf::Text;
    Result.Text.assign(R.str, R.len);
    break;
  case REDIS_REPLY_ERROR:
    Result.Kind = Reply::KindOf::Fault;
    Result.Text.assign(R.str, R.len);
    break;
  case REDIS_REPLY_INTEGER:
    Result.Kind = Reply::KindOf::Number;
    Result.Number = R.integer;
    break;
  case REDIS_REPLY_ARRAY:
    Result.Kind = Reply::KindOf::List;
    for (size_t I = 0; I != R.elements; ++I)
      Result.List.push_back(convert(*R.element[I]));
    break;
  default:
    break;
  }
  return Result;
}

/// One attempt, over the connection that there is; none with Why if it fails.
std::optional<Reply> Redis::tryOnce(const std::vector<std::string> &Words,
                                    std::string &Why) {
  std::vector<const char *> Pointers;
  std::vector<size_t> Sizes;
  for (const std::string &W : Words) {
    Pointers.push_back(W.data());
    Sizes.push_back(W.size());
  }
  auto *Got = static_cast<redisReply *>(
      redisCommandArgv(Connection.get(), static_cast<int>(Words.size()),
                       Pointers.data(), Sizes.data()));
  if (!Got) {
    Why = Connection->errstr;
    Connection.reset();
    return std::nullopt;
  }
  Reply Result = convert(*Got);
  freeReplyObject(Got);
  return Result;
}

/// Connects and logs in, unless there is a connection.
Error Redis::connect() {
  if (Connection)
    return Error::success();
  Connection.reset(
      redisConnectWithTimeout(Where.Host.c_str(), Where.Port, AnswerTime));
  if (!Connection || Connection->err) {
    std::string Why = Connection ? Connection->errstr : "out of memory";
    Connection.reset();
    return createStringError(Why);
  }
  redisSetTimeout(Connection.get(), AnswerTime);
  std::vector<std::vector<std::string>> Greetings;
  if (!Where.Password.empty()) {
    Greetings.push_back({"AUTH"});
    if (!Where.User.empty())
      Greetings.back().push_back(Where.User);
    Greetings.back().push_back(Where.Password);
  }
  if (!Where.Database.empty())
    Greetings.push_back({"SELECT", Where.Database});
  for (const std::vector<std::string> &Words : Greetings) {
    std::string Why;
    std::optional<Reply> R = tryOnce(Words, Why);
    if (R && R->isFault())
      Why = R->Text;
    if (!Why.empty()) {
      Connection.reset();
      return createStringError(Why);
    }
  }
  return Error::success();
}

Expected<Reply> Redis::ask(const std::vector<std::string> &Words) {
  auto Until =
      std::chrono::steady_clock::now() + std::chrono::seconds(MostAway);
  while (true) {
    std::string Why;
    if (Error E = connect())
      Why = toString(std::move(E));
    else if (std::optional<Reply> R = tryOnce(Words, Why))
      return std::move(*R);
    if (std::chrono::steady_clock::now() >= Until)
      return createStringError("Redis at " + Where.Host + ":" +
                               std::to_string(Where.Port) + ": " + Why);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

Expected<Reply> Redis::command(const std::vector<std::string> &Words) {
  Expected<Reply> R = ask(Words);
  if (R && R->isFault())
    return createStringError("Redis: " + R->Text);
  return R;
}

} // namespace heddle::tune
