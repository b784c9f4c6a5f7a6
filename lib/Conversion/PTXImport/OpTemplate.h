//===- OpTemplate.h - Many operations with one's attributes -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions with the same mnemonic have the same attributes. To find those
// anew in the context's tables takes longer than all the rest of the import, so
// they are copied from an operation that has them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXIMPORT_OPTEMPLATE_H
#define HEDDLE_LIB_CONVERSION_PTXIMPORT_OPTEMPLATE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle::import {

/// An operation in no block whose inherent attributes new ones get.
class OpTemplate {
public:
  OpTemplate() = default;
  /// With the attributes of \p Op.
  explicit OpTemplate(mlir::Operation *Op)
      : Model(make(*Op, Op->getLoc(), {}, {})) {}
  /// With \p Attrs, which must all be inherent.
  OpTemplate(mlir::OperationName Name, mlir::Location Loc,
             llvm::ArrayRef<mlir::NamedAttribute> Attrs) {
    mlir::OperationState State(Loc, Name);
    State.addAttributes(Attrs);
    Model = mlir::Operation::create(State);
  }

  explicit operator bool() { return bool(Model); }

  /// Makes an operation where the builder stands.
  mlir::Operation *create(mlir::OpBuilder &B, mlir::Location Loc,
                          mlir::TypeRange Types, mlir::ValueRange Operands) {
    return B.insert(make(**Model, Loc, Types, Operands));
  }

private:
  static mlir::Operation *make(mlir::Operation &Like, mlir::Location Loc,
                               mlir::TypeRange Types,
                               mlir::ValueRange Operands) {
    return mlir::Operation::create(Loc, Like.getName(), Types, Operands,
                                   mlir::DictionaryAttr::get(Loc.getContext()),
                                   Like.getPropertiesStorage(),
                                   mlir::BlockRange(), /*numRegions=*/0);
  }

  mlir::OwningOpRef<mlir::Operation *> Model;
};

} // namespace heddle::import

#endif // HEDDLE_LIB_CONVERSION_PTXIMPORT_OPTEMPLATE_H
