//===- Emitter.h - Building LLVM dialect for ptx operations -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The builder that all lowerings share, and the table that they register in.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_EMITTER_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_EMITTER_H

#include "heddle/Conversion/PTXToLLVM.h"
#include "heddle/Dialect/PTX/PTX.h"
#include "heddle/Support/AddressSpace.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace heddle::lowering {

/// Lets the translation to LLVM IR keep the attributes named below.
void registerMetadataTranslation(mlir::DialectRegistry &Registry);

/// None for a space that has no lowering yet.
std::optional<unsigned> addressSpaceOf(ptxir::Space S);

/// Attributes of accesses that become metadata of LLVM IR; see
/// docs/ir-contract.md.
constexpr llvm::StringLiteral CacheHintAttrName = "ptx.cache",
                              FlushAttrName = "ptx.ftz";

/// What code that names a symbol needs to know of it.
struct SymbolInfo {
  unsigned AS = addrspace::Generic; ///< of functions, too
  bool IsHandle = false;            ///< of a texture, sampler or surface
};

/// Builds LLVM dialect operations at the place of one ptx operation.
class Emitter {
public:
  Emitter(mlir::ModuleOp Module, const PTXToLLVMOptions &Options)
      : B(Module.getContext()), Module(Module), Options(Options) {}

  void start(mlir::Operation *Op) {
    B.setInsertionPoint(Op);
    Loc = Op->getLoc();
  }

  // Types.
  mlir::Type intTy(unsigned Bits) { return B.getIntegerType(Bits); }
  mlir::Type ptrTy(unsigned AS) {
    return mlir::LLVM::LLVMPointerType::get(B.getContext(), AS);
  }
  /// What LLVM calls a value of a PTX type: iN, a float, or a vector of two.
  mlir::Type typeOf(ptxir::ScalarType Ty);

  // Values.
  mlir::Value constInt(mlir::Type Ty, uint64_t V);
  mlir::Value constInt(unsigned Bits, uint64_t V) {
    return constInt(intTy(Bits), V);
  }
  /// A float, or a vector of equal floats.
  mlir::Value constFloat(mlir::Type Ty, double V);
  /// The value of an integer constant.
  static std::optional<llvm::APInt> matchInt(mlir::Value V);
  /// The same bits as another type of the same width.
  mlir::Value cast(mlir::Value V, mlir::Type Ty);
  mlir::Value asInt(mlir::Value V);
  mlir::Value as(mlir::Value V, ptxir::ScalarType Ty) {
    return cast(V, typeOf(Ty));
  }
  /// An integer made wider by its sign or by zeros, or cut off.
  mlir::Value resize(mlir::Value V, unsigned Bits, bool Signed);

  /// OpT::create would look the operation's name up in a table of strings.
  template <typename OpT, typename... Args> OpT create(Args &&...Arguments) {
    mlir::OperationState State(Loc, nameOf<OpT>());
    OpT::build(B, State, std::forward<Args>(Arguments)...);
    return llvm::cast<OpT>(B.create(State));
  }
  template <typename OpT, typename... Args>
  mlir::Value make(Args &&...Arguments) {
    return create<OpT>(std::forward<Args>(Arguments)...)->getResult(0);
  }
  mlir::Value icmp(mlir::LLVM::ICmpPredicate P, mlir::Value L, mlir::Value R) {
    return make<mlir::LLVM::ICmpOp>(P, L, R);
  }
  mlir::Value select(mlir::Value C, mlir::Value T, mlir::Value F) {
    return make<mlir::LLVM::SelectOp>(C, T, F);
  }
  /// Clamps a signed (unsigned) integer to [Low, High].
  mlir::Value clamp(mlir::Value V, int64_t Low, uint64_t High, bool Signed);

  /// Calls llvm.<Name>; a null \p Result is void.
  mlir::Value intrinsic(const llvm::Twine &Name, mlir::Type Result,
                        mlir::ValueRange Args);
  /// Calls __heddle_<Name>, which is declared at its first use.
  mlir::Value builtin(const llvm::Twine &Name, mlir::Type Result,
                      mlir::ValueRange Args);
  /// The same for what stands in heddle/Target/MemoryBuiltins.def: without
  /// \p OnlyReads the function may do anything to memory.
  mlir::Value memoryBuiltin(const llvm::Twine &Name, mlir::Type Result,
                            mlir::ValueRange Args, bool OnlyReads = false);
  /// The same for what the lanes of a warp do together: they meet before it.
  mlir::Value warpBuiltin(const llvm::Twine &Name, mlir::Type Result,
                          mlir::ValueRange Args, mlir::LLVM::ModRefInfo Memory);
  mlir::Value extract(mlir::Value Struct, int64_t Index) {
    return make<mlir::LLVM::ExtractValueOp>(Struct, Index);
  }
  mlir::Type structTy(llvm::ArrayRef<mlir::Type> Parts) {
    return mlir::LLVM::LLVMStructType::getLiteral(B.getContext(), Parts);
  }

  /// Flushes a subnormal .f32 to zero of its sign.
  mlir::Value flush(mlir::Value V);
  /// Clamps to [0, 1], NaN to +0.
  mlir::Value saturate(mlir::Value V);

  /// The pointer that an integer address means in address space \p AS, moved
  /// by \p Offset bytes. Sees through the conversions that gave the address.
  mlir::Value pointer(mlir::Value Address, unsigned AS, int64_t Offset = 0);
  /// A pointer as an address register.
  mlir::Value address(mlir::Value Pointer, mlir::Type Ty) {
    return make<mlir::LLVM::PtrToIntOp>(Ty, Pointer);
  }

