//===- InterpretAsync.cpp - Asynchronous copies and mbarriers ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mbarrier, cp.async and cp.async.bulk. Copies are done at once, which PTX
// allows: what waits for them finds nothing to wait for.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "MBarrier.h"
#include "Operands.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

Space spaceOf(const InstReader &Reader) {
  for (StringRef Part : Reader.parts())
    if (Part == "shared" || Part.starts_with("shared::"))
      return Space::Shared_cluster;
  return Space::Generic;
}

/// The barrier at operand \p N; none after a fault.
uint8_t *barrierPlace(Thread &T, const Instruction &I, unsigned N,
                      int64_t Offset) {
  return T.access(I.Mods.Space, uint64_t(T.operand(I, N)) + uint64_t(Offset), 8,
                  8, /*IsWrite=*/true);
}

Outcome executeInit(Thread &T, const Instruction &I) {
  uint8_t *Place = barrierPlace(T, I, 0, I.Mods.Offset);
  if (!Place)
    return Outcome::Stopped;
  BarrierState B;
  B.IsLayout1 = I.Mods.Sat;
  B.Pending = B.Expected = uint32_t(T.operand(I, 1));
  if (B.Expected == 0 || B.Expected > BarrierState::maxCount(B.IsLayout1))
    return T.fault(rt::FaultKind::IllegalInstruction,
                   "an mbarrier cannot count " + Twine(B.Expected) +
                       " arrivals");
  writeBarrier(Place, B);
  return Outcome::Next;
}

Outcome executeInvalidate(Thread &T, const Instruction &I) {
  uint8_t *Place = barrierPlace(T, I, 0, I.Mods.Offset);
  if (!readBarrier(T, Place))
    return Outcome::Stopped;
  std::memset(Place, 0, 8);
  return Outcome::Next;
}

/// Carries something out at the barrier of operand 0, or with `To` at the same
/// place in each CTA of a mask, which is the last operand.
Outcome forBarriers(Thread &T, const Instruction &I,
                    function_ref<bool(BarrierState &)> Change) {
  auto Address = uint64_t(T.operand(I, 0)) + uint64_t(I.Mods.Offset);
  uint32_t Ranks = 1;
  if (I.Mods.To)
    Ranks = uint32_t(T.operand(I, I.Operands.size() - 1));
  for (unsigned Rank = 0; Rank != 32; ++Rank) {
    if (!(Ranks >> Rank & 1))
      continue;
    uint8_t *Place =
        I.Mods.To ? T.access(Space::Shared_cluster, atRank(Address, Rank), 8, 8,
                             /*IsWrite=*/true)
                  : T.access(I.Mods.Space, Address, 8, 8, /*IsWrite=*/true);
    std::optional<BarrierState> B = readBarrier(T, Place);
    if (!B || !Change(*B))
      return Outcome::Stopped;
    B->advance();
    writeBarrier(Place, *B);
  }
  return Outcome::Next;
}

/// mbarrier.arrive and .arrive_drop in their forms. `Full`: the arrivals leave
/// the barrier's count for good; `Sat`: operand 1 are bytes to be expected;
/// `NaN`: the phase must not complete.
Outcome executeArrive(Thread &T, const Instruction &I) {
  bool HasCount = I.Operands.size() > 1u + I.Mods.To;
  auto Given = HasCount ? uint32_t(T.operand(I, 1)) : 1;
  return forBarriers(T, I, [&](BarrierState &B) {
    T.setResult(I, 0, B.encode());
    if (I.Mods.Sat && !addBytes(T, B, Given))
      return false;
    uint64_t Count = I.Mods.Sat ? 1 : Given;
    if (Count == 0 || Count > B.Pending || (I.Mods.NaN && Count == B.Pending)) {
      T.fault(rt::FaultKind::IllegalInstruction,
              Twine(Count) + " arrivals at an mbarrier that awaits " +
                  Twine(B.Pending));
      return false;
    }
    B.Pending -= Count;
    if (I.Mods.Full)
      B.Expected -= Count;
    return true;
  });
}

/// mbarrier.expect_tx, and .complete_tx with `Sat`.
Outcome executeBytes(Thread &T, const Instruction &I) {
  int64_t Bytes = uint32_t(T.operand(I, 1));
  return forBarriers(T, I, [&](BarrierState &B) {
    return addBytes(T, B, I.Mods.Sat ? -Bytes : Bytes);
  });
}

