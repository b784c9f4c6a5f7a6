//===- Metadata.cpp - Attributes that become metadata -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the LLVM dialect has no attribute for goes to the backend as metadata of
// the access: heddle.cache and heddle.ftz. Functions get their aliases here.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "heddle/Dialect/PTX/Modifiers.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/Instruction.h"

using namespace mlir;
using namespace heddle;

namespace {

/// The further names under which other modules see a function.
void makeAliases(LLVM::LLVMFuncOp Op, Attribute Names,
                 LLVM::ModuleTranslation &Translation) {
  llvm::Function *F = Translation.lookupFunction(Op.getSymName());
  for (StringRef Name : cast<ArrayAttr>(Names).getAsValueRange<StringAttr>())
    llvm::GlobalAlias::create(F->getValueType(), F->getAddressSpace(),
                              llvm::GlobalValue::ExternalLinkage, Name, F,
                              F->getParent());
}

class MetadataTranslation : public LLVMTranslationDialectInterface {
public:
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;

  LogicalResult amendOperation(Operation *Op,
                               ArrayRef<llvm::Instruction *> Instructions,
                               NamedAttribute Attribute,
                               LLVM::ModuleTranslation &M) const override {
    if (Attribute.getName() == ptxir::AliasesAttrName) {
      makeAliases(cast<LLVM::LLVMFuncOp>(Op), Attribute.getValue(), M);
      return success();
    }
    StringRef Name;
    SmallVector<llvm::Metadata *, 1> Operands;
    for (llvm::Instruction *I : Instructions) {
      llvm::LLVMContext &Context = I->getContext();
      if (Attribute.getName() == lowering::CacheHintAttrName) {
        Name = "heddle.cache";
        Operands.assign(1,
                        llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                            llvm::Type::getInt32Ty(Context),
                            cast<IntegerAttr>(Attribute.getValue()).getInt())));
      } else if (Attribute.getName() == lowering::FlushAttrName) {
        Name = "heddle.ftz";
      } else {
        continue;
      }
      if (I->mayReadOrWriteMemory())
        I->setMetadata(Name, llvm::MDNode::get(Context, Operands));
    }
    return success();
  }
};

} // namespace

void lowering::registerMetadataTranslation(DialectRegistry &Registry) {
  Registry.addExtension(+[](MLIRContext *, ptxir::PTXDialect *Dialect) {
    Dialect->addInterfaces<MetadataTranslation>();
  });
}
