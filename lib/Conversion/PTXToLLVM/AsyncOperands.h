//===- AsyncOperands.h - Operands of asynchronous operations -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What copies, mbarriers and the fabric have in common: operands by their names
// in the PTX table, and the ISA's numbers of operations and types.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_ASYNCOPERANDS_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_ASYNCOPERANDS_H

#include "Emitter.h"
#include "InstView.h"
#include "heddle/ISA/ISA.h"

namespace heddle::lowering {

/// The shared address of an operand.
mlir::Value sharedOperand(Emitter &E, const InstView &I, llvm::StringRef Name);
/// An operand of 32 bits, or \p Default where it is left out.
mlir::Value wordOperand(Emitter &E, const InstView &I, llvm::StringRef Name,
                        uint64_t Default = 0);
mlir::Value genericOperand(Emitter &E, const InstView &I, llvm::StringRef Name,
                           unsigned AddressSpace);

// By the names that PTX has for them.
isa::AtomOp operationOf(llvm::StringRef Name);
isa::BulkType bulkTypeOf(llvm::StringRef Name);

void copyGroup(Emitter &E, isa::CopyGroupOp O, mlir::Value Address,
               int64_t Count);

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_ASYNCOPERANDS_H
