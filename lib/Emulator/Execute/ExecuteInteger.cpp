//===- ExecuteInteger.cpp - Integer, logic, moves, predicates ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of isa-defs/HeddleInstrInteger.td, and the uniform ones that
// mean the same.
//
//===----------------------------------------------------------------------===//

#include "CTA.h"
#include "Execute/Execute.h"
#include "Execute/SpecialRegisters.h"

#include <array>
#include <bit>
#include <cstring>

namespace heddle::emu {

using isa::Op;
using Inst = const DecodedInst &;

namespace {

//===----------------------------------------------------------------------===//
// Addition and multiplication
//===----------------------------------------------------------------------===//

template <typename T> T negateIf(bool Negate, T V) {
  return Negate ? T(0) - V : V;
}
int64_t widen(uint32_t V, bool Signed) {
  return Signed ? int64_t(int32_t(V)) : int64_t(V);
}

uint32_t iadd3(uint32_t A, uint32_t B, uint32_t C, Inst I) {
  return negateIf(I.Ma, A) + negateIf(I.Mb, B) + negateIf(I.Mc, C);
}
uint64_t iadd64(uint64_t A, uint64_t B, Inst I) {
  return negateIf(I.Ma, A) + negateIf(I.Mb, B);
}
uint32_t lea(uint32_t A, uint32_t B, Inst I) { return (A << I.Select) + B; }
uint64_t lea64(uint32_t A, uint64_t B, Inst I) {
  return B + (uint64_t(widen(A, I.Ext)) << I.Select);
}
uint32_t imad(uint32_t A, uint32_t B, uint32_t C, Inst I) {
  return A * B + negateIf(I.Mc, C);
}
uint64_t wideProduct(uint32_t A, uint32_t B, bool Signed) {
  return uint64_t(widen(A, Signed)) * uint64_t(widen(B, Signed));
}
uint32_t imadhi(uint32_t A, uint32_t B, uint32_t C, Inst I) {
  return uint32_t(wideProduct(A, B, I.Sgn) >> 32) + C;
}
uint64_t imadw(uint32_t A, uint32_t B, uint64_t C, Inst I) {
  return wideProduct(A, B, I.Sgn) + C;
}
uint32_t isad(uint32_t A, uint32_t B, uint32_t C, Inst I) {
  int64_t Difference = widen(A, I.Sgn) - widen(B, I.Sgn);
  return uint32_t(Difference < 0 ? -Difference : Difference) + C;
}

/// Part N of V, of Bits bits, as an integer.
uint32_t part(uint32_t V, unsigned N, unsigned Bits, bool Signed) {
  uint32_t Top = V << (32 - Bits * (N + 1));
  return Signed ? uint32_t(int32_t(Top) >> (32 - Bits)) : Top >> (32 - Bits);
}
uint32_t dp4a(uint32_t A, uint32_t B, uint32_t C, Inst I) {
  for (unsigned N = 0; N < 4; ++N)
    C += part(A, N, 8, I.Sgn) * part(B, N, 8, I.Sgnb);
  return C;
}
uint32_t dp2a(uint32_t A, uint32_t B, uint32_t C, Inst I) {
  for (unsigned N = 0; N < 2; ++N)
    C += part(A, N, 16, I.Sgn) * part(B, 2 * I.Select + N, 8, I.Sgnb);
  return C;
}

void iaddc(Warp &W, Inst I, LaneMask Exec) {
  Source<uint32_t> A(W, SourceKind::Register, I.A, 0);
  Source<uint32_t> B(W, I.KindB, I.B, I.Imm);
  LaneMask CarryIn = W.predicate(I.S, I.Sn), CarryOut = 0;
  uint32_t Sum[WarpSize];
  for (unsigned L = 0; L < WarpSize; ++L) {
    uint64_t Wide = uint64_t(A[L]) + (I.Mb ? ~B[L] : B[L]) + (CarryIn >> L & 1);
    Sum[L] = uint32_t(Wide);
    CarryOut |= LaneMask(Wide >> 32 & 1) << L;
  }
  storeResults(W, I.D, Exec, Sum);
  writePredicate(W, I.P, Exec, CarryOut);
}

//===----------------------------------------------------------------------===//
// Comparison, selection, extremes
//===----------------------------------------------------------------------===//

/// Whether a comparison code holds: bit 0 for less, 1 equal, 2 greater.
template <typename T> bool compares(unsigned Code, T A, T B) {
  unsigned Relation = A < B ? 0 : A == B ? 1 : 2;
  return Code >> Relation & 1;
}
/// The codes for no relation and for all of them test bits.
bool testsBits(unsigned Code) { return Code % 7 == 0; }
bool isetp(uint32_t A, uint32_t B, Inst I) {
  if (testsBits(I.Select))
    return ((A & B) != 0) == bool(I.Select);
  return compares(I.Select, widen(A, I.Sgn), widen(B, I.Sgn));
}
bool isetp64(uint64_t A, uint64_t B, Inst I) {
  if (testsBits(I.Select))
    return ((A & B) != 0) == bool(I.Select);
  return I.Sgn ? compares(I.Select, int64_t(A), int64_t(B))
               : compares(I.Select, A, B);
}
uint32_t imnmx(uint32_t A, uint32_t B, Inst I) {
  bool TakeA = (widen(A, I.Sgn) < widen(B, I.Sgn)) != bool(I.Select);
  return TakeA ? A : B;
}
uint32_t imnmx3(uint32_t A, uint32_t B, uint32_t C, Inst I) {
  return imnmx(imnmx(A, B, I), C, I);
}
uint64_t imnmx64(uint64_t A, uint64_t B, Inst I) {
  bool Less = I.Sgn ? int64_t(A) < int64_t(B) : A < B;
  return Less != bool(I.Select) ? A : B;
}
uint32_t iabs(uint32_t, uint32_t B, Inst) {
  return negateIf(int32_t(B) < 0, B);
}

template <typename T> void select(Warp &W, Inst I, LaneMask Exec) {
  Source<T> A(W, SourceKind::Register, I.A, 0), B(W, I.KindB, I.B, I.Imm);
  LaneMask S = W.predicate(I.S, I.Sn);
  forResults<false, T>(W, I, Exec,
                       [&](unsigned L) { return S >> L & 1 ? A[L] : B[L]; });
}
template <typename T> void uniformSelect(Warp &W, Inst I, LaneMask) {
  T A = uniformSource<T>(W, SourceKind::Register, I.A, 0);
  T B = uniformSource<T>(W, I.KindB, I.B, I.Imm);
  writeUniform<T>(W, I.D, uniformPredicate(W, I.S, I.Sn) ? A : B);
}

//===----------------------------------------------------------------------===//
// Logic, shifts, bit fields
//===----------------------------------------------------------------------===//

uint32_t lop3(uint32_t A, uint32_t B, uint32_t C, Inst I) {
  uint32_t Result = 0;
  for (unsigned N = 0; N < 8; ++N)
    if (I.Select >> N & 1)
      Result |= (N & 4 ? A : ~A) & (N & 2 ? B : ~B) & (N & 1 ? C : ~C);
  return Result;
}
uint32_t shl(uint32_t A, uint32_t B, Inst) { return B < 32 ? A << B : 0; }
uint32_t shr(uint32_t A, uint32_t B, Inst I) {
  return uint32_t(widen(A, I.Sgn) >> std::min(B, 32u));
}
uint64_t shl64(uint64_t A, uint32_t B, Inst) { return B < 64 ? A << B : 0; }
uint64_t shr64(uint64_t A, uint32_t B, Inst I) {
  if (I.Sgn)
    return uint64_t(int64_t(A) >> std::min(B, 63u));
  return B < 64 ? A >> B : 0;
}
uint32_t funnelAmount(uint32_t B, Inst I) {
  return I.Select ? B & 31 : std::min(B, 32u);
}
uint32_t fshl(uint32_t A, uint32_t B, uint32_t C, Inst I) {
  uint64_t Pair = uint64_t(C) << 32 | A;
  return uint32_t(Pair << funnelAmount(B, I) >> 32);
}
uint32_t fshr(uint32_t A, uint32_t B, uint32_t C, Inst I) {
  uint64_t Pair = uint64_t(C) << 32 | A;
  return uint32_t(Pair >> funnelAmount(B, I));
}
/// The low Length bits.
uint32_t lowOnes(uint32_t Length) {
  return Length >= 32 ? ~0u : (1u << Length) - 1;
}
uint32_t bfe(uint32_t A, uint32_t B, Inst I) {
  uint32_t Pos = B & 255, Length = B >> 8 & 255;
  uint64_t Field = uint64_t(widen(A, I.Sgn) >> std::min(Pos, 63u));
  if (Length == 0)
    return 0;
  if (Length >= 32)
    return uint32_t(Field);
  uint32_t Top = uint32_t(Field) << (32 - Length);
  return I.Sgn ? uint32_t(int32_t(Top) >> (32 - Length)) : Top >> (32 - Length);
}
uint32_t bfi(uint32_t A, uint32_t B, uint32_t C, Inst) {
  uint32_t Pos = B & 255, Length = B >> 8 & 255;
  if (Pos >= 32)
    return C;
  uint32_t Mask = lowOnes(Length) << Pos;
  return (C & ~Mask) | (A << Pos & Mask);
}
uint32_t brev(uint32_t, uint32_t B, Inst) { return __builtin_bitreverse32(B); }
uint32_t popc(uint32_t, uint32_t B, Inst) { return std::popcount(B); }
uint32_t flo(uint32_t, uint32_t B, Inst I) {
  auto Mode = static_cast<isa::FloMode>(I.Select);
  uint32_t V = I.Sgn && int32_t(B) < 0 ? ~B : B;
  uint32_t Zeros = std::countl_zero(V);
  if (Mode == isa::FloMode::LeadingZeros)
    return I.Sgn ? Zeros - 1 : Zeros;
  if (V == 0)
    return ~0u;
  return Mode == isa::FloMode::Shift ? Zeros : 31 - Zeros;
}

/// Which byte of c:a byte N of the result is, in a mode of PTX prmt.
unsigned permuteSource(unsigned Mode, unsigned N, uint32_t B) {
  enum {
    Forward = 1,
    Backward,
    Replicate8,
    ClampLeft,
    ClampRight,
    Replicate16
  };
  unsigned Start = B & 3;
  switch (Mode) {
  case Forward:
    return Start + N;
  case Backward:
    return (Start - N) & 7;
  case Replicate8:
    return Start;
  case ClampLeft:
    return std::max(N, Start);
  case ClampRight:
    return std::min(N, Start);
  case Replicate16:
    return (Start & 1) * 2 + (N & 1);
  default:
    return B >> (4 * N) & 7;
  }
}
uint32_t prmt(uint32_t A, uint32_t B, uint32_t C, Inst I) {
  uint64_t Bytes = uint64_t(C) << 32 | A;
  uint32_t Result = 0;
  for (unsigned N = 0; N < 4; ++N) {
    uint32_t Byte = Bytes >> (8 * permuteSource(I.Select, N, B)) & 255;
    bool Sign = I.Select == 0 && (B >> (4 * N + 3) & 1);
    if (Sign)
      Byte = Byte & 128 ? 255 : 0;
    Result |= Byte << (8 * N);
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Elements of words
//===----------------------------------------------------------------------===//

bool isComparison(ElementOp Fn) { return Fn >= ElementOp::Equal; }

/// The first operation, exactly; of a comparison whether it holds.
int64_t onElement(ElementOp Fn, int64_t A, int64_t B) {
  switch (Fn) {
  case ElementOp::Add:
    return A + B;
  case ElementOp::Subtract:
    return A - B;
  case ElementOp::Min:
    return std::min(A, B);
  case ElementOp::Max:
    return std::max(A, B);
  case ElementOp::Average:
    return (A + B + (A + B >= 0)) >> 1;
  case ElementOp::AverageDown:
    return (A + B) >> 1;
  case ElementOp::Difference:
    return std::max(A, B) - std::min(A, B);
  case ElementOp::Equal:
    return A == B;
  case ElementOp::NotEqual:
    return A != B;
  case ElementOp::Less:
    return A < B;
  case ElementOp::LessEqual:
    return A <= B;
  case ElementOp::Greater:
    return A > B;
  case ElementOp::GreaterEqual:
    return A >= B;
  }
  return 0;
}

uint32_t valu(uint32_t A, uint32_t B, uint32_t C, Inst I) {
  auto Fn = static_cast<ElementOp>(I.Select);
  auto Then = static_cast<ElementThen>(I.Bop);
  ElementType Type{I.Dty};
  unsigned Bits = Type.bits();
  bool Signed = Type.isSigned();
  auto Element = [&](uint32_t V, unsigned N) {
    return widen(part(V, N, Bits, Signed), Signed);
  };
  int64_t Most = (int64_t(1) << (Bits - Signed)) - 1;
  uint32_t Sum = C, Result = 0;
  for (unsigned N = 0; N < 32 / Bits; ++N) {
    int64_t R = onElement(Fn, Element(A, N), Element(B, N));
    if (I.Sat)
      R = std::clamp(R, Signed ? -Most - 1 : 0, Most);
    Sum += uint32_t(R);
    int64_t E = Element(uint32_t(isComparison(Fn) ? -R : R), 0);
    if (Then == ElementThen::Min)
      E = std::min(E, Element(C, N));
    if (Then == ElementThen::Max)
      E = std::max(E, Element(C, N));
    if (I.Relu)
      E = std::max<int64_t>(E, 0);
    Result |= (uint32_t(E) & lowOnes(Bits)) << (Bits * N);
  }
  return Then == ElementThen::Accumulate ? Sum : Result;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

uint32_t mov(uint32_t, uint32_t B, Inst) { return B; }
uint64_t mov64(uint32_t, uint64_t B, Inst) { return B; }

/// Coordinates of a CTA in the grid's clusters.
struct ClusterPlace {
  rt::Dim3 Id, Grid, Rank;
  explicit ClusterPlace(const CTA &C) {
    const rt::Dim3 &Size = C.Launch.Cluster, &All = C.Launch.Config.Grid;
    Id = {C.Coordinates.X / Size.X, C.Coordinates.Y / Size.Y,
          C.Coordinates.Z / Size.Z};
    Grid = {All.X / Size.X, All.Y / Size.Y, All.Z / Size.Z};
    Rank = {C.Coordinates.X % Size.X, C.Coordinates.Y % Size.Y,
            C.Coordinates.Z % Size.Z};
  }
};

uint32_t component(const rt::Dim3 &D, unsigned N) {
  return N == 0 ? D.X : N == 1 ? D.Y : D.Z;
}

uint64_t clusterRegister(const CTA &C, unsigned Number) {
  ClusterPlace Place(C);
  const rt::Dim3 &Size = C.Launch.Cluster;
  if (Number < NClusterId)
    return component(Place.Id, Number - ClusterId);
  if (Number < ClusterCtaId)
    return component(Place.Grid, Number - NClusterId);
  if (Number < ClusterNCtaId)
    return component(Place.Rank, Number - ClusterCtaId);
  if (Number < ClusterRank)
    return component(Size, Number - ClusterNCtaId);
  if (Number == ClusterRank)
    return Place.Rank.X +
           Size.X * (Place.Rank.Y + uint64_t(Size.Y) * Place.Rank.Z);
  return Size.count();
}

uint64_t laneRegister(unsigned Number, unsigned Lane) {
  LaneMask Equal = LaneMask(1) << Lane, Less = Equal - 1;
  switch (Number) {
  case LaneMaskEq:
    return Equal;
  case LaneMaskLe:
    return Less | Equal;
  case LaneMaskLt:
    return Less;
  case LaneMaskGe:
    return LaneMask(~Less);
  case LaneMaskGt:
    return LaneMask(~(Less | Equal));
  default:
    return Lane;
  }
}

/// What the core's counter of cycles says.
uint64_t cyclesOf(const Warp &W) {
  const LaunchContext &Launch = *W.Launch;
  return Launch.Config.StartTime * Launch.Chip.ClockMHz / 1000 + W.Time;
}

} // namespace

uint64_t warpRegister(const Warp &W, unsigned Number) {
  const CTA &C = *W.Owner;
  const LaunchContext &Launch = C.Launch;
  if (Number == EnvironmentHigh)
    return Launch.Workspace >> 32;
  if (Number == EnvironmentLow)
    return uint32_t(Launch.Workspace);
  if (Number >= NGridTid)
    return uint64_t(component(Launch.Config.Grid, Number - NGridTid)) *
           component(Launch.Config.Block, Number - NGridTid);
  if (Number >= ClusterId)
    return clusterRegister(C, Number);
  if (Number < CtaId)
    return component(Launch.Config.Block, Number - NTid);
  if (Number < NCtaId)
    return component(C.Coordinates, Number - CtaId);
  if (Number < LaneId)
    return component(Launch.Config.Grid, Number - NCtaId);
  switch (Number) {
  case WarpId:
    return W.Index;
  case NWarpId:
    return Launch.Chip.WarpsPerCore;
  case SmId:
    return C.Core;
  case NSmId:
    return Launch.Chip.Cores;
  case Clock:
    return uint32_t(cyclesOf(W));
  case ClockHi:
    return cyclesOf(W) >> 32;
  case Clock64:
    return cyclesOf(W);
  case GlobalTimer:
    return Launch.Config.StartTime + W.Time * 1000 / Launch.Chip.ClockMHz;
  case GridId:
    return Launch.GridId;
  case DynamicShared:
    return Launch.Config.DynamicSharedBytes;
  case IsExplicitCluster:
    return Launch.ExplicitCluster;
  default: // TotalShared and AllShared: nothing is reserved for the system.
    return Launch.SharedBytes;
  }
}

uint64_t firstGridThread(const Warp &W, unsigned Component) {
  return uint64_t(component(W.Owner->Coordinates, Component)) *
         component(W.Launch->Config.Block, Component);
}

bool readsTime(uint64_t Number) {
  return Number >= Clock && Number <= GlobalTimer;
}

namespace {

/// A component of the threads' coordinates. Lanes that are no threads get any
/// value.
void threadRegister(const Warp &W, unsigned Component, uint32_t *Values) {
  const rt::Dim3 &Block = W.Launch->Config.Block;
  rt::Dim3 First = W.Owner->threadCoordinates(W.Index, 0);
  bool IsOneRow = First.X + WarpSize <= Block.X || Block.count() == Block.X;
  for (unsigned L = 0; L < WarpSize; ++L)
    Values[L] = component(First, Component) + (Component == 0 ? L : 0);
  for (unsigned L = 0; L < WarpSize && !IsOneRow; ++L)
    Values[L] = component(W.Owner->threadCoordinates(W.Index, L), Component);
}

/// A special register as the lanes of a warp read it.
template <typename T>
void readSpecial(const Warp &W, unsigned Number, T *Values) {
  if (!isLaneRegister(Number)) {
    std::fill_n(Values, WarpSize, static_cast<T>(warpRegister(W, Number)));
    return;
  }
  uint32_t Words[WarpSize];
  uint64_t First = 0;
  if (Number < NTid) {
    threadRegister(W, Number - Tid, Words);
  } else if (isGridThread(Number)) {
    threadRegister(W, Number - GridTid, Words);
    First = firstGridThread(W, Number - GridTid);
  } else {
    for (unsigned L = 0; L < WarpSize; ++L)
      Words[L] = laneRegister(Number, L);
  }
  for (unsigned L = 0; L < WarpSize; ++L)
    Values[L] = static_cast<T>(First + Words[L]);
}

/// Whether there is a special register, by its number.
std::array<bool, 256> knownSpecials() {
  std::array<bool, 256> Known{};
  for (const isa::SpecialRegisterInfo &S : isa::specialRegisters())
    Known[S.Number] = true;
  return Known;
}

/// False, after a fault, if the instruction names no special register.
bool checkSpecial(Warp &W, Inst I, LaneMask Exec) {
  static const std::array<bool, 256> Known = knownSpecials();
  if (I.Imm < Known.size() && Known[I.Imm])
    return true;
  W.fault(rt::FaultKind::IllegalInstruction, std::countr_zero(Exec),
          "there is no special register " + std::to_string(I.Imm));
  return false;
}

template <typename T> void s2r(Warp &W, Inst I, LaneMask Exec) {
  if (!checkSpecial(W, I, Exec))
    return;
  T Values[WarpSize];
  readSpecial(W, I.Imm, Values);
  storeResults(W, I.D, Exec, Values);
}
void s2ur(Warp &W, Inst I, LaneMask Exec) {
  if (!checkSpecial(W, I, Exec))
    return;
  if (!isLaneRegister(I.Imm)) {
    W.UR[I.D] = static_cast<uint32_t>(warpRegister(W, I.Imm));
    return;
  }
  uint32_t Values[WarpSize];
  readSpecial(W, I.Imm, Values);
  W.UR[I.D] = Values[std::countr_zero(Exec)];
}
void r2ur(Warp &W, Inst I, LaneMask Exec) {
  W.UR[I.D] = W.R[I.A][std::countr_zero(Exec)];
}
void r2ur64(Warp &W, Inst I, LaneMask Exec) {
  writeUniform<uint64_t>(W, I.D, W.reg64(I.A, std::countr_zero(Exec)));
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

/// Bit (s * 4 + t * 2 + v) of a table, for all bits of three masks.
LaneMask lookUp(uint64_t Table, LaneMask S, LaneMask T, LaneMask V) {
  LaneMask Result = 0;
  for (unsigned N = 0; N < 8; ++N)
    if (Table >> N & 1)
      Result |= (N & 4 ? S : ~S) & (N & 2 ? T : ~T) & (N & 1 ? V : ~V);
  return Result;
}
void plop3(Warp &W, Inst I, LaneMask Exec) {
  writePredicate(W, I.P, Exec,
                 lookUp(I.Imm, W.predicate(I.S, I.Sn), W.predicate(I.T, I.Tn),
                        W.predicate(I.V, I.Vn)));
}
void uplop3(Warp &W, Inst I, LaneMask) {
  W.UP[I.P] =
      lookUp(I.Imm, uniformPredicate(W, I.S, I.Sn),
             uniformPredicate(W, I.T, I.Tn), uniformPredicate(W, I.V, I.Vn)) &
      1;
}
void p2r(Warp &W, Inst I, LaneMask Exec) {
  forResults<true, uint32_t>(W, I, Exec, [&](unsigned L) {
    uint32_t Bits = 0;
    for (unsigned N = 0; N < TruePredicate; ++N)
      Bits |= (W.P[N] >> L & 1) << N;
    return Bits;
  });
}
void r2p(Warp &W, Inst I, LaneMask Exec) {
  for (unsigned N = 0; N < TruePredicate; ++N) {
    if (!(I.Imm >> N & 1))
      continue;
    LaneMask Value = 0;
    for (unsigned L = 0; L < WarpSize; ++L)
      Value |= LaneMask(W.R[I.A][L] >> N & 1) << L;
    writePredicate(W, N, Exec, Value);
  }
}
void p2up(Warp &W, Inst I, LaneMask Exec) {
  W.UP[I.P] = (W.predicate(I.S, I.Sn) & Exec) != 0;
}
void up2p(Warp &W, Inst I, LaneMask Exec) {
  writePredicate(W, I.P, Exec,
                 uniformPredicate(W, I.S, I.Sn) ? ~LaneMask(0) : 0);
}

/// Moves on the uniform path, and between it and the threads.
ExecFn uniformMoveExecutor(Op O) {
  switch (O) {
  case Op::UMOV:
    return UniformOp<mov>::run;
  case Op::UMOV64:
  case Op::UMOV64W:
    return UniformOp<mov64>::run;
  case Op::UPLOP3:
    return uplop3;
  case Op::S2UR:
    return s2ur;
  case Op::R2UR:
    return r2ur;
  case Op::R2UR64:
    return r2ur64;
  case Op::P2UP:
    return p2up;
  case Op::UP2P:
    return up2p;
  default:
    return nullptr;
  }
}

ExecFn uniformExecutor(Op O) {
  switch (O) {
  case Op::UIADD3:
    return UniformOp<iadd3>::run;
  case Op::UIADD64:
    return UniformOp<iadd64>::run;
  case Op::ULEA:
    return UniformOp<lea>::run;
  case Op::ULEA64:
    return UniformOp<lea64>::run;
  case Op::UIMAD:
    return UniformOp<imad>::run;
  case Op::UIMADHI:
    return UniformOp<imadhi>::run;
  case Op::UIMADW:
    return UniformOp<imadw>::run;
  case Op::UISETP:
    return UniformCompareOp<isetp>::run;
  case Op::UISETP64:
    return UniformCompareOp<isetp64>::run;
  case Op::UIMNMX:
    return UniformOp<imnmx>::run;
  case Op::USEL:
    return uniformSelect<uint32_t>;
  case Op::USEL64:
    return uniformSelect<uint64_t>;
  case Op::ULOP3:
    return UniformOp<lop3>::run;
  case Op::USHL:
    return UniformOp<shl>::run;
  case Op::USHR:
    return UniformOp<shr>::run;
  case Op::USHL64:
    return UniformOp<shl64>::run;
  case Op::USHR64:
    return UniformOp<shr64>::run;
  case Op::UBFE:
    return UniformOp<bfe>::run;
  case Op::UPRMT:
    return UniformOp<prmt>::run;
  default:
    return uniformMoveExecutor(O);
  }
}

/// Moves, and operations on predicates.
ExecFn moveExecutor(Op O) {
  switch (O) {
  case Op::MOV:
    return VectorOp<mov>::run;
  case Op::MOV64:
  case Op::MOV64W:
    return VectorOp<mov64>::run;
  case Op::S2R:
    return s2r<uint32_t>;
  case Op::S2R64:
    return s2r<uint64_t>;
  case Op::PLOP3:
    return plop3;
  case Op::P2R:
    return p2r;
  case Op::R2P:
    return r2p;
  default:
    return uniformExecutor(O);
  }
}

/// Logic, shifts and fields of bits.
ExecFn bitExecutor(Op O) {
  switch (O) {
  case Op::LOP3:
    return VectorOp<lop3>::run;
  case Op::SHL:
    return VectorOp<shl>::run;
  case Op::SHR:
    return VectorOp<shr>::run;
  case Op::SHL64:
    return VectorOp<shl64>::run;
  case Op::SHR64:
    return VectorOp<shr64>::run;
  case Op::FSHL:
    return VectorOp<fshl>::run;
  case Op::FSHR:
    return VectorOp<fshr>::run;
  case Op::BFE:
    return VectorOp<bfe>::run;
  case Op::BFI:
    return VectorOp<bfi>::run;
  case Op::BREV:
    return VectorOp<brev>::run;
  case Op::POPC:
    return VectorOp<popc>::run;
  case Op::FLO:
    return VectorOp<flo>::run;
  case Op::PRMT:
    return VectorOp<prmt>::run;
  case Op::VALU:
    return VectorOp<valu>::run;
  default:
    return moveExecutor(O);
  }
}

} // namespace

ExecFn integerExecutor(Op O) {
  switch (O) {
  case Op::IADD3:
    return VectorOp<iadd3>::run;
  case Op::IADDC:
    return iaddc;
  case Op::IADD64:
    return VectorOp<iadd64>::run;
  case Op::LEA:
    return VectorOp<lea>::run;
  case Op::LEA64:
    return VectorOp<lea64>::run;
  case Op::IMAD:
    return VectorOp<imad>::run;
  case Op::IMADHI:
    return VectorOp<imadhi>::run;
  case Op::IMADW:
    return VectorOp<imadw>::run;
  case Op::ISAD:
    return VectorOp<isad>::run;
  case Op::DP4A:
    return VectorOp<dp4a>::run;
  case Op::DP2A:
    return VectorOp<dp2a>::run;
  case Op::ISETP:
    return CompareOp<isetp>::run;
  case Op::ISETP64:
    return CompareOp<isetp64>::run;
  case Op::IMNMX:
    return VectorOp<imnmx>::run;
  case Op::IMNMX3:
    return VectorOp<imnmx3>::run;
  case Op::IMNMX64:
    return VectorOp<imnmx64>::run;
  case Op::IABS:
    return VectorOp<iabs>::run;
  case Op::SEL:
    return select<uint32_t>;
  case Op::SEL64:
    return select<uint64_t>;
  default:
    return bitExecutor(O);
  }
}

} // namespace heddle::emu
