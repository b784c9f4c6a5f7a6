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

using namespace llvm;

namespace heddle::emu {

using isa::Op;

static AccessInfo makeInfo(AccessKind K, AccessSpace S, unsigned Bytes,
                           bool Generic = false) {
  return {true, Generic, K, S, Bytes};
}

static AccessInfo atomicInfo(Op Operation) {
  constexpr AccessKind Atomic = AccessKind::Atomic;
  constexpr AccessSpace Global = AccessSpace::Global,
                        Shared = AccessSpace::Shared;
  switch (Operation) {
  case Op::ATOM:
  case Op::ATOMCAS:
  case Op::RED:
    return makeInfo(Atomic, Global, 4, true);
  case Op::ATOM64:
  case Op::ATOMCAS64:
  case Op::RED64:
    return makeInfo(Atomic, Global, 8, true);
  case Op::ATOM128:
  case Op::ATOMCAS128:
    return makeInfo(Atomic, Global, 16, true);
  case Op::ATOMG:
  case Op::ATOMGCAS:
  case Op::REDG:
    return makeInfo(Atomic, Global, 4);
  case Op::ATOMG64:
  case Op::ATOMGCAS64:
  case Op::REDG64:
    return makeInfo(Atomic, Global, 8);
  case Op::ATOMS:
  case Op::ATOMSCAS:
    return makeInfo(Atomic, Shared, 4);
  case Op::ATOMS64:
  case Op::ATOMSCAS64:
    return makeInfo(Atomic, Shared, 8);
  default:
    return {};
  }
}

AccessInfo accessInfo(const DecodedInst &I) {
  if (!I.Info)
    return {};
  constexpr AccessKind Load = AccessKind::Load, Store = AccessKind::Store;
  constexpr AccessSpace Global = AccessSpace::Global,
                        Local = AccessSpace::Local,
                        Shared = AccessSpace::Shared;
  switch (I.Info->Operation) {
  case Op::LD:
    return makeInfo(Load, Global, sizeInBytes(I.Size), true);
  case Op::LD64:
    return makeInfo(Load, Global, 8, true);
  case Op::LD128:
    return makeInfo(Load, Global, 16, true);
  case Op::ST:
    return makeInfo(Store, Global, sizeInBytes(I.Size), true);
  case Op::ST64:
    return makeInfo(Store, Global, 8, true);
  case Op::ST128:
    return makeInfo(Store, Global, 16, true);
  case Op::LDG:
    return makeInfo(Load, Global, sizeInBytes(I.Size));
  case Op::LDG64:
    return makeInfo(Load, Global, 8);
  case Op::LDG128:
    return makeInfo(Load, Global, 16);
  case Op::STG:
    return makeInfo(Store, Global, sizeInBytes(I.Size));
  case Op::STG64:
    return makeInfo(Store, Global, 8);
  case Op::STG128:
    return makeInfo(Store, Global, 16);
  case Op::LDS:
    return makeInfo(Load, Shared, sizeInBytes(I.Size));
  case Op::LDS64:
    return makeInfo(Load, Shared, 8);
  case Op::LDS128:
    return makeInfo(Load, Shared, 16);
  case Op::STS:
    return makeInfo(Store, Shared, sizeInBytes(I.Size));
  case Op::STS64:
    return makeInfo(Store, Shared, 8);
  case Op::STS128:
    return makeInfo(Store, Shared, 16);
  case Op::LDL:
    return makeInfo(Load, Local, sizeInBytes(I.Size));
  case Op::LDL64:
    return makeInfo(Load, Local, 8);
  case Op::LDL128:
    return makeInfo(Load, Local, 16);
  case Op::STL:
    return makeInfo(Store, Local, sizeInBytes(I.Size));
  case Op::STL64:
    return makeInfo(Store, Local, 8);
  case Op::STL128:
    return makeInfo(Store, Local, 16);
  default:
    return atomicInfo(I.Info->Operation);
  }
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
