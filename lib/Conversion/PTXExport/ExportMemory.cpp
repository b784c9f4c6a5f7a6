//===- ExportMemory.cpp - Memory instructions -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way back of ImportMemory.cpp: loads, stores, atomics, fences, prefetches
// and the stack.
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"
#include "heddle/Dialect/PTX/Modifiers.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::ptxexport;
using ptx::ModKind;

namespace {

/// Gathers modifiers and types by their spellings.
struct Words {
  ptx::Mnemonic Mn;

  void set(ModKind Kind, const Twine &Spelling) {
    std::string Text = Spelling.str();
    if (!Text.empty())
      Mn.Mods[unsigned(Kind)] = ptx::findModifierValue(Kind, Text);
  }
  void setUnless(ModKind Kind, StringRef Spelling, StringRef None) {
    if (Spelling != None)
      set(Kind, Spelling);
  }
  void setType(ptxir::ScalarType Ty) {
    ptx::Type Known;
    if (ptx::findType(ptxir::stringifyEnum(Ty), Known))
      Mn.Types[Mn.NumTypes++] = Known;
  }
  void setOrder(ptxir::MemSem Sem, ptxir::Scope Scope) {
    if (Sem == ptxir::MemSem::Mmio) {
      set(ModKind::Mmio, "mmio");
      set(ModKind::Semantics, "relaxed");
    } else if (Sem == ptxir::MemSem::Seq_cst) {
      set(ModKind::Semantics, "sc");
    } else {
      setUnless(ModKind::Semantics, ptxir::stringifyEnum(Sem), "weak");
    }
    setUnless(ModKind::Scope, ptxir::stringifyEnum(Scope), "none");
  }
};

} // namespace

/// What is named `param_func` lies in local memory; only what calls pass by
/// name is a .param for PTX.
ptxir::Space BodyExporter::effectiveSpace(ptxir::Space S, Value Base) {
  if (S == ptxir::Space::Param_func && Base.getDefiningOp<ptxir::AllocaOp>() &&
      !isParamArray(Base))
    return ptxir::Space::Local;
  return S;
}

LogicalResult BodyExporter::writeLdSt(Operation *Op) {
  Words W;
  Operands Ops;
  auto Common = [&](auto Access) {
    W.setOrder(Access.getSem(), Access.getScope());
    W.set(ModKind::StateSpace, ptxir::spellSpace(effectiveSpace(
                                   Access.getSpace(), Access.getAddr())));
    W.setUnless(ModKind::CacheOp, ptxir::stringifyEnum(Access.getCache()),
                "none");
    if (Access.getEvict() != ptxir::Evict::None)
      W.set(ModKind::L1Eviction,
            "L1::" + ptxir::stringifyEnum(Access.getEvict()));
    if (Access.getL2Evict() != ptxir::Evict::None)
      W.set(ModKind::L2Eviction,
            "L2::" + ptxir::stringifyEnum(Access.getL2Evict()));
    if (Access.getValues().size() > 1)
      W.set(ModKind::Vec, "v" + Twine(Access.getValues().size()));
    W.setType(Access.getTy());
    Ops.Address = Access.getAddr();
    Ops.Offset = Access.getOffset();
  };
  Value Policy;
  if (auto Ld = dyn_cast<ptxir::LdOp>(Op)) {
    Common(Ld);
    if (Ld.getNc())
      W.set(ModKind::NonCoherent, "nc");
    if (Ld.getPrefetchSize())
      W.set(ModKind::L2Prefetch, "L2::" + Twine(Ld.getPrefetchSize()) + "B");
    Ops.Results.assign(Ld.getValues().begin(), Ld.getValues().end());
    Ops.Unified = Ld.getUnified();
    Policy = Ld.getCachePolicy();
  } else {
    auto St = cast<ptxir::StOp>(Op);
    Common(St);
    Ops.Sources.assign(St.getValues().begin(), St.getValues().end());
    Policy = St.getCachePolicy();
  }
  if (Policy) {
    W.set(ModKind::L2Hint, "L2::cache_hint");
    Ops.Sources.push_back(Policy);
  }
  auto Ld = dyn_cast<ptxir::LdOp>(Op);
  return write(Op, !Ld ? "st" : Ld.getUniform() ? "ldu" : "ld", W.Mn, Ops);
}

