//===- LocalStore.cpp - Entries in a directory ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading, writing and trimming the files of a store. See LocalStore.h for the
// layout. Names are always relative to the store's open directory, so that a
// directory that is moved or replaced meanwhile does no harm.
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/LocalStore.h"

#include "File.h"
#include "StateFile.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::cache {

namespace {

/// A file is marked as used when its mark is older, in seconds: a hit seldom
/// has to write.
constexpr int64_t MarkEvery = 60;
/// A temporary file that is older belongs to a dead process, in seconds.
constexpr int64_t DebrisAge = 3600;
/// A slice of trimming sees at least so many files, if there are, and at most
/// about as many more as a shard holds; it removes at most so many.
constexpr size_t SliceFiles = 64;
/// One store in so many looks its own shard through.
constexpr unsigned RescanEvery = 32;
constexpr unsigned OthersMayWrite = S_IWGRP | S_IWOTH;

int64_t now() { return static_cast<int64_t>(::time(nullptr)); }

/// Age in seconds. A mark in the future, after the clock jumped back, counts as
/// just used.
int64_t ageOf(int64_t Mark) { return std::max<int64_t>(0, now() - Mark); }

unsigned shardOf(const Hash128 &Find) { return Find.Bytes[0]; }

std::string shardName(unsigned Shard) {
  Hash128 H;
  H.Bytes[0] = static_cast<uint8_t>(Shard);
  return H.str().substr(0, 2);
}

std::string pathOf(const Hash128 &Find) {
  std::string Name = Find.str();
  return Name.substr(0, 2) + "/" + Name.substr(2);
}

/// The files of a directory, by name. Calls Visit until it returns false.
template <typename VisitT>
bool listDirectory(int At, const char *Name, VisitT Visit) {
  Descriptor Folder = openAt(At, Name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!Folder)
    return errno == ENOENT;
  int Copy = ::fcntl(Folder.get(), F_DUPFD_CLOEXEC, 0);
  DIR *Stream = Copy < 0 ? nullptr : ::fdopendir(Copy);
  if (!Stream) {
    if (Copy >= 0)
      ::close(Copy);
    return false;
  }
  bool GoOn = true;
  while (dirent *E = GoOn ? ::readdir(Stream) : nullptr)
    if (E->d_name[0] != '.')
      GoOn = Visit(Folder.get(), E->d_name);
  ::closedir(Stream);
  return true;
}

constexpr std::string_view CacheTag =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This directory is a cache of the Heddle compiler; see ptx-cache.\n";

} // namespace

struct LocalStore::Impl {
  Impl(const Settings &S, Counters &C, Descriptor Directory)
      : Directory(std::move(Directory)), Count(C), State(this->Directory.get()),
        MaxSize(S.number(SettingId::MaxSize)),
        MaxEntrySize(S.number(SettingId::MaxEntrySize)),
        MaxAge(S.number(SettingId::MaxAge)),
        TrustOthers(S.flag(SettingId::TrustOthers)) {}

  int at() const { return Directory.get(); }
  bool isExpired(int64_t Mark, uint64_t Limit) const {
    return Limit && static_cast<uint64_t>(ageOf(Mark)) > Limit;
  }
  Status writeAside(const std::string &Name, std::string_view Bytes);
  Status moveIn(const std::string &Aside, const Hash128 &Find);
  bool listShard(unsigned Shard, std::vector<StoredFile> &Files);
  uint64_t removeFiles(std::vector<StoredFile> &Files, size_t N, Counter Why);
  void rescan(unsigned Shard);
  void trimSlice(const Hash128 &Stored, uint64_t Excess);
  void removeDebris();

  Descriptor Directory;
  Counters &Count;
  StateFile State;
  uint64_t MaxSize, MaxEntrySize, MaxAge;
  bool TrustOthers;
  std::atomic<int> LeaseFile{-1};
  std::atomic<unsigned> NextName{0};
};

LocalStore::LocalStore(std::unique_ptr<Impl> State) : State(std::move(State)) {}

LocalStore::~LocalStore() {
  if (int FD = State->LeaseFile.load(); FD >= 0)
    ::close(FD);
}

