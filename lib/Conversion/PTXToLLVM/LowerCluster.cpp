//===- LowerCluster.cpp - Clusters, grids and the hardware ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The barrier of a cluster, addresses in other CTAs' shared memory, and what a
// kernel tells the hardware.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "heddle/ISA/ISA.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

/// A fence for the compiler alone.
static void fenceCompiler(Emitter &E) {
  LLVM::FenceOp::create(E.B, E.Loc, LLVM::AtomicOrdering::acq_rel,
                        "singlethread");
}

static LogicalResult lowerClusterBarrier(Emitter &E, ClusterBarrierOp Op) {
  bool Waits = Op.getMode() == ClusterBarrier::Wait;
  E.intrinsic(Twine("nvvm.barrier.cluster.") + (Waits ? "wait" : "arrive") +
                  (Op.getRelaxed() ? ".relaxed" : "") +
                  (Op.getAligned() ? ".aligned" : ""),
              {}, {});
  return E.replace(Op, {});
}

//===----------------------------------------------------------------------===//
// Addresses: docs/isa/addresses.md
//===----------------------------------------------------------------------===//

/// The low word of an address, which holds the shared address.
static Value sharedAddress(Emitter &E, Value Address) {
  return E.resize(Address, 32, /*Signed=*/false);
}

static LogicalResult lowerMapa(Emitter &E, MapaOp Op) {
  constexpr unsigned Shift = isa::abi::SharedRankShift;
  constexpr uint32_t HasRank = uint32_t(1) << isa::abi::SharedHasRank;
  Value Low = sharedAddress(E, Op.getA());
  Value Offset =
      E.make<LLVM::AndOp>(Low, E.constInt(32, (uint32_t(1) << Shift) - 1));
  Value Holder =
      E.make<LLVM::AddOp>(E.make<LLVM::ShlOp>(Op.getB(), E.constInt(32, Shift)),
                          E.constInt(32, HasRank));
  Value Mapped = E.make<LLVM::OrOp>(Offset, Holder);
  unsigned Bits = bitWidth(Op.getType());
  if (Bits == 32)
    return E.replace(Op, Mapped);
  // Of a generic address the window stays; a shared one is zero-extended.
  Value Window =
      Op.getSpace() == Space::Generic
          ? E.make<LLVM::AndOp>(Op.getA(), E.constInt(64, ~uint64_t(0) << 32))
          : E.constInt(64, 0);
  return E.replace(
      Op, E.make<LLVM::OrOp>(Window, E.resize(Mapped, 64, /*Signed=*/false)));
}

static LogicalResult lowerGetctarank(Emitter &E, GetctarankOp Op) {
  constexpr unsigned HasRank =
      1u << (isa::abi::SharedHasRank - isa::abi::SharedRankShift);
  Value Holder = E.make<LLVM::LShrOp>(
      sharedAddress(E, Op.getA()), E.constInt(32, isa::abi::SharedRankShift));
  Value Own =
      E.intrinsic("nvvm.read.ptx.sreg.cluster.ctarank", E.intTy(32), {});
  Value IsOwn = E.icmp(LLVM::ICmpPredicate::eq, Holder, E.constInt(32, 0));
  Value Rank = E.make<LLVM::SubOp>(Holder, E.constInt(32, HasRank));
  return E.replace(Op, E.select(IsOwn, Own, Rank));
}

//===----------------------------------------------------------------------===//
// The hardware
//===----------------------------------------------------------------------===//

static LogicalResult lowerPmevent(Emitter &E, PmeventOp Op) {
  E.intrinsic("nvvm.pm.event.mask", {}, E.constInt(16, Op.getMask() & 0xFFFF));
  return E.replace(Op, {});
}

static LogicalResult lowerGriddep(Emitter &E, GriddepOp Op) {
  // The intrinsics do not say that memory depends on them.
  fenceCompiler(E);
  E.intrinsic(Op.getWait() ? "nvvm.griddepcontrol.wait"
                           : "nvvm.griddepcontrol.launch.dependents",
              {}, {});
  fenceCompiler(E);
  return E.replace(Op, {});
}

/// A warp has its registers from the first to the last instruction, so there is
/// nothing to give back or to wait for.
static LogicalResult lowerSetmaxnreg(Emitter &E, SetmaxnregOp Op) {
  return E.replace(Op, {});
}

void lowering::addClusterLowerings(LoweringTable &Table) {
  Table.add<lowerClusterBarrier>();
  Table.add<lowerMapa>();
  Table.add<lowerGetctarank>();
  Table.add<lowerPmevent>();
  Table.add<lowerGriddep>();
  Table.add<lowerSetmaxnreg>();
}
