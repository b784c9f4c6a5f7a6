//===- Cache.cpp - The microcode cache --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the tiers in their order, keeps two from making the same entry, and
// counts everything.
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/Cache.h"

#include "Memory.h"
#include "RemoteSet.h"
#include "Worker.h"
#include "heddle-cache/LocalStore.h"
#include "heddle-cache/Pack.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace heddle::cache {

std::string_view originName(Origin O) {
  switch (O) {
  case Origin::None:
    return "none";
  case Origin::Made:
    return "made";
  case Origin::Shared:
    return "shared";
  case Origin::Memory:
    return "memory";
  case Origin::Local:
    return "local";
  case Origin::Pack:
    return "pack";
  case Origin::Remote:
    return "remote";
  }
  return {};
}

namespace {

/// An entry in the making; threads that want it wait here.
struct Flight {
  explicit Flight(const Key &K) : Wanted(K) {}
  const Key &Wanted; ///< of the first thread, which stays to the end
  std::mutex Guard;
  std::condition_variable Landed;
  bool Done = false;
  Outcome Result;
};

/// How often a process looks whether another one has finished, in milliseconds:
/// at first and at most.
constexpr unsigned FirstPause = 1, LongestPause = 50;

} // namespace

struct Cache::Impl {
  Impl(const Settings &S, CacheOptions Options)
      : Config(S), TheMode(S.mode()),
        Codec(static_cast<int>(std::min<uint64_t>(
                  S.number(SettingId::CompressionLevel), 19)),
              S.number(SettingId::MaxEntrySize)),
        Memory(TheMode == Mode::Off ? 0 : S.number(SettingId::MemorySize)),
        Remotes(S, std::move(Options.OpenRemotes), Count) {
    if (TheMode == Mode::Off)
      return;
    openStore(/*Create=*/false);
    openPacks();
    if (Options.WriteInBackground)
      Writer = std::make_unique<Worker>();
  }

  bool reads() const {
    return TheMode == Mode::On || TheMode == Mode::ReadOnly;
  }
  bool writes() const {
    return TheMode == Mode::On || TheMode == Mode::Refresh;
  }

  void openStore(bool Create);
  void openPacks();
  LocalStore *store() { return Store.load(std::memory_order_acquire); }
  Result<Entry> accept(const Key &K, const Result<std::string> &Bytes);
  Outcome found(const Key &K, Entry E, Origin From, Counter Hit);
  Outcome readLocal(const Key &K);
  Outcome readPacks(const Key &K);
  Outcome readRemotes(const Key &K);
  Outcome find(const Key &K);
  std::optional<Lease> awaitLease(const Key &K, Outcome &Meanwhile);
  Outcome make(const Key &K, const std::function<Made()> &Maker);
  void writeNow(const Key &K, const Entry &Value, bool Upload);
  void write(const Key &K, const InputPtr &Input, const EntryPtr &Value,
             bool Upload);
  void keep(const Key &K, const EntryPtr &Value);

  const Settings Config;
  const Mode TheMode;
  Counters Count;
  EntryCodec Codec;
  MemoryTier Memory;
  std::vector<std::unique_ptr<Pack>> Packs;

  std::mutex Opening;
  std::unique_ptr<LocalStore> OwnedStore;
  std::atomic<LocalStore *> Store{nullptr};
  bool StoreRefused = false;

  std::mutex FlightsGuard;
  std::map<Hash128, std::shared_ptr<Flight>> Flights;
  std::shared_ptr<Flight> join(const Key &K, bool &IsFirst);
  void land(const std::shared_ptr<Flight> &F, const Outcome &O);

  RemoteSet Remotes;
  /// Last, so that it ends before what its work needs.
  std::unique_ptr<Worker> Writer;
};

/// Opens the directory. One that is not there is no fault until there is
/// something to store.
void Cache::Impl::openStore(bool Create) {
  std::lock_guard Guard(Opening);
  if (OwnedStore || StoreRefused)
    return;
  Result<std::unique_ptr<LocalStore>> S =
      LocalStore::open(Config, Create, Count);
  if (S) {
    OwnedStore = std::move(*S);
    Store.store(OwnedStore.get(), std::memory_order_release);
  } else if (Create || S.fault().Reason != Counter::DirectoryMissing) {
    StoreRefused = true;
    Count.add(S.fault().Reason);
  }
}

