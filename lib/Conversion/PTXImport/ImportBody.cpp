//===- ImportBody.cpp - Function bodies to SSA ------------------*- C++ -*-===//
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

#include "Importer.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::import;
using ptx::ModKind;
using ptx::Opcode;
using ptx::Operand;
using ptxir::ScalarType;
using Kind = ptx::Operand::Kind;

namespace {

class BodyImporter {
public:
  BodyImporter(ModuleImporter &I, const ptx::Function *F, Operation *Op)
      : I(I), F(F), Op(Op), Body(Op->getRegion(0)), B(I.B),
        Loc(I.location(F->getLoc())) {}
  LogicalResult run();

private:
  static constexpr unsigned NoSlot = ~0u;

  // Slots (ImportBody.cpp, first part).
  LogicalResult assignSlots();
  LogicalResult declare(llvm::ArrayRef<const ptx::Statement *> Statements);
  LogicalResult declareRegister(const ptx::RegisterDecl *Reg);
  void declareParam(const ptx::Variable *Var);
  void findWholeParams();
  unsigned newSlot(mlir::Type Ty) {
    SlotTypes.push_back(Ty);
    return SlotTypes.size() - 1;
  }
  unsigned slotOf(const Operand &O) const;
  bool isEntryParam(const ptx::Variable *Var) const {
    return F->isEntry() && EntryParams.count(Var);
  }

  // What an instruction reads and writes.
  template <typename FnT> void forEachSource(const Step &S, FnT Fn) const;
  template <typename FnT> void forEachDest(const Step &S, FnT Fn) const;
  template <typename FnT> void forEachSlot(const Operand &O, FnT Fn) const;
  FlowBlock summarize(const BasicBlock &Block) const;

  // Blocks.
  LogicalResult emitBlocks();
  LogicalResult emitBlock(unsigned Number);
  LogicalResult emitEnding(const BasicBlock &Block);
  LogicalResult startEntry();
  SmallVector<Value> argumentsFor(unsigned Succ);

  // Values.
  Value current(unsigned Slot);
  void assign(unsigned Slot, Value V);
  Value as(Value V, mlir::Type Ty);
  Value use(const Operand &O, std::optional<ScalarType> Ty);
  Value useRegister(const Operand &O);
  Value useGuard(const ptx::Guard &G);
  Value immediate(const Operand &O, ScalarType Ty);
  Value variableAddress(const ptx::Variable *Var, mlir::Type Ty);
  Value symbolAddress(const ptx::Decl *D, int64_t Offset, mlir::Type Ty);
  Value specialRegister(const Operand &O, int Component, mlir::Type Ty);
  mlir::Type destType(const Operand &O, std::optional<ScalarType> Ty);
  void define(const Operand &O, Value V);
  Value constant(mlir::Type Ty, uint64_t V) {
    return ptxir::ConstantOp::create(B, Loc, B.getIntegerAttr(Ty, V));
  }

  // Instructions.
  void translateSourceLocs();
  Location locationOf(const Step &S) {
    return ptxir::makeLoc(I.location(S.Inst->getLoc()),
                          SourceLocs.lookup(S.Loc));
  }
  LogicalResult emitStep(const Step &S);
  LogicalResult emitInstruction(const ptx::Instruction &Inst);
  LogicalResult emitGeneric(const ptx::Instruction &Inst);
  LogicalResult emitMov(const ptx::Instruction &Inst);
  LogicalResult emitLop3(const ptx::Instruction &Inst);
  LogicalResult emitLd(const ptx::Instruction &Inst);
  LogicalResult emitSt(const ptx::Instruction &Inst);
  LogicalResult emitAtomic(const ptx::Instruction &Inst);
  LogicalResult emitFence(const ptx::Instruction &Inst);
  LogicalResult emitPrefetch(const ptx::Instruction &Inst);
  LogicalResult emitBarrier(const ptx::Instruction &Inst);
  LogicalResult emitStack(const ptx::Instruction &Inst);
  LogicalResult emitCall(const ptx::Instruction &Inst);
  Value callArgument(const Operand &O, ptx::Parameter Formal, mlir::Type Ty);
  LogicalResult unsupported(const ptx::Instruction &Inst) {
    return I.unsupported(Inst.getLoc(), Inst.getMnemonic().Spelling);
  }

  // Modifiers of memory operations.
  ptxir::Space space(const ptx::Instruction &Inst, const Operand &Address);
  ptxir::MemSem semantics(const ptx::Instruction &Inst);
  std::optional<ScalarType> type(const ptx::Instruction &Inst, unsigned N = 0) {
    return I.scalarType(Inst.getType(N));
  }
  std::optional<ScalarType> operandType(const ptx::Instruction &Inst,
                                        unsigned N);
  std::pair<Value, int64_t> address(const Operand &O);

  ModuleImporter &I;
  const ptx::Function *F;
  Operation *Op;
  Region &Body;
  OpBuilder &B;
  Location Loc;
  /// What each `.loc` says, in the dialect's terms.
  llvm::DenseMap<const ptx::LocStatement *, LocationAttr> SourceLocs;

  /// Slot of each register by number; a vector register has several.
  std::vector<unsigned> RegisterSlots;
  std::vector<mlir::Type> SlotTypes;
  /// .param variables whose whole value is read and written, so that a slot
  /// can stand for them.
  llvm::DenseMap<const ptx::Variable *, unsigned> ParamSlots;
  /// All other variables of the function, by the address of their memory.
  llvm::DenseMap<const ptx::Variable *, Value> Addresses;
  /// .param and .local variables in the order of declaration.
  std::vector<const ptx::Variable *> Variables;
  llvm::DenseMap<const ptx::Variable *, unsigned> EntryParams;
  unsigned CarrySlot = NoSlot;

  std::vector<BasicBlock> Blocks;
  SSAPlan Plan;
  std::vector<Block *> MLIRBlocks;
  std::vector<Value> Current;
  std::vector<Value> Undefined;
  /// Assignments to undo when the dominator tree's walk leaves a block.
  std::vector<std::pair<unsigned, Value>> Undo;
  /// The guard that results of the current instruction depend on, or null.
  Value ActiveGuard;
  bool GuardNegated = false;
  bool Failed = false;
};

} // namespace

