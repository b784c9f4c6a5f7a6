//===- Debug.h - What a debugger sees of the emulator -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An emulator that has a debugger hands each grid to it, and the debugger says
// how far the grid runs. In between the grid stands still: its warps, registers
// and memories may be read and written. The debugger knows breakpoints, lines
// and commands; the emulator knows only program counters and steps.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_EMULATOR_DEBUG_H
#define HEDDLE_EMULATOR_DEBUG_H

#include "heddle/Runtime/Device.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::emu {

/// A section of code in a module. A program counter (PC) is the number of an
/// instruction in the module.
struct CodeBlock {
  std::string Name;     ///< Such as `.text.saxpy`.
  uint32_t First = 0;   ///< PC of its first instruction.
  uint32_t Count = 0;   ///< Instructions.
  uint32_t Section = 0; ///< Index in the code object.
};

/// A module as it was loaded.
struct CodeDescription {
  std::vector<uint8_t> Object; ///< The code object; empty for raw kernels.
  std::string Chip;            ///< What it is for.
  std::vector<CodeBlock> Blocks;
  std::vector<uint32_t> Offsets; ///< In bytes, by PC, from the first one's; and
                                 ///< of the end.
  std::vector<rt::SymbolInfo> Symbols;

  /// The block that has a PC; null if none.
  const CodeBlock *blockOf(uint32_t PC) const;
  /// Bytes from the start of its block to a PC.
  uint64_t offsetOf(uint32_t PC) const;
  /// The PC at an offset in a block; none if no instruction begins there.
  std::optional<uint32_t> pcAt(const CodeBlock &Block, uint64_t Offset) const;
};

/// A warp of a grid.
struct WarpPlace {
  uint64_t CTA = 0; ///< In the grid's linear order.
  uint32_t Warp = 0;
  auto operator<=>(const WarpPlace &) const = default;
};

/// What a thread of a warp is doing.
enum class LaneState : uint8_t {
  Absent, ///< The CTA has fewer threads.
  Exited,
  Active, ///< It is among those that execute next.
  Ready,  ///< It may go on, and others of the warp do so first.
  AtConvergence,
  AtWarpSync,
  AtExchange,
  AtBarrier,
  AtClusterBarrier,
};

struct LaneView {
  LaneState State = LaneState::Absent;
  /// The next instruction, or the one at which the lane waits.
  uint32_t PC = 0;
  /// Lanes of the warp that it waits for.
  uint32_t WaitsFor = 0;
};

/// The registers of a warp, as far as its kernel's code names them.
struct RegisterView {
  unsigned Vectors = 0, Uniforms = 0, Convergences = 0;
  const uint32_t (*Vector)[32] = nullptr;
  const uint32_t (*Convergence)[32] = nullptr;
  const uint32_t *Predicates = nullptr; ///< P0 to P6, a bit for each lane.
  const uint32_t *Uniform = nullptr;
  const bool *UniformPredicates = nullptr; ///< UP0 to UP6.
};

/// Registers as they were.
struct RegisterCopy {
  RegisterCopy() = default;
  explicit RegisterCopy(const RegisterView &V);
  RegisterView view() const;

  std::vector<uint32_t> Vector, Convergence; ///< Row by row.
  std::vector<uint32_t> Predicates, Uniform;
  std::array<bool, 8> UniformPredicates = {};
};

enum class RegisterFile : uint8_t {
  Vector,
  Predicate,
  Uniform,
  UniformPredicate,
};

/// A CTA on the chip.
struct CTAView {
  uint64_t Number = 0;
  rt::Dim3 Coordinates;
  unsigned Warps = 0;
  bool Running = false; ///< Some thread can go on.
  uint32_t Core = 0;    ///< What %smid says.
};

/// An address in tensor memory has the lane in its bits 31..16 and the column
/// below; bytes go on in the next column of the lane.
enum class MemorySpace : uint8_t {
  Generic,
  Shared,
  Local,
  Constant,
  Param,
  Tensor,
};

