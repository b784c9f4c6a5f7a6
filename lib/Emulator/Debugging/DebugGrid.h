//===- DebugGrid.h - A grid that a debugger runs ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a grid instruction by instruction on the thread that asks, and keeps
// what it takes to run it once more to the same place: the memory at its start,
// which warps were let run, and what the debugger has changed.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_DEBUGGRID_H
#define HEDDLE_LIB_EMULATOR_DEBUGGRID_H

#include "../Cluster.h"
#include "../GridOutcome.h"
#include "../MemorySnapshot.h"
#include "../PendingClusters.h"
#include "heddle/Emulator/Debug.h"

#include <deque>
#include <functional>
#include <map>

namespace heddle::emu {

/// Runs the grid as \p Master says. \p Launch has all that a
/// launch has; what it points to is replaced where the grid goes back.
/// An error if the debugger ends it.
llvm::Expected<rt::LaunchResult> runDebuggedGrid(LaunchContext &Launch,
                                                 Debugger &Master,
                                                 const rt::OutputSink &Sink);

/// What a debugger gets to know of loaded code.
std::shared_ptr<const CodeDescription>
describeCode(const LoadedCode &Code, llvm::ArrayRef<uint8_t> Object,
             const isa::ChipInfo &Chip);

class DebugGrid : public DebuggedGrid {
public:
  DebugGrid(LaunchContext &Launch, bool KeepsMemory,
            const rt::OutputSink &Sink);
  ~DebugGrid() override;

  rt::LaunchResult result() { return Outcome->result(); }
  bool isCancelledByDebugger() const { return Cancelled; }

  const CodeDescription &code() const override {
    return *Launch.Code.Description;
  }
  const rt::KernelInfo &kernel() const override { return Launch.Kernel; }
  const rt::LaunchConfig &config() const override { return Launch.Config; }
  uint64_t id() const override { return Launch.GridId; }
  uint32_t entry() const override { return Launch.Entry; }
  uint64_t numCTAs() const override {
    return Pending->count() * Launch.Cluster.count();
  }
  uint64_t doneCTAs() const override { return Done; }
  rt::Dim3 cluster() const override { return Launch.Cluster; }

  GridEvent resume(const ResumeRequest &Request) override;
  uint64_t steps() const override { return Steps; }
  std::string rewind(uint64_t To) override {
    return repeat(To, [](const GridEvent &) {});
  }
  std::string
  replay(llvm::function_ref<void(const GridEvent &)> Visit) override {
    return repeat(Steps, Visit);
  }
  void cancel() override { Cancelled = true; }
  const std::optional<rt::Fault> &fault() const override { return TheFault; }

  std::vector<CTAView> ctas() const override;
  bool has(WarpPlace W) const override { return findWarp(W) != nullptr; }
  rt::Dim3 coordinates(uint64_t CTA) const override;
  rt::Dim3 threadOf(WarpPlace W, unsigned Lane) const override;
  LaneView lane(WarpPlace W, unsigned Lane) const override;
  RegisterView registers(WarpPlace W) const override;
  void setRegister(WarpPlace W, uint32_t Lanes, RegisterFile File,
                   unsigned Number, uint32_t Value) override;
  llvm::ArrayRef<uint32_t> calls(WarpPlace W, unsigned Lane) const override;
  RegisterView registersAt(WarpPlace W, unsigned Lane,
                           size_t Call) const override;
  std::string barriers(uint64_t CTA) const override;
  std::vector<MBarrierUse> mbarriers(uint64_t CTA) const override;
  std::vector<TensorAllocation> tensorMemory(uint64_t CTA) const override;
  uint64_t sharedBytes() const override { return Launch.SharedBytes; }
  uint64_t localBytes() const override { return Launch.LocalBytes; }
  bool read(MemorySpace Space, WarpPlace W, unsigned Lane, uint64_t Address,
            llvm::MutableArrayRef<uint8_t> Out) override;
  std::vector<MemoryBlock> memory() const override;
  llvm::ArrayRef<uint8_t> constants() const override {
    const Allocation *A = Launch.Code.Constants;
    return A ? llvm::ArrayRef<uint8_t>(A->Host, A->Size)
             : llvm::ArrayRef<uint8_t>();
  }
  bool write(MemorySpace Space, WarpPlace W, unsigned Lane, uint64_t Address,
             llvm::ArrayRef<uint8_t> Bytes) override;

private:
  /// What is known of a warp beside the emulator's own.
  struct Seen {
    std::vector<uint32_t> Calls[WarpSize];
    /// Of each of these calls; a warp's lanes share one.
    std::vector<std::shared_ptr<const RegisterCopy>> AtCalls[WarpSize];
    /// Where it last stopped: its count of instructions, and one more.
    uint64_t StoppedAt = 0;
    uint32_t StoppedPC = 0;
  };
  /// Steps that some warp was chosen for in the same way.
  struct Choice {
    std::optional<WarpPlace> Only;
    uint64_t Steps = 0;
    bool Chose = false; ///< A warp for one more step, which was not taken.
  };
  /// What the debugger changed.
  struct Edit {
    uint64_t After; ///< So many steps.
    std::function<void(DebugGrid &)> Apply;
  };
  /// A range that is watched.
  struct Watched {
    uint8_t *Host = nullptr; ///< Null if it is nowhere.
    std::vector<uint8_t> Bytes;
  };