void Cache::Impl::openPacks() {
  std::string_view Paths = Config.text(SettingId::Packs);
  while (!Paths.empty()) {
    size_t End = std::min(Paths.find(':'), Paths.size());
    if (std::string Path(Paths.substr(0, End)); !Path.empty()) {
      if (Result<std::unique_ptr<Pack>> P = Pack::open(Path, false))
        Packs.push_back(std::move(*P));
      else
        Count.add(Counter::PackError);
    }
    Paths.remove_prefix(std::min(End + 1, Paths.size()));
  }
}

/// Verifies and unpacks what a tier returned; counts why it was refused.
Result<Entry> Cache::Impl::accept(const Key &K,
                                  const Result<std::string> &Bytes) {
  Result<Entry> E = Bytes ? Codec.decode(*Bytes, K) : Bytes.fault();
  if (!E && E.fault().Reason != Counter::Miss)
    Count.add(E.fault().Reason);
  return E;
}

Outcome Cache::Impl::found(const Key &K, Entry E, Origin From, Counter Hit) {
  Outcome O;
  O.Value = std::make_shared<const Entry>(std::move(E));
  O.From = From;
  Count.add(Hit);
  Memory.insert(K, std::make_shared<const std::string>(K.input()), O.Value);
  return O;
}

Outcome Cache::Impl::readLocal(const Key &K) {
  LocalStore *S = store();
  if (!S)
    return {};
  Result<std::string> Bytes = S->read(K.find());
  Result<Entry> E = accept(K, Bytes);
  if (E)
    return found(K, std::move(*E), Origin::Local, Counter::HitLocal);
  // What is damaged stays damaged; the entry made now takes its place. What
  // could not be read for another reason may be good for other processes.
  if (Bytes && writes())
    S->remove(K.find());
  return {};
}

Outcome Cache::Impl::readPacks(const Key &K) {
  for (const std::unique_ptr<Pack> &P : Packs) {
    Result<std::string> Bytes =
        P->read(K.find(), Config.number(SettingId::MaxEntrySize));
    if (Result<Entry> E = accept(K, Bytes))
      return found(K, std::move(*E), Origin::Pack, Counter::HitPack);
  }
  return {};
}

Outcome Cache::Impl::readRemotes(const Key &K) {
  if (!reads() || Remotes.empty())
    return {};
  std::optional<Entry> E = Remotes.get(K, Codec, store());
  if (!E)
    return {};
  Outcome O = found(K, std::move(*E), Origin::Remote, Counter::HitRemote);
  if (writes())
    write(K, std::make_shared<const std::string>(K.input()), O.Value,
          /*Upload=*/false);
  return O;
}

/// Memory, directory and packs.
Outcome Cache::Impl::find(const Key &K) {
  if (!reads())
    return {};
  Outcome O;
  O.Value = Memory.find(K);
  if (O.Value) {
    O.From = Origin::Memory;
    Count.add(Counter::HitMemory);
    return O;
  }
  O = readLocal(K);
  return O.Value ? O : readPacks(K);
}

/// Gets the lease on K, or waits for its owner: until the entry is there,
/// which is the outcome Meanwhile, or until the time is up.
std::optional<Lease> Cache::Impl::awaitLease(const Key &K, Outcome &Meanwhile) {
  LocalStore *S = store();
  uint64_t Allowed = Config.number(SettingId::LeaseTimeout);
  if (!S || !Allowed || !reads() || !writes())
    return std::nullopt;
  auto Until =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(Allowed);
  for (unsigned Pause = FirstPause, Tries = 0;; ++Tries) {
    Result<Lease> L = S->acquireLease(K.find());
    // After a wait, the lease's owner has stored the entry, or failed.
    if (Tries)
      if (Meanwhile = readLocal(K); Meanwhile.Value)
        return std::nullopt;
    if (L)
      return std::move(*L);
    if (L.fault().Reason != Counter::LeaseTimeout ||
        std::chrono::steady_clock::now() >= Until) {
      Count.add(L.fault().Reason);
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(Pause));
    Pause = std::min(2 * Pause, LongestPause);
  }
}

/// Encodes, stores and uploads.
void Cache::Impl::writeNow(const Key &K, const Entry &Value, bool Upload) {
  std::string Bytes = Codec.encode(K.kind(), K.record(), Value);
  if (LocalStore *S = store()) {
    Status F = S->write(K.find(), Bytes);
    Count.add(F ? F->Reason : Counter::Stored);
  }
  if (Upload && !Remotes.empty())
    Remotes.put(K.digest(), std::move(Bytes), store());
}

