//===- Hazards.h - The strict mode's bookkeeping ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks, for one warp, the rules of docs/hazards.md at the issue of every
// instruction. Each lane has a clock of its own, which only the instructions
// that the lane takes part in advance: whatever the scheduler does, at least
// that much time passes. A program that this accepts is correct under every
// schedule.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_HAZARDS_H
#define HEDDLE_LIB_EMULATOR_HAZARDS_H

#include "Decoder.h"

#include <optional>
#include <vector>

namespace heddle::emu {

/// A rule that an instruction breaks.
struct HazardReport {
  enum class Rule : uint8_t {
    ReadTooEarly,      ///< A register is read before its result arrived.
    SourceOverwritten, ///< A late source is written before it was read.
    ResultOverwritten, ///< A result is written while another is on its way.
    PendingAtCall,     ///< Something is on its way over a call or system call.
  };
  Rule Broken = Rule::ReadTooEarly;
  RegId Register = 0;
  uint32_t Producer = 0; ///< PC of the earlier instruction.
  LaneMask Lanes = 0;    ///< For which it happens.
};

class HazardChecker {
public:
  /// \p I, at \p PC, issues for the lanes of \p Group; its guard holds for
  /// those of \p Exec. Returns what it does wrong.
  std::optional<HazardReport> issue(const CodeImage &Image, uint32_t PC,
                                    const DecodedInst &I, LaneMask Group,
                                    LaneMask Exec);

private:
  /// A variable-latency instruction that is on its way.
  struct InFlight {
    uint32_t PC;
    LaneMask Lanes;
    bool SourcesRead;
    bool operator==(const InFlight &) const = default;
  };

  void wait(const CodeImage &Image, unsigned Counters);
  void updateMasks(const CodeImage &Image, const DecodedInst &I);
  LaneMask notReady(RegId R, LaneMask Lanes, uint32_t Later = 0) const;
  std::optional<HazardReport> checkReads(const CodeImage &Image,
                                         const DecodedInst &I, LaneMask Group,
                                         LaneMask Exec) const;
  std::optional<HazardReport> checkWrites(const CodeImage &Image,
                                          const DecodedInst &I,
                                          LaneMask Exec) const;
  std::optional<HazardReport> checkNothingPending(const CodeImage &Image,
                                                  LaneMask Lanes) const;
  void record(const CodeImage &Image, uint32_t PC, const DecodedInst &I,
              LaneMask Exec);
  void selectGroup(LaneMask Group);
  void advance(LaneMask Group, unsigned Cycles);
  void rebase();

  uint32_t Clock[WarpSize] = {};
  /// Cycle, on the lane's clock, from which a fixed-latency result is visible.
  uint32_t ReadyAt[NumRegIds][WarpSize] = {};
  uint32_t LastReady[NumRegIds] = {}; ///< Maximum of ReadyAt over the lanes.
  uint32_t Latest = 0;                ///< Maximum of LastReady.
  uint32_t MinClock = 0;              ///< Minimum of Clock over the lanes of
  LaneMask MinGroup = 0;              ///< this group.
  uint32_t Producer[NumRegIds] = {};  ///< PC of the last fixed-latency writer.
  LaneMask PendingWrite[NumRegIds] = {}; ///< By a variable-latency instruction.
  LaneMask PendingRead[NumRegIds] = {};
  std::vector<InFlight> Flights;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_HAZARDS_H