  void startOver();
  std::string repeat(uint64_t To,
                     llvm::function_ref<void(const GridEvent &)> Visit);
  void startClusters();
  Warp *choose(const std::optional<WarpPlace> &Only);
  Warp *chooseInTurn();
  Warp *chooseIn(Cluster &C);
  void deadlock(Cluster &C);
  bool execute(Warp &W);
  void follow(Warp &W, const DecodedInst &I, LaneMask Exec, uint32_t PC,
              const std::shared_ptr<const RegisterCopy> &Before);
  /// Where a lane accesses an mbarrier: the CTA's number and the address.
  using BarrierPlace = std::pair<uint64_t, uint32_t>;
  using BarrierAccesses = llvm::SmallVector<std::pair<unsigned, BarrierPlace>>;
  static BarrierAccesses barriersOf(Warp &W, const DecodedInst &I,
                                    LaneMask Exec);
  void followBarriers(Warp &W, const DecodedInst &I, uint32_t PC,
                      const BarrierAccesses &Accesses);
  bool stepFollowed(Warp &W);
  void endSlice();
  void finishIfDone(Cluster &C);
  bool isCancelled() const;
  bool isPastStop(Warp &W, const ResumeRequest &Request);
  std::optional<GridEvent> step(const ResumeRequest &Request,
                                std::vector<Watched> &Watches, GridEvent &Last);
  void endWithFault();
  GridEvent eventAt(GridEvent::KindType Kind, Warp &W) const;
  GridEvent faultEvent() const;
  Choice &log(const std::optional<WarpPlace> &Only);

  std::vector<Watched> beginWatching(llvm::ArrayRef<WatchRange> Ranges);
  LaneMask accessing(Warp &W, const DecodedInst &I, const WatchRange &Range,
                     LaneMask Exec, unsigned Access) const;
  void stepWatched(Warp &W, const ResumeRequest &Request,
                   std::vector<Watched> &All, std::vector<WatchHit> &Hits);

  CTA *findCTA(uint64_t Number) const;
  Warp *findWarp(WarpPlace W) const;
  static WarpPlace placeOf(const Warp &W) { return {W.Owner->Number, W.Index}; }
  uint8_t *locate(MemorySpace Space, WarpPlace W, unsigned Lane,
                  uint64_t Address, uint64_t Bytes, bool Write) const;

  LaunchContext &Launch;
  rt::OutputSink Sink;
  uint64_t Delivered = 0, Printed = 0; ///< Bytes: in all, and by this run.
  rt::OutputSink Deliver;
  std::optional<PendingClusters> Pending;
  std::optional<GridOutcome> Outcome;
  std::deque<std::unique_ptr<Cluster>> Resident;
  std::map<WarpPlace, Seen> Warps;
  /// Mbarriers that there are: who made them, and which lanes wait.
  struct BarrierSeen {
    uint32_t PC = 0;
    std::map<WarpPlace, LaneMask> Waiting;
  };
  std::map<BarrierPlace, BarrierSeen> MBarriers;
  size_t ResidentLimit;
  std::optional<rt::Fault> TheFault;
  bool IsOver = false, Cancelled = false;
  uint64_t Steps = 0, Done = 0;
  // Whose turn it is: the warp of a cluster, counted over its CTAs.
  size_t Turn = 0;
  uint64_t SliceLeft = 0, ClusterLeft = 0;
  // What it takes to go back.
  std::optional<MemorySnapshot> AtStart;
  std::string NoWayBack; ///< Why it cannot.
  std::vector<Choice> Choices;
  std::vector<Edit> Edits;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_DEBUGGRID_H
