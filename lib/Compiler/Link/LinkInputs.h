//===- LinkInputs.h - What there is to link ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inputs of a link, sorted. Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_LINKINPUTS_H
#define HEDDLE_LIB_COMPILER_LINKINPUTS_H

#include "Compilation.h"
#include "heddle/Link/ModuleLink.h"
#include "heddle/Link/ObjectLink.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/ModuleSummaryIndex.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace heddle::compiler {

/// What thin LTO knows of a module without having read it.
struct ModuleContent {
  /// What its functions name; null: not known yet, and the module is read.
  std::unique_ptr<llvm::ModuleSummaryIndex> Summary;
  std::string Hash; ///< of the input
};

struct LinkInputs {
  std::vector<ModuleToLink> Modules; ///< PTX, bitcode, with LTO that of objects
  std::vector<ObjectToLink> Objects; ///< machine code
  /// For thin LTO, of each of the modules.
  llvm::DenseMap<const llvm::Module *, ModuleContent> Contents;
};

/// What is in the bundle. After errors in PTX, which are told to Report, what
/// there is of it is missing.
llvm::Expected<LinkInputs>
readLinkInputs(llvm::MemoryBufferRef Bundle, const Settings &S,
               mlir::MLIRContext &MLIR, llvm::LLVMContext &Context,
               Reporter &Report, CompileControl &Control);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_LINKINPUTS_H