  /// Replaces the results of \p Op, cast to their register types, and erases
  /// it.
  mlir::LogicalResult replace(mlir::Operation *Op, mlir::ValueRange Values);
  mlir::LogicalResult unsupported(mlir::Operation *Op, const llvm::Twine &What);

  /// Of a symbol of the module, before or after it was lowered.
  SymbolInfo symbol(mlir::StringAttr Name);

  mlir::OpBuilder B;
  mlir::Location Loc = B.getUnknownLoc();
  mlir::ModuleOp Module;
  const PTXToLLVMOptions &Options;

private:
  template <typename OpT> mlir::OperationName nameOf() {
    return *mlir::RegisteredOperationName::lookup(mlir::TypeID::get<OpT>(),
                                                  B.getContext());
  }
  mlir::LLVM::LLVMFuncOp declareBuiltin(const llvm::Twine &Name,
                                        mlir::Type Result,
                                        mlir::ValueRange Args,
                                        mlir::LLVM::ModRefInfo Memory);
  bool haveMet(mlir::Block &B, mlir::Block::iterator Place) const;
  void meet();
  mlir::Value rootedPointer(mlir::Value Address, unsigned AS, unsigned Depth);

  llvm::StringMap<mlir::LLVM::LLVMFuncOp> Builtins;
  /// Variables, once one was asked for: to look for each in all of a module
  /// would take time that grows with the square of how many there are.
  std::optional<llvm::DenseMap<mlir::StringAttr, SymbolInfo>> Variables;
};

class InstView;

/// How each kind of ptx operation is lowered.
class LoweringTable {
public:
  using Function = mlir::LogicalResult (*)(Emitter &, mlir::Operation *);

  /// Registers a function `LogicalResult F(Emitter &, SomeOp)`.
  template <auto F> void add() { addTyped<F>(F); }
  /// Registers a function `LogicalResult F(Emitter &, ptxir::InstOp)` for the
  /// instructions of an opcode that have no operation of their own.
  template <auto F> void addInst(llvm::StringRef Opcode) {
    InstFunctions[Opcode] = [](Emitter &E, mlir::Operation *Op) {
      return F(E, llvm::cast<ptxir::InstOp>(Op));
    };
  }
  Function lookup(mlir::Operation *Op) const {
    if (auto Inst = llvm::dyn_cast<ptxir::InstOp>(Op))
      return InstFunctions.lookup(Inst.getOpcode());
    return Functions.lookup(Op->getName().getTypeID());
  }

  /// How ptx.inst of an opcode is lowered.
  using InstFunction = mlir::LogicalResult (*)(Emitter &, const InstView &);
  void addInst(llvm::StringRef Opcode, InstFunction F) { Insts[Opcode] = F; }
  InstFunction lookupInst(llvm::StringRef Opcode) const {
    return Insts.lookup(Opcode);
  }

private:
  llvm::StringMap<InstFunction> Insts;

  template <auto F, typename OpT>
  void addTyped(mlir::LogicalResult (*)(Emitter &, OpT)) {
    Functions[mlir::TypeID::get<OpT>()] = [](Emitter &E, mlir::Operation *Op) {
      return F(E, llvm::cast<OpT>(Op));
    };
  }
  llvm::DenseMap<mlir::TypeID, Function> Functions;
  llvm::StringMap<Function> InstFunctions;
};

void addArithLowerings(LoweringTable &Table);
void addFloatLowerings(LoweringTable &Table);
void addBitLowerings(LoweringTable &Table);
void addSelectLowerings(LoweringTable &Table);
void addConvertLowerings(LoweringTable &Table);
void addMemoryLowerings(LoweringTable &Table);
void addAtomicLowerings(LoweringTable &Table);
void addMultimemLowerings(LoweringTable &Table);
void addHintLowerings(LoweringTable &Table);
void addTextureLowerings(LoweringTable &Table);
void addMatrixLowerings(LoweringTable &Table);
void addWmmaLowerings(LoweringTable &Table);
void addWgmmaLowerings(LoweringTable &Table);
void addSparseLowerings(LoweringTable &Table);
void addTcgen05Lowerings(LoweringTable &Table);
void addAsyncLowerings(LoweringTable &Table);
void addFabricLowerings(LoweringTable &Table);
void addTensorMapLowerings(LoweringTable &Table);
void addThreadLowerings(LoweringTable &Table);
void addClusterLowerings(LoweringTable &Table);
void addControlLowerings(LoweringTable &Table);
void addByteLowerings(LoweringTable &Table);
void addMixedLowerings(LoweringTable &Table);
void addNarrowLowerings(LoweringTable &Table);
void addVideoLowerings(LoweringTable &Table);

/// Lowers functions, entries and variables; bodies stay as they are.
mlir::LogicalResult lowerSymbols(Emitter &E);

/// Gives lowered functions the debug locations that `.loc` describes; those of
/// functions that \p Debug describes are places in the text.
void attachLineInfo(mlir::ModuleOp Module, const ptx::DebugInfo *Debug);

/// The value of the ISA's modifier for an enumerator, or a truth value.
template <typename EnumT> mlir::Value modifier(Emitter &E, EnumT V) {
  return E.constInt(32, static_cast<unsigned>(V));
}

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_EMITTER_H
