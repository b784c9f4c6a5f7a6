//===- LinkProgram.h - The inputs of a link to one object -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_LINK_LINKPROGRAM_H
#define HEDDLE_LIB_COMPILER_LINK_LINKPROGRAM_H

#include "Compilation.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace heddle::compiler {

/// The inputs of a bundle to one object, in the output of \p C.
llvm::Error linkProgram(llvm::MemoryBufferRef Bundle, const Compilation &C,
                        llvm::LLVMContext &Context);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_LINK_LINKPROGRAM_H
