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

#include "Machine.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Most arrivals of a phase.
constexpr uint64_t MaxCount = (1u << 20) - 1;
/// Most bytes that a phase can wait for, or be ahead of.
constexpr int64_t MaxBytes = (1 << 20) - 1;

/// What an mbarrier holds. PTX leaves the form of its 64 bits open.
struct BarrierState {
  uint64_t Pending = 0, Expected = 0;
  int64_t Bytes = 0; ///< Still to be completed.
  bool Phase = false;

  /// Nothing if the bits are no barrier's.
  static std::optional<BarrierState> decode(uint64_t Word) {
    if (!(Word >> 63))
      return std::nullopt;
    return BarrierState{Word & MaxCount, Word >> 20 & MaxCount,
                        SignExtend64<22>(Word >> 40), (Word >> 62 & 1) != 0};
  }
  uint64_t encode() const {
    return uint64_t(1) << 63 | uint64_t(Phase) << 62 |
           (uint64_t(Bytes) & maskTrailingOnes<uint64_t>(22)) << 40 |
           Expected << 20 | Pending;
  }
  /// Whether the phase completed.
  bool advance() {
    if (Pending != 0 || Bytes != 0)
      return false;
    Pending = Expected;
    Phase = !Phase;
    return true;
  }
};

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

std::optional<BarrierState> readBarrier(Thread &T, const uint8_t *Place) {
  uint64_t Word;
  std::memcpy(&Word, Place, sizeof(Word));
  std::optional<BarrierState> B = BarrierState::decode(Word);
  if (!B)
    T.fault(rt::FaultKind::IllegalInstruction,
            "there is no mbarrier at the address");
  return B;
}

void writeBarrier(uint8_t *Place, const BarrierState &B) {
  uint64_t Word = B.encode();
  std::memcpy(Place, &Word, sizeof(Word));
}

Outcome executeInit(Thread &T, const Instruction &I) {
  uint8_t *Place = barrierPlace(T, I, 0, I.Mods.Offset);
  if (!Place)
    return Outcome::Stopped;
  auto Count = uint32_t(T.operand(I, 1));
  if (Count == 0 || Count > MaxCount)
    return T.fault(rt::FaultKind::IllegalInstruction,
                   "an mbarrier cannot count " + Twine(Count) + " arrivals");
  writeBarrier(Place, {Count, Count, 0, false});
  return Outcome::Next;
}

Outcome executeInvalidate(Thread &T, const Instruction &I) {
  uint8_t *Place = barrierPlace(T, I, 0, I.Mods.Offset);
  if (!Place || !readBarrier(T, Place))
    return Outcome::Stopped;
  std::memset(Place, 0, 8);
  return Outcome::Next;
}

/// Bytes that a phase is to wait for, or that are done.
bool addBytes(Thread &T, BarrierState &B, int64_t Bytes) {
  B.Bytes += Bytes;
  if (std::abs(B.Bytes) <= MaxBytes)
    return true;
  T.fault(rt::FaultKind::IllegalInstruction,
          "an mbarrier cannot count so many bytes");
  return false;
}

/// mbarrier.arrive and .arrive_drop in their forms. `Full`: the arrivals leave
/// the barrier's count for good; `Sat`: operand 1 are bytes to be expected;
/// `NaN`: the phase must not complete.
Outcome executeArrive(Thread &T, const Instruction &I) {
  uint8_t *Place = barrierPlace(T, I, 0, I.Mods.Offset);
  std::optional<BarrierState> B;
  if (!Place || !(B = readBarrier(T, Place)))
    return Outcome::Stopped;
  T.setResult(I, 0, B->encode());
  uint64_t Count = 1;
  if (I.Mods.Sat) {
    if (!addBytes(T, *B, int64_t(uint32_t(T.operand(I, 1)))))
      return Outcome::Stopped;
  } else if (T.hasOperand(I, 1)) {
    Count = uint32_t(T.operand(I, 1));
  }
  if (Count == 0 || Count > B->Pending || (I.Mods.NaN && Count == B->Pending))
    return T.fault(rt::FaultKind::IllegalInstruction,
                   Twine(Count) + " arrivals at an mbarrier that awaits " +
                       Twine(B->Pending));
  B->Pending -= Count;
  if (I.Mods.Full)
    B->Expected -= Count;
  B->advance();
  writeBarrier(Place, *B);
  return Outcome::Next;
}

