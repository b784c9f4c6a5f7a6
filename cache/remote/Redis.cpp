//===- Redis.cpp - Remotes that are Redis servers ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry is the value of the key `heddle:1:` and the digest. hiredis encodes
// and decodes; waiting is done here, on a connection that does not block, so
// that the time limit covers the whole answer.
//
//===----------------------------------------------------------------------===//

#include "Tiers.h"
#include "heddle-cache/RedisAddress.h"

#include <cerrno>
#include <hiredis/hiredis.h>
#include <mutex>
#include <poll.h>
#include <sys/socket.h>

namespace heddle::cache {

namespace {

struct ReplyDeleter {
  void operator()(redisReply *R) const { freeReplyObject(R); }
};
using Reply = std::unique_ptr<redisReply, ReplyDeleter>;

struct ContextDeleter {
  void operator()(redisContext *C) const { redisFree(C); }
};
using Connection = std::unique_ptr<redisContext, ContextDeleter>;

Fault timedOut() { return {Counter::RemoteTimeout, "no answer in time"}; }

Fault failed(const redisContext *C) {
  return {Counter::RemoteError, C ? C->errstr : "out of memory"};
}

/// Waits until the connection can be read, or written to.
Status wait(const redisContext *C, short Event, RemoteTier::Deadline Until) {
  while (true) {
    pollfd Poll{C->fd, Event, 0};
    int Ready = ::poll(&Poll, 1, static_cast<int>(millisecondsUntil(Until)));
    if (Ready > 0)
      return std::nullopt;
    if (Ready == 0)
      return timedOut();
    if (errno != EINTR)
      return Fault{Counter::RemoteError, "waiting failed"};
  }
}

/// Sends what has been appended and receives one reply of at most MaxSize
/// bytes.
Result<Reply> exchange(redisContext *C, uint64_t MaxSize,
                       RemoteTier::Deadline Until) {
  for (int Done = 0; !Done;) {
    if (Status F = wait(C, POLLOUT, Until))
      return *F;
    if (redisBufferWrite(C, &Done) != REDIS_OK)
      return failed(C);
  }
  while (true) {
    void *Got = nullptr;
    if (redisGetReplyFromReader(C, &Got) != REDIS_OK)
      return failed(C);
    if (Got)
      return Reply(static_cast<redisReply *>(Got));
    if (C->reader->len > MaxSize)
      return Fault{Counter::RemoteBad, "more bytes than are allowed"};
    if (Status F = wait(C, POLLIN, Until))
      return *F;
    if (redisBufferRead(C) != REDIS_OK)
      return failed(C);
  }
}

/// A command of which only success is expected.
Status command(redisContext *C, const std::vector<std::string_view> &Words,
               RemoteTier::Deadline Until) {
  std::vector<const char *> Pointers;
  std::vector<size_t> Sizes;
  for (std::string_view W : Words) {
    Pointers.push_back(W.data());
    Sizes.push_back(W.size());
  }
  if (redisAppendCommandArgv(C, static_cast<int>(Words.size()), Pointers.data(),
                             Sizes.data()) != REDIS_OK)
    return failed(C);
  Result<Reply> R = exchange(C, 4096, Until);
  if (!R)
    return R.fault();
  if ((*R)->type == REDIS_REPLY_ERROR)
    return Fault{Counter::RemoteError, std::string((*R)->str, (*R)->len)};
  return std::nullopt;
}

class RedisTier : public RemoteTier {
public:
  RedisTier(RedisAddress Where, const RemoteAddress &Address)
      : Where(std::move(Where)), Address(Address) {}

  std::string name() const override { return withoutPassword(Address.URL); }
  bool readOnly() const override { return Address.ReadOnly; }

  Result<std::string> get(const Hash256 &Digest, uint64_t MaxSize,
                          Deadline Until) override {
    Result<Connection> C = connect(Until);
    if (!C)
      return C.fault();
    std::string Key = keyOf(Digest);
    if (redisAppendCommand(C->get(), "GET %b", Key.data(), Key.size()) !=
        REDIS_OK)
      return failed(C->get());
    Result<Reply> R = exchange(C->get(), MaxSize + 64, Until);
    if (!R)
      return R.fault();
    keep(std::move(*C));
    switch ((*R)->type) {
    case REDIS_REPLY_NIL:
      return Fault{Counter::Miss, "not found"};
    case REDIS_REPLY_STRING:
      if ((*R)->len <= MaxSize)
        return std::string((*R)->str, (*R)->len);
      return Fault{Counter::RemoteBad, "more bytes than are allowed"};
    case REDIS_REPLY_ERROR:
      return Fault{Counter::RemoteError, std::string((*R)->str, (*R)->len)};
    default:
      return Fault{Counter::RemoteBad, "not a string"};
    }
  }

  Status put(const Hash256 &Digest, std::string_view Bytes,
             Deadline Until) override {
    Result<Connection> C = connect(Until);
    if (!C)
      return C.fault();
    if (Status F = command(C->get(), {"SET", keyOf(Digest), Bytes}, Until))
      return F;
    keep(std::move(*C));
    return std::nullopt;
  }

private:
  static std::string keyOf(const Hash256 &Digest) {
    return "heddle:1:" + Digest.str();
  }

  /// An idle connection, or a new one.
  Result<Connection> connect(Deadline Until) {
    {
      std::lock_guard Lock(Guard);
      if (!Idle.empty()) {
        Connection C = std::move(Idle.back());
        Idle.pop_back();
        return C;
      }
    }
    Connection C(redisConnectNonBlock(Where.Host.c_str(), Where.Port));
    if (!C || C->err)
      return failed(C.get());
    if (Status F = wait(C.get(), POLLOUT, Until))
      return *F;
    int Code = 0;
    socklen_t Size = sizeof(Code);
    if (::getsockopt(C->fd, SOL_SOCKET, SO_ERROR, &Code, &Size) != 0 || Code)
      return Fault{Counter::RemoteError, "no connection"};
    if (Status F = logIn(C.get(), Until))
      return *F;
    return C;
  }

  Status logIn(redisContext *C, Deadline Until) {
    if (!Where.Password.empty()) {
      std::vector<std::string_view> Words = {"AUTH"};
      if (!Where.User.empty())
        Words.push_back(Where.User);
      Words.push_back(Where.Password);
      if (Status F = command(C, Words, Until))
        return F;
    }
    if (!Where.Database.empty())
      return command(C, {"SELECT", Where.Database}, Until);
    return std::nullopt;
  }

  void keep(Connection C) {
    std::lock_guard Lock(Guard);
    Idle.push_back(std::move(C));
  }

  const RedisAddress Where;
  const RemoteAddress Address;
  std::mutex Guard;
  std::vector<Connection> Idle;
};

} // namespace

std::unique_ptr<RemoteTier> openRedis(const RemoteAddress &Address,
                                      std::string &Error) {
  if (std::optional<RedisAddress> Where = RedisAddress::parse(Address.URL))
    return std::make_unique<RedisTier>(std::move(*Where), Address);
  Error = "it takes " + std::string(RedisAddress::Form);
  return nullptr;
}

} // namespace heddle::cache