/// test_wait and try_wait, neither of which waits here. `Sat`: the operand is
/// the parity of a phase, not a state; `Oob`: of one without a report.
Outcome executeTest(Thread &T, const Instruction &I) {
  uint8_t *Place = barrierPlace(T, I, 0, I.Mods.Offset);
  std::optional<BarrierState> B = readBarrier(T, Place);
  if (!B)
    return Outcome::Stopped;
  auto Word = uint64_t(T.operand(I, 1));
  bool Phase = I.Mods.Sat ? Word & 1 : phaseOf(Word);
  bool IsOver = (I.Mods.Oob ? B->conditionalPhase() : B->Phase) != Phase;
  T.setResult(I, 0, IsOver);
  T.setResult(I, 1, IsOver && B->Last.Something);
  T.setResult(I, 2, IsOver ? B->Last.Value : 0);
  return Outcome::Next;
}

Outcome executePending(Thread &T, const Instruction &I) {
  T.setResult(I, 0, uint64_t(T.operand(I, 0)) & BarrierState::maxCount(false));
  return Outcome::Next;
}

/// `Sat`: whether it is of layout 1.
Outcome executeCheckLayout(Thread &T, const Instruction &I) {
  uint8_t *Place = barrierPlace(T, I, 0, I.Mods.Offset);
  std::optional<BarrierState> B = readBarrier(T, Place);
  if (!B)
    return Outcome::Stopped;
  T.setResult(I, 0, B->IsLayout1 == I.Mods.Sat);
  return Outcome::Next;
}

/// cp.async.mbarrier.arrive: the copies are done. Without .noinc the arrival is
/// made up for by one more that is pending.
Outcome executeCopyArrive(Thread &T, const Instruction &I) {
  uint8_t *Place = barrierPlace(T, I, 0, I.Mods.Offset);
  std::optional<BarrierState> B = readBarrier(T, Place);
  if (!B)
    return Outcome::Stopped;
  if (!I.Mods.Sat)
    return Outcome::Next;
  if (B->Pending == 0)
    return T.fault(rt::FaultKind::IllegalInstruction,
                   "an arrival at an mbarrier that awaits none");
  --B->Pending;
  B->advance();
  writeBarrier(Place, *B);
  return Outcome::Next;
}

