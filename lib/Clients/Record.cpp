//===- Record.cpp - Writes what this process does ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lock belongs to the open file, which lives as long as its mapping: so the
// descriptor is closed at once, and a program that closes all descriptors or
// forks children that live longer changes nothing.
//
//===----------------------------------------------------------------------===//

#include "heddle/Clients/Record.h"

#include "heddle/Clients/Accounting.h"
#include "heddle/Clients/FaultLog.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <new>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::clients {

static_assert(std::atomic<uint64_t>::is_always_lock_free);

static constexpr uint64_t SecondNs = 1'000'000'000;

/// Asks the kernel itself: where the program's clock tells the time of a chip
/// (libheddle-clock), looking at it in the middle of a launch would move it on.
static uint64_t nanoseconds(clockid_t Clock) {
  timespec Now = {};
  ::syscall(SYS_clock_gettime, Clock, &Now);
  return uint64_t(Now.tv_sec) * SecondNs + Now.tv_nsec;
}

uint64_t monotonicNow() { return nanoseconds(CLOCK_MONOTONIC); }

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

void DeviceUse::addBusy(uint64_t Begin, uint64_t End) {
  BusyNs.fetch_add(End - Begin, std::memory_order_relaxed);
  uint64_t Last = End / WindowNs;
  uint64_t First =
      std::max(Begin / WindowNs, Last < NumWindows ? 0 : Last - NumWindows + 1);
  for (uint64_t W = First; W <= Last; ++W) {
    uint64_t Ran =
        std::min(End, (W + 1) * WindowNs) - std::max(Begin, W * WindowNs);
    std::atomic<uint64_t> &Window = Windows[W % NumWindows];
    uint64_t Known = Window.load(std::memory_order_relaxed);
    uint64_t Before = Known / WindowNs == W ? Known % WindowNs : 0;
    // A whole window would be the next one's number.
    Window.store(W * WindowNs + std::min(Before + Ran, WindowNs - 1),
                 std::memory_order_relaxed);
  }
}

uint64_t DeviceUse::busyWithin(uint64_t Now, uint64_t Length) const {
  Length = std::min(Length, NumWindows * WindowNs);
  uint64_t From = Now < Length ? 0 : Now - Length, Busy = 0;
  for (const std::atomic<uint64_t> &Window : Windows) {
    uint64_t Known = Window.load(std::memory_order_relaxed);
    if (Known / WindowNs >= From / WindowNs && Known <= Now)
      Busy += Known % WindowNs;
  }
  if (uint64_t Since = BusySince.load(std::memory_order_relaxed);
      Since && Since < Now)
    Busy += Now - std::max(Since, From);
  return std::min(Busy, Length);
}

//===----------------------------------------------------------------------===//
// Meters
//===----------------------------------------------------------------------===//

void DeviceMeter::begin() {
  std::lock_guard Lock(Mutex);
  if (Running++ == 0)
    Use.BusySince.store(monotonicNow(), std::memory_order_relaxed);
}

void DeviceMeter::end(bool HasFailed, std::optional<rt::FaultKind> Why) {
  Use.Launches.fetch_add(1, std::memory_order_relaxed);
  if (HasFailed)
    Use.Faults.fetch_add(1, std::memory_order_relaxed);
  if (Why)
    noteFault(Use.Device, *Why);
  std::lock_guard Lock(Mutex);
  if (--Running != 0)
    return;
  uint64_t Since = Use.BusySince.exchange(0, std::memory_order_relaxed);
  Use.addBusy(Since, monotonicNow());
}

void DeviceMeter::setBytes(uint64_t Bytes) {
  Use.Bytes.store(Bytes, std::memory_order_relaxed);
  uint64_t Most = Use.MostBytes.load(std::memory_order_relaxed);
  while (Most < Bytes && !Use.MostBytes.compare_exchange_weak(
                             Most, Bytes, std::memory_order_relaxed))
    continue;
}

void DeviceMeter::close() { Use.IsOpen = 0; }

//===----------------------------------------------------------------------===//
// The record
//===----------------------------------------------------------------------===//

