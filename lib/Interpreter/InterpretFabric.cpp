//===- InterpretFabric.cpp - Operations on the fabric --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies, reductions and atomic operations on logical endpoints, which are done
// at once. What submits them and waits for what they read finds nothing to do.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "MBarrier.h"
#include "Operands.h"

#include <cstring>

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

using Member = std::vector<rt::EndpointRange>;

constexpr uint64_t Unit = 16; ///< Of sizes and offsets.

/// What a failed operation reports. PTX leaves the value open.
constexpr BarrierState::Report Failure = {true, 1};

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

struct Request {
  uint32_t Endpoint = 0;
  uint64_t Offset = 0, Counter = 0;
  /// Shared addresses; Second is a size where there is no second one.
  uint64_t Own = 0, Second = 0, Barrier = 0;
  uint32_t Mask = 0xFFFF; ///< Of every 16 bytes.

  bool operator==(const Request &) const = default;
};

Request readRequest(Thread &T, const Instruction &I) {
  InstReader R(cast<InstOp>(I.Op));
  StringRef Opcode = R.getOp().getOpcode();
  bool Fetches =
      Opcode == "fabric.try_get.async" || Opcode == "fabric.try_pullred.async";
  OperandReader O(T, I);
  Request Q;
  if (Fetches)
    Q.Own = O.next();
  Q.Endpoint = uint32_t(O.next());
  Q.Offset = O.next();
  if (R.has("counted::bytes"))
    Q.Counter = O.next();
  if (!Fetches)
    Q.Own = O.next();
  Q.Second = O.next();
  Q.Barrier = O.next();
  if (R.has("cp_mask"))
    Q.Mask = uint32_t(O.next());
  return Q;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

const rt::EndpointDesc *findEndpoint(Thread &T, uint32_t Id, bool Multicast) {
  const rt::EndpointDesc *E = T.Owner.Launch.Endpoints.find(Id);
  if (E && E->IsMulticast == Multicast)
    return E;
  T.fault(rt::FaultKind::InvalidHandle,
          "logical endpoint " + Twine(Id) +
              (E ? " is of another kind" : " does not exist"));
  return nullptr;
}

uint8_t *placeIn(Thread &T, const Member &M, uint64_t Offset, uint64_t Size,
                 bool IsWrite) {
  if (auto Address = rt::addressIn(M, Offset, Size))
    return T.access(Space::Global, *Address, Size, 1, IsWrite);
  T.fault(rt::FaultKind::OutOfBounds,
          "no memory is bound at an offset of a logical endpoint", Offset);
  return nullptr;
}

/// Bytes of the own CTA's shared memory.
uint8_t *ownPlace(Thread &T, uint64_t Address, uint64_t Size, uint64_t Align,
                  bool IsWrite) {
  uint64_t Holder = uint32_t(Address) >> ClusterShift;
  if (!Holder || (Holder ^ RankMark) == T.Owner.Rank)
    return T.access(Space::Shared_cluster, uint32_t(Address), Size, Align,
                    IsWrite);
  T.fault(rt::FaultKind::OutOfBounds,
          "an operation on the fabric with another CTA's shared memory",
          Address);
  return nullptr;
}

uint8_t *barrierOf(Thread &T, uint64_t Address) {
  uint8_t *Place = ownPlace(T, Address, 8, 8, /*IsWrite=*/true);
  std::optional<BarrierState> B = readBarrier(T, Place);
  if (!B)
    return nullptr;
  if (B->IsLayout1)
    return Place;
  T.fault(rt::FaultKind::IllegalInstruction,
          "an operation on the fabric needs an mbarrier of layout 1");
  return nullptr;
}

bool isAligned(Thread &T, uint64_t Value, uint64_t Align) {
  if (Value % Align == 0)
    return true;
  T.fault(rt::FaultKind::Misaligned,
          Twine(Value) + " in an operation on the fabric is no multiple of " +
              Twine(Align));
  return false;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Whether a counter of bytes may be used, and is none of those that come.
bool isCounterRight(Thread &T, const rt::EndpointDesc &E, const Request &Q) {
  if (!isAligned(T, Q.Counter, 256))
    return false;
  bool Overlaps = Q.Counter + 8 > Q.Offset && Q.Counter < Q.Offset + Q.Second;
  if (E.Counts && !Overlaps)
    return true;
  T.fault(E.Counts ? rt::FaultKind::IllegalInstruction
                   : rt::FaultKind::InvalidHandle,
          E.Counts ? "a counter of bytes among the bytes"
                   : "a logical endpoint without counters of bytes");
  return false;
}

/// Puts bytes into a member, or reduces those that are there.
void putInto(const InstReader &R, const Request &Q, uint8_t *To,
             const uint8_t *From) {
  StringRef Op = operationOf(R);
  if (Op.empty()) {
    for (uint64_t N = 0; N != Q.Second; ++N)
      if (Q.Mask >> N % Unit & 1)
        To[N] = From[N];
    return;
  }
  reduceInto(Op, elementOf(R.fromEnd(0)), To, {From, size_t(Q.Second)});
}

bool copyMember(Thread &T, const InstReader &R, const Request &Q,
                const Member &M, bool Gets) {
  uint8_t *Own = ownPlace(T, Q.Own, Q.Second, Unit, Gets);
  uint8_t *Far = Own ? placeIn(T, M, Q.Offset, Q.Second, !Gets) : nullptr;
  if (!Far)
    return false;
  if (Gets) {
    std::memmove(Own, Far, Q.Second);
    return true;
  }
  putInto(R, Q, Far, Own);
  if (!R.has("counted::bytes"))
    return true;
  uint8_t *Counter = placeIn(T, M, Q.Counter, 8, /*IsWrite=*/true);
  if (Counter)
    writeElement(Counter, 8, readElement(Counter, 8) + Q.Second);
  return Counter != nullptr;
}

Outcome executeFabricCopy(Thread &T, const Instruction &I) {
  InstReader R(cast<InstOp>(I.Op));
  bool Gets = R.getOp().getOpcode() == "fabric.try_get.async";
  Request Q = readRequest(T, I);
  Q.Second = uint32_t(Q.Second);
  if (!isAligned(T, Q.Second, Unit) || !isAligned(T, Q.Offset, Unit))
    return Outcome::Stopped;
  const rt::EndpointDesc *E = findEndpoint(T, Q.Endpoint, R.has("multimem"));
  uint8_t *Barrier = E ? barrierOf(T, Q.Barrier) : nullptr;
  if (!Barrier)
    return Outcome::Stopped;
  if (R.has("counted::bytes") && !isCounterRight(T, *E, Q))
    return Outcome::Stopped;
  for (const Member &M : E->Members)
    if (!E->Fails && Q.Second && !copyMember(T, R, Q, M, Gets))
      return Outcome::Stopped;
  return completeAt(T, Barrier, Gets ? Q.Second : Q.Second / Unit,
                    E->Fails ? Failure : BarrierState::Report());
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

/// The element that takes the place of another one.
Bits atomicResult(const InstReader &R, Bits Old, const uint8_t *Given,
                  unsigned Bytes) {
  StringRef Op = operationOf(R);
  Bits Value = readElement(Given, Bytes);
  if (Op == "exch")
    return Value;
  if (Op == "cas")
    return Old == Value ? readElement(Given + Unit, Bytes) : Old;
  Element E = elementOf(R.fromEnd(0));
  Bits Result = 0;
  for (unsigned Shift = 0; Shift != 8 * Bytes; Shift += E.Bits)
    Result |= lowBits(reduceAll(Op, E, nullptr,
                                {lowBits(Old >> Shift, E.Bits),
                                 lowBits(Value >> Shift, E.Bits)}),
                      E.Bits)
              << Shift;
  return Result;
}

Outcome executeFabricAtomic(Thread &T, const Instruction &I) {
  InstReader R(cast<InstOp>(I.Op));
  Request Q = readRequest(T, I);
  unsigned Bytes = std::max(elementOf(R.fromEnd(0)).Bits / 8, 4u);
  if (!isAligned(T, Q.Offset, Bytes))
    return Outcome::Stopped;
  const rt::EndpointDesc *E = findEndpoint(T, Q.Endpoint, false);
  uint8_t *Barrier = E ? barrierOf(T, Q.Barrier) : nullptr;
  if (!Barrier)
    return Outcome::Stopped;
  uint64_t GivenBytes = operationOf(R) == "cas" ? 2 * Unit : Unit;
  const uint8_t *Given = ownPlace(T, Q.Second, GivenBytes, Unit, false);
  uint8_t *To = Given ? ownPlace(T, Q.Own, Unit, Unit, true) : nullptr;
  uint8_t *Place =
      To ? placeIn(T, E->Members[0], Q.Offset, Bytes, true) : nullptr;
  if (!Place)
    return Outcome::Stopped;
  if (!E->Fails) {
    uint64_t InUnit = Q.Offset % Unit;
    Bits Old = readElement(Place, Bytes);
    writeElement(Place, Bytes, atomicResult(R, Old, Given + InUnit, Bytes));
    writeElement(To + InUnit, Bytes, Old);
  }
  return completeAt(T, Barrier, 1, E->Fails ? Failure : BarrierState::Report());
}

//===----------------------------------------------------------------------===//
// Reductions over the members
//===----------------------------------------------------------------------===//

void pull(Thread &T, const InstReader &R, const Request &Q) {
  const rt::EndpointDesc *E = findEndpoint(T, Q.Endpoint, true);
  uint8_t *Barrier = E ? barrierOf(T, Q.Barrier) : nullptr;
  uint8_t *To = Barrier ? ownPlace(T, Q.Own, Q.Second, Unit, true) : nullptr;
  if (!To)
    return;
  std::vector<const uint8_t *> From;
  for (const Member &M : E->Members) {
    From.push_back(placeIn(T, M, Q.Offset, Q.Second, false));
    if (!From.back())
      return;
  }
  Element Type = elementOf(R.fromEnd(0));
  unsigned Bytes = Type.Bits / 8;
  const fltSemantics *Between = R.has("acc::f32") ? &APFloat::IEEEsingle()
                                : Type.Bits == 8  ? &APFloat::IEEEhalf()
                                                  : nullptr;
  for (uint64_t N = 0; N != Q.Second && !E->Fails; N += Bytes) {
    SmallVector<Bits> Values;
    for (const uint8_t *F : From)
      Values.push_back(readElement(F + N, Bytes));
    writeElement(To + N, Bytes,
                 reduceAll(operationOf(R), Type, Between, Values));
  }
  completeAt(T, Barrier, Q.Second, E->Fails ? Failure : BarrierState::Report());
}

/// One operation for the warp.
void pullTogether(Warp &W, uint32_t Lanes) {
  Thread &T = W.lane(countr_zero(Lanes));
  Request Q = readRequest(T, T.current());
  Q.Second = uint32_t(Q.Second);
  for (unsigned N = 0; N != WarpSize; ++N) {
    if (!(Lanes >> N & 1))
      continue;
    Thread &Other = W.lane(N);
    Request Same = readRequest(Other, Other.current());
    Same.Second = uint32_t(Same.Second);
    if (Same != Q) {
      T.fault(rt::FaultKind::IllegalInstruction,
              "the lanes of a warp pull different reductions");
      return;
    }
  }
  if (isAligned(T, Q.Second, Unit) && isAligned(T, Q.Offset, Unit) && Q.Second)
    pull(T, InstReader(cast<InstOp>(T.current().Op)), Q);
}

template <Executor Execute>
bool decodeFabric(const InstReader &, Instruction &I) {
  I.Execute = Execute;
  return true;
}

bool decodePull(const InstReader &, Instruction &I) {
  I.Together = pullTogether;
  return true;
}

Outcome executeNothing(Thread &, const Instruction &) { return Outcome::Next; }

} // namespace

void addFabricSemantics(SemanticsTable &T) {
  for (const char *Name :
       {"fabric.try_get.async", "fabric.try_put.async", "fabric.try_red.async"})
    T.inst(Name, decodeFabric<executeFabricCopy>);
  T.inst("fabric.try_atom.async", decodeFabric<executeFabricAtomic>);
  T.inst("fabric.try_pullred.async", decodePull);
  for (const char *Name :
       {"fabric.submit", "fabric.submit.commit_group", "fabric.wait"})
    T.inst(Name, decodeFabric<executeNothing>);
}

} // namespace heddle::interp