template <Executor Execute>
bool decodeBarrier(const InstReader &R, Instruction &I) {
  StringRef Opcode = R.getOp().getOpcode();
  I.Mods.Space = spaceOf(R);
  I.Mods.Full = Opcode.starts_with("mbarrier.arrive_drop");
  I.Mods.NaN = Opcode.ends_with(".noComplete");
  I.Mods.Sat = (Opcode.starts_with("mbarrier.arrive") &&
                Opcode.ends_with(".expect_tx")) ||
               Opcode.ends_with(".complete_tx") ||
               Opcode.ends_with(".parity") || R.has("noinc") ||
               R.has("layout::v1");
  I.Mods.To = R.has("multicast::cluster::32b");
  I.Mods.Oob = R.has("phase_type::conditional");
  I.Execute = Execute;
  return true;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The number that operand \p N of the row is, or what its register holds.
/// \p Register counts the registers before it.
uint64_t valueOf(Thread &T, const Instruction &I, OperandAttr Form,
                 unsigned Register) {
  return Form.getKind() == OperandKind::Immediate
             ? uint64_t(Form.getValue())
             : uint64_t(T.operand(I, Register));
}

/// cp.async: what the source is shorter than the destination, or all of a
/// source that is ignored, is zeros.
Outcome executeCopy(Thread &T, const Instruction &I) {
  InstReader R(cast<InstOp>(I.Op));
  auto Size = uint64_t(R.form(2).getValue());
  uint64_t Given = Size;
  // A predicate says that the source is ignored.
  bool IsPredicate = I.OperandWidths.size() > 2 && I.OperandWidths[2] == 1;
  if (IsPredicate)
    Given = T.operand(I, 2) & 1 ? 0 : Size;
  else if (R.form(3).getKind() != OperandKind::None)
    Given = uint32_t(valueOf(T, I, R.form(3), 2));
  if (Given > Size)
    return T.fault(rt::FaultKind::IllegalInstruction,
                   "the source of an asynchronous copy is larger than the "
                   "destination");
  uint8_t *To =
      T.access(Space::Shared, uint64_t(T.operand(I, 0)) + R.form(0).getValue(),
               Size, Size, /*IsWrite=*/true);
  if (!To)
    return Outcome::Stopped;
  if (Given) {
    const uint8_t *From = T.access(
        Space::Global, uint64_t(T.operand(I, 1)) + R.form(1).getValue(), Given,
        1, /*IsWrite=*/false);
    if (!From)
      return Outcome::Stopped;
    std::memcpy(To, From, Given);
  }
  std::memset(To + Given, 0, Size - Given);
  return Outcome::Next;
}

bool decodeCopy(const InstReader &R, Instruction &I) {
  I.Execute = executeCopy;
  return true;
}

Outcome executeNothing(Thread &, const Instruction &) { return Outcome::Next; }

bool decodeWait(const InstReader &, Instruction &I) {
  I.Execute = executeNothing;
  return true;
}

/// A bulk copy as the instruction's words and operands say it.
struct BulkCopy {
  Space To, From;
  uint64_t Destination, Source, Size;
  /// Bytes at the ends that keep their values.
  uint64_t Left = 0, Right = 0;
  std::optional<uint64_t> Barrier = std::nullopt;
  uint32_t Ranks = 0;
  uint16_t Mask = 0xFFFF; ///< Of the bytes that are copied, of each 16.
};

/// The memories are named in the order of the operands.
BulkCopy readBulkCopy(Thread &T, const Instruction &I, const InstReader &R) {
  SmallVector<Space, 2> Spaces;
  for (StringRef Part : R.parts())
    if (Part == "global")
      Spaces.push_back(Space::Global);
    else if (Part.starts_with("shared::"))
      Spaces.push_back(Space::Shared_cluster);
  OperandReader O(T, I);
  uint64_t Destination = O.next(), Source = O.next();
  BulkCopy C = {Spaces[0], Spaces[1], Destination, Source, uint32_t(O.next())};
  if (R.has("ignore_oob")) {
    C.Left = uint8_t(O.next());
    C.Right = uint8_t(O.next());
  }
  if (R.has("mbarrier::complete_tx::bytes"))
    C.Barrier = O.next();
  if (I.Mods.To)
    C.Ranks = uint32_t(O.next());
  if (R.has("L2::cache_hint"))
    O.next();
  if (R.has("cp_mask"))
    C.Mask = uint16_t(O.next());
  return C;
}

/// Whether data have what is to be reported.
bool findsReported(ArrayRef<uint8_t> Data, unsigned Bits) {
  for (size_t N = 0; N < Data.size(); N += 16)
    if (isReported(&Data[N], 16, Bits))
      return true;
  return false;
}

/// The bytes of a source, from which those at the ends are not read; none after
/// a fault.
std::optional<SmallVector<uint8_t>> readSource(Thread &T, const BulkCopy &C) {
  uint64_t Left = std::min(C.Left, C.Size);
  uint64_t Right = std::min(C.Right, C.Size - Left);
  SmallVector<uint8_t> Data(C.Size);
  if (uint64_t Bytes = C.Size - Left - Right) {
    bool IsWhole = Bytes == C.Size;
    const uint8_t *Source = T.access(C.From, C.Source + Left, Bytes,
                                     IsWhole ? 16 : 1, /*IsWrite=*/false);
    if (!Source)
      return std::nullopt;
    std::memcpy(&Data[Left], Source, Bytes);
  }
  return Data;
}

/// The bytes that a mask leaves out may be outside of the allocations.
bool copyMasked(Thread &T, const BulkCopy &C) {
  for (uint64_t N = 0; N != C.Size; ++N) {
    if (!(C.Mask >> N % 16 & 1))
      continue;
    const uint8_t *From =
        T.access(C.From, C.Source + N, 1, 1, /*IsWrite=*/false);
    uint8_t *To = From ? T.access(C.To, C.Destination + N, 1, 1,
                                  /*IsWrite=*/true)
                       : nullptr;
    if (!To)
      return false;
    *To = *From;
  }
  return true;
}

/// A copy to one CTA, or to global memory.
Outcome copyBulkTo(Thread &T, const InstReader &R, const BulkCopy &C) {
  BarrierState::Report Report;
  if (C.Mask != 0xFFFF) {
    if (!copyMasked(T, C))
      return Outcome::Stopped;
  } else if (C.Size != 0) {
    std::optional<SmallVector<uint8_t>> Data = readSource(T, C);
    uint8_t *Destination =
        Data ? T.access(C.To, C.Destination, C.Size, 16, /*IsWrite=*/true)
             : nullptr;
    if (!Destination)
      return Outcome::Stopped;
    if (std::optional<unsigned> Bits = reportedBits(R))
      Report.Something = findsReported(*Data, *Bits);
    for (uint64_t N = C.Left; N + C.Right < C.Size; ++N)
      Destination[N] = (*Data)[N];
  }
  if (!C.Barrier)
    return Outcome::Next;
  uint8_t *Place = T.access(Space::Shared_cluster, *C.Barrier, 8, 8,
                            /*IsWrite=*/true);
  return Place ? completeAt(T, Place, C.Size, Report) : Outcome::Stopped;
}

/// cp.async.bulk between global and shared memory, with multicast to the CTAs
/// of a mask.
Outcome executeBulkCopy(Thread &T, const Instruction &I) {
  InstReader R(cast<InstOp>(I.Op));
  BulkCopy C = readBulkCopy(T, I, R);
  if (C.Size % 16 != 0)
    return T.fault(rt::FaultKind::Misaligned,
                   "a bulk copy of " + Twine(C.Size) + " bytes");
  if (!I.Mods.To)
    return copyBulkTo(T, R, C);
  for (unsigned Rank = 0; Rank != 32; ++Rank) {
    if (!(C.Ranks >> Rank & 1))
      continue;
    BulkCopy There = C;
    There.Destination = atRank(C.Destination, Rank);
    There.Barrier = atRank(*C.Barrier, Rank);
    if (Outcome O = copyBulkTo(T, R, There); O != Outcome::Next)
      return O;
  }
  return Outcome::Next;
}

bool decodeBulkCopy(const InstReader &R, Instruction &I) {
  I.Mods.To = any_of(R.parts(), [](StringRef Part) {
    return Part.starts_with("multicast::");
  });
  I.Execute = executeBulkCopy;
  return true;
}

/// A prefetch or a priority: the bytes have to be there.
Outcome executeBulkHint(Thread &T, const Instruction &I) {
  OperandReader O(T, I);
  uint64_t Address = O.next(), Size = uint32_t(O.next());
  uint64_t Align = I.Mods.Sat ? 128 : 16;
  if (Size % 16 != 0)
    return T.fault(rt::FaultKind::Misaligned,
                   "a hint about " + Twine(Size) + " bytes");
  if (Size != 0 &&
      !T.access(Space::Global, Address, Size, Align, /*IsWrite=*/false))
    return Outcome::Stopped;
  return Outcome::Next;
}

bool decodeBulkHint(const InstReader &R, Instruction &I) {
  I.Mods.Sat = R.getOp().getOpcode().starts_with("applypriority");
  I.Execute = executeBulkHint;
  return true;
}

} // namespace

