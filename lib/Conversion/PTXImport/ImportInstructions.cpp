//===- ImportInstructions.cpp - Most PTX instructions -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most instructions are an operation of the same name with the modifiers as
// attributes; the ones that are more stand here or beside.
//
//===----------------------------------------------------------------------===//

#include "BodyImporter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::import;
using ptx::ModKind;
using ptx::Opcode;
using ptx::Operand;
using ptxir::ScalarType;
using Kind = ptx::Operand::Kind;

//===----------------------------------------------------------------------===//
// Instructions in general
//===----------------------------------------------------------------------===//

std::optional<ScalarType>
BodyImporter::operandType(const ptx::Instruction &Inst, unsigned N) {
  const ptx::OperandSpec &Spec = Inst.getForm().getOperands()[N];
  switch (Spec.Rule) {
  case ptx::OperandTypeRule::Fixed:
    return I.scalarType(ptx::Type(Spec.Value));
  case ptx::OperandTypeRule::Suffix:
    return type(Inst, Spec.Value);
  case ptx::OperandTypeRule::Wide:
    if (auto Ty = type(Inst, Spec.Value))
      return untyped(2 * ptxir::bitWidth(*Ty));
    return std::nullopt;
  case ptx::OperandTypeRule::Any:
  case ptx::OperandTypeRule::Sink:
    return std::nullopt;
  }
  return std::nullopt;
}

/// In the order of the text and also where no instruction follows, since an
/// inlined place refers to earlier ones.
void BodyImporter::translateSourceLocs(
    llvm::ArrayRef<const ptx::Statement *> Statements,
    ModuleImporter::SourcePlaces &Places) {
  for (const ptx::Statement *S : Statements) {
    if (auto *L = dyn_cast<ptx::LocStatement>(S))
      SourceLocs[L] = I.sourceLocation(*L, Places);
    else if (auto *Block = dyn_cast<ptx::BlockStatement>(S))
      translateSourceLocs(Block->Body, Places);
  }
}

LogicalResult BodyImporter::emitStep(const Step &S) {
  const ptx::Instruction &Inst = *S.Inst;
  Loc = locationOf(S);
  ActiveGuard = {};
  if (Inst.getGuard() && !S.GuardDone) {
    ActiveGuard = useGuard(Inst.getGuard());
    GuardNegated = Inst.getGuard().Negated;
  }
  return emitInstruction(Inst);
}

LogicalResult BodyImporter::emitInstruction(const ptx::Instruction &Inst) {
  switch (Inst.getOpcode()) {
  case Opcode::Mov:
    return emitMov(Inst);
  case Opcode::Lop3:
    return emitLop3(Inst);
  case Opcode::Ld:
  case Opcode::Ldu:
    return emitLd(Inst);
  case Opcode::St:
    return emitSt(Inst);
  case Opcode::Atom:
  case Opcode::Red:
    return emitAtomic(Inst);
  case Opcode::Fence:
  case Opcode::Membar:
    return emitFence(Inst);
  case Opcode::Prefetch:
  case Opcode::Prefetchu:
    return emitPrefetch(Inst);
  case Opcode::BarSync:
  case Opcode::BarArrive:
  case Opcode::BarRed:
  case Opcode::BarrierSync:
  case Opcode::BarrierArrive:
  case Opcode::BarrierRed:
  case Opcode::BarrierClusterArrive:
  case Opcode::BarrierClusterWait:
  case Opcode::Griddepcontrol:
  case Opcode::Pmevent:
  case Opcode::PmeventMask:
  case Opcode::Setmaxnreg:
    return emitBarrier(Inst);
  case Opcode::Alloca:
  case Opcode::Stacksave:
  case Opcode::Stackrestore:
    return emitStack(Inst);
  case Opcode::Call:
    return emitCall(Inst);
  default:
    return emitGeneric(Inst);
  }
}

/// Whether all operands are values or results, none of them a vector.
static bool hasPlainOperands(const ptx::Instruction &Inst) {
  return llvm::all_of(
      llvm::zip(Inst.getForm().getOperands(), Inst.getOperands()),
      [](auto Pair) {
        auto &[Spec, O] = Pair;
        return (Spec.Role == ptx::OperandRole::Source ||
                Spec.Role == ptx::OperandRole::Dest) &&
               !O.is(Kind::Vector);
      });
}