static ScalarType untyped(unsigned Bits) {
  switch (Bits) {
  case 1:
    return ScalarType::Pred;
  case 8:
    return ScalarType::B8;
  case 16:
    return ScalarType::B16;
  case 32:
    return ScalarType::B32;
  case 64:
    return ScalarType::B64;
  default:
    return ScalarType::B128;
  }
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

LogicalResult BodyImporter::declareRegister(const ptx::RegisterDecl *Reg) {
  mlir::Type Ty = I.registerType(Reg->getType(), Reg->getLoc());
  if (!Ty)
    return failure();
  for (unsigned N = 0; N != Reg->getCount(); ++N) {
    RegisterSlots[Reg->getFirstNumber() + N] = SlotTypes.size();
    SlotTypes.insert(SlotTypes.end(), Reg->getVectorWidth(), Ty);
  }
  return success();
}

void BodyImporter::declareParam(const ptx::Variable *Var) {
  Variables.push_back(Var);
  if (isScalarParameter(Var))
    if (auto Ty = I.scalarType(Var->Ty))
      ParamSlots[Var] = newSlot(I.registerType(Var->Ty, Var->getLoc()));
}

LogicalResult
BodyImporter::declare(llvm::ArrayRef<const ptx::Statement *> Statements) {
  for (const ptx::Statement *S : Statements) {
    if (auto *Block = dyn_cast<ptx::BlockStatement>(S)) {
      if (failed(declare(Block->Body)))
        return failure();
      continue;
    }
    auto *Declaration = dyn_cast<ptx::VariableStatement>(S);
    if (!Declaration)
      continue;
    if (auto *Reg = dyn_cast<ptx::RegisterDecl>(Declaration->D)) {
      if (failed(declareRegister(Reg)))
        return failure();
    } else if (auto *Var = dyn_cast<ptx::Variable>(Declaration->D)) {
      if (Var->Space == ptx::StateSpace::Param)
        declareParam(Var);
      else if (Var->Space == ptx::StateSpace::Local)
        Variables.push_back(Var);
    }
  }
  return success();
}

/// Whether an access to a scalar parameter can be a move to or from a slot: the
/// whole value, or the low part of an integer.
static bool isWholeAccess(const ptx::Instruction &Inst, const Operand &O,
                          const ptx::Variable *Var) {
  if ((Inst.getOpcode() != Opcode::Ld && Inst.getOpcode() != Opcode::St) ||
      Inst.has(ModKind::Vec) || O.getOffset() != 0)
    return false;
  unsigned Bits = ptx::getTypeBits(Inst.getType()),
           VarBits = ptx::getTypeBits(Var->Ty);
  bool Float = ptx::getTypeClass(Inst.getType()) == ptx::TypeClass::Float;
  return Bits == VarBits || (Bits < VarBits && !Float);
}

/// Takes the slot from every parameter that is accessed in another way.
void BodyImporter::findWholeParams() {
  auto Check = [&](const Step &S) {
    for (const Operand &O : S.Inst->getOperands()) {
      bool Symbol =
          O.is(Kind::Symbol) ||
          (O.is(Kind::Address) && O.getAddressBase() == Operand::Base::Symbol);
      auto *Var = Symbol ? dyn_cast<ptx::Variable>(O.getSymbol()) : nullptr;
      if (Var && !(O.is(Kind::Address) && isWholeAccess(*S.Inst, O, Var)))
        ParamSlots.erase(Var);
    }
  };
  for (const BasicBlock &Block : Blocks)
    for (const Step &S : Block.Steps)
      Check(S);
}

static bool readsCarry(Opcode Op) {
  return Op == Opcode::Addc || Op == Opcode::Subc || Op == Opcode::Madc;
}
static bool isCarryOp(const ptx::Instruction &Inst) {
  return readsCarry(Inst.getOpcode()) || Inst.has(ModKind::CarryOut);
}

LogicalResult BodyImporter::assignSlots() {
  RegisterSlots.assign(F->getNumRegisters(), NoSlot);
  for (auto List : {F->Returns, F->Params})
    for (auto [Index, P] : llvm::enumerate(List)) {
      if (auto *Reg = dyn_cast<ptx::RegisterDecl>(P)) {
        if (failed(declareRegister(Reg)))
          return failure();
      } else if (F->isEntry()) {
        EntryParams[cast<ptx::Variable>(P)] = Index;
      } else {
        declareParam(cast<ptx::Variable>(P));
      }
    }
  if (failed(declare(F->Body)))
    return failure();
  findWholeParams();
  CarrySlot = newSlot(B.getI1Type());
  Current.resize(SlotTypes.size());
  Undefined.resize(SlotTypes.size());
  return success();
}

unsigned BodyImporter::slotOf(const Operand &O) const {
  unsigned Component = O.getComponent() > 0 ? O.getComponent() : 0;
  return RegisterSlots[O.getRegisterNumber()] + Component;
}

//===----------------------------------------------------------------------===//
// What an instruction reads and writes
//===----------------------------------------------------------------------===//

/// The slots that an operand names, for reading or writing as its role says.
template <typename FnT>
void BodyImporter::forEachSlot(const Operand &O, FnT Fn) const {
  switch (O.getKind()) {
  case Kind::Register:
    if (O.getComponent() < 0 && O.getRegister()->getVectorWidth() > 1)
      for (unsigned N = 0; N != O.getRegister()->getVectorWidth(); ++N)
        Fn(slotOf(O) + N);
    else
      Fn(slotOf(O));
    return;
  case Kind::Symbol:
    if (auto *Var = dyn_cast<ptx::Variable>(O.getSymbol())) {
      auto It = ParamSlots.find(Var);
      if (It != ParamSlots.end())
        Fn(It->second);
    }
    return;
  case Kind::Address:
    if (O.getAddressBase() == Operand::Base::Register)
      Fn(RegisterSlots[O.getRegisterNumber()]);
    else if (O.getAddressBase() == Operand::Base::Symbol)
      if (auto *Var = dyn_cast<ptx::Variable>(O.getSymbol()))
        if (auto It = ParamSlots.find(Var); It != ParamSlots.end())
          Fn(It->second);
    return;
  case Kind::Vector:
  case Kind::Pair:
  case Kind::List:
    for (const Operand &E : O.getElements())
      forEachSlot(E, Fn);
    return;
  default:
    return;
  }
}

/// Whether operand \p N of an instruction is written.
static bool isDest(const ptx::Instruction &Inst, unsigned N) {
  auto Specs = Inst.getForm().getOperands();
  return Specs[N].Role == ptx::OperandRole::Dest ||
         Specs[N].Role == ptx::OperandRole::Returns;
}

/// A store to a .param variable that has a slot.
static bool isParamStore(const ptx::Instruction &Inst, const Operand &O) {
  return Inst.getOpcode() == Opcode::St && O.is(Kind::Address) &&
         O.getAddressBase() == Operand::Base::Symbol;
}

template <typename FnT>
void BodyImporter::forEachDest(const Step &S, FnT Fn) const {
  for (unsigned N = 0; N != S.Inst->getNumOperands(); ++N)
    if (isDest(*S.Inst, N) || isParamStore(*S.Inst, S.Inst->getOperand(N)))
      forEachSlot(S.Inst->getOperand(N), Fn);
  if (isCarryOp(*S.Inst))
    Fn(CarrySlot);
}

template <typename FnT>
void BodyImporter::forEachSource(const Step &S, FnT Fn) const {
  for (unsigned N = 0; N != S.Inst->getNumOperands(); ++N)
    if (!isDest(*S.Inst, N) && !isParamStore(*S.Inst, S.Inst->getOperand(N)))
      forEachSlot(S.Inst->getOperand(N), Fn);
  if (readsCarry(S.Inst->getOpcode()))
    Fn(CarrySlot);
  if (S.Inst->getGuard() && !S.GuardDone) {
    Fn(RegisterSlots[S.Inst->getGuard().getRegisterNumber()]);
    forEachDest(S, Fn); // The old value may be kept.
  }
}

FlowBlock BodyImporter::summarize(const BasicBlock &Block) const {
  FlowBlock Flow;
  Flow.Succs = Block.Succs;
  llvm::DenseSet<unsigned> Exposed, Defined;
  auto Read = [&](unsigned Slot) {
    if (!Defined.contains(Slot))
      Exposed.insert(Slot);
  };
  for (const Step &S : Block.Steps) {
    forEachSource(S, Read);
    forEachDest(S, [&](unsigned Slot) { Defined.insert(Slot); });
  }
  if (Block.End == Ending::Conditional)
    Read(RegisterSlots[Block.Last.Inst->getGuard().getRegisterNumber()]);
  if (Block.End == Ending::Indexed)
    forEachSlot(Block.Last.Inst->getOperand(0), Read);
  if (Block.End == Ending::Return && !F->isEntry())
    for (ptx::Parameter P : F->Returns) {
      if (auto *Reg = dyn_cast<ptx::RegisterDecl>(P))
        Read(RegisterSlots[Reg->getFirstNumber()]);
      else if (auto It = ParamSlots.find(cast<ptx::Variable>(P));
               It != ParamSlots.end())
        Read(It->second);
    }
  Flow.Exposed.assign(Exposed.begin(), Exposed.end());
  Flow.Defined.assign(Defined.begin(), Defined.end());
  llvm::sort(Flow.Exposed);
  llvm::sort(Flow.Defined);
  return Flow;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value BodyImporter::current(unsigned Slot) {
  if (Current[Slot])
    return Current[Slot];
  if (!Undefined[Slot]) {
    OpBuilder::InsertionGuard Guard(B);
    B.setInsertionPointToStart(MLIRBlocks[0]);
    Undefined[Slot] =
        ptxir::UndefOp::create(B, I.location(F->getLoc()), SlotTypes[Slot]);
  }
  return Undefined[Slot];
}

void BodyImporter::assign(unsigned Slot, Value V) {
  Undo.push_back({Slot, Current[Slot]});
  Current[Slot] = V;
}

/// The same bits in another register class.
Value BodyImporter::as(Value V, mlir::Type Ty) {
  if (!V || V.getType() == Ty)
    return V;
  ScalarType Scalar = untyped(ptxir::bitWidth(Ty));
  if (ptxir::bitWidth(V.getType()) == ptxir::bitWidth(Ty))
    return ptxir::MovOp::create(B, Loc, Ty, V, Scalar);
  // A wider or narrower integer.
  return ptxir::CvtOp::create(B, Loc, Ty, V, Value(), Scalar,
                              untyped(ptxir::bitWidth(V.getType())));
}

Value BodyImporter::useRegister(const Operand &O) {
  Value V = current(slotOf(O));
  if (!O.isNegated())
    return V;
  return ptxir::NotOp::create(B, Loc, V.getType(), V, ScalarType::Pred);
}

Value BodyImporter::useGuard(const ptx::Guard &G) {
  return current(RegisterSlots[G.getRegisterNumber()]);
}

Value BodyImporter::immediate(const Operand &O, ScalarType Ty) {
  unsigned Bits = ptxir::bitWidth(Ty);
  if (O.is(Kind::IntImm)) {
    llvm::APInt Value(Bits, O.getInt(), false, /*implicitTrunc=*/true);
    auto Attr = B.getIntegerAttr(B.getIntegerType(Bits), Value);
    return ptxir::ConstantOp::create(B, Loc, Attr);
  }
  uint64_t Pattern = O.getDoubleBits();
  if (Bits == 32 && O.isSingle()) {
    Pattern = O.getFloatBits32();
  } else if (Bits != 64) {
    llvm::APFloat Number(llvm::APFloat::IEEEdouble(),
                         llvm::APInt(64, O.getDoubleBits()));
    bool Lost;
    Number.convert(Bits == 32               ? llvm::APFloat::IEEEsingle()
                   : Ty == ScalarType::Bf16 ? llvm::APFloat::BFloat()
                                            : llvm::APFloat::IEEEhalf(),
                   llvm::APFloat::rmNearestTiesToEven, &Lost);
    Pattern = Number.bitcastToAPInt().getZExtValue();
  }
  if (Ty == ScalarType::F32)
    return ptxir::ConstantOp::create(
        B, Loc,
        B.getFloatAttr(B.getF32Type(),
                       llvm::APFloat(llvm::APFloat::IEEEsingle(),
                                     llvm::APInt(32, Pattern))));
  if (Ty == ScalarType::F64)
    return ptxir::ConstantOp::create(
        B, Loc,
        B.getFloatAttr(B.getF64Type(),
                       llvm::APFloat(llvm::APFloat::IEEEdouble(),
                                     llvm::APInt(64, Pattern))));
  return constant(B.getIntegerType(Bits), Pattern);
}

/// The address as a value of type \p Ty, an integer that is wide enough for
/// the variable's space.
Value BodyImporter::variableAddress(const ptx::Variable *Var, mlir::Type Ty) {
  if (auto It = EntryParams.find(Var); It != EntryParams.end())
    return ptxir::ParamAddrOp::create(B, Loc, Ty, It->second);
  if (auto It = Addresses.find(Var); It != Addresses.end())
    return as(It->second, Ty);
  StringAttr Symbol = I.symbolOf(Var);
  if (Symbol)
    return ptxir::AddrOfOp::create(B, Loc, Ty, Symbol);
  Failed = true;
  return constant(Ty, 0);
}

Value BodyImporter::symbolAddress(const ptx::Decl *D, int64_t Offset,
                                  mlir::Type Ty) {
  Value V;
  if (auto *Var = dyn_cast<ptx::Variable>(D))
    V = variableAddress(Var, Ty);
  else
    V = ptxir::AddrOfOp::create(B, Loc, Ty, I.symbolOf(cast<ptx::Function>(D)));
  if (Offset)
    V = ptxir::AddOp::create(B, Loc, Ty, V, constant(Ty, uint64_t(Offset)),
                             ptxir::bitWidth(Ty) == 64 ? ScalarType::S64
                                                       : ScalarType::S32);
  return V;
}

Value BodyImporter::specialRegister(const Operand &O, int Component,
                                    mlir::Type Ty) {
  StringRef Name = ptx::getSpecialRegInfo(O.getSpecialReg()).Name;
  Name.consume_front("%");
  std::string Full = Name.str();
  if (Component >= 0)
    Full += std::string(".") + "xyzw"[Component];
  Value V = ptxir::SregOp::create(B, Loc, Ty, Full);
  if (!O.isNegated())
    return V;
  return ptxir::NotOp::create(B, Loc, Ty, V, ScalarType::Pred);
}

/// The value of a source operand of an instruction that takes a \p Ty there;
/// without a type the operand is a register.
Value BodyImporter::use(const Operand &O, std::optional<ScalarType> Ty) {
  switch (O.getKind()) {
  case Kind::Register:
    return useRegister(O);
  case Kind::IntImm:
  case Kind::FloatImm:
    return immediate(O, Ty.value_or(ScalarType::B32));
  case Kind::SpecialReg:
    return specialRegister(O, O.getComponent(),
                           B.getIntegerType(ptxir::bitWidth(*Ty)));
  case Kind::Symbol:
    return symbolAddress(O.getSymbol(), O.getOffset(),
                         B.getIntegerType(ptxir::bitWidth(*Ty)));
  default:
    Failed = true;
    (void)I.unsupported(O.getLoc(), "an operand of this kind");
    return constant(B.getI32Type(), 0);
  }
}

mlir::Type BodyImporter::destType(const Operand &O,
                                  std::optional<ScalarType> Ty) {
  if (O.is(Kind::Register))
    return SlotTypes[slotOf(O)];
  return B.getIntegerType(Ty ? ptxir::bitWidth(*Ty) : 32);
}

/// Writes a destination operand, or, under a guard, keeps the old value where
/// the guard is false. A register without an old value may hold anything.
void BodyImporter::define(const Operand &O, Value V) {
  if (!O.is(Kind::Register))
    return;
  unsigned Slot = slotOf(O);
  V = as(V, SlotTypes[Slot]);
  if (ActiveGuard && Current[Slot]) {
    Value Old = Current[Slot];
    V = ptxir::SelpOp::create(B, Loc, V.getType(), GuardNegated ? Old : V,
                              GuardNegated ? V : Old, ActiveGuard,
                              untyped(ptxir::bitWidth(V.getType())));
  }
  assign(Slot, V);
}

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
    return std::nullopt;
  }
  return std::nullopt;
}

