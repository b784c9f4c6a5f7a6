//===- RemoteSet.cpp - The remotes of a cache -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Look-ups, uploads and the circuit breaker.
//
//===----------------------------------------------------------------------===//

#include "RemoteSet.h"

#include "heddle-cache/LocalStore.h"

namespace heddle::cache {

/// More uploads than this do not wait; each holds an entry in memory.
static constexpr size_t MaxWaitingUploads = 256;
/// What a remote may add to an entry, in bytes: its signature.
static constexpr uint64_t Allowance = 1024;

static int64_t steadyNow() {
  return std::chrono::steady_clock::now().time_since_epoch() /
         std::chrono::nanoseconds(1);
}

RemoteSet::RemoteSet(const Settings &S, Opener Open, Counters &C)
    : Open(std::move(Open)), Count(C),
      Timeout(S.number(SettingId::RemoteTimeout)),
      Linger(S.number(SettingId::RemoteLinger)),
      CoolDown(S.number(SettingId::RemoteCoolDown)),
      MaxSize(S.number(SettingId::MaxEntrySize)) {}

std::vector<std::unique_ptr<RemoteSet::Remote>> &RemoteSet::remotes() {
  std::call_once(Opened, [this] {
    if (!Open)
      return;
    for (std::unique_ptr<RemoteTier> &T : Open()) {
      Remotes.push_back(std::make_unique<Remote>());
      Remotes.back()->Tier = std::move(T);
    }
  });
  return Remotes;
}

RemoteTier::Deadline RemoteSet::deadline() const {
  return std::chrono::steady_clock::now() + Timeout;
}

bool RemoteSet::isClosed(Remote &R, LocalStore *Store) {
  if (steadyNow() < R.ClosedUntil.load(std::memory_order_relaxed))
    return true;
  return Store && Store->remoteFailedWithin(
                      R.Tier->name(), static_cast<uint64_t>(CoolDown.count()));
}

void RemoteSet::close(Remote &R, LocalStore *Store) {
  R.ClosedUntil.store(steadyNow() + std::chrono::nanoseconds(CoolDown).count(),
                      std::memory_order_relaxed);
  if (Store)
    Store->noteRemoteFailure(R.Tier->name());
}

std::optional<Entry> RemoteSet::ask(Remote &R, const Key &K,
                                    const EntryCodec &Codec,
                                    LocalStore *Store) {
  if (isClosed(R, Store)) {
    Count.add(Counter::RemoteSkipped);
    return std::nullopt;
  }
  Result<std::string> Bytes =
      R.Tier->get(K.digest(), MaxSize + Allowance, deadline());
  if (!Bytes) {
    Counter Why = Bytes.fault().Reason;
    if (Why == Counter::Miss)
      Why = Counter::RemoteMiss;
    Count.add(Why);
    if (Why == Counter::RemoteTimeout || Why == Counter::RemoteError)
      close(R, Store);
    return std::nullopt;
  }
  Result<Entry> E = Codec.decode(*Bytes, K);
  if (E)
    return std::move(*E);
  Count.add(Counter::RemoteBad);
  return std::nullopt;
}

std::optional<Entry> RemoteSet::get(const Key &K, const EntryCodec &Codec,
                                    LocalStore *Store) {
  for (std::unique_ptr<Remote> &R : remotes())
    if (std::optional<Entry> E = ask(*R, K, Codec, Store))
      return E;
  return std::nullopt;
}

void RemoteSet::upload(Remote &R, const Hash256 &Digest, std::string_view Bytes,
                       LocalStore *Store) {
  if (isClosed(R, Store)) {
    Count.add(Counter::RemoteUploadDropped);
    return;
  }
  Status F = R.Tier->put(Digest, Bytes, deadline());
  Count.add(F ? Counter::RemoteUploadFailed : Counter::RemoteStored);
  if (F && (F->Reason == Counter::RemoteTimeout ||
            F->Reason == Counter::RemoteError))
    close(R, Store);
}

void RemoteSet::put(const Hash256 &Digest, std::string Bytes,
                    LocalStore *Store) {
  auto Shared = std::make_shared<const std::string>(std::move(Bytes));
  for (std::unique_ptr<Remote> &R : remotes()) {
    if (R->Tier->readOnly())
      continue;
    auto Step = [this, &Where = *R, Digest, Shared, Store] {
      upload(Where, Digest, *Shared, Store);
    };
    if (!Uploader.add(Step, MaxWaitingUploads))
      Count.add(Counter::RemoteUploadDropped);
  }
}

void RemoteSet::finish() {
  if (size_t Dropped = Uploader.finish(Linger))
    Count.add(Counter::RemoteUploadDropped, Dropped);
}

} // namespace heddle::cache