/// An instruction whose operation has its operands in the same order and its
/// modifiers as attributes; others have the operation of any instruction.
LogicalResult BodyImporter::emitGeneric(const ptx::Instruction &Inst) {
  ImportedMnemonic *Mn = I.mnemonic(Inst);
  if (!Mn || !hasPlainOperands(Inst))
    return emitInst(Inst);
  SmallVector<Value, 6> Operands;
  SmallVector<mlir::Type, 2> Types;
  SmallVector<const Operand *, 2> Dests;
  for (unsigned N = 0; N != Inst.getNumOperands(); ++N) {
    const Operand &O = Inst.getOperand(N);
    auto Role = Inst.getForm().getOperands()[N].Role;
    if (O.is(Kind::None))
      continue;
    if (Role == ptx::OperandRole::Source) {
      Operands.push_back(use(O, operandType(Inst, N)));
    } else if (O.is(Kind::Pair)) {
      Dests.append({&O.getElements()[0], &O.getElements()[1]});
      Types.append({destType(*Dests[0], operandType(Inst, N)), B.getI1Type()});
    } else {
      Dests.push_back(&O);
      Types.push_back(destType(O, operandType(Inst, N)));
      // These always tell a predicate as well.
      if (Inst.getOpcode() == Opcode::Shfl ||
          Inst.getOpcode() == Opcode::ShflSync ||
          Inst.getOpcode() == Opcode::ElectSync)
        Types.push_back(B.getI1Type());
    }
  }
  if (readsCarry(Inst.getOpcode()))
    Operands.push_back(current(CarrySlot));
  if (isCarryOp(Inst))
    Types.push_back(B.getI1Type());
  Operation *New = Mn->Template.create(B, Loc, Types, Operands);
  for (auto [N, O] : llvm::enumerate(Dests))
    define(*O, New->getResult(N));
  if (Inst.has(ModKind::CarryOut)) {
    Value Carry = New->getResults().back();
    if (ActiveGuard && Current[CarrySlot])
      Carry = ptxir::SelpOp::create(B, Loc, Carry.getType(),
                                    GuardNegated ? Current[CarrySlot] : Carry,
                                    GuardNegated ? Carry : Current[CarrySlot],
                                    ActiveGuard, ScalarType::Pred);
    assign(CarrySlot, Carry);
  }
  return success();
}

bool import::hasOnly(const ptx::Instruction &Inst,
                     std::initializer_list<ModKind> Kinds) {
  const auto &Mods = Inst.getMnemonic().Mods;
  auto Others = llvm::count_if(Mods, [](auto Value) { return Value != 0; });
  for (ModKind K : Kinds)
    Others -= Mods[unsigned(K)] != 0;
  return Others == 0;
}

SmallVector<Operand> import::elementsOf(const Operand &O, unsigned Count) {
  if (O.is(Kind::Vector))
    return SmallVector<Operand>(O.getElements());
  SmallVector<Operand> Elements;
  for (unsigned N = 0; N != Count; ++N) {
    if (O.is(Kind::SpecialReg))
      Elements.push_back(
          Operand::makeSpecial(O.getLoc(), O.getSpecialReg(), int(N)));
    else
      Elements.push_back(Operand::makeRegister(O.getLoc(), O.getRegister(),
                                               O.getRegisterIndex(), int(N)));
  }
  return Elements;
}

unsigned import::vectorWidth(const ptx::Instruction &Inst) {
  switch (Inst.get<ptx::Vec>()) {
  case ptx::Vec::None:
    return 1;
  case ptx::Vec::V2:
    return 2;
  case ptx::Vec::V4:
    return 4;
  case ptx::Vec::V8:
    return 8;
  }
  return 1;
}

LogicalResult BodyImporter::emitMov(const ptx::Instruction &Inst) {
  const Operand &D = Inst.getOperand(0), &A = Inst.getOperand(1);
  auto Ty = type(Inst);
  if (!Ty || !hasOnly(Inst, {ModKind::Vec}))
    return emitInst(Inst);
  if (unsigned N = vectorWidth(Inst); N > 1) {
    SmallVector<Value> Values;
    for (const Operand &E : elementsOf(A, N))
      Values.push_back(use(E, Ty));
    for (auto [E, V] : llvm::zip(elementsOf(D, N), Values))
      define(E, V);
    return success();
  }
  if (D.is(Kind::Vector)) {
    SmallVector<mlir::Type> Types;
    unsigned N = D.getElements().size();
    for (const Operand &E : D.getElements())
      Types.push_back(destType(E, untyped(ptxir::bitWidth(*Ty) / N)));
    auto Unpack = ptxir::UnpackOp::create(B, Loc, Types, use(A, Ty), *Ty);
    for (auto [E, V] : llvm::zip(D.getElements(), Unpack.getParts()))
      define(E, V);
    return success();
  }
  if (A.is(Kind::Vector)) {
    SmallVector<Value> Parts;
    unsigned N = A.getElements().size();
    for (const Operand &E : A.getElements())
      Parts.push_back(use(E, untyped(ptxir::bitWidth(*Ty) / N)));
    define(D, ptxir::PackOp::create(B, Loc, destType(D, Ty), Parts, *Ty));
    return success();
  }
  define(D, use(A, Ty));
  return success();
}

