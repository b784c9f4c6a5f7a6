//===- SwizzleShared.cpp - Shared arrays without bank conflicts -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words of shared memory that are a multiple of 128 bytes apart lie in one
// bank, and a warp that walks along them gets one at a time. Here each row of
// 128 bytes of a variable has its chunks in an order of its own,
//
//     chunk c of row r is where chunk c xor r was,
//
// so that columns are spread over the banks as rows are. Unlike padding, this
// takes no memory and needs no knowledge of the array's shape; but each access
// computes its place, and chunks are the widest access that is left.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/AddressSpace.h"
#include "heddle/Tuning/Knobs.h"
#include "passes/tuning/Passes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle::tuning;
using namespace llvm;

namespace heddle::passes {

namespace {

constexpr unsigned RowBytes = 128; ///< A word of each bank.

/// A variable in shared memory and all that its addresses are used for.
class Swizzler {
public:
  explicit Swizzler(GlobalVariable &G) : G(G) {}

  /// Whether anything became different.
  bool run() {
    bool Changed = convertUsersOfConstantsToInstructions({&G});
    if (!findUses(G) || Accesses.empty() || !isWhole())
      return Changed;
    Chunk = bit_floor(static_cast<unsigned>(
        knobOf(*Accesses.front()->getFunction(), Knob::SharedSwizzle)));
    if (Chunk < 4 ||
        !all_of(Accesses, [&](Instruction *I) { return fits(*I); }))
      return Changed;
    extend();
    for (Instruction *I : Accesses)
      rewrite(*I);
    return true;
  }

private:
  /// Follows the address that V is; false if it goes where it cannot be
  /// changed.
  bool findUses(Value &V) {
    for (Use &U : V.uses()) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      if (!I)
        return false;
      if (isa<GetElementPtrInst, PHINode, SelectInst>(I)) {
        if (Addresses.insert(I) && !findUses(*I))
          return false;
        continue;
      }
      if (getPointerOperand(*I) != U.get() || isStored(U, *I))
        return false;
      Accesses.insert(I);
    }
    return true;
  }

  static const Value *getPointerOperand(const Instruction &I) {
    if (const auto *Load = dyn_cast<LoadInst>(&I))
      return Load->getPointerOperand();
    if (const auto *Store = dyn_cast<StoreInst>(&I))
      return Store->getPointerOperand();
    if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
      return RMW->getPointerOperand();
    if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
      return Exchange->getPointerOperand();
    return nullptr;
  }

  /// The operand that is the address.
  static unsigned pointerIndex(const Instruction &I) {
    return isa<StoreInst>(I) ? StoreInst::getPointerOperandIndex() : 0;
  }

  /// Whether the address is what I writes to memory.
  static bool isStored(const Use &U, const Instruction &I) {
    return U.getOperandNo() != pointerIndex(I);
  }

  /// Whether all of it happens in one function, and nothing may have another
  /// variable's address in place of this one's.
  bool isWhole() const {
    const Function *F = Accesses.front()->getFunction();
    auto IsOurs = [&](const Value *V) {
      return V == &G || isa<UndefValue>(V) ||
             (isa<Instruction>(V) &&
              Addresses.contains(
                  const_cast<Instruction *>(cast<Instruction>(V))));
    };
    return all_of(Accesses,
                  [&](Instruction *I) { return I->getFunction() == F; }) &&
           all_of(Addresses, [&](Instruction *I) {
             if (auto *Phi = dyn_cast<PHINode>(I))
               return all_of(Phi->incoming_values(), IsOurs);
             if (auto *Select = dyn_cast<SelectInst>(I))
               return IsOurs(Select->getTrueValue()) &&
                      IsOurs(Select->getFalseValue());
             return true;
           });
  }

  static uint64_t bytesOf(const Instruction &I) {
    return I.getDataLayout().getTypeStoreSize(accessedType(I)).getFixedValue();
  }

  /// Whether an access stays within a chunk.
  bool fits(const Instruction &I) const {
    uint64_t Bytes = bytesOf(I);
    return isPowerOf2_64(Bytes) && Bytes <= Chunk && alignOf(I) >= Bytes;
  }

  static Type *accessedType(const Instruction &I) {
    if (const auto *Store = dyn_cast<StoreInst>(&I))
      return Store->getValueOperand()->getType();
    if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
      return RMW->getValOperand()->getType();
    if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
      return Exchange->getNewValOperand()->getType();
    return I.getType();
  }

  static uint64_t alignOf(const Instruction &I) {
    if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
      return RMW->getAlign().value();
    if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
      return Exchange->getAlign().value();
    return getLoadStoreAlignment(&I).value();
  }

  /// The chunk is where more than its own alignment is not known.
  static void setAlign(Instruction &I, Align A) {
    if (auto *RMW = dyn_cast<AtomicRMWInst>(&I))
      RMW->setAlignment(A);
    else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
      Exchange->setAlignment(A);
    else
      setLoadStoreAlignment(&I, A);
  }

  /// Makes the variable a number of whole rows.
  void extend() {
    uint64_t Bytes = alignTo(
        G.getDataLayout().getTypeAllocSize(G.getValueType()).getFixedValue(),
        RowBytes);
    auto *Rows = ArrayType::get(Type::getInt8Ty(G.getContext()), Bytes);
    auto *Whole =
        new GlobalVariable(*G.getParent(), Rows, G.isConstant(), G.getLinkage(),
                           UndefValue::get(Rows), "", &G,
                           G.getThreadLocalMode(), G.getAddressSpace());
    Whole->copyAttributesFrom(&G);
    Whole->setAlignment(std::max(G.getAlign().valueOrOne(), Align(RowBytes)));
    Whole->takeName(&G);
    G.replaceAllUsesWith(Whole);
    G.eraseFromParent();
  }

  void rewrite(Instruction &I) {
    IRBuilder<> B(&I);
    Use &Pointer = I.getOperandUse(pointerIndex(I));
    Value *Address = B.CreatePtrToInt(Pointer, B.getInt32Ty());
    // The row's number comes down to where the chunk's is.
    Value *Row = B.CreateLShr(Address, Log2_32(RowBytes) - Log2_32(Chunk));
    Value *Change = B.CreateAnd(Row, RowBytes - Chunk);
    Pointer.set(
        B.CreateIntToPtr(B.CreateXor(Address, Change), Pointer->getType()));
    setAlign(I, Align(bytesOf(I)));
  }

  GlobalVariable &G;
  SmallSetVector<Instruction *, 16> Addresses, Accesses;
  unsigned Chunk = 0; ///< In bytes.
};

} // namespace

PreservedAnalyses SwizzleSharedPass::run(Module &M, ModuleAnalysisManager &) {
  SmallVector<GlobalVariable *> Variables;
  for (GlobalVariable &G : M.globals())
    if (G.getAddressSpace() == addrspace::Shared && G.hasLocalLinkage() &&
        !G.isDeclaration())
      Variables.push_back(&G);
  bool Changed = false;
  for (GlobalVariable *G : Variables)
    Changed |= Swizzler(*G).run();
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::passes
