//===- HeddleInterThreadWaits.h - Waits between threads --------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which functions of a module can wait for threads that do not execute them: by
// reading memory that those write, or at a barrier.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEINTERTHREADWAITS_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEINTERTHREADWAITS_H

#include "llvm/ADT/DenseSet.h"

namespace llvm {

class Function;
class Module;

class HeddleInterThreadWaits {
public:
  /// A null function is an unknown one.
  bool mayWait(const Function *F);
  void clear();

private:
  void collect(const Module &M);

  const Module *Known = nullptr; ///< the module that was looked at
  DenseSet<const Function *> Waiting;
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEINTERTHREADWAITS_H