/// In the order of the text, since an inlined place refers to earlier ones.
void BodyImporter::translateSourceLocs() {
  ModuleImporter::SourcePlaces Places;
  for (const BasicBlock &Block : Blocks) {
    auto Translate = [&](const Step &S) {
      if (S.Loc && !SourceLocs.count(S.Loc))
        SourceLocs[S.Loc] = I.sourceLocation(*S.Loc, Places);
    };
    llvm::for_each(Block.Steps, Translate);
    Translate(Block.Last);
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

/// An instruction whose operation has its operands in the same order and its
/// modifiers as attributes.
LogicalResult BodyImporter::emitGeneric(const ptx::Instruction &Inst) {
  const ImportedMnemonic *Mn = I.mnemonic(Inst);
  if (!Mn)
    return failure();
  OperationState State(Loc, *Mn->Name);
  State.addAttributes(Mn->Attrs);
  SmallVector<const Operand *, 2> Dests;
  for (unsigned N = 0; N != Inst.getNumOperands(); ++N) {
    const Operand &O = Inst.getOperand(N);
    auto Role = Inst.getForm().getOperands()[N].Role;
    if (O.is(Kind::None))
      continue;
    if (Role == ptx::OperandRole::Source) {
      State.addOperands(use(O, operandType(Inst, N)));
    } else if (Role != ptx::OperandRole::Dest) {
      return unsupported(Inst);
    } else if (O.is(Kind::Pair)) {
      Dests.append({&O.getElements()[0], &O.getElements()[1]});
      State.addTypes(
          {destType(*Dests[0], operandType(Inst, N)), B.getI1Type()});
    } else {
      Dests.push_back(&O);
      State.addTypes(destType(O, operandType(Inst, N)));
      // These always tell a predicate as well.
      if (Inst.getOpcode() == Opcode::ShflSync ||
          Inst.getOpcode() == Opcode::ElectSync)
        State.addTypes(B.getI1Type());
    }
  }
  if (readsCarry(Inst.getOpcode()))
    State.addOperands(current(CarrySlot));
  if (isCarryOp(Inst))
    State.addTypes(B.getI1Type());
  Operation *New = B.create(State);
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

/// The elements of a vector operand: registers in braces, a vector register or
/// a vector special register.
static SmallVector<Operand> elementsOf(const Operand &O, unsigned Count) {
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

static unsigned vectorWidth(const ptx::Instruction &Inst) {
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
  if (!Ty)
    return unsupported(Inst);
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
// Memory
//===----------------------------------------------------------------------===//

std::pair<Value, int64_t> BodyImporter::address(const Operand &O) {
  switch (O.getAddressBase()) {
  case Operand::Base::Absolute:
    return {constant(I.addressType(), uint64_t(O.getOffset())), 0};
  case Operand::Base::Register:
    return {current(RegisterSlots[O.getRegisterNumber()]), O.getOffset()};
  case Operand::Base::Symbol:
    return {symbolAddress(O.getSymbol(), 0, I.addressType()), O.getOffset()};
  }
  return {};
}

/// `.param` is two spaces: what a symbol is, or else what the function is,
/// tells which.
ptxir::Space BodyImporter::space(const ptx::Instruction &Inst,
                                 const Operand &Address) {
  switch (Inst.get<ptx::StateSpace>()) {
  case ptx::StateSpace::Param:
    if (Address.getAddressBase() == Operand::Base::Symbol)
      if (auto *Var = dyn_cast<ptx::Variable>(Address.getSymbol()))
        return isEntryParam(Var) ? ptxir::Space::Param_entry
                                 : ptxir::Space::Param_func;
    return F->isEntry() ? ptxir::Space::Param_entry : ptxir::Space::Param_func;
  case ptx::StateSpace::ParamEntry:
    return ptxir::Space::Param_entry;
  case ptx::StateSpace::ParamFunc:
    return ptxir::Space::Param_func;
  case ptx::StateSpace::Global:
    return ptxir::Space::Global;
  case ptx::StateSpace::Const:
    return ptxir::Space::Const;
  case ptx::StateSpace::Local:
    return ptxir::Space::Local;
  case ptx::StateSpace::Shared:
  case ptx::StateSpace::SharedCta:
    return ptxir::Space::Shared;
  case ptx::StateSpace::SharedCluster:
    return ptxir::Space::Shared_cluster;
  default:
    return ptxir::Space::Generic;
  }
}

ptxir::MemSem BodyImporter::semantics(const ptx::Instruction &Inst) {
  if (Inst.has(ModKind::Mmio))
    return ptxir::MemSem::Mmio;
  if (Inst.get<ptx::Semantics>() == ptx::Semantics::Sc)
    return ptxir::MemSem::Seq_cst;
  return convertModifier<ptxir::MemSem>(Inst.get<ptx::Semantics>());
}

static uint32_t prefetchBytes(const ptx::Instruction &Inst) {
  switch (Inst.get<ptx::L2Prefetch>()) {
  case ptx::L2Prefetch::None:
    return 0;
  case ptx::L2Prefetch::L264B:
    return 64;
  case ptx::L2Prefetch::L2128B:
    return 128;
  case ptx::L2Prefetch::L2256B:
    return 256;
  }
  return 0;
}

/// The slot variable that a memory operand names, or null.
static const ptx::Variable *slotVariable(
    const Operand &O,
    const llvm::DenseMap<const ptx::Variable *, unsigned> &ParamSlots) {
  if (O.getAddressBase() != Operand::Base::Symbol)
    return nullptr;
  auto *Var = dyn_cast<ptx::Variable>(O.getSymbol());
  return Var && ParamSlots.count(Var) ? Var : nullptr;
}

LogicalResult BodyImporter::emitLd(const ptx::Instruction &Inst) {
  const Operand &D = Inst.getOperand(0), &A = Inst.getOperand(1);
  auto Ty = type(Inst);
  if (!Ty)
    return unsupported(Inst);
  unsigned N = vectorWidth(Inst);
  SmallVector<Operand> Dests =
      N > 1 ? elementsOf(D, N) : SmallVector<Operand>{D};
  if (const ptx::Variable *Var = slotVariable(A, ParamSlots)) {
    Value V = current(ParamSlots[Var]);
    mlir::Type Register = destType(D, Ty);
    bool Same = ptxir::bitWidth(V.getType()) == ptxir::bitWidth(*Ty) &&
                ptxir::bitWidth(Register) == ptxir::bitWidth(*Ty);
    if (!Same)
      V = ptxir::CvtOp::create(B, Loc, Register, as(V, V.getType()), Value(),
                               *Ty, untyped(ptxir::bitWidth(V.getType())));
    define(D, V);
    return success();
  }
  SmallVector<mlir::Type> Types;
  for (const Operand &O : Dests)
    Types.push_back(destType(O, Ty));
  auto [Base, Offset] = address(A);
  Value Policy = Inst.getNumOperands() > 2 && !Inst.getOperand(2).is(Kind::None)
                     ? use(Inst.getOperand(2), ScalarType::B64)
                     : Value();
  auto Load = ptxir::LdOp::create(
      B, Loc, Types, Base, Offset, Policy,
      Inst.getOpcode() == Opcode::Ldu &&
              Inst.get<ptx::StateSpace>() == ptx::StateSpace::None
          ? ptxir::Space::Generic
          : space(Inst, A),
      *Ty, semantics(Inst),
      convertModifier<ptxir::Scope>(Inst.get<ptx::Scope>()),
      Inst.has(ModKind::NonCoherent),
      convertModifier<ptxir::CacheOp>(Inst.get<ptx::CacheOp>()),
      convertModifier<ptxir::Evict>(Inst.get<ptx::L1Eviction>()),
      convertModifier<ptxir::Evict>(Inst.get<ptx::L2Eviction>()),
      prefetchBytes(Inst));
  for (auto [O, V] : llvm::zip(Dests, Load.getValues()))
    define(O, V);
  return success();
}

LogicalResult BodyImporter::emitSt(const ptx::Instruction &Inst) {
  const Operand &A = Inst.getOperand(0), &Source = Inst.getOperand(1);
  auto Ty = type(Inst);
  if (!Ty)
    return unsupported(Inst);
  unsigned N = vectorWidth(Inst);
  SmallVector<Value> Values;
  for (const Operand &O :
       N > 1 ? elementsOf(Source, N) : SmallVector<Operand>{Source})
    Values.push_back(use(O, Ty));
  if (const ptx::Variable *Var = slotVariable(A, ParamSlots)) {
    unsigned Slot = ParamSlots[Var];
    Value V = Values.front();
    if (ptxir::bitWidth(V.getType()) != ptxir::bitWidth(*Ty) ||
        ptxir::bitWidth(SlotTypes[Slot]) != ptxir::bitWidth(*Ty))
      V = ptxir::CvtOp::create(B, Loc, SlotTypes[Slot], V, Value(),
                               untyped(ptxir::bitWidth(SlotTypes[Slot])), *Ty);
    assign(Slot, as(V, SlotTypes[Slot]));
    return success();
  }
  auto [Base, Offset] = address(A);
  Value Policy = Inst.getNumOperands() > 2 && !Inst.getOperand(2).is(Kind::None)
                     ? use(Inst.getOperand(2), ScalarType::B64)
                     : Value();
  ptxir::StOp::create(
      B, Loc, Base, Offset, Values, Policy, space(Inst, A), *Ty,
      semantics(Inst), convertModifier<ptxir::Scope>(Inst.get<ptx::Scope>()),
      convertModifier<ptxir::CacheOp>(Inst.get<ptx::CacheOp>()),
      convertModifier<ptxir::Evict>(Inst.get<ptx::L1Eviction>()),
      convertModifier<ptxir::Evict>(Inst.get<ptx::L2Eviction>()));
  return success();
}

LogicalResult BodyImporter::emitAtomic(const ptx::Instruction &Inst) {
  bool Reduction = Inst.getOpcode() == Opcode::Red;
  auto Ty = type(Inst);
  if (!Ty || Inst.has(ModKind::Vec) || Inst.has(ModKind::L2Hint))
    return unsupported(Inst);
  unsigned First = Reduction ? 0 : 1;
  const Operand &A = Inst.getOperand(First);
  auto Kind = convertModifier<ptxir::AtomKind>(Inst.get<ptx::AtomOp>());
  ptxir::MemSem Sem =
      Inst.has(ModKind::Semantics) ? semantics(Inst) : ptxir::MemSem::Relaxed;
  ptxir::Scope Scope =
      Inst.has(ModKind::Scope)
          ? convertModifier<ptxir::Scope>(Inst.get<ptx::Scope>())
          : ptxir::Scope::Gpu;
  Value V = use(Inst.getOperand(First + 1), Ty);
  Value C = Kind == ptxir::AtomKind::Cas ? use(Inst.getOperand(First + 2), Ty)
                                         : Value();
  auto [Base, Offset] = address(A);
  bool NoFtz = Inst.has(ModKind::NoFtz);
  if (Reduction) {
    ptxir::RedOp::create(B, Loc, Base, Offset, V, Kind, space(Inst, A), *Ty,
                         Sem, Scope, NoFtz);
    return success();
  }
  const Operand &D = Inst.getOperand(0);
  define(D,
         ptxir::AtomOp::create(B, Loc, destType(D, Ty), Base, Offset, V, C,
                               Kind, space(Inst, A), *Ty, Sem, Scope, NoFtz));
  return success();
}

LogicalResult BodyImporter::emitFence(const ptx::Instruction &Inst) {
  ptxir::MemSem Sem = ptxir::MemSem::Seq_cst;
  auto Scope = convertModifier<ptxir::Scope>(Inst.get<ptx::Scope>());
  if (Inst.getOpcode() == Opcode::Fence) {
    // Without a word it is .acq_rel.
    Sem =
        Inst.has(ModKind::Semantics) ? semantics(Inst) : ptxir::MemSem::Acq_rel;
  } else {
    auto Level = Inst.get<ptx::MembarLevel>();
    Scope = Level == ptx::MembarLevel::Cta  ? ptxir::Scope::Cta
            : Level == ptx::MembarLevel::Gl ? ptxir::Scope::Gpu
                                            : ptxir::Scope::Sys;
  }
  ptxir::FenceOp::create(B, Loc, Sem, Scope);
  return success();
}

LogicalResult BodyImporter::emitPrefetch(const ptx::Instruction &Inst) {
  const Operand &A = Inst.getOperand(0);
  std::string Level;
  for (ModKind K : {ModKind::PrefetchLevel, ModKind::L2Eviction})
    if (Inst.has(K))
      Level = ptx::getModifierName(K, Inst.getMnemonic().Mods[unsigned(K)]);
  auto [Base, Offset] = address(A);
  ptxir::PrefetchOp::create(B, Loc, space(Inst, A), Level, Base, Offset);
  return success();
}

LogicalResult BodyImporter::emitStack(const ptx::Instruction &Inst) {
  auto Ty = type(Inst);
  if (!Ty)
    return unsupported(Inst);
  if (Inst.getOpcode() == Opcode::Stackrestore) {
    ptxir::StackRestoreOp::create(B, Loc, use(Inst.getOperand(0), Ty));
    return success();
  }
  const Operand &D = Inst.getOperand(0);
  mlir::Type Address = B.getIntegerType(ptxir::bitWidth(*Ty));
  if (Inst.getOpcode() == Opcode::Stacksave) {
    define(D, ptxir::StackSaveOp::create(B, Loc, Address));
    return success();
  }
  // The default alignment of alloca is 8 bytes.
  const Operand &Align = Inst.getOperand(2);
  define(D, ptxir::DynAllocaOp::create(
                B, Loc, Address, *Ty, use(Inst.getOperand(1), Ty),
                Align.is(Kind::IntImm) ? int64_t(Align.getInt()) : 8));
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

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// An argument as the callee takes it: the address of an array, or the value.
Value BodyImporter::callArgument(const Operand &O, ptx::Parameter Formal,
                                 mlir::Type Ty) {
  auto *Var =
      O.is(Kind::Symbol) ? dyn_cast<ptx::Variable>(O.getSymbol()) : nullptr;
  if (!isScalarParameter(Formal))
    return Var ? variableAddress(Var, I.addressType())
               : use(O, I.scalarType(ptx::Type::B64));
  if (!Var || Var->Space != ptx::StateSpace::Param)
    return as(use(O, I.scalarType(parameterType(Formal))), Ty);
  if (auto It = ParamSlots.find(Var); It != ParamSlots.end())
    return as(current(It->second), Ty);
  return ptxir::LdOp::create(
             B, Loc, TypeRange{Ty}, variableAddress(Var, I.addressType()), 0,
             Value(), ptxir::Space::Param_func, untyped(ptxir::bitWidth(Ty)))
      .getResult(0);
}

LogicalResult BodyImporter::emitCall(const ptx::Instruction &Inst) {
  const Operand &Returns = Inst.getOperand(0), &Callee = Inst.getOperand(1),
                &Args = Inst.getOperand(2), &Prototype = Inst.getOperand(3);
  auto Elements = [](const Operand &O) {
    return O.is(Kind::List) ? O.getElements() : ArrayRef<Operand>();
  };
  // Whose parameters: the callee's, or those of a prototype or target list.
  const ptx::Function *Target = nullptr;
  llvm::ArrayRef<ptx::Parameter> FormalReturns, FormalParams;
  bool NoReturn = false;
  if (Callee.is(Kind::Symbol))
    Target = dyn_cast<ptx::Function>(Callee.getSymbol());
  const ptx::Decl *Proto =
      Prototype.is(Kind::Symbol) ? Prototype.getSymbol() : nullptr;
  const ptx::Function *Like = Target;
  if (auto *Targets = dyn_cast_if_present<ptx::CallTargetsDecl>(Proto))
    Like = Targets->Targets.empty() ? nullptr : Targets->Targets.front();
  if (auto *P = dyn_cast_if_present<ptx::CallPrototypeDecl>(Proto)) {
    FormalReturns = P->Returns;
    FormalParams = P->Params;
    NoReturn = P->NoReturn;
  } else if (Like) {
    FormalReturns = Like->Returns;
    FormalParams = Like->Params;
  } else {
    return I.unsupported(Inst.getLoc(), "an indirect call without a prototype");
  }
  auto S = I.signatureOf(FormalReturns, FormalParams, Inst.getLoc());
  if (failed(S))
    return failure();
  if (Elements(Returns).size() != FormalReturns.size() ||
      Elements(Args).size() != FormalParams.size())
    return I.unsupported(Inst.getLoc(), "a call whose lists do not match");

  SmallVector<Value> Values;
  if (S->ResultArray)
    Values.push_back(
        callArgument(Elements(Returns)[0], FormalReturns[0], S->Args[0]));
  for (auto [O, Formal] : llvm::zip(Elements(Args), FormalParams))
    Values.push_back(callArgument(O, Formal, S->Args[Values.size()]));
  ArrayAttr Aggregates;
  if (S->hasAggregates())
    Aggregates = B.getArrayAttr(llvm::map_to_vector(
        S->Aggregates, [&](ptxir::AggregateAttr A) -> Attribute {
          return A ? Attribute(A) : Attribute(B.getUnitAttr());
        }));
  bool Uni = Inst.has(ModKind::Uni);
  Operation *Call;
  if (Target)
    Call =
        ptxir::CallOp::create(B, Loc, S->Results, I.symbolOf(Target).getValue(),
                              Values, Aggregates, Uni);
  else
    Call = ptxir::CallIndirectOp::create(
        B, Loc, S->Results, use(Callee, I.scalarType(ptx::Type::B64)), Values,
        Aggregates, NoReturn, Uni);
  if (S->ResultArray)
    return success();
  for (auto [O, V] : llvm::zip(Elements(Returns), Call->getResults())) {
    auto *Var =
        O.is(Kind::Symbol) ? dyn_cast<ptx::Variable>(O.getSymbol()) : nullptr;
    if (!Var) {
      define(O, V);
    } else if (auto It = ParamSlots.find(Var); It != ParamSlots.end()) {
      assign(It->second, as(V, SlotTypes[It->second]));
    } else {
      ptxir::StOp::create(B, Loc, variableAddress(Var, I.addressType()), 0,
                          ValueRange{V}, Value(), ptxir::Space::Param_func,
                          untyped(ptxir::bitWidth(V.getType())));
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

SmallVector<Value> BodyImporter::argumentsFor(unsigned Succ) {
  SmallVector<Value> Values;
  for (unsigned Slot : Plan.Arguments[Succ])
    Values.push_back(current(Slot));
  return Values;
}

LogicalResult BodyImporter::emitEnding(const BasicBlock &Block) {
  bool Uni = false;
  if (Block.Last.Inst) {
    Loc = locationOf(Block.Last);
    Uni = Block.Last.Inst->has(ModKind::Uni);
  }
  switch (Block.End) {
  case Ending::Jump:
    ptxir::BraOp::create(B, Loc, argumentsFor(Block.Succs[0]), Uni,
                         MLIRBlocks[Block.Succs[0]]);
    return success();
  case Ending::Conditional: {
    const ptx::Guard &G = Block.Last.Inst->getGuard();
    unsigned Then = Block.Succs[0], Else = Block.Succs[1];
    if (G.Negated)
      std::swap(Then, Else);
    ptxir::CondBraOp::create(B, Loc, useGuard(G), argumentsFor(Then),
                             argumentsFor(Else), Uni, MLIRBlocks[Then],
                             MLIRBlocks[Else]);
    return success();
  }
  case Ending::Indexed: {
    SmallVector<SmallVector<Value>> Values;
    SmallVector<mlir::Block *> Dests;
    for (unsigned Succ : Block.Succs) {
      Values.push_back(argumentsFor(Succ));
      Dests.push_back(MLIRBlocks[Succ]);
    }
    SmallVector<ValueRange> Ranges(Values.begin(), Values.end());
    ptxir::BrxOp::create(B, Loc,
                         use(Block.Last.Inst->getOperand(0), ScalarType::U32),
                         Ranges, Uni, Dests);
    return success();
  }
  case Ending::Exit:
    ptxir::ExitOp::create(B, Loc);
    return success();
  case Ending::Return:
    break;
  }
  SmallVector<Value> Values;
  if (!F->isEntry())
    for (ptx::Parameter P : F->Returns) {
      if (!isScalarParameter(P))
        continue;
      auto *Var = dyn_cast<ptx::Variable>(P);
      if (!Var)
        Values.push_back(current(
            RegisterSlots[cast<ptx::RegisterDecl>(P)->getFirstNumber()]));
      else if (auto It = ParamSlots.find(Var); It != ParamSlots.end())
        Values.push_back(current(It->second));
      else
        Values.push_back(
            ptxir::LdOp::create(
                B, Loc, TypeRange{I.registerType(Var->Ty, Var->getLoc())},
                Addresses[Var], 0, Value(), ptxir::Space::Param_func,
                untyped(ptx::getTypeBits(Var->Ty)))
                .getResult(0));
    }
  ptxir::RetOp::create(B, Loc, Values, Uni);
  return success();
}

/// Gives the function's arguments and variables their slots or memory.
LogicalResult BodyImporter::startEntry() {
  B.setInsertionPointToStart(MLIRBlocks[0]);
  Loc = I.location(F->getLoc());
  auto Allocate = [&](const ptx::Variable *Var) {
    Addresses[Var] = ptxir::AllocaOp::create(B, I.location(Var->getLoc()),
                                             I.addressType(), Var->getName(),
                                             Var->getSize(), Var->getAlign());
  };
  auto Args = MLIRBlocks[0]->getArguments();
  unsigned Next = 0;
  if (!F->isEntry()) {
    for (ptx::Parameter P : F->Returns)
      if (!isScalarParameter(P))
        Addresses[cast<ptx::Variable>(P)] = Args[Next++];
    for (ptx::Parameter P : F->Params) {
      Value Arg = Args[Next++];
      auto *Var = dyn_cast<ptx::Variable>(P);
      if (!Var) {
        assign(RegisterSlots[cast<ptx::RegisterDecl>(P)->getFirstNumber()],
               Arg);
      } else if (!isScalarParameter(P)) {
        Addresses[Var] = Arg;
      } else if (auto It = ParamSlots.find(Var); It != ParamSlots.end()) {
        assign(It->second, Arg);
      } else {
        Allocate(Var);
        ptxir::StOp::create(B, Loc, Addresses[Var], 0, ValueRange{Arg}, Value(),
                            ptxir::Space::Param_func,
                            untyped(ptxir::bitWidth(Arg.getType())));
      }
    }
  }
  for (const ptx::Variable *Var : Variables)
    if (!ParamSlots.count(Var) && !Addresses.count(Var)) {
      if (Var->isUnsized())
        return I.unsupported(Var->getLoc(), "a local array without a size");
      Allocate(Var);
    }
  return success();
}

LogicalResult BodyImporter::emitBlock(unsigned Number) {
  B.setInsertionPointToEnd(MLIRBlocks[Number]);
  for (auto [Slot, Arg] :
       llvm::zip(Plan.Arguments[Number], MLIRBlocks[Number]->getArguments()))
    assign(Slot, Arg);
  for (const Step &S : Blocks[Number].Steps)
    Failed |= failed(emitStep(S));
  ActiveGuard = {};
  return emitEnding(Blocks[Number]);
}

/// Emits the blocks in pre-order of the dominator tree, so that a block starts
/// with the values at the end of its dominator; without recursion, since the
/// tree can be deep.
LogicalResult BodyImporter::emitBlocks() {
  for (unsigned N = 0; N != Blocks.size(); ++N) {
    if (Plan.Position[N] == SSAPlan::None) {
      MLIRBlocks.push_back(nullptr);
      continue;
    }
    Block *New = new Block();
    Body.push_back(New);
    MLIRBlocks.push_back(New);
    for (unsigned Slot : Plan.Arguments[N])
      New->addArgument(SlotTypes[Slot], Loc);
  }
  if (auto Func = dyn_cast<ptxir::FuncOp>(Op))
    for (mlir::Type Ty : Func.getArgumentTypes())
      MLIRBlocks[0]->addArgument(Ty, Loc);
  if (failed(startEntry()))
    return failure();
  struct Visit {
    unsigned Number;
    unsigned NextChild;
    size_t UndoMark;
  };
  std::vector<Visit> Stack = {{0, 0, Undo.size()}};
  if (failed(emitBlock(0)))
    return failure();
  while (!Stack.empty()) {
    Visit &Top = Stack.back();
    const auto &Children = Plan.DominatedBy[Top.Number];
    if (Top.NextChild == Children.size()) {
      while (Undo.size() > Top.UndoMark) {
        Current[Undo.back().first] = Undo.back().second;
        Undo.pop_back();
      }
      Stack.pop_back();
      continue;
    }
    unsigned Child = Children[Top.NextChild++];
    Stack.push_back({Child, 0, Undo.size()});
    if (failed(emitBlock(Child)))
      return failure();
  }
  return failure(Failed);
}

LogicalResult BodyImporter::run() {
  Blocks = splitIntoBlocks(*F);
  translateSourceLocs();
  if (failed(assignSlots()))
    return failure();
  std::vector<FlowBlock> Flow;
  for (const BasicBlock &Block : Blocks)
    Flow.push_back(summarize(Block));
  Plan = planSSA(Flow, SlotTypes.size());
  return emitBlocks();
}

LogicalResult import::importBody(ModuleImporter &Importer,
                                 const ptx::Function *F, Operation *Op) {
  return BodyImporter(Importer, F, Op).run();
}
