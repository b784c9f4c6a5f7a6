//===- RandomProfile.cpp - Profiles that lie --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and hashes are those of the program, so that the compiler believes the
// numbers.
//
//===----------------------------------------------------------------------===//

#include "RandomProfile.h"
#include "heddle/ProfileData/Counters.h"
#include "heddle/ProfileData/ProfileData.h"

using namespace llvm;

namespace heddle::random {

namespace {

/// What kind of numbers a profile has.
enum class Style : uint8_t { Zero, Few, Skewed, Huge, Count };

uint64_t count(Style S, RandomGenerator &R) {
  constexpr uint64_t Many = 1'000'000;
  switch (S) {
  case Style::Zero:
    return 0;
  case Style::Few:
    return R.below(64);
  case Style::Skewed:
    return R.percent(50) ? Many : R.below(2);
  default:
    return R.next();
  }
}

pgo::FunctionCounts randomCounts(const pgo::FunctionShape &Shape,
                                 ArrayRef<uint64_t> Functions,
                                 ArrayRef<uint64_t> Arguments,
                                 RandomGenerator &R) {
  auto Any = [&] {
    return static_cast<Style>(R.below(static_cast<uint64_t>(Style::Count)));
  };
  Style S = Any();
  pgo::FunctionCounts C;
  for (unsigned N = 0; N != Shape.Edges; ++N)
    C.Edges.push_back(count(S, R));
  for (unsigned N = 0; N != Shape.Branches; ++N)
    C.Branches.push_back({count(S, R), count(S, R), count(S, R)});
  // Side records need not fit what they are beside of.
  S = Any();
  C.Loops.resize(Shape.Loops);
  for (pgo::TripCounts &Trips : C.Loops)
    for (uint64_t &Stays : Trips)
      Stays = count(S, R);
  C.Targets.resize(Shape.Calls);
  for (pgo::ValueCounts &Targets : C.Targets) {
    Targets[R.next()] = count(S, R);
    if (!Functions.empty())
      Targets[Functions[R.below(Functions.size())]] = count(Any(), R);
  }
  for (uint64_t Argument : Arguments) {
    pgo::ValueCounts &Values = C.Arguments.emplace_back();
    // The true value most often, another one too, or none.
    if (R.percent(80))
      Values[R.percent(70) ? Argument : R.below(20)] = 1000;
    if (R.percent(20))
      Values[R.next()] = 1 + R.below(30);
  }
  return C;
}

} // namespace

Expected<std::string> makeRandomProfile(ArrayRef<uint8_t> CountingObject,
                                        ArrayRef<uint64_t> Arguments,
                                        RandomGenerator &R) {
  Expected<pgo::CountedCode> Code = pgo::readCountedCode(CountingObject);
  if (!Code)
    return Code.takeError();
  SmallVector<uint64_t> Functions;
  for (const pgo::PointerTable &Table : Code->Pointers)
    for (const std::string &Name : Table.Functions)
      Functions.push_back(MD5Hash(Name));
  pgo::ProfileData Profile;
  for (const pgo::FunctionShape &Shape : Code->Functions)
    Profile.Functions[{Shape.Name, Shape.Hash}] =
        randomCounts(Shape, Functions, Arguments, R);
  return Profile.write();
}

} // namespace heddle::random
