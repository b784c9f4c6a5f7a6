//===- Orders.cpp - Results that depend on the order of threads -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The orders are the emulator's random time slices of warps and CTAs, each by a
// seed of its own.
//
//===----------------------------------------------------------------------===//

#include "Orders.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace heddle::tune {

static constexpr unsigned NumOrders = 8;
/// So many times as far as the farthest order may a result be.
static constexpr double Slack = 8;
static constexpr double Infinite = std::numeric_limits<double>::infinity();

AtomicsOf AtomicsOf::find(StringRef Text) {
  static constexpr StringLiteral Families[] = {"atom.", "red.", "multimem.",
                                               "cp.reduce."};
  static constexpr StringLiteral Types[] = {".f16", ".bf16", ".f32", ".f64"};
  AtomicsOf Found;
  for (StringRef Statement : split(Text, ';')) {
    // A guard and labels may stand before the name of the operation.
    for (StringRef Word : split(Statement, ' ')) {
      if (!any_of(Families, [&](StringRef F) { return Word.starts_with(F); }))
        continue;
      StringRef Operation = Statement.substr(Word.data() - Statement.data());
      Found.Any = true;
      Found.AddFloats |=
          Operation.contains(".add") &&
          any_of(Types, [&](StringRef T) { return Operation.contains(T); });
    }
  }
  return Found;
}

double OrderSpread::distance(size_t Buffer, ArrayRef<uint8_t> Bytes) const {
  ArrayRef<uint8_t> Untuned = C.Untuned.Buffers[Buffer];
  if (Untuned == Bytes)
    return 0;
  rt::ElementType Type = C.Workload->Buffers[Buffer].Type;
  if (!rt::isFloat(Type) || Untuned.size() != Bytes.size())
    return Infinite;
  double Most = 0;
  for (size_t At = 0; At < Bytes.size(); At += rt::elementSize(Type)) {
    uint64_t A = rt::loadElement(Type, Untuned.data() + At),
             B = rt::loadElement(Type, Bytes.data() + At);
    if (A == B)
      continue;
    double Far = std::abs(rt::floatValue(Type, A) - rt::floatValue(Type, B));
    Most = std::max(Most, std::isnan(Far) ? Infinite : Far);
  }
  return Most;
}

double OrderSpread::roundingOf(size_t Buffer) const {
  rt::ElementType Type = C.Workload->Buffers[Buffer].Type;
  if (!rt::isFloat(Type))
    return 0;
  ArrayRef<uint8_t> Bytes = C.Untuned.Buffers[Buffer];
  double Greatest = 0;
  for (size_t At = 0; At < Bytes.size(); At += rt::elementSize(Type))
    if (double V = std::abs(
            rt::floatValue(Type, rt::loadElement(Type, Bytes.data() + At)));
        std::isfinite(V))
      Greatest = std::max(Greatest, V);
  uint64_t Bits = rt::floatBits(Type, Greatest);
  double Unit = Greatest - rt::floatValue(Type, Bits - (Bits != 0));
  return Slack * Unit;
}

OrderSpread::OrderSpread(const Case &C)
    : C(C), Farthest(C.Untuned.Buffers.size(), 0) {
  if (Expected<CaseResult> R =
          runCase(C, *C.Workload, C.UntunedCode, {.Order = ThreadOrder::Fixed}))
    InFixedOrder = std::move(*R);
  else
    consumeError(R.takeError());
  if (Expected<CaseResult> R =
          runCase(C, *C.Workload, C.UntunedCode,
                  {.Order = ThreadOrder::Fixed, .FindRaces = true}))
    Race = R->Race;
  else
    consumeError(R.takeError());
  for (uint64_t Seed = 1; Seed <= NumOrders; ++Seed) {
    Expected<CaseResult> R =
        runCase(C, *C.Workload, C.UntunedCode,
                {.Order = ThreadOrder::Chance, .Seed = Seed});
    if (!R) {
      consumeError(R.takeError());
      continue;
    }
    for (auto [I, Bytes] : enumerate(R->Buffers))
      Farthest[I] = std::max(Farthest[I], distance(I, Bytes));
    for (const std::string &Name : differingVariables(C, *R))
      Varying.insert(Name);
    IsOutputVarying |= R->Output != C.Untuned.Output;
  }
}

bool OrderSpread::isSameInFixedOrder(const rt::Manifest &Workload,
                                     const CompileResult &Code) const {
  if (!InFixedOrder)
    return false;
  Expected<CaseResult> R =
      runCase(C, Workload, Code, {.Order = ThreadOrder::Fixed});
  if (!R) {
    consumeError(R.takeError());
    return false;
  }
  return R->Buffers == InFixedOrder->Buffers &&
         R->Variables == InFixedOrder->Variables &&
         R->Output == InFixedOrder->Output;
}

bool OrderSpread::explains(const CaseResult &R, AtomicsOf Atomics,
                           const rt::Manifest &Workload,
                           const CompileResult &Code) const {
  return (Atomics.Any || !Race.empty()) &&
         (isNear(R, Atomics.AddFloats) || isSameInFixedOrder(Workload, Code));
}

bool OrderSpread::isNear(const CaseResult &R, bool AddsFloats) const {
  for (auto [I, Bytes] : enumerate(R.Buffers)) {
    double Allowed = Slack * Farthest[I];
    if (AddsFloats)
      Allowed = std::max(Allowed, roundingOf(I));
    if (distance(I, Bytes) > Allowed)
      return false;
  }
  for (const std::string &Name : differingVariables(C, R))
    if (!Varying.count(Name))
      return false;
  return IsOutputVarying || R.Output == C.Untuned.Output;
}

} // namespace heddle::tune