/// mbarrier.expect_tx, and .complete_tx with `Sat`.
Outcome executeBytes(Thread &T, const Instruction &I) {
  uint8_t *Place = barrierPlace(T, I, 0, I.Mods.Offset);
  std::optional<BarrierState> B;
  if (!Place || !(B = readBarrier(T, Place)))
    return Outcome::Stopped;
  int64_t Bytes = uint32_t(T.operand(I, 1));
  if (!addBytes(T, *B, I.Mods.Sat ? -Bytes : Bytes))
    return Outcome::Stopped;
  B->advance();
  writeBarrier(Place, *B);
  return Outcome::Next;
}

/// test_wait and try_wait, neither of which waits here. `Sat`: the operand is
/// the parity of a phase, not a state.
Outcome executeTest(Thread &T, const Instruction &I) {
  uint8_t *Place = barrierPlace(T, I, 0, I.Mods.Offset);
  std::optional<BarrierState> B;
  if (!Place || !(B = readBarrier(T, Place)))
    return Outcome::Stopped;
  auto Word = uint64_t(T.operand(I, 1));
  bool Phase = (I.Mods.Sat ? Word : Word >> 62) & 1;
  T.setResult(I, 0, B->Phase != Phase);
  return Outcome::Next;
}

Outcome executePending(Thread &T, const Instruction &I) {
  T.setResult(I, 0, uint64_t(T.operand(I, 0)) & MaxCount);
  return Outcome::Next;
}

/// cp.async.mbarrier.arrive: the copies are done. Without .noinc the arrival is
/// made up for by one more that is pending.
Outcome executeCopyArrive(Thread &T, const Instruction &I) {
  uint8_t *Place = barrierPlace(T, I, 0, I.Mods.Offset);
  std::optional<BarrierState> B;
  if (!Place || !(B = readBarrier(T, Place)))
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
               Opcode.ends_with(".parity") || R.has("noinc");
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

/// cp.async.bulk between global and shared memory; what counts is the barrier,
/// if there is one, of the last operand.
Outcome executeBulkCopy(Thread &T, const Instruction &I) {
  InstReader R(cast<InstOp>(I.Op));
  // Their order is that of the operands.
  Space To = R.parts()[0] == "global" ? Space::Global : Space::Shared_cluster;
  Space From = R.parts()[1] == "global" ? Space::Global : Space::Shared_cluster;
  uint64_t Size = uint32_t(valueOf(T, I, R.form(2), 2));
  if (Size % 16 != 0)
    return T.fault(rt::FaultKind::Misaligned,
                   "a bulk copy of " + Twine(Size) + " bytes");
  if (Size != 0) {
    const uint8_t *Source =
        T.access(From, uint64_t(T.operand(I, 1)) + R.form(1).getValue(), Size,
                 16, /*IsWrite=*/false);
    uint8_t *Destination =
        Source ? T.access(To, uint64_t(T.operand(I, 0)) + R.form(0).getValue(),
                          Size, 16, /*IsWrite=*/true)
               : nullptr;
    if (!Destination)
      return Outcome::Stopped;
    std::memmove(Destination, Source, Size);
  }
  if (!R.has("mbarrier::complete_tx::bytes"))
    return Outcome::Next;
  bool SizeIsRegister = R.form(2).getKind() != OperandKind::Immediate;
  uint8_t *Place = T.access(
      Space::Shared_cluster,
      uint64_t(T.operand(I, 2 + SizeIsRegister)) + R.form(3).getValue(), 8, 8,
      /*IsWrite=*/true);
  std::optional<BarrierState> B;
  if (!Place || !(B = readBarrier(T, Place)) ||
      !addBytes(T, *B, -int64_t(Size)))
    return Outcome::Stopped;
  B->advance();
  writeBarrier(Place, *B);
  return Outcome::Next;
}

bool decodeBulkCopy(const InstReader &R, Instruction &I) {
  if (R.has("multicast::cluster") || R.has("cp_mask") || R.has("ignore_oob"))
    return false;
  I.Execute = executeBulkCopy;
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
  for (const char *Name : {"cp.async.commit_group", "cp.async.wait_group",
                           "cp.async.wait_all", "cp.async.bulk.commit_group",
                           "cp.async.bulk.wait_group", "fence.mbarrier_init"})
    T.inst(Name, decodeWait);
}

} // namespace heddle::interp
