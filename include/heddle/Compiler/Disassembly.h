//===- Disassembly.h - The instructions of an object as text ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For reports about code objects.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_COMPILER_DISASSEMBLY_H
#define HEDDLE_COMPILER_DISASSEMBLY_H

#include "heddle/Compiler/CompilerInterface.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace heddle {

/// The instructions of \p CodeObject, which is for \p Chip. Operands that are
/// relocated have the values in the file.
llvm::Expected<Disassembly> disassemble(llvm::ArrayRef<uint8_t> CodeObject,
                                        llvm::StringRef Chip);

} // namespace heddle

#endif // HEDDLE_COMPILER_DISASSEMBLY_H