void Cache::Impl::write(const Key &K, const InputPtr &Input,
                        const EntryPtr &Value, bool Upload) {
  if (!store())
    openStore(/*Create=*/true);
  if (!Writer)
    return writeNow(K, *Value, Upload);
  Writer->add([this, K, Input, Value, Upload] {
    writeNow(Key(K, *Input), *Value, Upload);
  });
}

/// What was made goes to memory and, if the mode allows, to the other tiers.
void Cache::Impl::keep(const Key &K, const EntryPtr &Value) {
  auto Input = std::make_shared<const std::string>(K.input());
  Memory.insert(K, Input, Value);
  if (writes())
    write(K, Input, Value, /*Upload=*/true);
}

/// What the first thread that wants K does for all.
Outcome Cache::Impl::make(const Key &K, const std::function<Made()> &Maker) {
  Outcome Result;
  if (writes() && !store())
    openStore(/*Create=*/true);
  std::optional<Lease> Held = awaitLease(K, Result);
  if (Result.Value)
    return Result;
  if (Result = readRemotes(K); Result.Value)
    return Result;
  Made M = Maker();
  Result.Value = M.Value;
  Result.Failure = M.Failure;
  Result.From = Origin::Made;
  if (!M.Value) {
    Count.add(Counter::MakeFailed);
    return Result;
  }
  Count.add(TheMode == Mode::Refresh ? Counter::Refreshed : Counter::Miss);
  if (M.Store)
    keep(K, M.Value);
  return Result;
}

Cache::Cache(const Settings &S, CacheOptions Options)
    : State(std::make_unique<Impl>(S, std::move(Options))) {}

Cache::~Cache() {
  State->Writer.reset();
  State->Remotes.finish();
  CounterValues Values = State->Count.snapshot();
  bool HasCounted =
      std::any_of(Values.begin(), Values.end(), [](uint64_t V) { return V; });
  if (LocalStore *S = State->store(); S && HasCounted)
    S->addStatistics(Values);
}

Mode Cache::mode() const { return State->TheMode; }

Outcome Cache::lookup(const Key &K) { return State->find(K); }

Outcome Cache::lookupEverywhere(const Key &K) {
  Outcome O = State->find(K);
  return O.Value ? O : State->readRemotes(K);
}

/// The flight for K; null if another key with the same find hash is in the air.
std::shared_ptr<Flight> Cache::Impl::join(const Key &K, bool &IsFirst) {
  std::lock_guard Guard(FlightsGuard);
  std::shared_ptr<Flight> &F = Flights[K.find()];
  IsFirst = !F;
  if (!F)
    F = std::make_shared<Flight>(K);
  else if (F->Wanted.input() != K.input() || F->Wanted.fields() != K.fields())
    return nullptr;
  return F;
}

void Cache::Impl::land(const std::shared_ptr<Flight> &F, const Outcome &O) {
  {
    std::lock_guard Guard(FlightsGuard);
    Flights.erase(F->Wanted.find());
  }
  {
    std::lock_guard Guard(F->Guard);
    F->Result = O;
    F->Done = true;
  }
  F->Landed.notify_all();
}

Outcome Cache::getOrMake(const Key &K, const std::function<Made()> &Make) {
  if (State->TheMode == Mode::Off) {
    Made M = Make();
    return {M.Value, M.Failure, Origin::Made};
  }
  if (Outcome O = State->find(K); O.Value)
    return O;
  bool IsFirst;
  std::shared_ptr<Flight> F = State->join(K, IsFirst);
  if (!F)
    return State->make(K, Make);
  if (!IsFirst) {
    std::unique_lock Guard(F->Guard);
    F->Landed.wait(Guard, [&] { return F->Done; });
    Outcome O = F->Result;
    O.From = Origin::Shared;
    State->Count.add(Counter::HitShared);
    return O;
  }
  // Between looking and being the first, another may have finished.
  Outcome O;
  if (State->reads())
    O.Value = State->Memory.find(K);
  if (O.Value) {
    O.From = Origin::Memory;
    State->Count.add(Counter::HitMemory);
  } else {
    O = State->make(K, Make);
  }
  State->land(F, O);
  return O;
}

void Cache::insert(const Key &K, const EntryPtr &Value) {
  if (State->writes())
    State->keep(K, Value);
}

void Cache::discard(const Key &K) {
  State->Count.add(Counter::EntryUnusable);
  State->Memory.erase(K);
  if (LocalStore *S = State->store(); S && State->writes())
    S->remove(K.find());
}

Counters &Cache::counters() { return State->Count; }

} // namespace heddle::cache
