//===- ImportMemory.cpp - PTX memory instructions ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads, stores, atomics, fences, prefetches and the stack.
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
// Memory
//===----------------------------------------------------------------------===//

/// A register that is narrower than addresses are is extended with zeros.
static bool hasShortAddresses(ptx::StateSpace Space) {
  return Space != ptx::StateSpace::None && Space != ptx::StateSpace::Generic &&
         Space != ptx::StateSpace::Global;
}

/// The address of what a symbol names, for an access in \p Space. Of a variable
/// in another space than .global, the generic address is not the address.
Value BodyImporter::placeOf(const ptx::Decl *Symbol, ptx::StateSpace Space) {
  Value Address = symbolAddress(Symbol, 0, I.addressType());
  auto *Var = dyn_cast<ptx::Variable>(Symbol);
  bool IsGeneric =
      Space == ptx::StateSpace::None || Space == ptx::StateSpace::Generic;
  if (!Var || !IsGeneric || Var->Space == ptx::StateSpace::Global)
    return Address;
  // PTX has cvta for .u32 and .u64 only.
  ptxir::ScalarType Ty = ptxir::bitWidth(Address.getType()) == 64
                             ? ptxir::ScalarType::U64
                             : ptxir::ScalarType::U32;
  return ptxir::CvtaOp::create(B, Loc, Address.getType(), Address, /*to=*/false,
                               space(Var->Space, Var), Ty);
}

std::pair<Value, int64_t> BodyImporter::address(const Operand &O,
                                                ptx::StateSpace Space) {
  auto Extend = [&](Value V) {
    unsigned Need = hasShortAddresses(Space) ? 32 : I.M.AddressSize;
    return ptxir::bitWidth(V.getType()) < Need ? as(V, B.getIntegerType(Need))
                                               : V;
  };
  switch (O.getAddressBase()) {
  case Operand::Base::Absolute:
    return {constant(I.addressType(), uint64_t(O.getOffset())), 0};
  case Operand::Base::Register:
    return {Extend(current(RegisterSlots[O.getRegisterNumber()])),
            O.getOffset()};
  case Operand::Base::Special: {
    unsigned Bits =
        ptx::getTypeBits(ptx::getSpecialRegInfo(O.getSpecialReg()).Ty);
    return {
        Extend(specialRegister(O, O.getComponent(), B.getIntegerType(Bits))),
        O.getOffset()};
  }
  case Operand::Base::Symbol:
    return {placeOf(O.getSymbol(), Space), O.getOffset()};
  }
  return {};
}

