//===- LowerInput.h - A syntax tree to LLVM IR ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second and the third step over an input: the whole of it, or its
// partitions by several threads. Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_LOWERINPUT_H
#define HEDDLE_LIB_COMPILER_LOWERINPUT_H

#include "Frontend.h"
#include "Partition/Partition.h"

namespace heddle::compiler {

/// The steps over a part of a syntax tree: importPTX and lower of \p F.
using FrontendSteps = bool (*)(Frontend &F, FunctionFilter Wants);

/// The steps over the partitions of a file, if the settings allow several
/// threads and the file can be divided. None if the file has to be lowered as a
/// whole, because it cannot be divided or since there is something to say of
/// the file: messages are to come in the order of the text. Nothing was
/// reported then. The names in the result are those of \p Tree.
llvm::Expected<std::optional<PartitionedInput>>
lowerPartitions(const ParsedInput &Tree, llvm::MemoryBufferRef Input,
                const Compilation &C, FrontendSteps Steps);

/// The steps over the whole of a file. Reports the messages.
llvm::Expected<FrontendResult>
lowerWhole(ParsedInput &Tree, llvm::MemoryBufferRef Input, const Settings &S,
           mlir::MLIRContext &MLIR, llvm::LLVMContext &Context,
           Reporter &Report, CompileControl &Control, FrontendSteps Steps);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_LOWERINPUT_H
