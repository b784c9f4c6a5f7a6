//===- PTXToLLVM.cpp - ptx dialect to LLVM dialect and LLVM IR --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass over a module, and the translation of its result.
//
//===----------------------------------------------------------------------===//

#include "heddle/Conversion/PTXToLLVM.h"
#include "Emitter.h"
#include "InstView.h"
#include "Translation/WithheldBodies.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Support/TargetDescription.h"
#include "mlir/Dialect/LLVMIR/Transforms/LegalizeForExport.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;

static LoweringTable makeTable() {
  LoweringTable Table;
  addArithLowerings(Table);
  addFloatLowerings(Table);
  addBitLowerings(Table);
  addSelectLowerings(Table);
  addConvertLowerings(Table);
  addMemoryLowerings(Table);
  addAtomicLowerings(Table);
  addMultimemLowerings(Table);
  addHintLowerings(Table);
  addTextureLowerings(Table);
  addMatrixLowerings(Table);
  addWmmaLowerings(Table);
  addWgmmaLowerings(Table);
  addSparseLowerings(Table);
  addTcgen05Lowerings(Table);
  addAsyncLowerings(Table);
  addFabricLowerings(Table);
  addTensorMapLowerings(Table);
  addThreadLowerings(Table);
  addClusterLowerings(Table);
  addControlLowerings(Table);
  addByteLowerings(Table);
  addMixedLowerings(Table);
  addNarrowLowerings(Table);
  addVideoLowerings(Table);
  return Table;
}

namespace {
/// The table of a context: filling it takes longer than lowering a short
/// kernel.
struct TableInterface : DialectInterface::Base<TableInterface> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TableInterface)

  explicit TableInterface(Dialect *D) : Base(D) {}

  const LoweringTable Table = makeTable();
};
} // namespace

static const LoweringTable &tableOf(MLIRContext &Context) {
  return Context.getLoadedDialect<ptxir::PTXDialect>()
      ->getRegisteredInterface<TableInterface>()
      ->Table;
}

/// What an error calls an operation that has no lowering.
static std::string nameOf(Operation *Op) {
  auto Inst = dyn_cast<ptxir::InstOp>(Op);
  if (!Inst)
    return Op->getName().getStringRef().str();
  std::string Name = Inst.getOpcode().str();
  for (StringRef Part : Inst.getModifiers().getAsValueRange<StringAttr>())
    Name += ("." + Part).str();
  return Name;
}

/// Notes what a pragma in a function's body asks for: the blocks whose loops
/// shall stay as they are, and where a kernel may keep spilled values.
static void lowerPragma(ptxir::PragmaOp Pragma,
                        SmallVectorImpl<Block *> &NotUnrolled) {
  for (StringRef Text : Pragma.getStrings().getAsValueRange<StringAttr>()) {
    if (Text == "nounroll")
      NotUnrolled.push_back(Pragma->getBlock());
    if (Text != "enable_smem_spilling")
      continue;
    auto Func = Pragma->getParentOfType<LLVM::LLVMFuncOp>();
    SmallVector<Attribute> Attrs;
    if (ArrayAttr Given = Func.getPassthroughAttr())
      Attrs.append(Given.begin(), Given.end());
    Attrs.push_back(StringAttr::get(Func.getContext(), attr::SharedSpilling));
    Func.setPassthroughAttr(ArrayAttr::get(Func.getContext(), Attrs));
  }
}