/// `.param` is two spaces: what a symbol is, or else what the function is,
/// tells which.
ptxir::Space BodyImporter::space(ptx::StateSpace Space,
                                 const ptx::Variable *Var) {
  switch (Space) {
  case ptx::StateSpace::Param:
    if (Var)
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

ptxir::Space BodyImporter::space(const ptx::Instruction &Inst,
                                 const Operand &Address) {
  bool IsSymbol = Address.getAddressBase() == Operand::Base::Symbol;
  return space(Inst.get<ptx::StateSpace>(),
               IsSymbol ? dyn_cast<ptx::Variable>(Address.getSymbol())
                        : nullptr);
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

/// Whether ld and st have an attribute for each modifier of the instruction.
static bool isPlainAccess(const ptx::Instruction &Inst) {
  return hasOnly(Inst, {ModKind::StateSpace, ModKind::Semantics, ModKind::Scope,
                        ModKind::Mmio, ModKind::NonCoherent, ModKind::CacheOp,
                        ModKind::L1Eviction, ModKind::L2Eviction,
                        ModKind::L2Hint, ModKind::L2Prefetch, ModKind::Vec});
}

LogicalResult BodyImporter::emitLd(const ptx::Instruction &Inst) {
  const Operand &D = Inst.getOperand(0), &A = Inst.getOperand(1);
  auto Ty = type(Inst);
  // The dialect's operation has one order.
  bool AcquiresToo = Inst.has(ModKind::Mmio) &&
                     Inst.get<ptx::Semantics>() == ptx::Semantics::Acquire;
  if (!Ty || !isPlainAccess(Inst) || AcquiresToo)
    return emitInst(Inst);
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
  auto [Base, Offset] = address(A, Inst.get<ptx::StateSpace>());
  Value Policy = cachePolicy(Inst);
  ptxir::Space Space = space(Inst, A);
  OpTemplate &Template = I.accessTemplate(Inst.getMnemonic(), Space);
  if (Template && !A.isUnified()) {
    SmallVector<Value, 2> Operands = {Base};
    if (Policy)
      Operands.push_back(Policy);
    Operation *Load = Template.create(B, Loc, Types, Operands);
    cast<ptxir::LdOp>(Load).getProperties().offset = I.offsetAttr(Offset);
    for (auto [O, V] : llvm::zip(Dests, Load->getResults()))
      define(O, V);
    return success();
  }
  auto Load = ptxir::LdOp::create(
      B, Loc, Types, Base, Offset, Policy, Space, *Ty, semantics(Inst),
      convertModifier<ptxir::Scope>(Inst.get<ptx::Scope>()),
      Inst.has(ModKind::NonCoherent),
      convertModifier<ptxir::CacheOp>(Inst.get<ptx::CacheOp>()),
      convertModifier<ptxir::Evict>(Inst.get<ptx::L1Eviction>()),
      convertModifier<ptxir::Evict>(Inst.get<ptx::L2Eviction>()),
      prefetchBytes(Inst));
  Load.setUniform(Inst.getOpcode() == Opcode::Ldu);
  if (A.isUnified())
    Load.setUnified(true);
  else
    Template = OpTemplate(Load);
  for (auto [O, V] : llvm::zip(Dests, Load.getValues()))
    define(O, V);
  return success();
}

/// The cache policy that an instruction ends with, or null.
Value BodyImporter::cachePolicy(const ptx::Instruction &Inst) {
  const Operand &Last = Inst.getOperand(Inst.getNumOperands() - 1);
  if (!Inst.has(ModKind::L2Hint) || Last.is(Kind::None))
    return {};
  return use(Last, ScalarType::B64);
}

/// A vector with `_` stores its other elements, each at its place.
LogicalResult BodyImporter::emitSparseStore(const ptx::Instruction &Inst) {
  ScalarType Ty = *type(Inst);
  auto [Base, Offset] =
      address(Inst.getOperand(0), Inst.get<ptx::StateSpace>());
  Value Policy = cachePolicy(Inst);
  for (const Operand &O : Inst.getOperand(1).getElements()) {
    if (!O.is(Kind::Sink))
      ptxir::StOp::create(
          B, Loc, Base, Offset, ValueRange{use(O, Ty)}, Policy,
          space(Inst, Inst.getOperand(0)), Ty, semantics(Inst),
          convertModifier<ptxir::Scope>(Inst.get<ptx::Scope>()),
          convertModifier<ptxir::CacheOp>(Inst.get<ptx::CacheOp>()),
          convertModifier<ptxir::Evict>(Inst.get<ptx::L1Eviction>()),
          convertModifier<ptxir::Evict>(Inst.get<ptx::L2Eviction>()));
    Offset += ptxir::bitWidth(Ty) / 8;
  }
  return success();
}

LogicalResult BodyImporter::emitSt(const ptx::Instruction &Inst) {
  const Operand &A = Inst.getOperand(0), &Source = Inst.getOperand(1);
  auto Ty = type(Inst);
  if (!Ty || !isPlainAccess(Inst))
    return emitInst(Inst);
  unsigned N = vectorWidth(Inst);
  if (Source.is(Kind::Vector) &&
      llvm::any_of(Source.getElements(),
                   [](const Operand &O) { return O.is(Kind::Sink); }))
    return emitSparseStore(Inst);
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
  auto [Base, Offset] = address(A, Inst.get<ptx::StateSpace>());
  Value Policy = cachePolicy(Inst);
  ptxir::Space Space = space(Inst, A);
  OpTemplate &Template = I.accessTemplate(Inst.getMnemonic(), Space);
  if (Template) {
    SmallVector<Value, 6> Operands = {Base};
    llvm::append_range(Operands, Values);
    if (Policy)
      Operands.push_back(Policy);
    auto Store =
        cast<ptxir::StOp>(Template.create(B, Loc, TypeRange(), Operands));
    Store.getProperties().offset = I.offsetAttr(Offset);
    return success();
  }
  auto Store = ptxir::StOp::create(
      B, Loc, Base, Offset, Values, Policy, Space, *Ty, semantics(Inst),
      convertModifier<ptxir::Scope>(Inst.get<ptx::Scope>()),
      convertModifier<ptxir::CacheOp>(Inst.get<ptx::CacheOp>()),
      convertModifier<ptxir::Evict>(Inst.get<ptx::L1Eviction>()),
      convertModifier<ptxir::Evict>(Inst.get<ptx::L2Eviction>()));
  Template = OpTemplate(Store);
  return success();
}

LogicalResult BodyImporter::emitAtomic(const ptx::Instruction &Inst) {
  bool Reduction = Inst.getOpcode() == Opcode::Red;
  auto Ty = type(Inst);
  if (!Ty ||
      !hasOnly(Inst, {ModKind::AtomOp, ModKind::StateSpace, ModKind::Semantics,
                      ModKind::Scope, ModKind::NoFtz}))
    return emitInst(Inst);
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
  auto [Base, Offset] = address(A, Inst.get<ptx::StateSpace>());
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
  if (!hasOnly(Inst,
               {ModKind::Semantics, ModKind::Scope, ModKind::MembarLevel}))
    return emitInst(Inst);
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
  if (!hasOnly(Inst, {ModKind::StateSpace, ModKind::PrefetchLevel,
                      ModKind::L2Eviction}))
    return emitInst(Inst);
  const Operand &A = Inst.getOperand(0);
  std::string Level;
  for (ModKind K : {ModKind::PrefetchLevel, ModKind::L2Eviction})
    if (Inst.has(K))
      Level = ptx::getModifierName(K, Inst.getMnemonic().Mods[unsigned(K)]);
  auto [Base, Offset] = address(A, Inst.get<ptx::StateSpace>());
  ptxir::PrefetchOp::create(B, Loc, space(Inst, A), Level, Base, Offset,
                            Inst.getOpcode() == Opcode::Prefetchu);
  return success();
}

LogicalResult BodyImporter::emitStack(const ptx::Instruction &Inst) {
  auto Ty = type(Inst);
  if (!Ty)
    return emitInst(Inst);
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
