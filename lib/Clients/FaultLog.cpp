//===- FaultLog.cpp - Kernels that failed, for monitors ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list for all devices, so that its numbers say what came after what.
//
//===----------------------------------------------------------------------===//

#include "heddle/Clients/FaultLog.h"

#include "KeptList.h"

#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::clients {

namespace {

/// A fault as it is kept.
struct KeptFault {
  static constexpr uint64_t MagicNumber = 0x31544c4644444548; // "HEDDFLT1"
  uint64_t Magic = MagicNumber;
  uint64_t Number = 0;
  UUID Device = {};
  int64_t Process = 0;
  uint64_t Xid = 0;
};

using FaultList = KeptList<KeptFault>;

} // namespace

unsigned xidOf(rt::FaultKind Kind) {
  // As NVIDIA names them: a watchdog's end of a kernel, an exception of the
  // engine, a page fault, and the end that a program's own check brought.
  constexpr unsigned Watchdog = 8, Exception = 13, PageFault = 31, Stopped = 43;
  switch (Kind) {
  case rt::FaultKind::OutOfBounds:
  case rt::FaultKind::Null:
  case rt::FaultKind::Uninitialized:
    return PageFault;
  case rt::FaultKind::Timeout:
  case rt::FaultKind::Deadlock:
    return Watchdog;
  case rt::FaultKind::Trap:
  case rt::FaultKind::Assert:
    return Stopped;
  default:
    return Exception;
  }
}

static Expected<std::string> fileOfFaults() {
  Expected<std::string> Folder = recordFolder();
  if (!Folder)
    return Folder.takeError();
  return *Folder + "/faults";
}

void noteFault(const UUID &Device, rt::FaultKind Kind) {
  Expected<std::string> Path = fileOfFaults();
  if (!Path)
    return consumeError(Path.takeError());
  FaultList File(*Path, O_RDWR | O_CREAT, MaxNotedFaults);
  if (!File)
    return;
  std::vector<KeptFault> Faults = File.read();
  KeptFault New;
  New.Number = Faults.empty() ? 1 : Faults.back().Number + 1;
  New.Device = Device;
  New.Process = ::getpid();
  New.Xid = xidOf(Kind);
  Faults.push_back(New);
  File.write(Faults);
}

std::vector<NotedFault> listFaults(uint64_t Behind) {
  std::vector<NotedFault> Found;
  Expected<std::string> Path = fileOfFaults();
  if (!Path) {
    consumeError(Path.takeError());
    return Found;
  }
  if (FaultList File(*Path, O_RDONLY, MaxNotedFaults); File)
    for (const KeptFault &F : File.read())
      if (F.Number > Behind)
        Found.push_back(
            {F.Number, F.Device, F.Process, static_cast<unsigned>(F.Xid)});
  return Found;
}

uint64_t lastFault() {
  std::vector<NotedFault> All = listFaults(0);
  return All.empty() ? 0 : All.back().Number;
}

} // namespace heddle::clients
