//===- LowerThreads.cpp - Operations between threads ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Special registers, shuffles, votes and barriers: all NVVM intrinsics.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

/// An integer of some width as a register, by the rules of mov.
static Value fit(Emitter &E, Value V, Type Register) {
  return E.cast(E.resize(V, bitWidth(Register), false), Register);
}

static Value readSreg(Emitter &E, const Twine &Name, unsigned Bits) {
  return E.intrinsic("nvvm.read.ptx.sreg." + Name, E.intTy(Bits), {});
}

/// NVVM writes dots where PTX writes underscores, except in the names of
/// memory sizes.
static std::string sregName(StringRef Name) {
  std::string Result = Name.str();
  if (!Name.ends_with("_smem_size"))
    std::replace(Result.begin(), Result.end(), '_', '.');
  return Result;
}

static bool isKnownSreg(StringRef Name) {
  static constexpr StringLiteral Vectors[] = {
      "tid",       "ntid",       "ctaid",         "nctaid",
      "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"};
  static constexpr StringLiteral Scalars[] = {"laneid",
                                              "warpid",
                                              "nwarpid",
                                              "smid",
                                              "nsmid",
                                              "lanemask_eq",
                                              "lanemask_le",
                                              "lanemask_lt",
                                              "lanemask_ge",
                                              "lanemask_gt",
                                              "clock",
                                              "globaltimer_lo",
                                              "cluster_ctarank",
                                              "cluster_nctarank",
                                              "total_smem_size",
                                              "aggr_smem_size",
                                              "dynamic_smem_size",
                                              "envreg1",
                                              "envreg2"};
  auto [Head, Component] = Name.split('.');
  if (Component.size() == 1 && StringRef("xyz").contains(Component))
    return llvm::is_contained(Vectors, Head);
  return Component.empty() && llvm::is_contained(Scalars, Name);
}

/// Registers that hold zero on every launch. The fourth element of a vector is
/// unused. Of %envreg only two registers have a meaning (rt::LaunchConfig); no
/// performance monitor counts, no shared memory is reserved for the system, no
/// graph is executed on the device, and all cores are of one locality domain.
static bool isZeroSreg(StringRef Name) {
  return Name.ends_with(".w") ||
         (Name.starts_with("envreg") && !isKnownSreg(Name)) ||
         Name.starts_with("reserved_smem_offset_") ||
         (Name.starts_with("pm") && Name.size() > 2 &&
          llvm::isDigit(Name[2])) ||
         Name.starts_with("locality_domain_") || Name == "current_graph_exec";
}

static LogicalResult lowerSreg(Emitter &E, SregOp Op) {
  StringRef Name = Op.getName();
  Type Ty = Op.getType();
  if (Name == "WARP_SZ")
    return E.replace(Op, fit(E, E.constInt(32, 32), Ty));
  if (Name == "is_explicit_cluster")
    return E.replace(
        Op,
        fit(E, E.intrinsic("nvvm.is_explicit_cluster", E.intTy(1), {}), Ty));
  if (isZeroSreg(Name))
    return E.replace(Op, fit(E, E.constInt(64, 0), Ty));
  if (Name == "clock64" || Name == "globaltimer")
    return E.replace(Op, fit(E, readSreg(E, Name, 64), Ty));
  if (Name == "clock_hi" || Name == "globaltimer_hi") {
    Value Whole =
        readSreg(E, Name == "clock_hi" ? "clock64" : "globaltimer", 64);
    Value High = E.make<LLVM::LShrOp>(Whole, E.constInt(64, 32));
    return E.replace(Op, fit(E, E.resize(High, 32, false), Ty));
  }
  if (Name == "gridid") // 64 bits in PTX, 32 in NVVM.
    return E.replace(Op, fit(E, readSreg(E, Name, 32), Ty));
  if (!isKnownSreg(Name))
    return E.unsupported(Op, "special register %" + Name);
  return E.replace(Op, fit(E, readSreg(E, sregName(Name), 32), Ty));
}

//===----------------------------------------------------------------------===//
// Exchange within a warp
//===----------------------------------------------------------------------===//

static LogicalResult lowerShfl(Emitter &E, ShflOp Op) {
  std::string Name = (Twine("nvvm.shfl.") + (Op.getMask() ? "sync." : "") +
                      stringifyEnum(Op.getMode()) + ".i32")
                         .str();
  SmallVector<Value, 4> Args;
  if (Op.getMask())
    Args.push_back(Op.getMask());
  Args.append({E.asInt(Op.getA()), Op.getB(), Op.getC()});
  Type I32 = E.intTy(32);
  if (Op.getP().use_empty())
    return E.replace(Op, {E.intrinsic(Name, I32, Args), Value()});
  Value Pair = E.intrinsic(Name + "p", E.structTy({I32, E.intTy(1)}), Args);
  return E.replace(Op, {E.extract(Pair, 0), E.extract(Pair, 1)});
}

