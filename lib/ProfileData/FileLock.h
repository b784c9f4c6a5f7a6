//===- FileLock.h - One process at a time changes a file --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lock that the kernel takes back when its owner ends, however that comes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_PGO_FILELOCK_H
#define HEDDLE_LIB_PGO_FILELOCK_H

#include "llvm/Support/Error.h"
#include <chrono>
#include <string>

namespace heddle::pgo {

/// Held from take() to the destructor, against other processes and against
/// other threads of this one, through a file `PATH.lock` beside the file.
class FileLock {
public:
  /// Waits for whoever has the lock; an error if that takes longer than
  /// Patience, or if `PATH.lock` cannot be made.
  static llvm::Expected<FileLock> take(llvm::StringRef Path,
                                       std::chrono::seconds Patience);
  FileLock(FileLock &&Other);
  FileLock &operator=(FileLock &&) = delete;
  ~FileLock();

private:
  FileLock(std::string LockPath, int FD)
      : LockPath(std::move(LockPath)), FD(FD) {}

  std::string LockPath;
  int FD;
};

} // namespace heddle::pgo

#endif // HEDDLE_LIB_PGO_FILELOCK_H
