//===- Table.h - The devices at one glance ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptx-smi prints without options: the shape of nvidia-smi's table, which
// people know.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_SMI_TABLE_H
#define HEDDLE_TOOLS_PTX_SMI_TABLE_H

#include "Snapshot.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::smi {

void printTable(const Snapshot &S, llvm::raw_ostream &OS);
/// A line for each device, with its UUID.
void printList(const Snapshot &S, llvm::raw_ostream &OS);

} // namespace heddle::smi

#endif // HEDDLE_TOOLS_PTX_SMI_TABLE_H