/// Columns of tensor memory that belong to somebody.
struct TensorAllocation {
  uint32_t First = 0, Columns = 0;
  uint32_t PC = 0; ///< Of the instruction that took them.
  bool IsExclusive = false;
};

/// What the bits of an mbarrier say.
struct MBarrierState {
  bool Phase = false;
  uint32_t Pending = 0, Expected = 0; ///< Arrivals: missing, and of a phase.
  int32_t Bytes = 0;                  ///< That are missing.
  bool IsLayout1 = false;
  std::optional<uint8_t> Report;
};

/// An mbarrier that a program has made and not unmade.
struct MBarrierUse {
  uint32_t Address = 0; ///< In the CTA's shared memory.
  uint32_t PC = 0;      ///< Of the instruction that made it.
  /// Lanes that have looked in vain for the end of a phase, and at no other
  /// mbarrier since.
  std::vector<std::pair<WarpPlace, uint32_t>> Waiting;
};

/// Bytes that a debugger watches.
struct WatchRange {
  enum Access : uint8_t { Write = 1, Read = 2 };

  MemorySpace Space = MemorySpace::Generic;
  WarpPlace Of; ///< For shared and local memory.
  unsigned Lane = 0;
  uint64_t Address = 0;
  uint32_t Bytes = 0;
  uint8_t On = Write; ///< A set of Access. Writes count if they change a value.
};

/// How far a grid shall go.
struct ResumeRequest {
  /// The others stand still, unless this one waits for them.
  std::optional<WarpPlace> Only;
  /// By PC, whether to stop in front of it; null: nowhere.
  const std::vector<uint8_t> *Stops = nullptr;
  llvm::ArrayRef<WatchRange> Watches;
  uint64_t MaxSteps = ~uint64_t(0);
  /// A step of one of these is the last.
  llvm::ArrayRef<WarpPlace> Each;
  /// A warp does not stop once more in front of the PC at which it stands.
  std::optional<std::pair<WarpPlace, uint32_t>> Past;
  /// Once true, it stops soon; null: nothing interrupts.
  const std::atomic<bool> *Interrupt = nullptr;
};

/// A range of ResumeRequest::Watches that the last step accessed.
struct WatchHit {
  unsigned Range = 0;
  uint32_t Lanes = 0; ///< That did so; 0 if it is not known.
  bool Changed = false;
  std::vector<uint8_t> Before; ///< What was there.
};

/// Why a grid stands still.
struct GridEvent {
  enum KindType : uint8_t {
    Stop,        ///< A warp has come to a PC of ResumeRequest::Stops.
    Steps,       ///< ResumeRequest::MaxSteps are done.
    Watch,       ///< A watched range was accessed by the last step.
    Fault,       ///< DebuggedGrid::fault says of what.
    WarpOver,    ///< The only warp to run has no more threads.
    Interrupted, ///< As ResumeRequest::Interrupt said.
    Over,        ///< All of the grid is done, or it was cancelled.
  };
  KindType Kind = Over;
  WarpPlace At;       ///< The warp that stopped, or that ran last.
  uint32_t PC = 0;    ///< What it executes next, or of a Watch has executed.
  uint32_t Group = 0; ///< Lanes that do so together,
  uint32_t Exec = 0;  ///< and those whose guard holds; all for a branch.
  std::vector<WatchHit> Hits; ///< Of a Watch.
};

/// A live block of global memory.
struct MemoryBlock {
  uint64_t Address = 0;
  llvm::ArrayRef<uint8_t> Bytes;
};

/// A grid that stands still.
class DebuggedGrid {
public:
  virtual ~DebuggedGrid();

  virtual const CodeDescription &code() const = 0;
  virtual const rt::KernelInfo &kernel() const = 0;
  virtual const rt::LaunchConfig &config() const = 0;
  virtual uint64_t id() const = 0;    ///< From 1 on, on a device.
  virtual uint32_t entry() const = 0; ///< PC.
  virtual uint64_t numCTAs() const = 0;
  virtual uint64_t doneCTAs() const = 0;
  /// In CTAs.
  virtual rt::Dim3 cluster() const = 0;