void addAsyncSemantics(SemanticsTable &T) {
  T.inst("mbarrier.init", decodeBarrier<executeInit>);
  T.inst("mbarrier.inval", decodeBarrier<executeInvalidate>);
  for (const char *Name :
       {"mbarrier.arrive", "mbarrier.arrive.noComplete",
        "mbarrier.arrive.expect_tx", "mbarrier.arrive_drop",
        "mbarrier.arrive_drop.noComplete", "mbarrier.arrive_drop.expect_tx"})
    T.inst(Name, decodeBarrier<executeArrive>);
  for (const char *Name : {"mbarrier.expect_tx", "mbarrier.complete_tx"})
    T.inst(Name, decodeBarrier<executeBytes>);
  for (const char *Name : {"mbarrier.test_wait", "mbarrier.test_wait.parity",
                           "mbarrier.try_wait", "mbarrier.try_wait.parity"})
    T.inst(Name, decodeBarrier<executeTest>);
  T.inst("mbarrier.pending_count", decodeBarrier<executePending>);
  T.inst("cp.async.mbarrier.arrive", decodeBarrier<executeCopyArrive>);
  T.inst("cp.async", decodeCopy);
  T.inst("cp.async.bulk", decodeBulkCopy);
  T.inst("multimem.cp.async.bulk", decodeBulkCopy);
  T.inst("mbarrier.check_layout", decodeBarrier<executeCheckLayout>);
  T.inst("cp.async.bulk.prefetch", decodeBulkHint);
  T.inst("applypriority.async.bulk", decodeBulkHint);
  for (const char *Name : {"cp.async.commit_group", "cp.async.wait_group",
                           "cp.async.wait_all", "cp.async.bulk.commit_group",
                           "cp.async.bulk.wait_group", "fence.mbarrier_init"})
    T.inst(Name, decodeWait);
}

} // namespace heddle::interp
