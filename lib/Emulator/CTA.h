//===- CTA.h - A block of threads -------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CTA: its warps, memories and barriers. One host thread runs it at a time.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_CTA_H
#define HEDDLE_LIB_EMULATOR_CTA_H

#include "Warp.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/Object/LineTable.h"

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::emu {

/// A module as the emulator loads it.
struct LoadedCode {
  CodeImage Image;
  std::vector<uint32_t> Entries; ///< PC of each kernel.
  std::vector<rt::KernelInfo> Kernels;
  std::vector<rt::SymbolInfo> Symbols;
  std::vector<uint32_t> SharedBytes; ///< Static, as laid out, by kernel.
  std::vector<Allocation *> Blocks;  ///< Global memory of the module.
  Allocation *Constants = nullptr;   ///< Constant bank 3, or null.
  LineTable Lines;                   ///< Of the code object.
};

/// What all CTAs of a launch share.
struct LaunchContext {
  const LoadedCode &Code;
  const rt::KernelInfo &Kernel;
  const rt::LaunchConfig &Config;
  const isa::ChipInfo &Chip;
  DeviceMemory &Memory;
  uint32_t Entry = 0; ///< PC.
  uint32_t StaticSharedBytes = 0;
  uint32_t SharedBytes = 0; ///< With the dynamic part.
  uint32_t LocalBytes = 0;  ///< For each thread.
  uint64_t GridId = 0;
  bool Strict = true;
  /// Thread instructions of all CTAs so far.
  mutable std::atomic<uint64_t> Spent{0};
};

/// Instructions of a latency class that ran.
struct ClassCount {
  uint64_t Warp = 0, Thread = 0;
};
constexpr unsigned MaxLatencyClasses = 64;
using ClassCounts = std::array<ClassCount, MaxLatencyClasses>;

constexpr unsigned NumBarriers = 16;

/// What a CTA barrier does beyond waiting; the values are those of BarMode.
enum class BarrierMode : uint8_t { Sync, Arrive, Count, And, Or };

class CTA {
public:
  enum class Status { Running, Done, Faulted };

  /// Takes \p Number, in the grid's linear order, up.
  CTA(const LaunchContext &Launch, uint64_t Number);

  /// Runs for about \p MaxInstructions warp instructions.
  Status run(uint64_t MaxInstructions);

  const LaunchContext &Launch;
  uint64_t Number;
  rt::Dim3 Coordinates;
  std::vector<uint8_t> Shared;
  std::vector<uint8_t> Local; ///< Thread by thread.
  ClassCounts Counts{};
  std::string Output; ///< Of printf.
  std::optional<rt::Fault> Fault;

  uint64_t threads() const { return Launch.Config.Block.count(); }
  rt::Dim3 threadCoordinates(unsigned WarpIndex, unsigned Lane) const;
  uint8_t *localOf(unsigned WarpIndex, unsigned Lane) {
    return Local.data() +
           (uint64_t(WarpIndex) * WarpSize + Lane) * Launch.LocalBytes;
  }

  /// Lanes of \p W arrive at barrier \p Number for \p Expected threads (0: all
  /// of the CTA); those that wait are released when it completes. \p True are
  /// the lanes whose predicate holds. A misuse is a fault.
  void arrive(Warp &W, LaneMask Lanes, unsigned Number, uint32_t Expected,
              BarrierMode Mode, LaneMask True, const DecodedInst &I);
  /// Lanes of some warp have exited, and leave every barrier.
  void lanesExited();

private:
  struct Barrier {
    std::vector<LaneMask> Arrived; ///< By warp.
    uint64_t Extra = 0; ///< Arrivals of lanes that had arrived before.
    uint32_t Expected = 0;
    bool InUse = false;
    uint64_t TrueCount = 0;
    bool AllTrue = true, AnyTrue = false;
    struct Waiter {
      unsigned Warp;
      LaneMask Lanes;
      BarrierMode Mode;
      const DecodedInst *Inst;
    };
    std::vector<Waiter> Waiters;
  };

  uint64_t arrivals(const Barrier &B) const;
  bool isComplete(const Barrier &B) const;
  void complete(Barrier &B);
  void deadlock();
  bool spendBudget(Warp &W);
  std::string describeBarriers() const;

  std::vector<std::unique_ptr<Warp>> Warps;
  std::vector<Warp::Status> States;
  std::array<Barrier, NumBarriers> Barriers;
  size_t NextWarp = 0;
  uint64_t Reported = 0; ///< Thread instructions already in Launch.Spent.
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_CTA_H
