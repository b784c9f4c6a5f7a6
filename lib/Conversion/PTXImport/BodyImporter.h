//===- BodyImporter.h - State of a function's import ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives every register and scalar .param variable a slot, plans block
// arguments for the slots, and emits the blocks in the order of the dominator
// tree while it keeps the current value of each slot.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXIMPORT_BODYIMPORTER_H
#define HEDDLE_LIB_CONVERSION_PTXIMPORT_BODYIMPORTER_H

#include "Importer.h"
#include "llvm/ADT/BitVector.h"

namespace heddle::import {

/// The untyped PTX type of a width.
ptxir::ScalarType untyped(unsigned Bits);
/// Whether an instruction reads the carry flag.
bool readsCarry(ptx::Opcode Op);
/// Whether an instruction reads or writes the carry flag.
bool isCarryOp(const ptx::Instruction &Inst);
/// Whether an instruction has no modifiers of other kinds: an operation that
/// knows these says all that the instruction does.
bool hasOnly(const ptx::Instruction &Inst,
             std::initializer_list<ptx::ModKind> Kinds);
/// 1, or 2, 4 or 8 from the mnemonic's .v2, .v4 or .v8.
unsigned vectorWidth(const ptx::Instruction &Inst);
/// The elements of a vector operand: registers in braces, a vector register or
/// a vector special register.
llvm::SmallVector<ptx::Operand> elementsOf(const ptx::Operand &O,
                                           unsigned Count);

/// Imports one function. Members are grouped by the file that defines them.
class BodyImporter {
public:
  BodyImporter(ModuleImporter &I, const ptx::Function *F, mlir::Operation *Op)
      : I(I), F(F), Op(Op), Body(Op->getRegion(0)), B(I.B),
        Loc(I.location(F->getLoc())) {}
  mlir::LogicalResult run();

private:
  friend class InstBuilder;
  static constexpr unsigned NoSlot = ~0u;

  // Slots (ImportSlots.cpp).
  mlir::LogicalResult assignSlots();
  mlir::LogicalResult
  declare(llvm::ArrayRef<const ptx::Statement *> Statements);
  mlir::LogicalResult declareRegister(const ptx::RegisterDecl *Reg);
  void declareParam(const ptx::Variable *Var);
  void findWholeParams();
  unsigned newSlot(mlir::Type Ty) {
    SlotTypes.push_back(Ty);
    return SlotTypes.size() - 1;
  }
  unsigned slotOf(const ptx::Operand &O) const;
  unsigned firstSlotOf(ptx::Parameter P) const;
  bool isEntryParam(const ptx::Variable *Var) const {
    return F->isEntry() && EntryParams.count(Var);
  }

  // What an instruction reads and writes (ImportSlots.cpp).
  template <typename FnT> void forEachSource(const Step &S, FnT Fn) const;
  template <typename FnT> void forEachDest(const Step &S, FnT Fn) const;
  template <typename FnT> void forEachSlot(const ptx::Operand &O, FnT Fn) const;
  FlowBlock summarize(unsigned Number);

  // Blocks (ImportBody.cpp).
  mlir::LogicalResult emitBlocks();
  mlir::LogicalResult emitBlock(unsigned Number);
  void emitMarker(const ptx::Statement *S, bool Behind);
  mlir::LogicalResult emitEnding(const BasicBlock &Block);
  mlir::LogicalResult startEntry();
  llvm::SmallVector<mlir::Value> argumentsFor(unsigned Succ);
  llvm::SmallVector<mlir::Value> returnedValues();