LogicalResult BodyExporter::writeAtomic(Operation *Op) {
  Words W;
  Operands Ops;
  auto Common = [&](auto Atomic) {
    // Without a word it is .relaxed and .gpu, which older targets cannot say.
    W.setOrder(Atomic.getSem(), Atomic.getScope());
    if (Atomic.getSem() == ptxir::MemSem::Relaxed)
      W.Mn.Mods[unsigned(ModKind::Semantics)] = 0;
    if (Atomic.getScope() == ptxir::Scope::Gpu)
      W.Mn.Mods[unsigned(ModKind::Scope)] = 0;
    W.set(ModKind::StateSpace, ptxir::spellSpace(Atomic.getSpace()));
    W.set(ModKind::AtomOp, ptxir::stringifyEnum(Atomic.getKind()));
    if (Atomic.getNoftz())
      W.set(ModKind::NoFtz, "noftz");
    W.setType(Atomic.getTy());
    Ops.Address = Atomic.getAddr();
    Ops.Offset = Atomic.getOffset();
    Ops.Sources.push_back(Atomic.getB());
  };
  if (auto Atom = dyn_cast<ptxir::AtomOp>(Op)) {
    Common(Atom);
    if (Atom.getC())
      Ops.Sources.push_back(Atom.getC());
    Ops.Results.push_back(Atom.getD());
    return write(Op, "atom", W.Mn, Ops);
  }
  Common(cast<ptxir::RedOp>(Op));
  return write(Op, "red", W.Mn, Ops);
}

/// A sequentially consistent fence is `membar` where PTX has no `fence` yet.
LogicalResult BodyExporter::writeFence(ptxir::FenceOp Op) {
  Words W;
  W.setOrder(Op.getSem(), Op.getScope());
  bool HasFence = llvm::any_of(ptx::findFormsOf("fence"), [&](const auto *Row) {
    ptx::Mnemonic Mn = W.Mn;
    Mn.Form = Row;
    ptx::MnemonicParts Parts;
    return ptx::spellParts(*Row, Mn, Parts) && M.isAvailable(Mn);
  });
  if (HasFence || Op.getSem() != ptxir::MemSem::Seq_cst)
    return write(Op, "fence", W.Mn, {});
  Words Old;
  StringRef Scope = ptxir::stringifyEnum(Op.getScope());
  Old.set(ModKind::MembarLevel, Scope == "gpu" ? "gl" : Scope);
  return write(Op, "membar", Old.Mn, {});
}

LogicalResult BodyExporter::writeStack(Operation *Op) {
  Words W;
  Operands Ops;
  Ops.Results.assign(Op->result_begin(), Op->result_end());
  Ops.Sources.assign(Op->operand_begin(), Op->operand_end());
  if (auto Alloca = dyn_cast<ptxir::DynAllocaOp>(Op)) {
    W.setType(Alloca.getTy());
    Ops.Immediates = {int64_t(Alloca.getAlignment())};
    return write(Op, "alloca", W.Mn, Ops);
  }
  Type Ty = isa<ptxir::StackSaveOp>(Op) ? Op->getResult(0).getType()
                                        : Op->getOperand(0).getType();
  W.setType(ptxir::bitWidth(Ty) == 64 ? ptxir::ScalarType::U64
                                      : ptxir::ScalarType::U32);
  return write(Op, isa<ptxir::StackSaveOp>(Op) ? "stacksave" : "stackrestore",
               W.Mn, Ops);
}

LogicalResult BodyExporter::writeMemory(Operation *Op) {
  if (isa<ptxir::LdOp, ptxir::StOp>(Op))
    return writeLdSt(Op);
  if (isa<ptxir::AtomOp, ptxir::RedOp>(Op))
    return writeAtomic(Op);
  if (auto Fence = dyn_cast<ptxir::FenceOp>(Op))
    return writeFence(Fence);
  auto Prefetch = dyn_cast<ptxir::PrefetchOp>(Op);
  if (!Prefetch)
    return writeStack(Op);
  Words W;
  Operands Ops;
  Ops.Address = Prefetch.getAddr();
  Ops.Offset = Prefetch.getOffset();
  W.set(ModKind::StateSpace, ptxir::spellSpace(Prefetch.getSpace()));
  W.set(Prefetch.getLevel().contains("::") ? ModKind::L2Eviction
                                           : ModKind::PrefetchLevel,
        Prefetch.getLevel());
  return write(Op, Prefetch.getUniform() ? "prefetchu" : "prefetch", W.Mn, Ops);
}