  /// Whether it may run on; else it only looks like a grid.
  virtual bool canRun() const { return true; }
  virtual GridEvent resume(const ResumeRequest &Request) = 0;
  /// Instructions that warps have executed so far.
  virtual uint64_t steps() const = 0;
  /// Lets the grid be as it was after so many steps, at most steps(). Returns
  /// why it cannot be, or nothing.
  virtual std::string rewind(uint64_t Steps) = 0;
  /// Runs all steps so far once more and calls \p Visit in front of each, with
  /// what it executes; then the grid stands where it stood. Returns why it
  /// cannot, or nothing.
  virtual std::string
  replay(llvm::function_ref<void(const GridEvent &)> Visit) = 0;
  /// Ends the grid, which then counts as cancelled.
  virtual void cancel() = 0;
  /// What ended the grid.
  virtual const std::optional<rt::Fault> &fault() const = 0;

  /// CTAs that have begun and have not ended.
  virtual std::vector<CTAView> ctas() const = 0;
  /// Whether a warp is on the chip; what follows is of such warps only.
  virtual bool has(WarpPlace W) const = 0;
  virtual rt::Dim3 coordinates(uint64_t CTA) const = 0;
  virtual rt::Dim3 threadOf(WarpPlace W, unsigned Lane) const = 0;
  virtual LaneView lane(WarpPlace W, unsigned Lane) const = 0;
  virtual RegisterView registers(WarpPlace W) const = 0;
  /// Registers behind those that RegisterView counts are left alone.
  virtual void setRegister(WarpPlace W, uint32_t Lanes, RegisterFile File,
                           unsigned Number, uint32_t Value) = 0;
  /// PCs of the calls that a lane is in, outermost first.
  virtual llvm::ArrayRef<uint32_t> calls(WarpPlace W, unsigned Lane) const = 0;
  /// What registers were at one of these calls.
  virtual RegisterView registersAt(WarpPlace W, unsigned Lane,
                                   size_t Call) const = 0;
  /// What CTA barriers wait for; empty if none is in use.
  virtual std::string barriers(uint64_t CTA) const = 0;
  virtual std::vector<MBarrierUse> mbarriers(uint64_t CTA) const = 0;
  virtual std::vector<TensorAllocation> tensorMemory(uint64_t CTA) const = 0;
  virtual uint64_t sharedBytes() const = 0;
  virtual uint64_t localBytes() const = 0;
  /// Reads; false if not all bytes are there. Global memory is what generic
  /// addresses name.
  virtual bool read(MemorySpace Space, WarpPlace W, unsigned Lane,
                    uint64_t Address, llvm::MutableArrayRef<uint8_t> Out) = 0;
  /// The same for writing; parameters and constants cannot be written.
  virtual bool write(MemorySpace Space, WarpPlace W, unsigned Lane,
                     uint64_t Address, llvm::ArrayRef<uint8_t> Bytes) = 0;
  /// All of global memory.
  virtual std::vector<MemoryBlock> memory() const = 0;
  /// Constant bank 3; empty if the module has none.
  virtual llvm::ArrayRef<uint8_t> constants() const = 0;
};

/// None if the bits are no mbarrier's.
std::optional<MBarrierState> readMBarrier(uint64_t Bits);

/// What an emulator calls, from any thread; several grids may come at once.
class Debugger {
public:
  virtual ~Debugger();

  virtual void load(std::shared_ptr<const CodeDescription> Code) = 0;
  virtual void unload(const CodeDescription &Code) = 0;
  /// A grid is about to begin. What it has not done by the return, it does
  /// then.
  virtual void run(DebuggedGrid &Grid) = 0;
  /// Whether a grid shall be able to go back, which takes a copy of all memory
  /// of \p Bytes.
  virtual bool wantsRewind(uint64_t Bytes) = 0;
  /// Whether it has left, and grids run as if there had been none.
  virtual bool hasLeft() const { return false; }
};

} // namespace heddle::emu

#endif // HEDDLE_EMULATOR_DEBUG_H