/// The form with a predicate result is spelled out: d = lop3(a, b, c),
/// p = (d != 0) op q.
LogicalResult BodyImporter::emitLop3(const ptx::Instruction &Inst) {
  const Operand &D = Inst.getOperand(0);
  bool Pair = D.is(Kind::Pair);
  const Operand &Result = Pair ? D.getElements()[0] : D;
  Value Args[3];
  for (unsigned N = 0; N != 3; ++N)
    Args[N] = use(Inst.getOperand(N + 1), ScalarType::B32);
  Value V = ptxir::Lop3Op::create(B, Loc, destType(Result, ScalarType::B32),
                                  Args[0], Args[1], Args[2], ScalarType::B32,
                                  uint32_t(Inst.getOperand(4).getInt() & 0xFF));
  if (Pair) {
    auto Op = convertModifier<ptxir::BoolOp>(Inst.get<ptx::BoolOp>());
    auto P = ptxir::SetpOp::create(
        B, Loc, TypeRange{B.getI1Type()},
        ValueRange{V, constant(B.getI32Type(), 0),
                   use(Inst.getOperand(5), ScalarType::Pred)},
        ArrayRef<NamedAttribute>{
            B.getNamedAttr("cmp",
                           ptxir::CmpAttr::get(B.getContext(), ptxir::Cmp::Ne)),
            B.getNamedAttr("boolop",
                           ptxir::BoolOpAttr::get(B.getContext(), Op)),
            B.getNamedAttr("ty", ptxir::ScalarTypeAttr::get(B.getContext(),
                                                            ScalarType::B32))});
    define(Result, V);
    define(D.getElements()[1], P.getP());
    return success();
  }
  define(D, V);
  return success();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static ptxir::BarrierMode barrierMode(const ptx::Instruction &Inst) {
  switch (Inst.getOpcode()) {
  case Opcode::BarArrive:
  case Opcode::BarrierArrive:
    return ptxir::BarrierMode::Arrive;
  case Opcode::BarRed:
  case Opcode::BarrierRed:
    switch (Inst.get<ptx::BarRedOp>()) {
    case ptx::BarRedOp::And:
      return ptxir::BarrierMode::Red_and;
    case ptx::BarRedOp::Or:
      return ptxir::BarrierMode::Red_or;
    default:
      return ptxir::BarrierMode::Red_popc;
    }
  default:
    return ptxir::BarrierMode::Sync;
  }
}

LogicalResult BodyImporter::emitBarrier(const ptx::Instruction &Inst) {
  if (!hasOnly(Inst, {ModKind::CtaBarrier, ModKind::Aligned, ModKind::BarRedOp,
                      ModKind::Semantics, ModKind::GridDep,
                      ModKind::RegisterAction, ModKind::Sync}))
    return emitInst(Inst);
  bool Aligned = Inst.has(ModKind::Aligned);
  switch (Inst.getOpcode()) {
  case Opcode::BarrierClusterArrive:
    ptxir::ClusterBarrierOp::create(
        B, Loc, ptxir::ClusterBarrier::Arrive, Aligned,
        Inst.get<ptx::Semantics>() == ptx::Semantics::Relaxed);
    return success();
  case Opcode::BarrierClusterWait:
    ptxir::ClusterBarrierOp::create(B, Loc, ptxir::ClusterBarrier::Wait,
                                    Aligned, false);
    return success();
  case Opcode::Griddepcontrol:
    ptxir::GriddepOp::create(B, Loc,
                             Inst.get<ptx::GridDep>() == ptx::GridDep::Wait);
    return success();
  case Opcode::Pmevent:
    ptxir::PmeventOp::create(B, Loc, 1u << (Inst.getOperand(0).getInt() & 15));
    return success();
  case Opcode::Setmaxnreg:
    ptxir::SetmaxnregOp::create(B, Loc, uint32_t(Inst.getOperand(0).getInt()),
                                Inst.get<ptx::RegisterAction>() ==
                                    ptx::RegisterAction::Dec);
    return success();
  case Opcode::PmeventMask:
    ptxir::PmeventOp::create(B, Loc, uint32_t(Inst.getOperand(0).getInt()));
    return success();
  default:
    break;
  }
  ptxir::BarrierMode Mode = barrierMode(Inst);
  bool Reduces = Mode >= ptxir::BarrierMode::Red_popc;
  unsigned First = Reduces ? 1 : 0;
  // `bar` is `barrier` with .aligned.
  Aligned |= ptx::getOpcodeName(Inst.getOpcode()).starts_with("bar.");
  auto Arg = [&](unsigned N, ScalarType Ty) {
    if (N >= Inst.getNumOperands() || Inst.getOperand(N).is(Kind::None))
      return Value();
    return use(Inst.getOperand(N), Ty);
  };
  Value Id = Arg(First, ScalarType::U32),
        Count = Arg(First + 1, ScalarType::U32);
  Value Pred = Reduces ? Arg(First + 2, ScalarType::Pred) : Value();
  mlir::Type Result;
  if (Reduces)
    Result = destType(Inst.getOperand(0), operandType(Inst, 0));
  auto Barrier =
      ptxir::BarrierOp::create(B, Loc, Result, Id, Count, Pred, Mode, Aligned);
  if (Reduces)
    define(Inst.getOperand(0), Barrier.getD());
  return success();
}
