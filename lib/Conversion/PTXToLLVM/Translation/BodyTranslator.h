//===- BodyTranslator.h - Bodies in the LLVM dialect to LLVM IR -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's translation to LLVM IR asks each operation for its dictionary of
// attributes and compares it with all operations of the dialect, which is most
// of its time. Symbols are left to it; bodies of functions are translated here,
// by a table of the operations that PTX is lowered to most. Other operations
// go to the interface that MLIR's translation has for them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_TRANSLATION_BODYTRANSLATOR_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_TRANSLATION_BODYTRANSLATOR_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/TargetFolder.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::lowering {

class BodyTranslator;

/// How operations are translated that are met often.
class TranslationTable {
public:
  /// Null: an attribute makes the operation one for MLIR's translation.
  using Function = llvm::Value *(*)(BodyTranslator &, mlir::Operation *);

  TranslationTable();
  Function lookup(mlir::Operation *Op) const {
    return Functions.lookup(Op->getName().getTypeID());
  }

private:
  template <typename OpT, llvm::Value *(*F)(BodyTranslator &, OpT)> void add();
  void addArithmetic();
  void addConversions();
  void addOthers();

  llvm::DenseMap<mlir::TypeID, Function> Functions;
};

/// Translates the body of one function without debug information.
class BodyTranslator {
public:
  /// \p M has all symbols. \p OfAttributes translates attributes of the ptx
  /// dialect.
  BodyTranslator(mlir::LLVM::LLVMFuncOp Func, mlir::LLVM::ModuleTranslation &M,
                 const TranslationTable &Table,
                 const mlir::LLVMTranslationDialectInterface &OfAttributes);

  mlir::LogicalResult run();

  /// What \p V became.
  llvm::Value *operator[](mlir::Value V) const { return Values.lookup(V); }
  llvm::Type *type(mlir::Value V) { return M.convertType(V.getType()); }

  /// The declaration of an intrinsic that MLIR found for an operation like
  /// \p Op; null: for none yet.
  llvm::Function *declarationFor(mlir::LLVM::CallIntrinsicOp Op) const;

  mlir::LLVM::ModuleTranslation &M;
  llvm::IRBuilder<llvm::TargetFolder> B;

private:
  void makeBlocks();
  mlir::LogicalResult translate(mlir::Block &Block);
  mlir::LogicalResult translate(mlir::Operation *Op);
  mlir::LogicalResult translateByMLIR(mlir::Operation *Op);
  void noteIntrinsic(mlir::LLVM::CallIntrinsicOp Op);
  mlir::LogicalResult translateAttributes(mlir::Operation *Op,
                                          llvm::Instruction *Before);
  bool translateBranch(mlir::Operation *Op);
  void connectPHIs();
  void addIncoming(mlir::Block &To, mlir::Block &From);

  mlir::LLVM::LLVMFuncOp Func;
  llvm::Function &F;
  const TranslationTable &Table;
  const mlir::LLVMTranslationDialectInterface &OfAttributes;
  llvm::DenseMap<mlir::Value, llvm::Value *> Values;
  llvm::DenseMap<mlir::Block *, llvm::BasicBlock *> Blocks;
  /// The last operation of each intrinsic's name that MLIR translated.
  struct KnownIntrinsic {
    mlir::LLVM::CallIntrinsicOp Op;
    llvm::Function *Declaration;
  };
  llvm::DenseMap<mlir::StringAttr, KnownIntrinsic> Intrinsics;
};

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_TRANSLATION_BODYTRANSLATOR_H
