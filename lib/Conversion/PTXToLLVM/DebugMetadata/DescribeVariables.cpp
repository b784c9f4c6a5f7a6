//===- DescribeVariables.cpp - Functions with their variables ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the metadata on functions: the line and the scope of each instruction,
// by its place in the text, and the values of variables.
//
//===----------------------------------------------------------------------===//

#include "DebugMetadata/MetadataBuilder.h"
#include "DebugMetadata/SourcePlaces.h"
#include "DebugMetadata/VariableRecord.h"
#include "heddle/Conversion/PTXToLLVM.h"
#include "heddle/IR/Kernels.h"
#include "heddle/Support/AddressSpace.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::lowering;

namespace {

class FunctionDescriber {
public:
  FunctionDescriber(Function &F, const DWARFDie &Die, MetadataBuilder &MB,
                    bool InMemory)
      : F(F), Die(Die), MB(MB), InMemory(InMemory) {}
  void run();

private:
  void placeInstructions();
  void describe(DbgVariableRecord &Record);
  /// What something is said of, and from where on.
  struct Subject {
    Instruction &Before;
    DILocalVariable *V;
    DILocation *At;
    ptx::DebugPiece Piece;
    std::optional<uint64_t> bits() const {
      return Piece.Bytes ? 8 * Piece.Bytes : V->getSizeInBits();
    }
  };
  void describeAddress(const Subject &Of, Value *Address, int64_t Offset);
  void describeValue(const Subject &Of, Value *Now);
  DIExpression *expression(const Subject &Of, ArrayRef<uint64_t> Ops) const;
  void add(const Subject &Of, Value *Now, ArrayRef<uint64_t> Expression);

  Function &F;
  const DWARFDie Die;
  MetadataBuilder &MB;
  const bool InMemory;
};

} // namespace

DIExpression *FunctionDescriber::expression(const Subject &Of,
                                            ArrayRef<uint64_t> Ops) const {
  SmallVector<uint64_t> All(Ops);
  // LLVM takes no piece that is all of a variable.
  if (Of.Piece.Bytes && 8 * Of.Piece.Bytes != Of.V->getSizeInBits())
    All.append(
        {dwarf::DW_OP_LLVM_fragment, 8 * Of.Piece.Offset, 8 * Of.Piece.Bytes});
  return DIExpression::get(F.getContext(), All);
}

void FunctionDescriber::add(const Subject &Of, Value *Now,
                            ArrayRef<uint64_t> Expression) {
  auto *Record = DbgVariableRecord::createDbgVariableRecord(
      Now, Of.V, expression(Of, Expression), Of.At);
  Of.Before.getParent()->insertDbgRecordBefore(Record, Of.Before.getIterator());
}

/// The place among the kernel's parameters that the last \p Bits bits of a
/// value were read from, also if it became wider or an address of global memory
/// since; none if it is something else.
static std::optional<uint64_t> parameterIn(Value *Now, uint64_t Bits) {
  while (auto *I = dyn_cast<CastInst>(Now)) {
    bool IsKept = isa<PtrToIntInst, IntToPtrInst, AddrSpaceCastInst>(I) ||
                  (isa<SExtInst, ZExtInst, TruncInst>(I) &&
                   I->getSrcTy()->getScalarSizeInBits() >= Bits &&
                   I->getDestTy()->getScalarSizeInBits() >= Bits);
    if (!IsKept)
      return std::nullopt;
    for (const Type *T : {I->getSrcTy(), I->getDestTy()})
      if (T->isPointerTy() &&
          T->getPointerAddressSpace() != addrspace::Generic &&
          T->getPointerAddressSpace() != addrspace::Global)
        return std::nullopt;
    Now = I->getOperand(0);
  }
  auto *Load = dyn_cast<LoadInst>(Now);
  if (!Load || Load->getPointerAddressSpace() != addrspace::Param)
    return std::nullopt;
  Value *Place = Load->getPointerOperand();
  if (isa<ConstantPointerNull>(Place))
    return 0;
  auto *Cast = dyn_cast<IntToPtrInst>(Place);
  auto *Constant = dyn_cast<ConstantExpr>(Place);
  Value *Number = Cast ? Cast->getOperand(0)
                  : Constant && Constant->getOpcode() == Instruction::IntToPtr
                      ? Constant->getOperand(0)
                      : nullptr;
  auto *Offset = dyn_cast_or_null<ConstantInt>(Number);
  return Offset ? std::optional(Offset->getZExtValue()) : std::nullopt;
}