static LogicalResult lowerVote(Emitter &E, VoteOp Op) {
  SmallVector<Value, 2> Args;
  if (Op.getMask())
    Args.push_back(Op.getMask());
  Args.push_back(Op.getA());
  return E.replace(
      Op,
      E.intrinsic("nvvm.vote." + stringifyEnum(Op.getMode()) +
                      (Op.getMask() ? ".sync" : ""),
                  E.intTy(Op.getMode() == VoteMode::Ballot ? 32 : 1), Args));
}

static LogicalResult lowerMatch(Emitter &E, MatchOp Op) {
  Value A = E.asInt(Op.getA());
  std::string Width = "i" + std::to_string(bitWidth(Op.getTy()));
  Type I32 = E.intTy(32);
  if (Op.getMode() == MatchMode::Any)
    return E.replace(Op, E.intrinsic("nvvm.match.any.sync." + Width, I32,
                                     {Op.getMask(), A}));
  Value Pair = E.intrinsic("nvvm.match.all.sync." + Width + "p",
                           E.structTy({I32, E.intTy(1)}), {Op.getMask(), A});
  if (!Op.getP())
    return E.replace(Op, E.extract(Pair, 0));
  return E.replace(Op, {E.extract(Pair, 0), E.extract(Pair, 1)});
}

static LogicalResult lowerActivemask(Emitter &E, ActivemaskOp Op) {
  return E.replace(Op, E.intrinsic("nvvm.activemask", E.intTy(32), {}));
}

static LogicalResult lowerRedux(Emitter &E, ReduxOp Op) {
  ScalarType Ty = Op.getTy();
  StringRef Kind = stringifyEnum(Op.getKind());
  bool MinMax = Op.getKind() == AtomKind::Min || Op.getKind() == AtomKind::Max;
  if (isFloat(Ty))
    return E.replace(
        Op,
        E.intrinsic("nvvm.redux.sync.f" + Kind + (Op.getAbs() ? ".abs" : "") +
                        (Op.getNan() ? ".NaN" : ""),
                    E.typeOf(Ty), {E.as(Op.getA(), Ty), Op.getMask()}));
  return E.replace(
      Op, E.intrinsic(Twine("nvvm.redux.sync.") +
                          (MinMax && !isSigned(Ty) ? "u" : "") + Kind,
                      E.intTy(32), {E.asInt(Op.getA()), Op.getMask()}));
}

static LogicalResult lowerElect(Emitter &E, ElectOp Op) {
  Value Pair = E.intrinsic("nvvm.elect.sync",
                           E.structTy({E.intTy(32), E.intTy(1)}), Op.getMask());
  return E.replace(Op, {E.extract(Pair, 0), E.extract(Pair, 1)});
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static StringRef barrierName(BarrierMode Mode) {
  switch (Mode) {
  case BarrierMode::Sync:
    return "sync";
  case BarrierMode::Arrive:
    return "arrive";
  case BarrierMode::Red_popc:
    return "red.popc";
  case BarrierMode::Red_and:
    return "red.and";
  case BarrierMode::Red_or:
    return "red.or";
  }
  return "";
}

static LogicalResult lowerBarrier(Emitter &E, BarrierOp Op) {
  SmallVector<Value> Args = {Op.getId()};
  if (Op.getCount())
    Args.push_back(Op.getCount());
  if (Op.getPred())
    Args.push_back(Op.getPred());
  Type Result = Op.getD() ? Op.getD().getType() : Type();
  Value V = E.intrinsic("nvvm.barrier.cta." + barrierName(Op.getMode()) +
                            (Op.getAligned() ? ".aligned" : "") +
                            (Op.getCount() ? ".count" : ".all"),
                        Result, Args);
  return Result ? E.replace(Op, V) : E.replace(Op, {});
}

static LogicalResult lowerWarpSync(Emitter &E, WarpSyncOp Op) {
  E.intrinsic("nvvm.bar.warp.sync", {}, Op.getMask());
  return E.replace(Op, {});
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

static LogicalResult lowerNanosleep(Emitter &E, NanosleepOp Op) {
  E.intrinsic("nvvm.nanosleep", {}, Op.getA());
  return E.replace(Op, {});
}
static LogicalResult lowerTrap(Emitter &E, ptxir::TrapOp Op) {
  E.intrinsic("trap", {}, {});
  return E.replace(Op, {});
}
static LogicalResult lowerBrkpt(Emitter &E, BrkptOp Op) {
  E.intrinsic("debugtrap", {}, {});
  return E.replace(Op, {});
}
void lowering::addThreadLowerings(LoweringTable &Table) {
  Table.add<lowerSreg>();
  Table.add<lowerShfl>();
  Table.add<lowerVote>();
  Table.add<lowerMatch>();
  Table.add<lowerActivemask>();
  Table.add<lowerRedux>();
  Table.add<lowerElect>();
  Table.add<lowerBarrier>();
  Table.add<lowerWarpSync>();
  Table.add<lowerNanosleep>();
  Table.add<lowerTrap>();
  Table.add<lowerBrkpt>();
}
