//===- HeddleOccupancy.cpp - How many CTAs a core holds ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers are given to a warp, and shared memory to a CTA, in granules.
//
//===----------------------------------------------------------------------===//

#include "HeddleOccupancy.h"
#include "heddle/Support/Attributes.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using heddle::isa::ChipInfo;

/// Of a CTA, where nothing says how many there are.
static constexpr unsigned UsualThreads = 256;

/// The product of the extents "x,y,z".
static unsigned countThreads(StringRef Extents) {
  SmallVector<StringRef, 3> Parts;
  Extents.split(Parts, ',');
  unsigned Threads = 1, Extent = 0;
  for (StringRef Part : Parts)
    if (!Part.trim().getAsInteger(10, Extent))
      Threads *= Extent;
  return Threads;
}

std::optional<unsigned> llvm::getMostThreads(const Function &Kernel) {
  std::optional<unsigned> Most;
  for (StringRef Name : {heddle::attr::MaxNTid, heddle::attr::ReqNTid})
    if (Kernel.hasFnAttribute(Name)) {
      unsigned Threads =
          countThreads(Kernel.getFnAttribute(Name).getValueAsString());
      Most = std::min(Most.value_or(Threads), Threads);
    }
  return Most;
}

unsigned llvm::getUsualWarps(const Function &Kernel) {
  return divideCeil(getMostThreads(Kernel).value_or(UsualThreads), WarpThreads);
}

static unsigned registersOfWarp(const ChipInfo &Chip, unsigned OfThread) {
  return WarpThreads *
         unsigned(alignTo(std::max(OfThread, 1u), Chip.RegisterGranule));
}

unsigned llvm::getMostThreads(const ChipInfo &Chip, unsigned Registers) {
  unsigned Warps = Chip.RegistersPerCore / registersOfWarp(Chip, Registers);
  return std::min<unsigned>(Warps * WarpThreads, Chip.ThreadsPerCTA);
}

unsigned llvm::getCTAsPerCore(const ChipInfo &Chip, const CTADemand &D) {
  unsigned Warps = divideCeil(std::max(D.Threads, 1u), WarpThreads);
  uint64_t CTAs = std::min<uint64_t>(
      {uint64_t(Chip.CTAsPerCore), Chip.WarpsPerCore / Warps,
       Chip.RegistersPerCore / (Warps * registersOfWarp(Chip, D.Registers))});
  if (D.SharedBytes)
    CTAs = std::min<uint64_t>(
        CTAs, Chip.SharedBytesPerCore /
                  alignTo(D.SharedBytes, uint64_t(Chip.SharedGranule)));
  return unsigned(CTAs);
}

unsigned llvm::getWarpsPerCore(const ChipInfo &Chip, const Function &Kernel,
                               unsigned Registers) {
  CTADemand D;
  D.Threads = getMostThreads(Kernel).value_or(UsualThreads);
  D.Registers = Registers;
  D.SharedBytes =
      Kernel.getFnAttributeAsParsedInteger(heddle::attr::SharedBytes);
  return getCTAsPerCore(Chip, D) * divideCeil(D.Threads, WarpThreads);
}

unsigned llvm::getNextRegisters(const ChipInfo &Chip, const Function &Kernel,
                                unsigned Registers) {
  unsigned Warps = getWarpsPerCore(Chip, Kernel, Registers);
  unsigned Next = alignTo(Registers, Chip.RegisterGranule);
  do {
    if (Next <= Chip.RegisterGranule)
      return 0;
    Next -= Chip.RegisterGranule;
  } while (getWarpsPerCore(Chip, Kernel, Next) == Warps);
  return Next;
}

unsigned llvm::getMostRegisters(const ChipInfo &Chip, const Function &Kernel,
                                unsigned Registers) {
  unsigned Warps = getWarpsPerCore(Chip, Kernel, Registers);
  unsigned Most = alignTo(Registers, Chip.RegisterGranule);
  while (Warps &&
         getWarpsPerCore(Chip, Kernel, Most + Chip.RegisterGranule) == Warps)
    Most += Chip.RegisterGranule;
  return Most;
}
