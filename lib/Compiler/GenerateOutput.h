//===- GenerateOutput.h - LLVM IR to what was asked for ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From LLVM IR to what --emit asks for, with the reports on an object. Private
// to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_GENERATEOUTPUT_H
#define HEDDLE_LIB_COMPILER_GENERATEOUTPUT_H

#include "Partition/PartitionCompiler.h"

namespace heddle::compiler {

/// What --emit asks for of \p M into the output of \p C. Each partition of \p
/// M, or all of \p M, goes through \p Compile.
llvm::Error generateOutput(llvm::Module &M, const Compilation &C,
                           CompilePartition Compile);

/// The object of an input whose partitions were lowered apart.
llvm::Error generateOutput(PartitionedInput Input, const Compilation &C,
                           CompilePartition Compile);

/// Makes the object readable by programs that know DWARF and not our
/// relocations.
llvm::Error layOutDebug(CompileOutput &Output);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_GENERATEOUTPUT_H
