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
#include "BuiltinKinds.h"
#include "Convention.h"
#include "RegisterFile.h"
#include "VariableFlow.h"
#include "Writer.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::singlepass {

struct NVVMName;

/// Tables of LOP3 and PLOP3 for two sources A and B: bit 4 A + 2 B, and the one
/// above it.
namespace lut {
constexpr unsigned And = 0xC0, Or = 0xFC, Xor = 0x3C;
} // namespace lut

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

  struct RegisterMove {
    unsigned To, From, Count;
  };
  /// What goes to a place of the calling convention.
  struct Passed {
    const llvm::Value *V;
    Place To;
    unsigned Argument = 0; ///< the number
  };
  /// What lives over a call: in registers meanwhile, or in the frame.
  struct Kept {
    Home Of;
    std::optional<unsigned> Aside;
    int64_t Offset;
  };
  /// An address: a register and what is added to it.
  struct Based {
    unsigned Register;
    Operand Offset;
  };

  /// A value of a switch, and the block for it.
  struct Case {
    int64_t Value;
    unsigned To;
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

  // Variables of the source: Variables.cpp.
  void beginVariables();
  VariablePlace placeOfVariable(const llvm::DbgVariableRecord *Record) const;
  void sayPlace(unsigned Variable, VariablePlace P, bool IsFirst = false);
  void sayVariablesAt(unsigned Block);
  void sayVariables(const llvm::Instruction &I);
  void endPlaces(const llvm::Value &V);
  void finishVariables();

  // Values and registers: Values.cpp.
  const llvm::Value *root(const llvm::Value *V) const { return rootOf(DL, V); }
  unsigned sizeOf(const llvm::Value *V) const {
    return registersOf(DL, V->getType());
  }
  Home &homeOf(const llvm::Value &V);
  void freeHome(const llvm::Value &V);
  /// Registers until the end of the LLVM instruction.
  unsigned temporary(unsigned Count);
  /// Free registers, of which none is busy if there are such.
  std::optional<unsigned> takeRegisters(unsigned Count);
  unsigned scratchPredicate();
  unsigned borrowPredicate();
  void returnPredicates();
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
  /// One of several results: a register, RZ where nobody reads it.
  unsigned defineResult(const llvm::Instruction &I, unsigned Index,
                        unsigned Count);
  /// The same of a predicate; PT where nobody reads it.
  unsigned definePredicateResult(const llvm::Instruction &I, unsigned Index);
  void finishPredicateResult(const llvm::Instruction &I, unsigned Index,
                             unsigned P);
  /// The bits of a constant of up to 64 bits; none of an address.
  std::optional<uint64_t> bitsOf(const llvm::Value *V) const;
  void putConstant(unsigned To, unsigned Count, const llvm::Constant &C);
  bool putAddress(unsigned To, unsigned Count, const llvm::Constant &C);
  void move(unsigned To, unsigned From, unsigned Count, Guard G = {});
  void moveBits(unsigned To, unsigned Count, uint64_t Bits, Guard G = {});
  void movePredicate(unsigned To, Source From, Guard G = {});
  void predicateToRegister(unsigned To, Source From, Guard G = {});
  /// Whether \p From is other than zero.
  void predicateFromRegister(unsigned To, unsigned From, Guard G = {});
  void failConstant(const llvm::Constant &C);
  void logic(unsigned To, unsigned A, Operand B, bool IsConstant, unsigned Lut);

  // Control: Control.cpp.
  void selectTerminator(const llvm::Instruction &I, unsigned B);
  void selectBranch(const llvm::BranchInst &I, unsigned B);
  void selectSwitch(const llvm::SwitchInst &I, unsigned B);
  void takeCase(const llvm::SwitchInst &I, unsigned B, const Case &C);
  void takeCases(const llvm::SwitchInst &I, unsigned B,
                 llvm::ArrayRef<Case> Cases, bool IsLast);
  void enterRegion(unsigned B);
  unsigned labelOf(unsigned From, unsigned To) const;
  bool followsDirectly(unsigned From, unsigned To) const;
  void jump(unsigned From, unsigned To);
  /// Moves what the PHIs of \p To have for the edge.
  void moveToPHIs(unsigned From, unsigned To, Guard G);
  void carryOut(llvm::SmallVectorImpl<Move> &Moves, Guard G);
  void carryOut(const Move &M, Guard G);

  // Integers and what is common to all: Integers.cpp, Comparisons.cpp.
  bool selectPredicateLogic(const llvm::Instruction &I);
  bool selectInteger(const llvm::Instruction &I);
  bool selectVector(const llvm::Instruction &I);
  void selectAddition(const llvm::Instruction &I, bool Subtracts);
  void selectMultiplication(const llvm::Instruction &I);
  void selectLogic(const llvm::Instruction &I);
  bool selectDivision(const llvm::Instruction &I);
  void divideUnsigned(unsigned D, unsigned X, const llvm::APInt &By);
  void divideSigned(unsigned D, unsigned X, const llvm::APInt &By);
  void selectShift(const llvm::Instruction &I);
  bool selectCast(const llvm::Instruction &I);
  void selectExtension(const llvm::Instruction &I, bool Signed);
  void selectTruncation(const llvm::Instruction &I);
  void selectComparison(const llvm::ICmpInst &I);
  void selectFloatComparison(const llvm::FCmpInst &I);
  void selectSelect(const llvm::SelectInst &I);
  bool selectElements(const llvm::Instruction &I);
  void selectPartOfWord(const llvm::Instruction &I, unsigned Index);

  // Integers of 128 bits: Wide.cpp.
  bool selectWide(const llvm::Instruction &I);
  void selectWideSum(const llvm::Instruction &I, bool Subtracts);
  void selectWideProduct(const llvm::Instruction &I);
  void selectWideShift(const llvm::Instruction &I);
  void shiftWideBy(unsigned D, unsigned X, unsigned By, bool IsLeft,
                   bool IsSigned);
  void selectWideComparison(const llvm::ICmpInst &I);

  // Floating-point numbers: Floats.cpp.
  bool selectFloat(const llvm::Instruction &I);
  void selectFloatSum(const llvm::Instruction &I, bool Subtracts);
  void selectFloatProduct(const llvm::Instruction &I);
  void selectNegation(const llvm::Instruction &I, const llvm::Value *V,
                      bool Absolute);
  void selectFusedMultiply(const llvm::CallInst &I, unsigned Rounding,
                           bool Flushes, bool Saturates, bool Relu = false);
  bool selectConversion(const llvm::Instruction &I);
  void toInteger(const llvm::Instruction &I, bool Signed, unsigned Rounding);
  void toFloat(const llvm::Instruction &I, bool Signed, unsigned Rounding);

  // Memory: Memory.cpp.
  bool selectMemory(const llvm::Instruction &I);
  void selectAccess(const llvm::Instruction &I, const llvm::Value *Stored);
  void selectAddress(const llvm::GetElementPtrInst &I);
  bool selectAtomic(const llvm::Instruction &I);
  bool selectCompareExchange(const llvm::AtomicCmpXchgInst &I);
  void selectFence(const llvm::FenceInst &I);
  isa::MemScope scopeOf(llvm::SyncScope::ID ID) const;
  Based useBase(const Address &A, unsigned AS);

  // The frame: Frames.cpp.
  void layOutFrame();
  void placeAlloca(const llvm::AllocaInst &I);
  /// Where \p V is in the frame, if it is an address in it.
  std::optional<Operand> frameOffset(const llvm::Value *V,
                                     int64_t Offset) const;
  bool selectAlloca(const llvm::AllocaInst &I);
  bool selectStackPointer(const llvm::CallInst &I);
  void frameAddress(unsigned To, Operand Offset);
  void saveInFrame(int64_t Offset, unsigned R, unsigned Count);
  void restoreFromFrame(unsigned R, int64_t Offset, unsigned Count);
  void loadArgument(unsigned R, int64_t Offset, unsigned Count);
  int64_t placeKeptRegisters();
  void writePrologue(int64_t ReturnAddress);
  void writeEpilogue(int64_t ReturnAddress);
  void finishFrame();

  // Functions: Functions.cpp.
  void receiveArguments();
  void receiveArgument(const llvm::Argument &Arg, llvm::ArrayRef<Place> Places);
  void selectReturn(const llvm::ReturnInst &I);
  bool selectFunctionCall(const llvm::CallInst &I);
  static const isa::SystemCallInfo *systemCallOf(const llvm::CallInst &I);
  llvm::SmallVector<unsigned, 12> takeArgumentRegisters();
  void releaseRegisters(llvm::ArrayRef<unsigned> Taken);
  /// Moves what other moves overwrite first.
  void moveAll(llvm::SmallVectorImpl<RegisterMove> &Moves);
  void passInRegisters(llvm::ArrayRef<Passed> Values);
  void putValue(unsigned To, const Passed &P);
  void passInMemory(const llvm::CallInst &I, const Passed &P);
  void storeWords(int64_t Offset, unsigned R, unsigned Count);
  void copyToFrame(const llvm::Value *From, int64_t To, uint64_t Bytes,
                   uint64_t Align);
  llvm::SmallVector<Kept, 16> keepOverCall(bool IsSystemCall);
  void save(const Kept &K, unsigned Count);
  void restore(const Kept &K);
  void transfer(const llvm::CallInst &I, unsigned Opcode, Operand Target);
  void takeResults(const llvm::CallInst &I);

  // Calls: Calls.cpp, Builtins.cpp, Threads.cpp.
  bool selectCall(const llvm::CallInst &I);
  bool selectBuiltin(const llvm::CallInst &I);
  bool selectMemoryBuiltin(const llvm::CallInst &I);
  bool addBuiltinOperand(const llvm::CallInst &I, llvm::StringRef Parameter,
                         unsigned &NextArg,
                         llvm::SmallVectorImpl<Operand> &Ops);
  unsigned group(const llvm::Value *First, const llvm::Value *Second);
  Operand field(const llvm::Value *Position, const llvm::Value *Length,
                bool &IsConstant);
  bool selectBitField(const llvm::CallInst &I, bool Inserts, bool Signed);
  bool selectModeBuiltin(const llvm::CallInst &I, BuiltinKind K,
                         unsigned Opcode);
  bool selectQuotientStep(const llvm::CallInst &I, unsigned Opcode,
                          bool Prepares, bool IsRoot);
  // IntegerCalls.cpp.
  bool selectIntegerCall(const llvm::CallInst &I);
  bool selectBits(const llvm::CallInst &I);
  bool selectBytes(const llvm::CallInst &I);
  bool selectDotProduct(const llvm::CallInst &I);
  bool selectLongCall(const llvm::CallInst &I);
  void testNegative(unsigned P, unsigned R);
  bool selectOverflow(const llvm::CallInst &I);
  bool selectSaturated(const llvm::CallInst &I);
  bool selectElementCall(const llvm::CallInst &I);
  void emitElements(unsigned D, unsigned X, unsigned Y, isa::ElementOp Op,
                    unsigned Type, bool Saturates);
  bool selectFloatCall(const llvm::CallInst &I);
  bool selectExtreme(const llvm::CallInst &I, bool IsMax, bool NaNWins,
                     bool IsXorSign, bool Flushes);
  bool selectIntegral(const llvm::CallInst &I, unsigned Mode);
  bool selectCopySign(const llvm::CallInst &I);
  bool selectClassTest(const llvm::CallInst &I);
  bool selectNVVMHalf(const llvm::CallInst &I, const NVVMName &Name);
  bool selectNVVMFloat(const llvm::CallInst &I);
  bool selectNVVMConversion(const llvm::CallInst &I, llvm::StringRef Operation,
                            std::optional<unsigned> Rounding, bool Flushes);
  bool selectSpecialRegister(const llvm::CallInst &I);
  bool selectThreads(const llvm::CallInst &I);
  bool selectBarrier(const llvm::CallInst &I, llvm::StringRef Name);
  void converge(const llvm::Value *Mask, bool AnyPlace);
  bool selectShuffle(const llvm::CallInst &I, llvm::StringRef Name);
  bool selectMatch(const llvm::CallInst &I, llvm::StringRef Name);
  bool selectReduction(const llvm::CallInst &I, llvm::StringRef Name);
  void selectElect(const llvm::CallInst &I);
  bool selectOtherIntrinsic(const llvm::CallInst &I);
  bool selectClusterBarrier(llvm::StringRef Name);
  bool selectVote(const llvm::CallInst &I, llvm::StringRef Name);

  const llvm::Function &F;
  const llvm::DataLayout &DL;
  const Analysis &A;
  Code &Out;
  const isa::ChipInfo &Chip;
  Writer W;
  RegisterFile Registers;
  llvm::DenseMap<const llvm::Value *, Home> Homes;
  llvm::SmallVector<std::pair<unsigned, unsigned>, 4> Temporaries;
  llvm::SmallVector<unsigned, 2> TemporaryPredicates;
  /// With the registers where their values are meanwhile.
  llvm::SmallVector<std::pair<unsigned, unsigned>, 2> BorrowedPredicates;
  std::optional<VariableFlow> Flow;           ///< if there are variables
  std::vector<VariablePlace> Said;            ///< last, of each variable
  const llvm::Instruction *Current = nullptr; ///< of the walk
  bool HasScratchPredicate = false;
  /// Of each block, and of the barrier in front of it.
  unsigned FirstLabel = 0, FirstMeetLabel = 0;
  unsigned EpilogueLabel = 0;
  unsigned CurrentBlock = 0, Position = 0; ///< of the walk
  bool MayWait = false; ///< threads for others within the function
  const bool IsKernel;
  const bool HasLines;        ///< of the source
  bool HasCalls = false;      ///< that overwrite the return address
  unsigned BarriersInUse = 0; ///< a mask of barrier registers
  /// Bytes from the stack pointer on, and behind the frame for what is passed
  /// in memory.
  llvm::DenseMap<const llvm::Value *, int64_t> FrameObjects;
  uint64_t FrameBytes = 0, Outgoing = 0;
  /// The stack pointer, unless that moves.
  static constexpr unsigned FramePointer = isa::abi::FirstCalleeSaved;
  unsigned FrameBase = isa::abi::StackPointer;
  int64_t FirstSaved = 0; ///< where values are that calls would overwrite
  llvm::SmallVector<std::pair<unsigned, int64_t>, 8> KeptRegisters,
      KeptBarriers;
  std::string Reason;
};

} // namespace heddle::singlepass

#endif // HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_SELECTOR_H