  // Variables of the source (ImportVariables.cpp).
  /// A variable that is in a register, in memory, or constant, in a block.
  struct CoveredVariable {
    unsigned Variable; ///< Index of DebugVariables.
    unsigned Slot;     ///< NoSlot: it is in Memory, at Number.
    int64_t Number;    ///< Without memory, what it is.
    const ptx::Variable *Memory;
    bool operator==(const CoveredVariable &) const = default;
  };
  llvm::StringMap<unsigned> slotsByName() const;
  std::vector<uint64_t> blockAddresses() const;
  llvm::StringMap<const ptx::Variable *> memoryByName() const;
  std::optional<CoveredVariable>
  cover(unsigned Variable, const ptx::DebugPlace &Place,
        const llvm::StringMap<unsigned> &Slots,
        const llvm::StringMap<const ptx::Variable *> &Memory) const;
  void planVariables();
  void exposeVariables(std::vector<FlowBlock> &Flow) const;
  void planSlotsOfVariables(std::vector<FlowBlock> &Flow);
  void chooseMemorySlots();
  void findWrites();
  void allocateMemorySlots();
  mlir::Value loadSlot(unsigned Slot);
  void storeSlot(unsigned Slot, mlir::Value V);
  void emitDebugValue(const CoveredVariable &C, mlir::Value V);
  void emitDebugPlace(const ptx::DebugVariable &Variable, mlir::Value Address,
                      int64_t Offset);
  void emitCovered(const CoveredVariable &C);
  bool isCoveredBehind(unsigned Pred, const CoveredVariable &C) const;
  void noteWrite(unsigned Slot);
  const CoveredVariable *coverage(unsigned Block, unsigned Variable) const;
  llvm::SmallDenseSet<uint64_t> endVariables(unsigned Number);
  void emitVariables(unsigned Number);
  void placeVariables();

  bool isInMemory(unsigned Slot) const {
    return !IsMemorySlot.empty() && IsMemorySlot[Slot];
  }

  // Values (ImportValues.cpp).
  mlir::Value current(unsigned Slot);
  void assign(unsigned Slot, mlir::Value V);
  /// What Current has is not what the register would hold, were it read.
  void setStale(unsigned Slot);
  mlir::Value as(mlir::Value V, mlir::Type Ty);
  mlir::Value use(const ptx::Operand &O, std::optional<ptxir::ScalarType> Ty);
  mlir::Value useRegister(const ptx::Operand &O);
  mlir::Value useGuard(const ptx::Guard &G);
  mlir::Value immediate(const ptx::Operand &O, ptxir::ScalarType Ty);
  mlir::Value variableAddress(const ptx::Variable *Var, mlir::Type Ty);
  mlir::Value handleOf(const ptx::Variable *Var);
  mlir::Value symbolAddress(const ptx::Decl *D, int64_t Offset, mlir::Type Ty);
  mlir::Value specialRegister(const ptx::Operand &O, int Component,
                              mlir::Type Ty);
  mlir::Type destType(const ptx::Operand &O,
                      std::optional<ptxir::ScalarType> Ty);
  void define(const ptx::Operand &O, mlir::Value V);
  mlir::Value constant(mlir::Type Ty, uint64_t V) {
    return I.makeConstant(Loc, I.integerAttr(Ty.getIntOrFloatBitWidth(), V));
  }

  // Instructions (ImportInstructions.cpp, ImportInst.cpp, ImportMemory.cpp,
  // ImportCalls.cpp).
  void translateSourceLocs(llvm::ArrayRef<const ptx::Statement *> Statements,
                           ModuleImporter::SourcePlaces &Places);
  mlir::Location locationOf(const Step &S) {
    return I.location(S.Inst->getLoc(), SourceLocs.lookup(S.Loc));
  }
  mlir::LogicalResult emitStep(const Step &S);
  mlir::LogicalResult emitInstruction(const ptx::Instruction &Inst);
  mlir::LogicalResult emitGeneric(const ptx::Instruction &Inst);
  mlir::LogicalResult emitInst(const ptx::Instruction &Inst);
  mlir::LogicalResult emitMov(const ptx::Instruction &Inst);
  mlir::LogicalResult emitLop3(const ptx::Instruction &Inst);
  mlir::LogicalResult emitLd(const ptx::Instruction &Inst);
  mlir::LogicalResult emitSt(const ptx::Instruction &Inst);
  mlir::LogicalResult emitSparseStore(const ptx::Instruction &Inst);
  mlir::LogicalResult emitAtomic(const ptx::Instruction &Inst);
  mlir::LogicalResult emitFence(const ptx::Instruction &Inst);
  mlir::LogicalResult emitPrefetch(const ptx::Instruction &Inst);
  mlir::LogicalResult emitBarrier(const ptx::Instruction &Inst);
  mlir::LogicalResult emitStack(const ptx::Instruction &Inst);
  mlir::LogicalResult emitCall(const ptx::Instruction &Inst);
  void takeResults(const ptx::Operand &Returns,
                   llvm::ArrayRef<ptx::Parameter> Formals,
                   mlir::Operation *Call);
  mlir::Value callArgument(const ptx::Operand &O, ptx::Parameter Formal,
                           mlir::Type Ty);
  mlir::LogicalResult unsupported(const ptx::Instruction &Inst) {
    return I.unsupported(Inst.getLoc(), Inst.getMnemonic().Spelling);
  }