void FunctionDescriber::describeValue(const Subject &Of, Value *Now) {
  uint64_t Bits = Now->getType()->getPrimitiveSizeInBits();
  std::optional<uint64_t> Wanted = Of.bits();
  bool IsTruth = Bits == 1 && Wanted && *Wanted == 8;
  if (isa<UndefValue>(Now) || (Wanted && Bits < *Wanted && !IsTruth))
    return add(Of, PoisonValue::get(Now->getType()), {});
  // What nobody changes is there whatever becomes of registers.
  if (std::optional<uint64_t> Place = parameterIn(Now, Wanted.value_or(Bits));
      Place && ir::isKernel(F))
    return describeAddress(
        Of, ConstantInt::get(Type::getInt32Ty(F.getContext()), *Place), 0);
  if (auto *C = dyn_cast<ConstantInt>(Now); C && IsTruth)
    Now = ConstantInt::get(Type::getInt8Ty(F.getContext()), C->getZExtValue());
  else if (C && Of.Piece.Bytes)
    Now = ConstantInt::get(F.getContext(), C->getValue().trunc(*Wanted));
  add(Of, Now, {});
}

void FunctionDescriber::describeAddress(const Subject &Of, Value *Address,
                                        int64_t Offset) {
  if (auto *Number = dyn_cast<ConstantInt>(Address)) {
    // A kernel's parameter. Of a variable that is true or false, LLVM takes any
    // constant but 0 for 1, so that the place is in the expression.
    Value *Zero = ConstantInt::get(Type::getInt32Ty(F.getContext()), 0);
    return add(Of, Zero,
               {dwarf::DW_OP_plus_uconst, Number->getZExtValue() + Offset,
                dwarf::DW_OP_constu, uint64_t(ptx::DebugSpace::Param),
                dwarf::DW_OP_swap, dwarf::DW_OP_xderef});
  }
  auto *Cast = dyn_cast<PtrToIntInst>(Address);
  Value *Pointer = Cast ? Cast->getPointerOperand() : nullptr;
  SmallVector<uint64_t, 4> Expression;
  if (Offset)
    Expression.append({dwarf::DW_OP_plus_uconst, uint64_t(Offset)});
  if (Pointer && isa<AllocaInst>(Pointer) && InMemory) {
    Expression.push_back(dwarf::DW_OP_deref);
    add(Of, Pointer, Expression);
  } else if (Pointer && isa<AllocaInst, Argument>(Pointer)) {
    auto *Record = DbgVariableRecord::createDVRDeclare(
        Pointer, Of.V, expression(Of, Expression), Of.At);
    Of.Before.getParent()->insertDbgRecordBefore(Record,
                                                 Of.Before.getIterator());
  }
}

/// Replaces a record that the import left.
void FunctionDescriber::describe(DbgVariableRecord &Record) {
  auto R = VariableRecord::parse(Record.getVariable()->getName());
  DWARFDie Variable =
      R ? MB.debug().dwarf().getDIEForOffset(R->Entry) : DWARFDie();
  DILocalVariable *V = Variable ? MB.variable(Variable) : nullptr;
  if (V) {
    DWARFDie Parent = Variable.getParent();
    DILocation *At = DILocation::get(
        F.getContext(), 0, 0, MB.localScope(Parent), MB.inlinedAt(Parent));
    Subject Of{*Record.getMarker()->MarkedInstr,
               V,
               At,
               {R->PieceOffset, R->PieceBytes}};
    Value *Now = Record.getVariableLocationOp(0);
    if (R->Kind == VariableRecord::Address)
      describeAddress(Of, Now, R->Offset);
    else
      describeValue(Of, Now);
  }
  Record.eraseFromParent();
}

void FunctionDescriber::placeInstructions() {
  SourcePlaces Places(MB, Die, F.getName());
  for (BasicBlock &BB : F)
    for (Instruction &I : BB)
      if (const DebugLoc &L = I.getDebugLoc())
        I.setDebugLoc(Places.at(*L));
}

void FunctionDescriber::run() {
  DISubprogram *SP = MB.subprogram(Die);
  MB.addVariables(Die);
  placeInstructions();
  F.setSubprogram(SP);
  SmallVector<DbgVariableRecord *> Records;
  for (BasicBlock &BB : F)
    for (Instruction &I : BB)
      for (DbgVariableRecord &Record : filterDbgVars(I.getDbgRecordRange()))
        Records.push_back(&Record);
  for (DbgVariableRecord *Record : Records)
    describe(*Record);
}

void heddle::describeVariables(Module &M, const ptx::DebugInfo &Debug,
                               bool InMemory) {
  MetadataBuilder MB(M, Debug, /*IsOptimized=*/!InMemory);
  for (Function &F : M)
    if (!F.isDeclaration() && F.getSubprogram())
      if (DWARFDie Die = Debug.subprogramOf(F.getName()))
        FunctionDescriber(F, Die, MB, InMemory).run();
  MB.addGlobals(M);
  MB.finish();
}
