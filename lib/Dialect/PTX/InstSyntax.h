//===- InstSyntax.h - Syntax of the operands of ptx.inst --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The custom directive Forms of PTXInst.td, which the generated parser and
// printer call.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DIALECT_PTX_INSTSYNTAX_H
#define HEDDLE_LIB_DIALECT_PTX_INSTSYNTAX_H

#include "mlir/IR/OpImplementation.h"

namespace heddle::ptxir {

mlir::ParseResult
parseForms(mlir::OpAsmParser &Parser, mlir::ArrayAttr &Forms,
           llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &Args);
void printForms(mlir::OpAsmPrinter &P, mlir::Operation *Op,
                mlir::ArrayAttr Forms, mlir::OperandRange Args);

} // namespace heddle::ptxir

#endif // HEDDLE_LIB_DIALECT_PTX_INSTSYNTAX_H