/// Marks the branches back to the heads of loops that shall not be unrolled. On
/// other branches to the same blocks the mark means nothing.
static void forbidUnrolling(ArrayRef<Block *> Heads) {
  for (Block *Head : Heads) {
    MLIRContext *Context = Head->getParentOp()->getContext();
    auto Never = LLVM::LoopUnrollAttr::get(
        Context, /*disable=*/BoolAttr::get(Context, true), {}, {}, {}, {}, {},
        {});
    auto Loop = LLVM::LoopAnnotationAttr::get(
        Context, {}, {}, {}, Never, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
    for (Block *From : Head->getPredecessors())
      llvm::TypeSwitch<Operation *, void>(From->getTerminator())
          .Case<LLVM::BrOp, LLVM::CondBrOp>(
              [&](auto Branch) { Branch.setLoopAnnotationAttr(Loop); });
  }
}

/// Lowers an operation, if it is one of the ptx dialect.
static LogicalResult lowerOperation(Emitter &E, const LoweringTable &Table,
                                    Operation &Op,
                                    SmallVectorImpl<Block *> &NotUnrolled) {
  if (!isa<ptxir::PTXDialect>(Op.getDialect()))
    return success();
  if (isa<ptxir::DebugValueOp, ptxir::DebugPlaceOp>(Op))
    return success(); // Wait for the scopes (LineInfo.cpp).
  if (isa<ptxir::LabelOp, ptxir::PragmaOp, ptxir::LocIntermediateOp>(Op)) {
    if (auto Pragma = dyn_cast<ptxir::PragmaOp>(Op))
      lowerPragma(Pragma, NotUnrolled);
    Op.erase(); // Marks of a place, and hints.
    return success();
  }
  E.start(&Op);
  if (auto Inst = dyn_cast<ptxir::InstOp>(Op)) {
    auto LowerInst = Table.lookupInst(Inst.getOpcode());
    auto Mn = LowerInst ? ptxir::resolveMnemonic(Inst) : std::nullopt;
    if (Mn)
      return LowerInst(E, InstView(Inst, *Mn));
  }
  LoweringTable::Function Lower = Table.lookup(&Op);
  return Lower ? Lower(E, &Op) : E.unsupported(&Op, nameOf(&Op));
}

/// Lowers every ptx operation of a function, in an order in which definitions
/// come before their uses wherever one dominates the other, so that lowerings
/// can look at how an operand was made. A lowering may divide the block in
/// front of its operation: the block of what follows is the next one.
static LogicalResult lowerBody(Emitter &E, const LoweringTable &Table,
                               Region &Body) {
  bool Failed = false;
  SmallVector<Block *> NotUnrolled;
  for (Block &B : Body)
    for (auto It = B.begin(); It != B.end() && It->getBlock() == &B;) {
      Operation &Op = *It++;
      Failed |= failed(lowerOperation(E, Table, Op, NotUnrolled));
    }
  forbidUnrolling(NotUnrolled);
  return failure(Failed);
}

LogicalResult heddle::convertPTXToLLVM(ModuleOp Module,
                                       const PTXToLLVMOptions &Options) {
  MLIRContext *Context = Module.getContext();
  Context->loadDialect<LLVM::LLVMDialect>();
  Module->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                  StringAttr::get(Context, TargetDataLayout));
  Module->setAttr(LLVM::LLVMDialect::getTargetTripleAttrName(),
                  StringAttr::get(Context, TargetTriple));
  Emitter E(Module, Options);
  if (failed(lowerSymbols(E)))
    return failure();
  const LoweringTable &Table = tableOf(*Context);
  bool Failed = false;
  for (auto Func :
       llvm::make_early_inc_range(Module.getOps<LLVM::LLVMFuncOp>())) {
    Failed |= failed(lowerBody(E, Table, Func.getBody()));
    Func->removeAttr("ptx.param_offsets");
  }
  if (Failed)
    return failure();
  // Nothing of the dialect is left.
  Module->removeAttr("ptx.files");
  if (Options.LineInfo)
    attachLineInfo(Module, Options.Debug);
  ptxir::dropPlaces(Module);
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertPTXToLLVMPass
    : PassWrapper<ConvertPTXToLLVMPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertPTXToLLVMPass)

  ConvertPTXToLLVMPass() = default;
  explicit ConvertPTXToLLVMPass(const PTXToLLVMOptions &Options) {
    Contract = Options.Contract;
    LineInfo = Options.LineInfo;
  }
  ConvertPTXToLLVMPass(const ConvertPTXToLLVMPass &Other)
      : PassWrapper(Other) {}

  StringRef getArgument() const override { return "convert-ptx-to-llvm"; }
  StringRef getDescription() const override {
    return "Lower the ptx dialect to the LLVM dialect";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<LLVM::LLVMDialect>();
  }
  void runOnOperation() override {
    PTXToLLVMOptions Options;
    Options.Contract = Contract;
    Options.LineInfo = LineInfo;
    if (failed(convertPTXToLLVM(getOperation(), Options)))
      signalPassFailure();
  }

  Option<bool> Contract{*this, "contract",
                        llvm::cl::desc("Let products and sums be fused"),
                        llvm::cl::init(true)};
  Option<bool> LineInfo{*this, "line-info", llvm::cl::desc("Make line tables"),
                        llvm::cl::init(false)};
};
} // namespace

std::unique_ptr<Pass>
heddle::createConvertPTXToLLVMPass(const PTXToLLVMOptions &Options) {
  return std::make_unique<ConvertPTXToLLVMPass>(Options);
}

void heddle::registerConvertPTXToLLVMPass() {
  PassRegistration<ConvertPTXToLLVMPass>();
}

//===----------------------------------------------------------------------===//
// LLVM IR
//===----------------------------------------------------------------------===//

void heddle::registerPTXToLLVMDialects(DialectRegistry &Registry) {
  Registry.insert<ptxir::PTXDialect, LLVM::LLVMDialect>();
  registerBuiltinDialectTranslation(Registry);
  registerLLVMDialectTranslation(Registry);
  lowering::registerMetadataTranslation(Registry);
  Registry.addExtension(+[](MLIRContext *, ptxir::PTXDialect *Dialect) {
    Dialect->addInterfaces<TableInterface>();
  });
}

/// Whether a terminator leads to a block in several ways.
static bool repeatsSuccessors(ModuleOp Module) {
  for (auto Func : Module.getOps<LLVM::LLVMFuncOp>())
    for (Block &B : Func.getBody()) {
      llvm::SmallPtrSet<Block *, 8> Seen;
      for (Block *Successor : B.getTerminator()->getSuccessors())
        if (!Seen.insert(Successor).second)
          return true;
    }
  return false;
}

std::unique_ptr<llvm::Module>
heddle::translateToLLVMIR(ModuleOp Module, llvm::LLVMContext &Context) {
  StringRef Name = ptxir::getPTXLoc(Module.getLoc()).getFilename();
  // PHIs tell the ways into a block apart by where they come from.
  if (repeatsSuccessors(Module))
    LLVM::ensureDistinctSuccessors(Module);
  const WithheldBodies Bodies(Module);
  // Whoever compiles the module verifies it.
  return translateModuleToLLVMIR(Module, Context, Name,
                                 /*disableVerification=*/true);
}
