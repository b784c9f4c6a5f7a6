//===- FaultLog.h - Kernels that failed, for monitors -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process that a kernel's fault ends takes its record along. So each fault is
// noted in a list of all processes as well, in a file of the folder of records
// that is there from the first fault on. Monitors read what was noted behind
// the last one that they know.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CLIENTS_FAULTLOG_H
#define HEDDLE_CLIENTS_FAULTLOG_H

#include "heddle/Clients/Record.h"

#include <vector>

namespace heddle::clients {

/// The most faults that are kept; the oldest go first.
inline constexpr unsigned MaxNotedFaults = 256;

struct NotedFault {
  uint64_t Number = 0; ///< Of all that were noted, from 1.
  UUID Device = {};
  int64_t Process = 0;
  unsigned Xid = 0; ///< NVIDIA's number for what happened.
};

/// NVIDIA's number of the error that a GPU would report.
unsigned xidOf(rt::FaultKind Kind);

/// Notes a fault of this process. What cannot be written is lost; nobody waits
/// for it.
void noteFault(const UUID &Device, rt::FaultKind Kind);

/// Faults whose numbers are above \p Behind, in the order of these.
std::vector<NotedFault> listFaults(uint64_t Behind);
/// The number of the last one; 0: there is none.
uint64_t lastFault();

} // namespace heddle::clients

#endif // HEDDLE_CLIENTS_FAULTLOG_H