  // Modifiers of memory operations.
  ptxir::Space space(ptx::StateSpace Space, const ptx::Variable *Var);
  ptxir::Space space(const ptx::Instruction &Inst, const ptx::Operand &Address);
  mlir::Value placeOf(const ptx::Decl *Symbol, ptx::StateSpace Space);
  ptxir::MemSem semantics(const ptx::Instruction &Inst);
  std::optional<ptxir::ScalarType> type(const ptx::Instruction &Inst,
                                        unsigned N = 0) {
    return I.scalarType(Inst.getType(N));
  }
  std::optional<ptxir::ScalarType> operandType(const ptx::Instruction &Inst,
                                               unsigned N);
  std::pair<mlir::Value, int64_t> address(const ptx::Operand &O,
                                          ptx::StateSpace Space);
  mlir::Value cachePolicy(const ptx::Instruction &Inst);

  ModuleImporter &I;
  const ptx::Function *F;
  mlir::Operation *Op;
  mlir::Region &Body;
  mlir::OpBuilder &B;
  mlir::Location Loc;
  /// What each `.loc` says, in the dialect's terms.
  llvm::DenseMap<const ptx::LocStatement *, mlir::LocationAttr> SourceLocs;

  /// Slot of each register by number; a vector register has several.
  std::vector<unsigned> RegisterSlots;
  std::vector<mlir::Type> SlotTypes;
  /// .param variables whose whole value is read and written, so that a slot
  /// can stand for them.
  llvm::DenseMap<const ptx::Variable *, unsigned> ParamSlots;
  /// All other variables of the function, by the address of their memory.
  llvm::DenseMap<const ptx::Variable *, mlir::Value> Addresses;
  /// .param and .local variables in the order of declaration.
  std::vector<const ptx::Variable *> Variables;
  llvm::DenseMap<const ptx::Variable *, unsigned> EntryParams;
  unsigned CarrySlot = NoSlot;
  /// By slot, the number plus one of the block that last read or wrote it, for
  /// summarize().
  std::vector<unsigned> ExposedIn, DefinedIn;

  std::vector<BasicBlock> Blocks;
  SSAPlan Plan;
  std::vector<mlir::Block *> MLIRBlocks;
  std::vector<mlir::Value> Current;
  std::vector<mlir::Value> Undefined;
  /// By slot; for variables of the source only.
  std::vector<bool> Stale;
  /// Assignments to undo when the dominator tree's walk leaves a block.
  struct Assignment {
    unsigned Slot;
    mlir::Value Before;
    bool WasStale;
  };
  std::vector<Assignment> Undo;
  unsigned CurrentBlock = 0;
  std::vector<ptx::DebugVariable> DebugVariables;
  /// By block, ascending by variable; empty if there are no variables.
  std::vector<llvm::SmallVector<CoveredVariable, 0>> Covered;
  std::vector<llvm::SmallVector<unsigned, 2>> Preds; ///< Likewise.
  /// By slot: whether the register is memory, and its address.
  std::vector<bool> IsMemorySlot;
  std::vector<mlir::Value> InMemory;
  /// By block, the slots in memory that may have been written when it begins,
  /// and when it ends.
  std::vector<llvm::BitVector> WrittenBefore, WrittenBehind;
  /// By block, the slots that would be arguments if variables counted as reads.
  std::vector<std::vector<unsigned>> StaleArguments;
  /// The guard that results of the current instruction depend on, or null.
  mlir::Value ActiveGuard;
  bool GuardNegated = false;
  bool Failed = false;
};

} // namespace heddle::import

#endif // HEDDLE_LIB_CONVERSION_PTXIMPORT_BODYIMPORTER_H
