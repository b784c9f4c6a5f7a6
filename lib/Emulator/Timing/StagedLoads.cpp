//===- StagedLoads.cpp - Loads for shared memory alone ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a load all ways are followed until other values are in its registers.
//
//===----------------------------------------------------------------------===//

#include "StagedLoads.h"
#include "Accesses.h"
#include "llvm/ADT/DenseMap.h"

using namespace llvm;

namespace heddle::emu {

using isa::Op;

/// More instructions than this are not looked at for a load.
static constexpr unsigned MostSteps = 4096;

bool isSharedStore(const DecodedInst &I) {
  AccessInfo Info = accessInfo(I);
  return Info.IsAccess && !Info.IsGeneric && Info.Kind == AccessKind::Store &&
         Info.Space == AccessSpace::Shared;
}

bool isStoreOf(const DecodedInst &Store, const DecodedInst &Load) {
  unsigned Bytes = accessInfo(Load).Bytes;
  auto IsLoaded = [&](uint16_t Row) {
    return Row >= Load.D && Row < Load.D + Bytes / 4;
  };
  return isSharedStore(Store) && Store.C == Load.D &&
         accessInfo(Store).Bytes == Bytes && !IsLoaded(Store.A) &&
         !IsLoaded(Store.X);
}

namespace {

/// Follows the value of a load.
class Walk {
public:
  Walk(const CodeImage &Image, const DecodedInst &Load, unsigned Words)
      : Image(Image), Load(Load), All((1u << Words) - 1) {}

  bool run(uint32_t PC);

private:
  /// The registers of the load that are in a list, by bits.
  unsigned ofLoad(ArrayRef<RegId> Registers) const {
    unsigned Found = 0;
    for (RegId R : Registers)
      if (R >= FirstGPR + Load.D && R < FirstGPR + Load.D + 32)
        Found |= 1u << (R - FirstGPR - Load.D);
    return Found & All;
  }
  void visit(uint32_t PC, unsigned Live);
  bool follow(uint32_t PC, unsigned Live);

  const CodeImage &Image;
  const DecodedInst &Load;
  const unsigned All;
  DenseMap<uint32_t, unsigned> Seen; ///< Which registers were live there.
  SmallVector<std::pair<uint32_t, unsigned>, 8> Open;
  bool IsStored = false;
};

} // namespace

void Walk::visit(uint32_t PC, unsigned Live) {
  unsigned &Known = Seen[PC];
  if ((Known | Live) == Known)
    return;
  Known |= Live;
  Open.emplace_back(PC, Known);
}

/// Looks at an instruction. False if it does something else with the value, or
/// goes on nobody knows where.
bool Walk::follow(uint32_t PC, unsigned Live) {
  if (PC >= Image.Insts.size() || !Image.Insts[PC].Execute)
    return false;
  const DecodedInst &I = Image.Insts[PC];
  if (unsigned Read = ofLoad(Image.reads(I)) & Live) {
    if (Read != All || !isStoreOf(I, Load))
      return false;
    IsStored = true;
  }
  if (I.isUnguarded())
    Live &= ~ofLoad(Image.writes(I));
  if (!Live)
    return true;
  switch (I.Info->Operation) {
  case Op::BRX:
  case Op::CALL:
  case Op::CALLR:
  case Op::RET:
    return false;
  case Op::EXIT:
    if (I.isUnguarded())
      return true;
    break;
  case Op::BRA:
  case Op::UBRA:
    visit(PC + uint32_t(I.Offset), Live);
    if (I.isUnguarded())
      return true;
    break;
  default:
    break;
  }
  visit(PC + 1, Live);
  return true;
}

bool Walk::run(uint32_t PC) {
  visit(PC + 1, All);
  for (unsigned Steps = 0; !Open.empty(); ++Steps) {
    auto [At, Live] = Open.pop_back_val();
    if (Steps == MostSteps || !follow(At, Live))
      return false;
  }
  return IsStored;
}

bool isStagedLoad(const CodeImage &Image, uint32_t PC) {
  const DecodedInst &I = Image.Insts[PC];
  AccessInfo Info = accessInfo(I);
  bool IsLoad = Info.IsAccess && !Info.IsGeneric &&
                Info.Kind == AccessKind::Load &&
                Info.Space == AccessSpace::Global;
  bool IsWeak = I.Order == MemOrder::Weak || I.Order == MemOrder::Constant;
  bool IsWhole = Info.Bytes == 4 || Info.Bytes == 8 || Info.Bytes == 16;
  if (!IsLoad || !IsWeak || !IsWhole || I.D >= ZeroRow)
    return false;
  return Walk(Image, I, Info.Bytes / 4).run(PC);
}

} // namespace heddle::emu
