//===- PTX.h - The ptx dialect ----------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the ptx dialect: its enumerations, attributes and operations, and
// questions about PTX types that all users of the dialect ask.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_PTX_PTX_H
#define HEDDLE_DIALECT_PTX_PTX_H

#include "heddle/Support/Arena.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <mutex>

#include "heddle/Dialect/PTX/PTXDialect.h.inc"

#include "heddle/Dialect/PTX/PTXEnums.h.inc"

namespace heddle::ptxir::detail {
struct PlaceAttrStorage;
} // namespace heddle::ptxir::detail

#define GET_ATTRDEF_CLASSES
#include "heddle/Dialect/PTX/PTXAttrs.h.inc"

namespace heddle::ptxir {

/// Width of a value of this type in bits (.pred: 1).
unsigned bitWidth(ScalarType Ty);
/// Width of the bits that a register of this MLIR type holds.
unsigned bitWidth(mlir::Type Register);
bool isSigned(ScalarType Ty);
/// .u8 to .s64 and the packed 16-bit pairs.
bool isInt(ScalarType Ty);
/// .b8 to .b128 and .pred.
bool isBits(ScalarType Ty);
/// Floating-point types, packed ones included.
bool isFloat(ScalarType Ty);
inline bool isIntOrFloat(ScalarType Ty) { return isInt(Ty) || isFloat(Ty); }
/// .f16x2 and its like: two values in one register.
bool isPacked(ScalarType Ty);

/// Bytes from the start of an entry's parameters to each of \p Params: each at
/// the next multiple of its alignment.
llvm::SmallVector<uint64_t> layOutParams(llvm::ArrayRef<EntryParamAttr> Params);
/// Size of a parameter in bytes.
uint64_t sizeOf(EntryParamAttr Param);

/// Location of an operation in the PTX text.
mlir::FileLineColLoc getPTXLoc(mlir::Location Loc);
/// Location that `.loc` gave, or null: a FileLineColLoc, or a CallSiteLoc for
/// an inlined one.
mlir::LocationAttr getSourceLoc(mlir::Location Loc);
/// Gives all operations in \p Root locations of MLIR's own kinds in place of
/// PlaceAttr, which can be printed and read: the place in the PTX text, fused
/// with that of `.loc` where there is one.
void replacePlaces(mlir::Operation *Root);
/// Takes the places away, for dialects that know nothing of them.
void dropPlaces(mlir::Operation *Root);

namespace detail {
mlir::LogicalResult verifyUniformWidth(mlir::Operation *Op, ScalarType Ty);
} // namespace detail

/// Every register of the operation is as wide as its instruction type.
template <typename OpT>
class UniformWidth : public mlir::OpTrait::TraitBase<OpT, UniformWidth> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *Op) {
    return detail::verifyUniformWidth(Op, llvm::cast<OpT>(Op).getTy());
  }
};

} // namespace heddle::ptxir

#define GET_OP_CLASSES
#include "heddle/Dialect/PTX/PTXOps.h.inc"

#endif // HEDDLE_DIALECT_PTX_PTX_H
