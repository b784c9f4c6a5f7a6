//===- MBarrier.cpp - What an mbarrier holds -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of an mbarrier. From bit 0: pending arrivals (20 bits), expected
// arrivals (20), bytes with a sign (21), the layout, the phase, and a mark. In
// layout 1, whose counts have 9 bits, the reports stand above them.
//
//===----------------------------------------------------------------------===//

#include "MBarrier.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;

namespace heddle::interp {

static constexpr unsigned ExpectedShift = 20, BytesShift = 40, BytesBits = 21,
                          LayoutBit = 61, PhaseBit = 62, MarkBit = 63;
static constexpr unsigned CurrentShift = 9, LastShift = 29, SilentBit = 38;

static uint64_t bitAt(bool Bit, unsigned Place) {
  return uint64_t(Bit) << Place;
}
static uint64_t encodeReport(BarrierState::Report R) {
  return uint64_t(R.Value) << 1 | uint64_t(R.Something);
}
static BarrierState::Report decodeReport(uint64_t Bits) {
  return {(Bits & 1) != 0, uint8_t(Bits >> 1)};
}

bool phaseOf(uint64_t State) { return State >> PhaseBit & 1; }

std::optional<BarrierState> BarrierState::decode(uint64_t Word) {
  if (!(Word >> MarkBit))
    return std::nullopt;
  BarrierState B;
  B.IsLayout1 = Word >> LayoutBit & 1;
  uint64_t Counts = maxCount(B.IsLayout1);
  B.Pending = Word & Counts;
  B.Expected = Word >> ExpectedShift & Counts;
  B.Bytes = SignExtend64<BytesBits>(Word >> BytesShift);
  B.Phase = phaseOf(Word);
  if (!B.IsLayout1)
    return B;
  B.Current = decodeReport(Word >> CurrentShift);
  B.Last = decodeReport(Word >> LastShift);
  B.SilentPhase = Word >> SilentBit & 1;
  return B;
}

uint64_t BarrierState::encode() const {
  uint64_t Word = bitAt(true, MarkBit) | bitAt(Phase, PhaseBit) |
                  bitAt(IsLayout1, LayoutBit) |
                  (uint64_t(Bytes) & maskTrailingOnes<uint64_t>(BytesBits))
                      << BytesShift |
                  Expected << ExpectedShift | Pending;
  if (IsLayout1)
    Word |= encodeReport(Current) << CurrentShift |
            encodeReport(Last) << LastShift | bitAt(SilentPhase, SilentBit);
  return Word;
}

void BarrierState::advance() {
  if (Pending != 0 || Bytes != 0)
    return;
  Pending = Expected;
  Phase = !Phase;
  SilentPhase ^= !Current.Something;
  Last = Current;
  Current = {};
}

std::optional<BarrierState> readBarrier(Thread &T, const uint8_t *Place) {
  if (!Place)
    return std::nullopt;
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

bool addBytes(Thread &T, BarrierState &B, int64_t Bytes) {
  B.Bytes += Bytes;
  if (std::abs(B.Bytes) <= BarrierState::MaxBytes)
    return true;
  T.fault(rt::FaultKind::IllegalInstruction,
          "an mbarrier cannot count so many bytes");
  return false;
}

Outcome completeAt(Thread &T, uint8_t *Place, uint64_t Count,
                   BarrierState::Report R) {
  std::optional<BarrierState> B = readBarrier(T, Place);
  if (!B || !addBytes(T, *B, -int64_t(Count)))
    return Outcome::Stopped;
  if (R.Something && !B->IsLayout1)
    return T.fault(rt::FaultKind::IllegalInstruction,
                   "a report to an mbarrier that is not of layout 1");
  B->Current.Something |= R.Something;
  B->Current.Value |= R.Value;
  B->advance();
  writeBarrier(Place, *B);
  return Outcome::Next;
}

} // namespace heddle::interp
