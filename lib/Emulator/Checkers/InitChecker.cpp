//===- InitChecker.cpp - Reads of memory before writes ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The check 'init': a byte of global, shared or local memory that is read
// before the host or a kernel has written it. Global memory knows what was
// written (Allocation::Written); shared and local memory are as old as their
// CTA.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Checkers/Checker.h"
#include "Cluster.h"
#include "SharedAddress.h"

#include <map>

using namespace llvm;

namespace heddle::emu {

namespace {

class InitChecker : public Checker {
public:
  explicit InitChecker(const Cluster &C) : Owner(C) {
    for (const std::unique_ptr<CTA> &Member : C.CTAs) {
      Shared[Member.get()].resize(Member->Shared.size());
      Local[Member.get()].resize(Member->Local.size());
    }
  }

  void issue(Warp &W, const DecodedInst &I, LaneMask Exec) override;

private:
  /// Where it is known which bytes of an access were written; nothing if its
  /// address is wrong, which execution reports.
  MutableArrayRef<uint8_t> shadowOf(Warp &W, const LaneAccess &A,
                                    unsigned Bytes);

  const Cluster &Owner;
  /// By byte, whether it was written.
  std::map<const CTA *, std::vector<uint8_t>> Shared, Local;
};

/// The part of Shadow for an access, if it lies inside.
MutableArrayRef<uint8_t> slice(MutableArrayRef<uint8_t> Shadow, uint64_t Offset,
                               unsigned Bytes) {
  if (Offset > Shadow.size() || Bytes > Shadow.size() - Offset)
    return {};
  return Shadow.slice(Offset, Bytes);
}

} // namespace

MutableArrayRef<uint8_t> InitChecker::shadowOf(Warp &W, const LaneAccess &A,
                                               unsigned Bytes) {
  switch (A.Space) {
  case AccessSpace::Global: {
    const Allocation *Block = W.Owner->findBlock(A.Address);
    if (!Block || !Block->Written)
      return {};
    return slice({Block->Written.get(), Block->Size}, A.Address - Block->Base,
                 Bytes);
  }
  case AccessSpace::Local: {
    uint64_t Size = W.Launch->LocalBytes;
    uint64_t Thread = uint64_t(W.Index) * WarpSize + A.Lane;
    return slice(MutableArrayRef(Local[W.Owner]).slice(Thread * Size, Size),
                 A.Address, Bytes);
  }
  case AccessSpace::Shared:
    return slice(Shared[W.Owner], A.Address, Bytes);
  case AccessSpace::OtherShared: {
    SharedAddress Address(static_cast<uint32_t>(A.Address));
    if (Address.rank() >= Owner.CTAs.size())
      return {};
    return slice(Shared[Owner.CTAs[Address.rank()].get()], Address.offset(),
                 Bytes);
  }
  }
  return {};
}

void InitChecker::issue(Warp &W, const DecodedInst &I, LaneMask Exec) {
  DeviceMemory &Memory = W.Launch->Memory;
  if (isOtherAccess(I) && I.Info->MayStore)
    Memory.hasUnseenWrites().store(true, std::memory_order_relaxed);
  AccessInfo Info = accessInfo(I);
  if (!Info.IsAccess)
    return;
  bool IsUnknown = Memory.hasUnseenWrites().load(std::memory_order_relaxed);
  for (const LaneAccess &A : accessesOf(W, I, Info, Exec)) {
    if (IsUnknown && A.Space != AccessSpace::Local)
      continue;
    // Other CTAs may do the same on other host threads.
    for (uint8_t &Byte : shadowOf(W, A, Info.Bytes)) {
      bool IsRead = Info.Kind != AccessKind::Store;
      if (IsRead && !__atomic_load_n(&Byte, __ATOMIC_RELAXED))
        return W.fault(rt::FaultKind::Uninitialized, A.Lane,
                       "a read of memory that nobody has written", A.Address);
      if (Info.Kind != AccessKind::Load)
        __atomic_store_n(&Byte, uint8_t(1), __ATOMIC_RELAXED);
    }
  }
}

std::unique_ptr<Checker> makeInitChecker(const Cluster &C) {
  return std::make_unique<InitChecker>(C);
}

} // namespace heddle::emu
