//===- Frames.cpp - A function's memory on the stack ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the stack pointer on: what callees get in memory, allocas, values that
// calls would overwrite, registers that are kept for the caller. Behind the
// frame there is what the caller passed in memory. The frame's size is known
// when all code is there, so that prologue and epilogue are written last.
//
//===----------------------------------------------------------------------===//

#include "Convention.h"
#include "Selector.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle::singlepass {

/// Copies between registers and the frame.
static void storeToFrame(Writer &W, unsigned Base, int64_t Offset, unsigned R,
                         unsigned Count) {
  if (Count == 1)
    return W.emit(Heddle::STL_r, {Base, 0, Offset, R, isa::MemSize::Word,
                                  isa::MemOrder::Weak});
  W.emit(Count == 2 ? Heddle::STL64_r : Heddle::STL128_r,
         {Base, 0, Offset, R, isa::MemOrder::Weak});
}

static void loadFromFrame(Writer &W, unsigned Base, unsigned R, Operand Offset,
                          unsigned Count) {
  if (Count == 1)
    return W.emit(Heddle::LDL_r, {R, Base, 0, Offset, isa::MemSize::Word,
                                  isa::MemOrder::Weak});
  W.emit(Count == 2 ? Heddle::LDL64_r : Heddle::LDL128_r,
         {R, Base, 0, Offset, isa::MemOrder::Weak});
}

void Selector::saveInFrame(int64_t Offset, unsigned R, unsigned Count) {
  constexpr uint64_t Word = 4;
  Out.SpillStoreBytes += Word * Count;
  storeToFrame(W, FrameBase, Offset, R, Count);
}

void Selector::restoreFromFrame(unsigned R, int64_t Offset, unsigned Count) {
  constexpr uint64_t Word = 4;
  Out.SpillLoadBytes += Word * Count;
  loadFromFrame(W, FrameBase, R, Offset, Count);
}

void Selector::loadArgument(unsigned R, int64_t Offset, unsigned Count) {
  loadFromFrame(W, FrameBase, R, Operand::behindFrame(Offset), Count);
}

void Selector::layOutFrame() {
  for (const BasicBlock &BB : F)
    for (const Instruction &I : BB) {
      if (const auto *Alloca = dyn_cast<AllocaInst>(&I)) {
        placeAlloca(*Alloca);
        continue;
      }
      const auto *Call = dyn_cast<CallInst>(&I);
      if (!Call || !isCallOfCode(*Call))
        continue;
      auto Places = placesOf(DL, *Call);
      if (!Places)
        return fail("a call with an argument of another type");
      Outgoing = std::max(Outgoing, Places->StackBytes);
    }
  if (FrameBase == FramePointer) {
    Registers.takeAt(FramePointer, 1);
    Out.VariableStack = true;
  }
  // Allocas lie behind what callees get.
  for (auto &[V, Offset] : FrameObjects)
    Offset += int64_t(Outgoing);
  FrameBytes += Outgoing;
  FirstSaved = alignTo(FrameBytes, isa::abi::StackAlign);
}

void Selector::placeAlloca(const AllocaInst &I) {
  std::optional<TypeSize> Size = I.getAllocationSize(DL);
  if (I.getAlign() > isa::abi::StackAlign)
    return fail("memory on the stack with a large alignment");
  if (!I.isStaticAlloca() || !Size) {
    // The stack pointer moves: the frame has a register of its own.
    FrameBase = FramePointer;
    return;
  }
  FrameBytes = alignTo(FrameBytes, I.getAlign());
  FrameObjects[&I] = int64_t(FrameBytes);
  FrameBytes += Size->getFixedValue();
}

/// Moves the stack pointer down by a multiple of its alignment; what callees
/// get stays below.
bool Selector::selectAlloca(const AllocaInst &I) {
  constexpr unsigned SP = isa::abi::StackPointer;
  constexpr int64_t Align = isa::abi::StackAlign;
  uint64_t Each = DL.getTypeAllocSize(I.getAllocatedType());
  const Value *Count = I.getArraySize();
  if (sizeOf(Count) == 0 || sizeOf(Count) > 2 || Each >> 31)
    return false;
  unsigned Bytes = temporary(1);
  W.emit(Heddle::IMAD_i, {Bytes, useExtended(Count, false), int64_t(Each),
                          RegisterFile::Zero, 0});
  W.emit(Heddle::IADD3_i,
         {Bytes, Bytes, 0, Align - 1, 0, RegisterFile::Zero, 0});
  logic(Bytes, Bytes, -Align, true, lut::And);
  W.emit(Heddle::IADD3_r, {SP, SP, 0, Bytes, 1, RegisterFile::Zero, 0});
  if (A.isUsed(I))
    W.emit(Heddle::IADD3_i,
           {define(I), SP, 0, int64_t(Outgoing), 0, RegisterFile::Zero, 0});
  return true;
}

