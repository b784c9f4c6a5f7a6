//===- Warp.h - 32 threads and their registers ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp: register files by row, a program counter for each lane, the groups of
// lanes that run together, and what the lanes that do not run wait for.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_WARP_H
#define HEDDLE_LIB_EMULATOR_WARP_H

#include "Checkers/Hazards.h"
#include "Decoder.h"
#include "Memory.h"
#include "RelaxedMemory.h"
#include "heddle/Emulator/Translator.h"
#include "heddle/Runtime/Device.h"

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace heddle::emu {

class CTA;
class WaitReport;
struct LaneView;
struct LaunchContext;

/// The lanes of a mask, lowest first: for (unsigned L : lanes(Mask)).
class LaneRange {
public:
  explicit LaneRange(LaneMask Mask) : Mask(Mask) {}
  struct Iterator {
    LaneMask Rest;
    unsigned operator*() const { return std::countr_zero(Rest); }
    Iterator &operator++() {
      Rest &= Rest - 1;
      return *this;
    }
    bool operator!=(const Iterator &O) const { return Rest != O.Rest; }
  };
  Iterator begin() const { return {Mask}; }
  Iterator end() const { return {0}; }

private:
  LaneMask Mask;
};
inline LaneRange lanes(LaneMask Mask) { return LaneRange(Mask); }

/// What a warp is about, besides its registers. All of it starts anew with each
/// warp that an object stands for.
struct WarpState {
  /// Lanes have been released from a barrier since this was reset.
  bool Released = false;
  /// Threads of a group have gone to different places since this was
  /// reset.
  bool Diverged = false;
  /// PC of the instruction that executes, and of the next for its group.
  uint32_t Current = 0, Next = 0;
  /// The lanes that execute together, whatever their guards are.
  LaneMask Group = 0;
  // Translated code counts both at once.
  uint64_t Issued = 0; ///< Instructions.
  uint64_t Time = 0;   ///< Cycles that the warp has issued for, by its stalls.
  /// Lanes that have arrived at the cluster's barrier and not at its end.
  LaneMask ArrivedAtCluster = 0;
  /// Groups of a warpgroup's products that the warp has committed.
  uint32_t ProductGroups = 0;
  /// Loads of what other devices or the host may have stored, since its time
  /// slice began or the warp did something that others see.
  uint32_t Polls = 0;

  LaneMask Exist = 0, Exited = 0;
  /// Lanes that wait at a BSYNC, a WARPSYNC, a CTA barrier or the cluster's.
  LaneMask WaitConv = 0, WaitSync = 0, WaitCTA = 0, WaitCluster = 0;
  LaneMask WaitAlone = 0; ///< Of WaitSync, those without an exchange.
  /// Lanes that synchronised with lanes at other instructions, for an exchange,
  /// and those of them that have come to it.
  LaneMask Apart = 0, WaitExchange = 0;
  LaneMask WaitBounded = 0; ///< Of WaitConv, lanes that do not wait forever.
  uint32_t Round = 0;       ///< How often a group was chosen.
  uint64_t FairAt = 0;      ///< Value of Issued at which other lanes run.
  uint64_t StopAt = 0;      ///< Value of Issued at which run returns.
  bool IsExact = false;     ///< Run returns there and not behind.
  uint64_t SliceEnd = 0;    ///< That of the group's time slice.
  bool IsWhole = false;     ///< All lanes that live are in the group.
  bool Stop = false;        ///< The group may not go on as it is.
  bool Continues = false;   ///< The group that prepare chose may go on.
  bool Yielded = false;
  bool Faulted = false;
  /// All lanes that live are at PCOfAll and have last run in this round; PC and
  /// LastRun do not say so.
  bool AreTogether = true;
  uint32_t PCOfAll = 0;
  /// While lanes wait for a bounded time: a state that the others were in, for
  /// how many looks, and for how many it is kept.
  uint64_t KeptState = 0;
  uint32_t StateAge = 0, StateLife = 1;
};

class Warp : private WarpState {
public:
  enum class Status { Running, Blocked, Done, Faulted };

  Warp();
  /// Makes it warp \p Index of \p Owner.
  void belongTo(CTA &Owner, unsigned Index);
  /// Begins with the threads of \p Exist, whatever the object stood for before.
  void start(LaneMask Exist);
  /// What the state of a warp with all its threads is where its first time
  /// slice begins, of so many instructions, at \p Entry.
  static WarpState beginning(uint32_t Entry, uint64_t Slice);
  /// Begins with that, with nothing in registers; where translated code begins
  /// the warp, it has done so itself.
  void begin(const WarpState &State);
  /// Goes on with what run does where translated code has returned.
  Status goOn();
  /// Runs until about \p MaxInstructions were issued, or \p Exactly so many,
  /// or nothing can.
  Status run(uint64_t MaxInstructions, bool Exactly);

  /// For a caller that decides when each instruction issues, in place of run:
  /// chooses the lanes that run next. While it says Running, nextPC and
  /// nextExec are those of the instruction that step executes.
  Status prepare();
  void step();
  uint32_t nextPC() const { return Next; }
  /// Instructions so far.
  uint64_t issued() const { return Issued; }
  /// The lanes of the group for which the guard of \p I holds.
  LaneMask execOf(const DecodedInst &I) const {
    if (I.Uniform)
      return UP[I.Guard] != I.GuardNegated ? Group : 0;
    return Group & predicate(I.Guard, I.GuardNegated);
  }

  // Register files; see the rows in Decoder.h.
  alignas(128) uint32_t R[NumRows][WarpSize];
  LaneMask B[NumConvergence][WarpSize];
  LaneMask P[NumPredicates];
  uint32_t UR[NumUniformRows];
  bool UP[NumPredicates];

  CTA *Owner = nullptr;
  const LaunchContext *Launch = nullptr;
  unsigned Index = 0;        ///< In the CTA.
  Warp *Following = nullptr; ///< The CTA's next one, or null.
  /// What the warp knows of weakly ordered memory; null without it.
  std::unique_ptr<MemoryObserver> Observer;

  // For the functions that execute instructions.

  using WarpState::ArrivedAtCluster;
  using WarpState::Current;
  using WarpState::Diverged;
  using WarpState::Group;
  using WarpState::Next;
  using WarpState::Polls;
  using WarpState::ProductGroups;
  using WarpState::Released;
  using WarpState::Time;

  LaneMask live() const { return Exist & ~Exited; }
  LaneMask dead() const { return ~Exist | Exited; }
  uint64_t reg64(unsigned Row, unsigned Lane) const {
    return R[Row][Lane] | uint64_t(R[Row + 1][Lane]) << 32;
  }
  void setReg64(unsigned Row, unsigned Lane, uint64_t Value) {
    R[Row][Lane] = static_cast<uint32_t>(Value);
    R[Row + 1][Lane] = static_cast<uint32_t>(Value >> 32);
  }
  uint64_t uniform64(unsigned Row) const {
    return UR[Row] | uint64_t(UR[Row + 1]) << 32;
  }
  LaneMask predicate(unsigned Number, bool Negated) const {
    return Negated ? ~P[Number] : P[Number];
  }

  /// The lanes of \p Exec go to \p Target, the rest of the group goes on.
  void branch(LaneMask Exec, uint32_t Target);
  /// As branch, with a target for each lane.
  void branchEach(LaneMask Exec, const uint32_t *Targets);
  void exitLanes(LaneMask Exec);
  void waitConvergence(LaneMask Exec, unsigned Register, bool Bounded);
  void leaveConvergence(LaneMask Exec, unsigned Register);
  /// The lanes of \p Exec wait for those of their masks, which may be at
  /// different instructions of the same kind. Unless it is \p Alone, the next
  /// exchange is one of all of them.
  void waitWarpSync(LaneMask Exec, const LaneMask *Masks, bool Alone);
  /// The lanes of \p Exec have come to an exchange. Returns the lanes that
  /// carry it out now, at this instruction or at the one in \p Insts; the
  /// others wait.
  LaneMask joinExchange(LaneMask Exec, const DecodedInst **Insts);
  /// The lanes of \p Exec wait for a CTA barrier, until released.
  void waitBarrier(LaneMask Exec);
  void releaseBarrier(LaneMask Lanes);
  /// The same for the cluster's barrier.
  void waitClusterBarrier(LaneMask Exec);
  void releaseClusterBarrier();
  /// Lets other lanes, then other warps, run.
  void yield();
  /// Ends the launch. The first fault counts.
  void fault(rt::FaultKind Kind, unsigned Lane, std::string Message,
             std::optional<uint64_t> Address = std::nullopt);
  /// The same with a fault of what runs inside of an instruction.
  void fault(rt::Fault F);
  bool faulted() const { return Faulted; }

  /// The host address of \p Bytes at a generic address, or null after a fault.
  uint8_t *resolveGeneric(unsigned Lane, uint64_t Address, unsigned Bytes,
                          bool Write);
  uint8_t *resolveGlobal(unsigned Lane, uint64_t Address, unsigned Bytes,
                         bool Write);
  uint8_t *resolveShared(unsigned Lane, uint32_t Offset, unsigned Bytes,
                         bool Write);
  uint8_t *resolveLocal(unsigned Lane, uint32_t Offset, unsigned Bytes,
                        bool Write);
  /// The same for a constant bank.
  const uint8_t *resolveConstant(unsigned Lane, unsigned Bank, uint32_t Offset,
                                 unsigned Bytes, uint64_t ReportAs);
  /// Reads a zero-terminated string; false after a fault.
  bool readString(unsigned Lane, uint64_t Address, std::string &Text);

  /// Makes the instruction that some lane waits at the current one, for faults.
  void blame();
  /// Adds what the blocked lanes wait for.
  void describeWaits(WaitReport &Report) const;
  /// Whether every lane that lives waits for another one.
  bool isBlocked() const { return !ready(); }
  /// The lanes that wait at a WARPSYNC, or a CTA barrier; and where a lane that
  /// waits does so.
  LaneMask waitingToConverge() const { return WaitSync; }
  LaneMask waitingAtBarrier() const { return WaitCTA; }
  LaneMask waitMask(unsigned Lane) const { return WaitMask[Lane]; }
  /// The lanes with which \p Lane exchanges next though they may be elsewhere.
  LaneMask partners(unsigned Lane) const {
    return Apart >> Lane & 1 ? WaitMask[Lane] : 0;
  }
  /// Whether any of some lanes is to exchange with lanes that may be elsewhere.
  bool isApart(LaneMask Lanes) const { return (Apart & Lanes) != 0; }
  uint32_t waitPC(unsigned Lane) const { return WaitPC[Lane]; }
  /// What translated code calls; see EmulatorFunctions.
  bool executeCounted(uint32_t First, uint32_t Last, uint32_t Counted);
  /// What a lane is doing.
  LaneView view(unsigned Lane) const;
  /// Where translated code finds the parts of a warp.
  static WarpLayout layout();

  /// Any lane that lives; for faults of the whole warp.
  unsigned anyLane() const { return live() ? std::countr_zero(live()) : 0; }

private:
  template <bool Strict> void runGroup();
  void runTranslated();
  Status runOn();
  void uncount(uint32_t First, uint32_t Last);
  bool mayGoOn() const;
  template <bool Strict> bool issue();
  const StraightRun *findRun() const;
  bool issueRun(const StraightRun &Run);
  LaneMask guard(const DecodedInst &I);
  void takeBack(uint32_t First, uint32_t End);
  bool checkIssue(const DecodedInst &I, LaneMask Exec);
  bool checkRules(const DecodedInst &I, LaneMask Exec);
  void chooseAll();
  bool selectGroup();
  void writeBack(LaneMask Lanes, uint32_t Value);
  void writeEach();
  void tryRelease();
  bool releaseConvergence();
  bool releaseWarpSync();
  void addState(std::vector<uint32_t> &State, LaneMask Lanes,
                uint32_t At) const;
  bool isRepeating();
  bool releaseBounded(uint32_t Least);
  LaneMask ready() const { return live() & ~waiting(); }
  LaneMask waiting() const {
    return WaitConv | WaitSync | WaitExchange | WaitCTA | WaitCluster;
  }
  void poisonRegisters();
  bool checkAlignment(unsigned Lane, uint64_t Address, unsigned Bytes);
  uint8_t *outOfBounds(unsigned Lane, uint64_t Address, unsigned Bytes,
                       bool Write, std::string Where);

  uint32_t PC[WarpSize]; ///< Of lanes that wait: where they go on.
  uint32_t WaitRegister[WarpSize];
  LaneMask WaitMask[WarpSize];
  uint32_t WaitPC[WarpSize];
  // Modulo 2^32, of which only differences count.
  uint32_t WaitSince[WarpSize]; ///< Value of Issued.
  uint32_t LastRun[WarpSize];   ///< Value of Round when the lane last ran.
  std::unique_ptr<HazardChecker> Hazards; ///< In the strict mode.
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_WARP_H
