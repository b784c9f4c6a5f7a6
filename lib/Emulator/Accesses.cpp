//===- Accesses.cpp - Which memory an instruction accesses ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of isa-defs/HeddleInstrMemory.td.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Execute/ExecuteMemory.h"
#include "SharedAddress.h"
#include "heddle/ISA/Effects.h"

using namespace llvm;

namespace heddle::emu {

using isa::Op;

static AccessKind kindOf(const isa::InstInfo &Info) {
  if (isa::isAtomic(Info))
    return AccessKind::Atomic;
  return Info.MayStore ? AccessKind::Store : AccessKind::Load;
}

static AccessSpace spaceOf(isa::Space Space) {
  switch (Space) {
  case isa::Space::Shared:
    return AccessSpace::Shared;
  case isa::Space::Local:
    return AccessSpace::Local;
  default:
    return AccessSpace::Global;
  }
}

AccessInfo accessInfo(const DecodedInst &I) {
  if (!I.Info)
    return {};
  const isa::Effects &Effects = isa::effects(I.Info->Operation);
  if (!Effects.isAccess())
    return {};
  AccessKind Kind = kindOf(*I.Info);
  unsigned Bytes = Effects.AccessWords * 4;
  if (Effects.AccessWords == 1 && Kind != AccessKind::Atomic)
    Bytes = sizeInBytes(I.Size);
  return {true, Effects.Accesses == isa::Space::Generic, Kind,
          spaceOf(Effects.Accesses), Bytes};
}

SmallVector<LaneAccess, WarpSize> accessesOf(const Warp &W,
                                             const DecodedInst &I,
                                             const AccessInfo &Info,
                                             LaneMask Exec) {
  uint64_t Address[WarpSize];
  if (Info.IsGeneric || Info.Space == AccessSpace::Global)
    addresses64(W, I, Address);
  else
    addresses32(W, I, Address);
  SmallVector<LaneAccess, WarpSize> Result;
  for (unsigned L : lanes(Exec)) {
    LaneAccess A{Info.Space, Address[L], L};
    uint64_t Window = A.Address >> 32;
    if (Info.IsGeneric && Window == isa::abi::SharedWindow)
      A.Space = AccessSpace::Shared;
    else if (Info.IsGeneric && Window == isa::abi::LocalWindow)
      A.Space = AccessSpace::Local;
    if (A.Space != AccessSpace::Global)
      A.Address = uint32_t(A.Address);
    if (A.Space == AccessSpace::Shared &&
        SharedAddress(uint32_t(A.Address)).hasRank())
      A.Space = AccessSpace::OtherShared;
    Result.push_back(A);
  }
  return Result;
}

bool isOtherAccess(const DecodedInst &I) {
  switch (I.Info->Operation) {
  // What orders accesses is none, whatever the compiler has to think of it.
  case Op::BAR:
  case Op::CBAR:
  case Op::GRIDDEP:
  case Op::MEMBAR:
  case Op::WARPSYNC:
  case Op::PREFETCH:
  // Writes no memory that a kernel has, and orders nothing.
  case Op::SYSCALL:
    return false;
  default:
    return (I.Info->MayLoad || I.Info->MayStore) &&
           I.Info->Latency != isa::LatencyClass::LDC && !accessInfo(I).IsAccess;
  }
}

} // namespace heddle::emu
