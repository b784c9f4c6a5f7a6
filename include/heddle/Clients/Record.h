//===- Record.h - What a process does on devices ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A client is a process that uses devices. Devices live in their processes, so
// that nobody else would know of them: each client has a record in memory that
// other processes of the user can read, in a file of the folder of records. The
// client writes it as it goes. The record is the client's while the client
// lives, however it dies: the file is locked by the mapping, which the kernel
// ends with the process and which a fork's child does not get.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CLIENTS_RECORD_H
#define HEDDLE_CLIENTS_RECORD_H

#include "heddle/Runtime/UsageMeter.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace heddle::clients {

using UUID = std::array<char, 16>;

/// The folder of records: HEDDLE_CLIENTS, else `heddle` in XDG_RUNTIME_DIR,
/// else
/// `/tmp/heddle-` and the user's number. It is made where it is not there; an
/// error if it cannot be, or if others could write there.
llvm::Expected<std::string> recordFolder();

/// What a client does on one device. Times are nanoseconds of CLOCK_MONOTONIC.
struct DeviceUse {
  static constexpr uint64_t WindowNs = 125'000'000;
  static constexpr unsigned NumWindows = 16;

  std::atomic<uint64_t> IsOpen;
  UUID Device; ///< Does not change while the device is open.
  std::atomic<uint64_t> Bytes, MostBytes; ///< Memory in use.
  std::atomic<uint64_t> Launches, Faults;
  std::atomic<uint64_t> BusySince; ///< When kernels began to run; 0: none runs.
  std::atomic<uint64_t> BusyNs;    ///< Before that.
  /// Pieces of the last two seconds: the number of the piece, times WindowNs,
  /// plus the nanoseconds in it that kernels ran.
  std::array<std::atomic<uint64_t>, NumWindows> Windows;

  /// Kernels ran from \p Begin to \p End.
  void addBusy(uint64_t Begin, uint64_t End);
  /// For how long kernels ran in the \p Length nanoseconds before \p Now; of
  /// more than two seconds, the last two.
  uint64_t busyWithin(uint64_t Now, uint64_t Length) const;
};

/// The file. What an older or a newer version writes is nobody's record.
struct RecordData {
  static constexpr uint64_t MagicNumber = 0x3154434c44444548; // "HEDDLCT1"
  static constexpr unsigned MaxDevices = 64;

  std::atomic<uint64_t> Magic; ///< Is written last.
  int64_t Process;
  uint64_t StartNs; ///< Of CLOCK_REALTIME.
  char Program[64]; ///< Its name, with a final zero.
  char CommandLine[448];
  std::atomic<uint64_t> NumDevices; ///< That were ever open.
  std::array<DeviceUse, MaxDevices> Devices;
};

/// The time of DeviceUse, now.
uint64_t monotonicNow();

/// Counts one device's kernels for a record.
class DeviceMeter final : public rt::UsageMeter {
public:
  explicit DeviceMeter(DeviceUse &Use) : Use(Use) {}

  void begin() override;
  void end(bool HasFailed, std::optional<rt::FaultKind> Why) override;
  void setBytes(uint64_t Bytes);
  void close();

private:
  DeviceUse &Use;
  std::mutex Mutex;     ///< Of Running and of the begin and end of busy times.
  unsigned Running = 0; ///< Kernels.
};

/// The own record. Any thread may call anything at any time.
class OwnRecord {
public:
  /// A record in the folder of records. Without the folder, one that nobody
  /// else sees; \p Fault then says why. \p Process is the number by which
  /// others know this process; 0: its own.
  static std::unique_ptr<OwnRecord> create(std::string &Fault,
                                           int64_t Process = 0);
  ~OwnRecord();

  /// The meter of a device that the process opens, whose \p Ordinal is the
  /// process's number for it. It lives as long as the record.
  DeviceMeter &open(unsigned Ordinal, const UUID &Device);
  /// The same if it was opened; else null.
  DeviceMeter *find(unsigned Ordinal);

  /// The process ends, though threads of it may go on: nobody else sees the
  /// record any more.
  void withdraw();
  /// In a fork's child, which did not get the record: gives it memory of its
  /// own in that place, so that what goes on there harms nobody.
  void replaceInChild();

private:
  OwnRecord(RecordData *Data, std::string Path, int64_t Process);

  static void *mapPrivate(void *Place);

  RecordData *const Data;
  std::string Path; ///< Empty: there is no file.
  std::mutex Mutex; ///< Of Meters.
  std::array<std::unique_ptr<DeviceMeter>, RecordData::MaxDevices> Meters;
};

} // namespace heddle::clients

#endif // HEDDLE_CLIENTS_RECORD_H