/// What the system knows of a process, with blanks where zeros are.
static std::string readCommandLine() {
  std::string Text(sizeof(RecordData::CommandLine) - 1, 0);
  int File = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t Length = File < 0 ? 0 : ::read(File, Text.data(), Text.size());
  if (File >= 0)
    ::close(File);
  Text.resize(std::max<ssize_t>(Length, 0));
  while (!Text.empty() && Text.back() == 0)
    Text.pop_back();
  std::replace(Text.begin(), Text.end(), char(0), ' ');
  return Text;
}

template <size_t N> static void copyText(char (&To)[N], StringRef Text) {
  llvm::copy(Text.take_front(N - 1), To);
}

/// A file of its own in the folder, locked by the mapping that is returned;
/// null if that fails, with the reason in errno.
static void *mapFile(std::string &Path) {
  int File = ::mkostemp(Path.data(), O_CLOEXEC);
  if (File < 0)
    return nullptr;
  void *Pages = MAP_FAILED;
  if (::flock(File, LOCK_EX) == 0 && ::ftruncate(File, sizeof(RecordData)) == 0)
    Pages = ::mmap(nullptr, sizeof(RecordData), PROT_READ | PROT_WRITE,
                   MAP_SHARED, File, 0);
  int Reason = errno;
  ::close(File);
  if (Pages != MAP_FAILED &&
      ::madvise(Pages, sizeof(RecordData), MADV_DONTFORK) == 0)
    return Pages;
  ::unlink(Path.c_str());
  errno = Reason;
  return nullptr;
}

/// Zeros, at \p Place if it is not null.
void *OwnRecord::mapPrivate(void *Place) {
  void *Pages =
      ::mmap(Place, sizeof(RecordData), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | (Place ? MAP_FIXED : 0), -1, 0);
  if (Pages == MAP_FAILED)
    report_bad_alloc_error("no memory for a record of this process");
  return Pages;
}

std::unique_ptr<OwnRecord> OwnRecord::create(std::string &Fault,
                                             int64_t Process) {
  std::string Path;
  void *Pages = nullptr;
  Expected<std::string> Folder = recordFolder();
  if (Folder) {
    Path = *Folder + "/client-" + std::to_string(::getpid()) + "-XXXXXX";
    Pages = mapFile(Path);
    if (!Pages)
      Fault = "cannot write '" + Path + "': " + std::strerror(errno);
  } else {
    Fault = toString(Folder.takeError());
  }
  if (!Pages) {
    Path.clear();
    Pages = mapPrivate(nullptr);
  }
  return std::unique_ptr<OwnRecord>(
      new OwnRecord(new (Pages) RecordData(), std::move(Path), Process));
}

OwnRecord::OwnRecord(RecordData *Data, std::string Path, int64_t Process)
    : Data(Data), Path(std::move(Path)) {
  Data->Process = Process ? Process : ::getpid();
  Data->StartNs = nanoseconds(CLOCK_REALTIME);
  copyText(Data->Program, program_invocation_short_name);
  copyText(Data->CommandLine, readCommandLine());
  Data->Magic.store(RecordData::MagicNumber, std::memory_order_release);
}

OwnRecord::~OwnRecord() {
  withdraw();
  ::munmap(Data, sizeof(RecordData));
}

void OwnRecord::withdraw() {
  if (Path.empty())
    return;
  ::unlink(Path.c_str());
  Path.clear();
  if (std::optional<Client> Self = readRecord(*Data))
    keepAccounts(*Self);
}

void OwnRecord::replaceInChild() {
  mapPrivate(Data);
  Path.clear();
}

DeviceMeter &OwnRecord::open(unsigned Ordinal, const UUID &Device) {
  std::lock_guard Lock(Mutex);
  DeviceUse &Use = Data->Devices[Ordinal];
  std::unique_ptr<DeviceMeter> &Meter = Meters[Ordinal];
  if (!Meter) {
    Meter = std::make_unique<DeviceMeter>(Use);
    Use.Device = Device;
  }
  Use.IsOpen = 1;
  Data->NumDevices = std::max<uint64_t>(Data->NumDevices, Ordinal + 1);
  return *Meter;
}

DeviceMeter *OwnRecord::find(unsigned Ordinal) {
  std::lock_guard Lock(Mutex);
  return Ordinal < Meters.size() ? Meters[Ordinal].get() : nullptr;
}

} // namespace heddle::clients
