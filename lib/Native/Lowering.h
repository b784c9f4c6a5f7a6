//===- Lowering.h - Microcode as LLVM IR ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for a unit. A row of the register file is a vector of 32 words,
// a predicate a mask of 32 bits, a uniform register a word. All are variables
// that LLVM turns into values; what lanes outside the group have in them has no
// meaning, and never reaches the warp.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_NATIVE_LOWERING_H
#define HEDDLE_LIB_NATIVE_LOWERING_H

#include "HostFeatures.h"
#include "Unit.h"
#include "heddle/Emulator/Translator.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <array>
#include <map>
#include <optional>
#include <vector>

namespace heddle::native {

/// The type in memory of a lane's part, for a word's type and a size of
/// emu::MemSize; and whether its sign fills a register.
llvm::Type *typeInMemory(llvm::Type *Word, unsigned Size);
bool isSigned(uint8_t Size);
/// That an access of a lane has.
unsigned bytesOf(const emu::DecodedInst &I);

class Lowering {
public:
  Lowering(const Unit &Code, const emu::WarpLayout &Layout,
           const HostFeatures &Host, llvm::Module &M);

  /// Makes the function \p Name, which is TranslatedCode::Run. Returns
  /// TranslatedCode::Stretches.
  std::vector<emu::CountedStretch> run(llvm::StringRef Name);

private:
  using Inst = const emu::DecodedInst &;

  // The function and its blocks.
  void makeEntry();
  void makeVariables();
  void makeStarts();
  llvm::BasicBlock *makeNextWarp();
  void lowerBlock(const Block &B);
  void endTurn();
  void lowerInst();
  void count(uint32_t First, uint32_t Last);
  void countGuarded(Inst I);
  void addTo(llvm::Value *Address, llvm::Value *Amount);

  // Registers: in hot blocks variables, elsewhere values that the block knows;
  // and the warp's, which they stand for.
  llvm::Value *get(emu::RegId R);
  void set(emu::RegId R, llvm::Value *V);
  llvm::Value *addressOf(emu::RegId R);
  llvm::Value *loaded(emu::RegId R);
  void reload(emu::RegId R);
  void writeBack(emu::RegId R);
  void writeBack(const RegSet &Registers);
  llvm::Value *row(unsigned Row);
  llvm::Value *pair(unsigned Row);
  llvm::Value *uniform(unsigned Row);
  llvm::Value *uniformPair(unsigned Row);
  llvm::Value *mask(unsigned Predicate, bool Negated);
  llvm::Value *flag(unsigned Predicate, bool Negated);
  void setRow(unsigned Row, llvm::Value *V);
  void setPair(unsigned Row, llvm::Value *V);
  void setMask(unsigned Predicate, llvm::Value *V);
  void setPredicate(llvm::Value *V);

  // Values.
  llvm::Type *wordType() const { return Scalar ? I32 : Words; }
  llvm::Type *longType() const { return Scalar ? I64 : Longs; }
  llvm::Value *word(uint32_t V) {
    return llvm::ConstantInt::get(wordType(), V);
  }
  llvm::Value *longWord(uint64_t V) {
    return llvm::ConstantInt::get(longType(), V);
  }
  llvm::Value *splat(llvm::Value *V) {
    return Scalar ? V : IR.CreateVectorSplat(emu::WarpSize, V);
  }
  llvm::Value *bits(llvm::Value *Mask) { return IR.CreateBitCast(Mask, Bits); }
  llvm::Value *maskOf(llvm::Value *V) {
    return Scalar ? V : IR.CreateBitCast(V, I32);
  }
  llvm::Value *sourceA() { return Scalar ? uniform(I->A) : row(I->A); }
  llvm::Value *sourceB();
  llvm::Value *sourceC();
  llvm::Value *longA() { return Scalar ? uniformPair(I->A) : pair(I->A); }
  llvm::Value *longB();
  llvm::Value *longC();
  llvm::Value *operand(emu::SourceKind K, unsigned Row);
  llvm::Value *longOperand(emu::SourceKind K, unsigned Row);
  llvm::Value *extended(llvm::Value *V, bool Signed) {
    return IR.CreateIntCast(V, longType(), Signed);
  }
  llvm::Value *select(llvm::Value *Where, llvm::Value *A, llvm::Value *B) {
    return IR.CreateSelect(Where, A, B);
  }
  llvm::Value *negated(bool Negate, llvm::Value *V) {
    return Negate ? IR.CreateNeg(V) : V;
  }
  void result(llvm::Value *V); ///< Of either width.
  void comparison(llvm::Value *V);
  /// The guarding predicate of SEL and IADDC.
  llvm::Value *selector();

