//===- LiveReport.h - Tells a dashboard what goes on ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What HEDDLE_DASHBOARD asks for: sums of launches, which a thread sends where
// they have changed, and faults at once.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_LIVEREPORT_H
#define HEDDLE_LIB_CUDA_LIVEREPORT_H

#include "heddle/Dashboard/Report.h"
#include "heddle/Runtime/Queue.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <mutex>
#include <set>

namespace heddle::cuda {

/// Any thread may call anything at any time.
class LiveReport {
public:
  /// Tells how much memory of each device is in use.
  using MemoryQuery = std::function<std::vector<uint64_t>()>;

  /// Connects to the dashboard at \p Address, the value of the variable. The
  /// object is never destroyed: a fork's child closes its connection.
  static llvm::Expected<std::unique_ptr<LiveReport>>
  connect(llvm::StringRef Address, MemoryQuery Memory);

  void add(const rt::ObservedLaunch &R);
  /// A module was compiled, or found; \p Origin says where.
  void countCompilation(llvm::StringRef Origin);
  /// Sends what is left. Nothing is sent later.
  void finish();

private:
  LiveReport(int Socket, MemoryQuery Memory);
  void sendUntilFinished();
  void sendChanges();
  void send(llvm::StringRef Text);

  const MemoryQuery Memory;

  std::mutex SendMutex; ///< Of the connection: reports go out in their order.
  int Socket;           ///< Below zero: nobody listens any more.
  uint64_t Device = 0, Inode = 0; ///< Of the socket.

  std::mutex Mutex; ///< Of everything below.
  bool Stop = false, HasChanged = true;
  dash::ProcessReport Sums; ///< Faults are those that were not sent.
  /// By the name in the object.
  llvm::StringMap<dash::KernelSums> Kernels;
  std::set<std::string> Changed; ///< Of Kernels.
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_LIVEREPORT_H
