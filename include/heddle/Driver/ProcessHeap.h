//===- ProcessHeap.h - The heap of a process that compiles ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs that compile once and end. A process that does other things too
// has a heap of its owner's choice.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DRIVER_PROCESSHEAP_H
#define HEDDLE_DRIVER_PROCESSHEAP_H

namespace heddle {

/// Sets the heap of this process up for one compilation by one thread: it grows
/// in large steps and gives nothing back, the compiler's thread shares it, and
/// the memory that every compilation needs is there at once.
void prepareProcessHeap();

} // namespace heddle

#endif // HEDDLE_DRIVER_PROCESSHEAP_H