  // Operations; each returns whether it has made code of the instruction.
  bool lowerPlain();
  bool lowerInteger();
  bool lowerLong();
  bool lowerBits();
  bool lowerMove();
  bool lowerFloat();
  bool lowerDouble();
  bool lowerConversion();
  bool lowerHalf();
  bool lowerElements();
  llvm::Value *halvesOf(llvm::Value *V);
  llvm::Value *onElements(llvm::Value *A, llvm::Value *B);
  llvm::Value *lookUp(unsigned Table, llvm::Value *A, llvm::Value *B,
                      llvm::Value *C);
  llvm::Value *compareIntegers(llvm::Value *A, llvm::Value *B);
  llvm::Value *extremeInteger(llvm::Value *A, llvm::Value *B);
  llvm::Value *shifted(llvm::Value *V, llvm::Value *Amount, unsigned Width);
  llvm::Value *funnel();
  llvm::Value *bitField();
  void lowerAddWithCarry();
  void lowerUniformToPredicate();
  llvm::Value *modified(llvm::Value *V, unsigned Modifier);
  llvm::Value *floatOf(llvm::Value *V, unsigned Modifier);
  llvm::Value *flushed(llvm::Value *V);
  llvm::Value *finished(llvm::Value *F);
  llvm::Value *doubleOf(llvm::Value *V, unsigned Modifier);
  llvm::Value *finishedDouble(llvm::Value *F);
  llvm::Value *compareFloats(llvm::Value *A, llvm::Value *B, unsigned Code);
  llvm::Value *extremeFloat(llvm::Value *A, llvm::Value *B);

  // Memory.
  static constexpr unsigned HalfWarp = emu::WarpSize / 2;
  struct Place {
    llvm::Value *First[2]; ///< The addresses of the halves' first lanes.
    llvm::Value *InOrder;  ///< Whether each follows the one before.
    /// What each lane's address depends on, and the same of its half's first
    /// lane; null if an instruction names one place for all.
    llvm::Value *Each = nullptr, *OfFirst = nullptr;
  };
  struct Region {
    llvm::Value *Base, *Size, *Host;
  };
  /// The blocks that an access goes on in.
  struct Ways {
    llvm::BasicBlock *Anywhere; ///< Not all lanes, or not in order.
    llvm::BasicBlock *Slow, *Done;
  };
  bool hasFastAccess(Inst I) const;
  bool hasGather(Inst I) const;
  void lowerAccess();
  void countAccess();
  void lowerFastAccess(bool IsShared, const Place &P, const Ways &To);
  void lowerGather(bool IsShared, const Ways &To);
  void lowerParts(bool IsShared, llvm::Value *Lanes, unsigned Bytes,
                  const Ways &To);
  llvm::Value *laneAddresses(bool IsShared);
  struct Offsets {
    llvm::Value *Host;
    llvm::Value *Each; ///< A word of each lane.
  };
  Offsets offsetsOfLanes(bool IsShared, llvm::Value *Lanes, unsigned Bytes,
                         llvm::BasicBlock *Slow);
  llvm::Value *loadParts(const Offsets &At, llvm::Value *Lanes);
  void storeParts(const Offsets &At);
  llvm::Value *hostsOfLanes(bool IsShared, llvm::Value *Lanes, unsigned Bytes,
                            llvm::BasicBlock *Slow);
  llvm::Value *hostsOfIndices(llvm::Value *Lanes, unsigned Bytes,
                              llvm::BasicBlock *Slow);
  void requireOfLanes(llvm::Value *Usable, llvm::Value *Fits,
                      llvm::Value *Lanes, std::optional<uint32_t> Number,
                      llvm::BasicBlock *Slow);
  llvm::Value *hasWordOffsets(const Region &R, unsigned Bytes);
  uint32_t nextAccess();
  Region lastRegion(uint32_t Number, llvm::Value *&Usable);
  void keepBlock(llvm::Value *Address, uint32_t Number, llvm::BasicBlock *Slow);
  llvm::Value *isUsable(llvm::Value *Block);
  Place globalPlace(unsigned Bytes);
  Place sharedPlace(unsigned Bytes);
  Region globalRegion(llvm::Value *Address, llvm::BasicBlock *Slow);
  Region regionOf(bool IsShared, llvm::Value *Address, llvm::BasicBlock *Slow);
  std::array<llvm::Value *, 2> hostsOf(const Place &P, bool IsShared,
                                       llvm::Value *Bytes, unsigned Align,
                                       llvm::BasicBlock *Slow);
  Place placeBy(llvm::Value *Each, uint64_t Step);
  void loadGroup(const std::array<llvm::Value *, 2> &Hosts, unsigned Count);
  void loadGroups(const std::array<llvm::Value *, 2> &Hosts, unsigned Count);
  llvm::Value *loadBlocks(llvm::Value *Host, unsigned First,
                          llvm::Align Alignment);
  void storeGroups(llvm::Value *Host, unsigned Half, unsigned Count);
  llvm::Value *picked(llvm::ArrayRef<llvm::Value *> From,
                      llvm::ArrayRef<int> Numbers);
  llvm::Value *loadHalf(llvm::Value *Host);
  llvm::Value *loadOne(llvm::Value *Host);
  void storeHalf(llvm::Value *Host, unsigned Half);
  llvm::Value *joined(llvm::Value *Low, llvm::Value *High);
  llvm::Value *blockField(llvm::Value *Block, uint32_t Offset, llvm::Type *Ty);
  llvm::Value *halves(llvm::Value *V);
  llvm::Value *steps(llvm::Type *Element, uint64_t Step);
  llvm::Value *all(llvm::Value *Each);
  void require(llvm::Value *Condition, llvm::BasicBlock *Else);
  void prefer(llvm::Value *Condition, llvm::BasicBlock *Else);
  void requireNeighboursOrOne(const Place &P, llvm::BasicBlock *Else);

