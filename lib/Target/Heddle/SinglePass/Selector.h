//===- Selector.h - The walk that generates code ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects instructions for one LLVM instruction after another. A value has the
// same registers as long as it lives; constants are put where they are used.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_SELECTOR_H
#define HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_SELECTOR_H

#include "Analysis.h"
#include "RegisterFile.h"
#include "Writer.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::singlepass {

class Selector {
public:
  Selector(const llvm::Function &F, const Analysis &A, Code &Out,
           const isa::ChipInfo &Chip, unsigned RegisterLimit);

  /// Generates the function's code. False: reason() says why there is none.
  bool run();
  const std::string &reason() const { return Reason; }

private:
  /// Where a value is.
  struct Home {
    enum Kind : uint8_t {
      Nowhere,
      Registers, ///< Count of them; a predicate as 0 or 1
      Predicate,
    };
    Kind K = Nowhere;
    uint8_t Count = 0;
    uint8_t Number = 0;
  };
  /// A predicate as a source.
  struct Source {
    unsigned Predicate = 7;
    bool Negated = false;
  };
  /// The second source of an instruction: in a register, or a constant.
  struct Second {
    unsigned Opcode;
    Operand Value;
  };
  struct Move {
    Home To;
    const llvm::Value *From; ///< a root; null: FromHome
    Home FromHome;
  };

  // The walk: Selector.cpp.
  void selectBlock(unsigned B);
  void beginBlock(unsigned B);
  void select(const llvm::Instruction &I);
  bool selectPlain(const llvm::Instruction &I);
  void freeAfter(const llvm::Instruction &I, unsigned Position);
  /// Notes that the function has something that is not known here.
  void fail(const llvm::Twine &Why);
  bool failed() const { return !Reason.empty(); }

  // Values and registers: Values.cpp.
  const llvm::Value *root(const llvm::Value *V) const { return rootOf(DL, V); }
  unsigned sizeOf(const llvm::Value *V) const {
    return registersOf(DL, V->getType());
  }
  Home &homeOf(const llvm::Value &V);
  void freeHome(const llvm::Value &V);
  /// Registers until the end of the LLVM instruction.
  unsigned temporary(unsigned Count);
  unsigned scratchPredicate();
  /// The first register of a value; a constant is put into a temporary.
  unsigned use(const llvm::Value *V);
  /// One of 32 bits of a value.
  unsigned usePart(const llvm::Value *V, unsigned Part);
  /// An integer of fewer than 32 bits with its sign or zeros above it.
  unsigned useExtended(const llvm::Value *V, bool Signed);
  Source usePredicate(const llvm::Value *V);
  Second second(const llvm::Value *V, unsigned InRegister, unsigned Constant);
  unsigned define(const llvm::Instruction &I);
  /// The predicate in which an instruction may leave \p I; finish() behind it.
  unsigned definePredicate(const llvm::Instruction &I);
  void finishPredicate(const llvm::Instruction &I, unsigned P);
  /// The bits of a constant of up to 64 bits; none of an address.
  std::optional<uint64_t> bitsOf(const llvm::Value *V) const;
  void putConstant(unsigned To, unsigned Count, const llvm::Constant &C);
  bool putAddress(unsigned To, unsigned Count, const llvm::Constant &C);
  void move(unsigned To, unsigned From, unsigned Count, Guard G = {});
  void moveBits(unsigned To, unsigned Count, uint64_t Bits, Guard G = {});
  void movePredicate(unsigned To, Source From, Guard G = {});
  void predicateToRegister(unsigned To, Source From, Guard G = {});
  void logic(unsigned To, unsigned A, Operand B, bool IsConstant, unsigned Lut);

  // Control: Control.cpp.
  void selectTerminator(const llvm::Instruction &I, unsigned B);
  void selectBranch(const llvm::BranchInst &I, unsigned B);
  void selectSwitch(const llvm::SwitchInst &I, unsigned B);
  void enterRegion(unsigned B);
  unsigned labelOf(unsigned From, unsigned To) const;
  bool followsDirectly(unsigned From, unsigned To) const;
  void jump(unsigned From, unsigned To);
  /// Moves what the PHIs of \p To have for the edge.
  void moveToPHIs(unsigned From, unsigned To, Guard G);
  void carryOut(llvm::SmallVectorImpl<Move> &Moves, Guard G);
  void carryOut(const Move &M, Guard G);

