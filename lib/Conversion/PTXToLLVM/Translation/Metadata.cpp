//===- Metadata.cpp - Attributes that become LLVM IR ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the LLVM dialect has no attribute for goes to the backend as metadata of
// the access: heddle.cache and heddle.ftz. Functions get their aliases here,
// and their bodies, which are withheld from MLIR's translation: for a function
// without a body, it translates attributes of the ptx dialect and nothing else.
//
//===----------------------------------------------------------------------===//

#include "BodyTranslator.h"
#include "Emitter.h"
#include "WithheldBodies.h"
#include "heddle/Dialect/PTX/Modifiers.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/Instruction.h"
#include <memory>

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;

/// The attribute of a function whose body is withheld.
static constexpr llvm::StringLiteral WithheldAttrName = "ptx.withheld";

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

  LogicalResult translateBody(LLVM::LLVMFuncOp Func,
                              LLVM::ModuleTranslation &M) const {
    Func.getBody().takeBody(*Bodies.at(Func));
    return BodyTranslator(Func, M, Table, *this).run();
  }

  LogicalResult amendOperation(Operation *Op,
                               ArrayRef<llvm::Instruction *> Instructions,
                               NamedAttribute Attribute,
                               LLVM::ModuleTranslation &M) const override {
    if (Attribute.getName() == ptxir::AliasesAttrName) {
      makeAliases(cast<LLVM::LLVMFuncOp>(Op), Attribute.getValue(), M);
      return success();
    }
    if (Attribute.getName() == WithheldAttrName)
      return translateBody(cast<LLVM::LLVMFuncOp>(Op), M);
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

  /// A context is used by one translation at a time.
  mutable llvm::DenseMap<Operation *, std::unique_ptr<Region>> Bodies;

private:
  TranslationTable Table;
};

} // namespace

static const MetadataTranslation *interfaceOf(ModuleOp Module) {
  auto *Dialect = Module.getContext()->getLoadedDialect<ptxir::PTXDialect>();
  return static_cast<const MetadataTranslation *>(
      Dialect->getRegisteredInterface<LLVMTranslationDialectInterface>());
}

lowering::WithheldBodies::WithheldBodies(ModuleOp Module) : Module(Module) {
  auto Yes = UnitAttr::get(Module.getContext());
  for (auto Func : Module.getOps<LLVM::LLVMFuncOp>()) {
    if (Func.isExternal() ||
        Func.getLoc()->findInstanceOf<FusedLocWith<LLVM::DISubprogramAttr>>())
      continue;
    Func->setDiscardableAttr(WithheldAttrName, Yes);
    auto Body = std::make_unique<Region>();
    Body->takeBody(Func.getBody());
    interfaceOf(Module)->Bodies[Func] = std::move(Body);
  }
}

lowering::WithheldBodies::~WithheldBodies() {
  interfaceOf(Module)->Bodies.clear();
}

void lowering::registerMetadataTranslation(DialectRegistry &Registry) {
  Registry.addExtension(+[](MLIRContext *, ptxir::PTXDialect *Dialect) {
    Dialect->addInterfaces<MetadataTranslation>();
  });
}