  // Special registers and parameters.
  bool lowerSpecial();
  llvm::Value *shapeWord(unsigned Number);
  llvm::Value *threadRow(unsigned Axis);
  void lowerParameter();

  // Exchanges, and lanes that meet.
  bool hasExchange(Inst I) const;
  void lowerExchange();
  void exchange();
  void lowerShuffle();
  void lowerVote();
  void lowerReduction();
  bool lowerMeeting();
  llvm::Constant *laneNumbers();
  llvm::Value *permuted(llvm::Value *V, llvm::Value *From);
  llvm::Value *members();
  llvm::Value *convergence(unsigned Register);
  llvm::Value *haveAllMet();

  // Control.
  void lowerBranch();
  void lowerCallTo();
  llvm::BasicBlock *enterGuarded();
  void leaveForEmulator(llvm::BasicBlock *Behind);
  void lowerIndirect();
  void lowerExit();
  void exitToNextWarp();
  void lowerMayStop();
  void jump(uint32_t Target);
  void leave(uint32_t Next);
  void place(bool StoresNext = true);
  void callEmulator();
  void callWithRegisters();
  bool isCalled(uint32_t PC) const;
  void callStretch();
  llvm::Value *execute(uint32_t Last);
  void returnUnless(llvm::Value *GoesOn, const RegSet &Live);
  void inGuard(llvm::function_ref<void()> Body);
  llvm::BasicBlock *newBlock(const char *Name);
  void branchRarely(llvm::Value *Condition, llvm::BasicBlock *Rare,
                    llvm::BasicBlock *Often);
  llvm::Value *field(uint32_t Offset) {
    return IR.CreateConstInBoundsGEP1_64(I8, W, Offset);
  }
  llvm::Value *ownerField(uint32_t Offset) {
    return IR.CreateConstInBoundsGEP1_64(I8, Owner, Offset);
  }
  llvm::Value *function(unsigned Number);

  const Unit &Code;
  const emu::WarpLayout &Layout;
  const HostFeatures Host;
  llvm::Module &M;
  llvm::LLVMContext &C;
  llvm::IRBuilder<> IR;
  llvm::Type *I1, *I8, *I32, *I64, *Ptr;
  llvm::Type *Words, *Longs, *Bits, *Floats, *Doubles;

  llvm::Function *F = nullptr;
  llvm::Value *W = nullptr, *Insts = nullptr, *Calls = nullptr;
  llvm::Value *Group = nullptr, *GroupBits = nullptr, *Threads = nullptr;
  llvm::Value *Owner = nullptr;
  llvm::PHINode *Number = nullptr;      ///< Of the entry.
  llvm::BasicBlock *NextWarp = nullptr; ///< Begins one; null if none may.
  llvm::Value *Counters = nullptr;      ///< Of stretches.
  llvm::Value *RunOfGroup = nullptr;    ///< One run, and the group's threads.
  std::vector<emu::CountedStretch> Stretches;
  std::map<uint32_t, llvm::BasicBlock *> Starts;
  /// Where blocks begin if nothing is in variables yet.
  std::map<uint32_t, llvm::BasicBlock *> FromOutside;
  std::map<emu::RegId, llvm::AllocaInst *> Variables;

  // The instruction that is lowered, and where.
  const Block *B = nullptr;
  uint32_t PC = 0, SegmentLast = 0;
  const emu::DecodedInst *I = nullptr;
  bool Scalar = false;          ///< On the uniform path.
  llvm::Value *Exec = nullptr;  ///< Lanes behind a guard; null without one.
  llvm::Value *Holds = nullptr; ///< A uniform guard; null without one.
  RegSet Dirty;                 ///< Variables that the warp does not have.
  std::map<unsigned, llvm::Value *> Pairs; ///< Known in this block, by row.
  std::map<emu::RegId, llvm::Value *>
      Known; ///< The same of blocks that are not hot.
  unsigned NumAccesses = 0;
};

} // namespace heddle::native

#endif // HEDDLE_LIB_NATIVE_LOWERING_H