  // Integers and what is common to all: Integers.cpp, Comparisons.cpp.
  bool selectInteger(const llvm::Instruction &I);
  void selectAddition(const llvm::Instruction &I, bool Subtracts);
  void selectMultiplication(const llvm::Instruction &I);
  void selectLogic(const llvm::Instruction &I, unsigned Lut);
  void selectShift(const llvm::Instruction &I);
  bool selectCast(const llvm::Instruction &I);
  void selectExtension(const llvm::Instruction &I, bool Signed);
  void selectTruncation(const llvm::Instruction &I);
  void selectComparison(const llvm::ICmpInst &I);
  void selectFloatComparison(const llvm::FCmpInst &I);
  void selectSelect(const llvm::SelectInst &I);
  bool selectElements(const llvm::Instruction &I);

  // Floating-point numbers: Floats.cpp.
  bool selectFloat(const llvm::Instruction &I);
  void selectFloatSum(const llvm::Instruction &I, bool Subtracts);
  void selectFloatProduct(const llvm::Instruction &I);
  void selectNegation(const llvm::Instruction &I, const llvm::Value *V,
                      bool Absolute);
  void selectFusedMultiply(const llvm::CallInst &I, unsigned Rounding,
                           bool Flushes, bool Saturates);
  bool selectConversion(const llvm::Instruction &I);
  void toInteger(const llvm::Instruction &I, bool Signed, unsigned Rounding);
  void toFloat(const llvm::Instruction &I, bool Signed, unsigned Rounding);

  // Memory: Memory.cpp.
  bool selectMemory(const llvm::Instruction &I);
  void selectAccess(const llvm::Instruction &I, const llvm::Value *Stored);
  void selectAddress(const llvm::GetElementPtrInst &I);
  bool selectAtomic(const llvm::Instruction &I);
  void selectFence(const llvm::FenceInst &I);
  isa::MemScope scopeOf(llvm::SyncScope::ID ID) const;
  unsigned useBase(const Address &A, unsigned AS, int64_t &Offset);

  // Calls: Calls.cpp, Builtins.cpp, Threads.cpp.
  bool selectCall(const llvm::CallInst &I);
  bool selectBuiltin(const llvm::CallInst &I);
  unsigned group(const llvm::Value *First, const llvm::Value *Second);
  Operand field(const llvm::Value *Position, const llvm::Value *Length,
                bool &IsConstant);
  bool selectBitField(const llvm::CallInst &I, bool Inserts, bool Signed);
  bool selectQuotientStep(const llvm::CallInst &I, unsigned Opcode,
                          bool Prepares, bool IsRoot);
  bool selectIntegerCall(const llvm::CallInst &I);
  bool selectFloatCall(const llvm::CallInst &I);
  bool selectNVVMFloat(const llvm::CallInst &I);
  bool selectNVVMConversion(const llvm::CallInst &I, llvm::StringRef Operation,
                            std::optional<unsigned> Rounding, bool Flushes);
  bool selectSpecialRegister(const llvm::CallInst &I);
  bool selectThreads(const llvm::CallInst &I);
  bool selectBarrier(const llvm::CallInst &I, llvm::StringRef Name);
  void converge(const llvm::Value *Mask, bool AnyPlace);
  bool selectShuffle(const llvm::CallInst &I, llvm::StringRef Name);
  bool selectVote(const llvm::CallInst &I, llvm::StringRef Name);

  const llvm::Function &F;
  const llvm::DataLayout &DL;
  const Analysis &A;
  Code &Out;
  Writer W;
  RegisterFile Registers;
  llvm::DenseMap<const llvm::Value *, Home> Homes;
  llvm::SmallVector<std::pair<unsigned, unsigned>, 4> Temporaries;
  bool HasScratchPredicate = false;
  /// Of each block, and of the barrier in front of it.
  unsigned FirstLabel = 0, FirstMeetLabel = 0;
  bool MayWait = false; ///< threads for others within the function
  std::string Reason;
};

} // namespace heddle::singlepass

#endif // HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_SELECTOR_H