/// Makes the directories and the tag that keeps backups away.
static void createStore(const std::string &Root) {
  if (!makeDirectories(Root + "/v1"))
    return;
  Descriptor Tag = openAt(AT_FDCWD, (Root + "/CACHEDIR.TAG").c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (Tag)
    writeAll(Tag.get(), CacheTag);
}

Result<std::unique_ptr<LocalStore>> LocalStore::open(const Settings &S,
                                                     bool Create, Counters &C) {
  std::string Root(S.text(SettingId::Dir));
  if (Root.empty())
    return Fault{Counter::DirectoryMissing, "no cache directory is set"};
  std::string Path = Root + "/v1";
  Descriptor Directory =
      openAt(AT_FDCWD, Path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!Directory && errno == ENOENT && Create) {
    createStore(Root);
    Directory =
        openAt(AT_FDCWD, Path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  }
  struct stat Info;
  if (!Directory || ::fstat(Directory.get(), &Info) != 0) {
    Fault F = systemFault(Counter::DirectoryMissing);
    return Fault{F.Reason, Path + ": " + F.Text};
  }
  bool IsPrivate =
      Info.st_uid == ::geteuid() && !(Info.st_mode & OthersMayWrite);
  if (!IsPrivate && !S.flag(SettingId::TrustOthers))
    return Fault{Counter::DirectoryForeign,
                 Path + ": belongs to somebody else, or others may write to it "
                        "(cache setting 'trust_others' allows it)"};
  return std::unique_ptr<LocalStore>(
      new LocalStore(std::make_unique<Impl>(S, C, std::move(Directory))));
}

Result<std::string> LocalStore::read(const Hash128 &Find) {
  std::string Path = pathOf(Find);
  Descriptor File = openAt(State->at(), Path.c_str(), O_RDONLY | O_NOFOLLOW);
  struct stat Info;
  if (!File && errno == ENOENT)
    return Fault{Counter::Miss, "not found"};
  if (!File && (errno == ELOOP || errno == ENOTDIR || errno == ENXIO))
    return Fault{Counter::EntryForeign, "not a regular file"};
  if (!File || ::fstat(File.get(), &Info) != 0)
    return systemFault(Counter::ReadError);
  bool IsPrivate =
      Info.st_uid == ::geteuid() && !(Info.st_mode & OthersMayWrite);
  if (!S_ISREG(Info.st_mode) || !(IsPrivate || State->TrustOthers))
    return Fault{Counter::EntryForeign, "not a private file of the user"};
  uint64_t Size = static_cast<uint64_t>(Info.st_size);
  if (Size > State->MaxEntrySize)
    return Fault{Counter::EntryTooLarge, "larger than max_entry_size"};
  if (State->isExpired(Info.st_mtime, State->MaxAge))
    return Fault{Counter::EntryExpired, "not used for max_age"};
  std::string Bytes(Size, '\0');
  size_t Read;
  if (!readAll(File.get(), Bytes.data(), Size, Read))
    return systemFault(Counter::ReadError);
  Bytes.resize(Read);
  if (std::abs(now() - static_cast<int64_t>(Info.st_mtime)) > MarkEvery)
    ::futimens(File.get(), nullptr);
  return Bytes;
}

/// Makes a directory of the store, also where something else is in its place.
static void makeOwnDirectory(int At, const char *Name) {
  if (::mkdirat(At, Name, 0700) != 0 && errno == EEXIST &&
      ::unlinkat(At, Name, 0) == 0)
    ::mkdirat(At, Name, 0700);
}

/// Writes a new file in tmp/.
Status LocalStore::Impl::writeAside(const std::string &Name,
                                    std::string_view Bytes) {
  int Flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
  Descriptor File = openAt(at(), Name.c_str(), Flags, 0600);
  if (!File && (errno == ENOENT || errno == ENOTDIR)) {
    makeOwnDirectory(at(), "tmp");
    File = openAt(at(), Name.c_str(), Flags, 0600);
  }
  if (!File)
    return systemFault(Counter::WriteError);
  // Closing reports what a network file system could not write.
  if (writeAll(File.get(), Bytes) && File.close())
    return std::nullopt;
  Fault F = systemFault(Counter::WriteError);
  ::unlinkat(at(), Name.c_str(), 0);
  return F;
}

Status LocalStore::Impl::moveIn(const std::string &Aside, const Hash128 &Find) {
  std::string Path = pathOf(Find);
  auto Rename = [&] {
    return ::renameat(at(), Aside.c_str(), at(), Path.c_str()) == 0;
  };
  if (Rename())
    return std::nullopt;
  if (errno == ENOENT || errno == ENOTDIR) {
    makeOwnDirectory(at(), shardName(shardOf(Find)).c_str());
    if (Rename())
      return std::nullopt;
  }
  if (errno == EISDIR || errno == ENOTEMPTY || errno == EEXIST) {
    // A directory planted in an entry's place.
    ::unlinkat(at(), Path.c_str(), AT_REMOVEDIR);
    if (Rename())
      return std::nullopt;
  }
  Fault F = systemFault(Counter::WriteError);
  ::unlinkat(at(), Aside.c_str(), 0);
  return F;
}

Status LocalStore::write(const Hash128 &Find, std::string_view Bytes) {
  if (Bytes.size() > State->MaxEntrySize)
    return Fault{Counter::EntryTooLarge, "larger than max_entry_size"};
  // Unique among the processes of all machines that share the directory, but
  // for a repeated clock and process number, which O_EXCL turns into a fault.
  timespec Time;
  ::clock_gettime(CLOCK_REALTIME, &Time);
  std::string Aside =
      "tmp/" + Find.str().substr(0, 8) + "." + std::to_string(::getpid()) +
      "." + std::to_string(Time.tv_sec) + "." + std::to_string(Time.tv_nsec) +
      "." + std::to_string(State->NextName.fetch_add(1));
  if (Status F = State->writeAside(Aside, Bytes))
    return F;
  if (Status F = State->moveIn(Aside, Find))
    return F;

  State->State.addToShard(shardOf(Find), static_cast<int64_t>(Bytes.size()));
  if (Find.Bytes[1] % RescanEvery == 0) {
    State->rescan(shardOf(Find));
    State->removeDebris();
  }
  if (State->MaxSize)
    if (uint64_t Total = State->State.totalSize(); Total > State->MaxSize)
      State->trimSlice(Find, Total - State->MaxSize);
  return std::nullopt;
}

void LocalStore::remove(const Hash128 &Find) {
  ::unlinkat(State->at(), pathOf(Find).c_str(), 0);
}

/// Appends the entries of a shard; false if it could not be read to its end.
bool LocalStore::Impl::listShard(unsigned Shard,
                                 std::vector<StoredFile> &Files) {
  std::string Prefix = shardName(Shard);
  return listDirectory(at(), Prefix.c_str(), [&](int Folder, const char *Name) {
    struct stat Info;
    std::optional<Hash128> Find = Hash128::parse(Prefix + Name);
    if (Find && ::fstatat(Folder, Name, &Info, AT_SYMLINK_NOFOLLOW) == 0)
      Files.push_back({*Find, static_cast<uint64_t>(Info.st_size),
                       static_cast<int64_t>(Info.st_mtime)});
    return true;
  });
}

/// Removes the first N of Files; returns their bytes.
uint64_t LocalStore::Impl::removeFiles(std::vector<StoredFile> &Files, size_t N,
                                       Counter Why) {
  uint64_t Bytes = 0;
  for (size_t I = 0; I != N; ++I) {
    if (::unlinkat(at(), pathOf(Files[I].Find).c_str(), 0) != 0)
      continue;
    Bytes += Files[I].Size;
    Count.add(Why);
    State.addToShard(shardOf(Files[I].Find),
                     -static_cast<int64_t>(Files[I].Size));
  }
  return Bytes;
}

static void sortByAge(std::vector<StoredFile> &Files) {
  std::sort(
      Files.begin(), Files.end(), [](const StoredFile &A, const StoredFile &B) {
        return std::tie(A.LastUsed, A.Find) < std::tie(B.LastUsed, B.Find);
      });
}

/// Puts the books of a shard right and removes what is too old there.
void LocalStore::Impl::rescan(unsigned Shard) {
  std::vector<StoredFile> Files;
  if (!listShard(Shard, Files))
    return;
  uint64_t Size = 0;
  for (const StoredFile &F : Files)
    Size += F.Size;
  State.setShard(Shard, Size);
  if (!MaxAge)
    return;
  sortByAge(Files);
  auto Fresh =
      std::find_if(Files.begin(), Files.end(), [&](const StoredFile &F) {
        return !isExpired(F.LastUsed, MaxAge);
      });
  size_t N = static_cast<size_t>(Fresh - Files.begin());
  removeFiles(Files, std::min(N, SliceFiles), Counter::RemovedOld);
}

/// Removes the oldest files of a few shards, Excess bytes if they have so much.
/// Each entry stored may cost the time of one slice; since a slice can remove
/// many, the directory gets smaller faster than it grows.
void LocalStore::Impl::trimSlice(const Hash128 &Stored, uint64_t Excess) {
  std::vector<StoredFile> Files;
  unsigned First = Stored.Bytes[2]; // as good as random
  for (unsigned I = 0; I != NumShards && Files.size() < SliceFiles; ++I) {
    unsigned Shard = (First + I) % NumShards;
    size_t Before = Files.size();
    if (!listShard(Shard, Files))
      continue;
    uint64_t Size = 0;
    for (size_t F = Before; F != Files.size(); ++F)
      Size += Files[F].Size;
    State.setShard(Shard, Size);
  }
  sortByAge(Files);
  uint64_t Bytes = 0;
  size_t N = 0;
  while (N != Files.size() && N != SliceFiles && Bytes < Excess)
    Bytes += Files[N++].Size;
  removeFiles(Files, N, Counter::Evicted);
}

/// What processes that were killed left in tmp/.
void LocalStore::Impl::removeDebris() {
  listDirectory(at(), "tmp", [&](int Folder, const char *Name) {
    struct stat Info;
    if (::fstatat(Folder, Name, &Info, AT_SYMLINK_NOFOLLOW) == 0 &&
        std::abs(now() - static_cast<int64_t>(Info.st_mtime)) > DebrisAge &&
        ::unlinkat(Folder, Name, 0) == 0)
      Count.add(Counter::RemovedDebris);
    return true;
  });
}

void LocalStore::forEach(const std::function<void(const StoredFile &)> &Visit) {
  for (unsigned Shard = 0; Shard != NumShards; ++Shard) {
    std::vector<StoredFile> Files;
    State->listShard(Shard, Files);
    std::sort(Files.begin(), Files.end(),
              [](const StoredFile &A, const StoredFile &B) {
                return A.Find < B.Find;
              });
    for (const StoredFile &F : Files)
      Visit(F);
  }
}

uint64_t LocalStore::recordedSize() { return State->State.totalSize(); }

LocalStore::Removed LocalStore::trimAll(uint64_t MaxSize, uint64_t MaxAge) {
  State->removeDebris();
  std::vector<StoredFile> Files;
  uint64_t Total = 0;
  for (unsigned Shard = 0; Shard != NumShards; ++Shard) {
    size_t Before = Files.size();
    State->listShard(Shard, Files);
    uint64_t Size = 0;
    for (size_t I = Before; I != Files.size(); ++I)
      Size += Files[I].Size;
    State->State.setShard(Shard, Size);
    Total += Size;
  }
  sortByAge(Files);
  Removed Result;
  size_t Old = 0;
  while (Old != Files.size() && State->isExpired(Files[Old].LastUsed, MaxAge))
    ++Old;
  Result.Bytes = State->removeFiles(Files, Old, Counter::RemovedOld);
  Files.erase(Files.begin(), Files.begin() + static_cast<ptrdiff_t>(Old));
  size_t N = 0;
  uint64_t Freed = 0;
  while (N != Files.size() && Total - Result.Bytes - Freed > MaxSize && MaxSize)
    Freed += Files[N++].Size;
  Result.Bytes += State->removeFiles(Files, N, Counter::Evicted);
  Result.Files = Old + N;
  return Result;
}

LocalStore::Removed LocalStore::clear() {
  Removed Result;
  forEach([&](const StoredFile &F) {
    if (::unlinkat(State->at(), pathOf(F.Find).c_str(), 0) == 0) {
      ++Result.Files;
      Result.Bytes += F.Size;
    }
  });
  State->State.reset();
  return Result;
}

void LocalStore::addStatistics(const CounterValues &Values) {
  State->State.addCounters(Values);
}

CounterValues LocalStore::statistics() { return State->State.counters(); }

Result<Lease> LocalStore::acquireLease(const Hash128 &Find) {
  int FD = State->LeaseFile.load();
  if (FD < 0) {
    Descriptor File = openOwn(State->at(), "leases", O_RDWR | O_CREAT);
    FD = File ? ::fcntl(File.get(), F_DUPFD_CLOEXEC, 0) : -1;
    if (FD < 0)
      return systemFault(Counter::LeaseError);
    int None = -1;
    if (!State->LeaseFile.compare_exchange_strong(None, FD)) {
      ::close(FD);
      FD = None;
    }
  }
  uint64_t Place = 0;
  for (unsigned I = 0; I != 7; ++I)
    Place = Place << 8 | Find.Bytes[I];
  if (tryLock(FD, Place, 1))
    return Lease(FD, Place);
  if (errno == EAGAIN)
    return Fault{Counter::LeaseTimeout, "another process makes this entry"};
  return systemFault(Counter::LeaseError);
}

Lease::~Lease() {
  if (FD >= 0)
    unlock(FD, Place, 1);
}

/// The file whose age says when a remote failed.
static std::string failureFile(std::string_view Remote) {
  return "down." + fastHash(Remote).str();
}

void LocalStore::noteRemoteFailure(std::string_view Remote) {
  Descriptor File =
      openOwn(State->at(), failureFile(Remote).c_str(), O_WRONLY | O_CREAT);
  if (File)
    ::futimens(File.get(), nullptr);
}

void LocalStore::forgetRemoteFailure(std::string_view Remote) {
  ::unlinkat(State->at(), failureFile(Remote).c_str(), 0);
}

bool LocalStore::remoteFailedWithin(std::string_view Remote, uint64_t Seconds) {
  struct stat Info;
  if (::fstatat(State->at(), failureFile(Remote).c_str(), &Info,
                AT_SYMLINK_NOFOLLOW) != 0)
    return false;
  // A time in the future, after the clock jumped, does not count. The clock of
  // time() is a tick behind that of files, which may be in the next second.
  constexpr int64_t Ahead = 1;
  int64_t Age = now() - static_cast<int64_t>(Info.st_mtime);
  return Age >= -Ahead && Age < static_cast<int64_t>(Seconds);
}

} // namespace heddle::cache