bool Selector::selectStackPointer(const CallInst &I) {
  constexpr unsigned SP = isa::abi::StackPointer;
  if (I.getIntrinsicID() == Intrinsic::stacksave)
    return move(define(I), SP, 1), true;
  if (I.getIntrinsicID() != Intrinsic::stackrestore)
    return false;
  return move(SP, use(I.getArgOperand(0)), 1), true;
}

std::optional<Operand> Selector::frameOffset(const Value *V,
                                             int64_t Offset) const {
  if (const auto *A = dyn_cast<Argument>(V)) {
    if (!A->hasByValAttr())
      return std::nullopt;
    return Operand::behindFrame(FrameObjects.lookup(V) + Offset);
  }
  const auto *Alloca = dyn_cast<AllocaInst>(V);
  if (!Alloca || !Alloca->isStaticAlloca())
    return std::nullopt;
  return Operand(FrameObjects.lookup(V) + Offset);
}

/// Callee-saved registers that were in use, from \p First on.
int64_t Selector::placeKeptRegisters() {
  constexpr int64_t Word = 4;
  int64_t Offset = alignTo(FrameBytes, 2 * Word), First = Offset;
  if (HasCalls)
    Offset += 2 * Word; // the return address
  for (unsigned R = isa::abi::FirstCalleeSaved; R <= isa::abi::LastCalleeSaved;
       ++R)
    if (Registers.wasTaken(R)) {
      KeptRegisters.push_back({R, Offset});
      Offset += Word;
    }
  for (unsigned B = 0; BarriersInUse >> B; ++B)
    if (BarriersInUse >> B & 1) {
      KeptBarriers.push_back({B, Offset});
      Offset += Word;
    }
  FrameBytes = Offset;
  return First;
}

/// R1 += Bytes.
static void moveStack(Writer &W, int64_t Bytes) {
  constexpr unsigned SP = isa::abi::StackPointer;
  if (Bytes != 0)
    W.emit(Heddle::IADD3_i, {SP, SP, 0, Bytes, 0, RegisterFile::Zero, 0});
}

/// Barriers go through a register that is neither argument nor result.
static constexpr unsigned BarrierScratch = 0;

void Selector::writeEpilogue(int64_t ReturnAddress) {
  constexpr unsigned Return = isa::abi::ReturnAddress;
  constexpr unsigned SP = isa::abi::StackPointer;
  W.place(EpilogueLabel);
  if (FrameBase != SP)
    move(SP, FrameBase, 1);
  for (auto [B, Offset] : KeptBarriers) {
    loadFromFrame(W, SP, BarrierScratch, Offset, 1);
    W.emit(Heddle::BMOVR, {B, BarrierScratch});
  }
  for (auto [R, Offset] : KeptRegisters)
    loadFromFrame(W, SP, R, Offset, 1);
  if (HasCalls)
    loadFromFrame(W, SP, Return, ReturnAddress, 2);
  moveStack(W, int64_t(FrameBytes));
  W.emitDrained(Heddle::RET, {Return});
}

void Selector::writePrologue(int64_t ReturnAddress) {
  constexpr unsigned SP = isa::abi::StackPointer;
  size_t First = Out.Items.size();
  Writer P(Out, Chip);
  moveStack(P, -int64_t(FrameBytes));
  if (!IsKernel) {
    if (HasCalls)
      storeToFrame(P, SP, ReturnAddress, isa::abi::ReturnAddress, 2);
    for (auto [R, Offset] : KeptRegisters)
      storeToFrame(P, SP, Offset, R, 1);
    for (auto [B, Offset] : KeptBarriers) {
      P.emit(Heddle::BMOV, {BarrierScratch, B});
      storeToFrame(P, SP, Offset, BarrierScratch, 1);
    }
  }
  if (FrameBase != SP)
    P.emit(Heddle::MOV_r, {FrameBase, SP});
  P.drain();
  Out.PrologueItems = Out.Items.size() - First;
  for (Line &L : Out.Lines)
    L.First += Out.PrologueItems;
  std::rotate(Out.Items.begin(), Out.Items.begin() + First, Out.Items.end());
}

void Selector::finishFrame() {
  int64_t ReturnAddress = IsKernel ? 0 : placeKeptRegisters();
  FrameBytes = alignTo(FrameBytes, isa::abi::StackAlign);
  constexpr uint64_t Most = 1 << 22;
  if (FrameBytes > Most)
    return fail("a large frame");
  if (!IsKernel) {
    Registers.takeAt(BarrierScratch, 1);
    writeEpilogue(ReturnAddress);
  }
  writePrologue(ReturnAddress);
  for (Operand &O : Out.Operands)
    if (O.K == Operand::BehindFrame) {
      O.K = Operand::Value;
      O.Number += int64_t(FrameBytes);
    }
  finishVariables();
  Out.StackBytes = FrameBytes;
}

} // namespace heddle::singlepass
