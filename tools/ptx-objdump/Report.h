//===- Report.h - Tables about a code object --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Relocations, symbols and sizes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_OBJDUMP_REPORT_H
#define HEDDLE_TOOLS_PTX_OBJDUMP_REPORT_H

#include "heddle/Object/ObjectFile.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::objdump {

void printRelocations(const ObjectFile &Object, llvm::raw_ostream &OS);
void printSymbols(const ObjectFile &Object, llvm::raw_ostream &OS);
/// Sizes and resources of each function as JSON; \p Name is the file's.
void printJSON(const ObjectFile &Object, llvm::StringRef Name,
               llvm::raw_ostream &OS);

} // namespace heddle::objdump

#endif // HEDDLE_TOOLS_PTX_OBJDUMP_REPORT_H
