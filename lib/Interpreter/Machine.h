//===- Machine.h - Threads, warps, CTAs and clusters ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of a running grid. Each thread runs on its own; what threads do
// together, they wait for: an operation of a warp is carried out when every
// lane that its mask names has come to it, a barrier when every warp has. So
// results depend on no order of the threads in a program without races.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_INTERPRETER_MACHINE_H
#define HEDDLE_LIB_INTERPRETER_MACHINE_H

#include "Instruction.h"
#include "Memory.h"
#include "Program.h"
#include "heddle/Interpreter/Interpreter.h"
#include "heddle/Runtime/Device.h"
#include "heddle/Support/RandomGenerator.h"

#include <array>
#include <memory>
#include <optional>

namespace heddle::interp {

constexpr unsigned WarpSize = 32;
constexpr unsigned NumBarriers = 16;
/// Most operands or results of an instruction that only computes.
constexpr unsigned MaxOperands = 16;

class CTA;
class Cluster;
class Warp;

/// What all threads of a launch share.
struct LaunchState {
  const InterpreterOptions &Options;
  Program &Code;
  const Kernel &Entry;
  const rt::LaunchConfig &Config;
  DeviceMemory &Memory;
  const rt::EndpointTable &Endpoints;
  const rt::OutputSink &Sink;
  rt::Dim3 Cluster = {}; ///< In CTAs.
  uint64_t GridId = 0;
  uint32_t SharedBytes = 0;
  uint64_t Begun = 0;        ///< Clusters that began or were cancelled.
  uint64_t Instructions = 0; ///< Of all threads so far.
  RandomGenerator Schedule{Options.ScheduleSeed};
  std::optional<rt::Fault> Fault = std::nullopt;

  /// A number below \p Bound for the schedule; 0 without a seed.
  uint64_t random(uint64_t Bound);
};

/// A call in progress.
struct Frame {
  const Function *F = nullptr;
  uint32_t PC = 0; ///< Where to go on, in the caller.
  uint32_t FirstRegister = 0;
  uint64_t StackTop = 0; ///< When the function was entered.
};

/// A variable of the source in local memory, while somebody listens.
struct FollowedVariable {
  static constexpr uint64_t MostBytes = 512;

  const Function *F;
  const Modifiers *Mods;
  size_t Calls; ///< In progress when it was there.
  uint64_t Address, Bytes;
  std::vector<uint8_t> Content; ///< As it was told last.
};

class Thread {
public:
  enum class State : uint8_t { Ready, InWarp, AtBarrier, InCluster, Done };

  Thread(CTA &Owner, Warp &W, uint32_t Number);

  /// Runs up to \p Count instructions; fewer when the thread has to wait, ends
  /// or fails. Returns how many it ran.
  uint64_t run(uint64_t Count);

  Bits reg(uint32_t Number) const { return Registers[Top + Number]; }
  Bits operand(const Instruction &I, unsigned N) const {
    return reg(I.Operands[N]);
  }
  bool hasOperand(const Instruction &I, unsigned N) const {
    return N < I.Operands.size() && I.Operands[N] != NoRegister;
  }
  void setResult(const Instruction &I, unsigned N, Bits Value) {
    if (N < I.Results.size())
      Registers[Top + I.Results[N]] = lowBits(Value, I.ResultWidths[N]);
  }
  /// Follows an edge; its moves are simultaneous.
  void follow(const Edge &E);
  /// The instruction that the thread is at.
  const Instruction &current() const { return F->Code[PC]; }
  /// Goes on with the next instruction after waiting.
  void resume() {
    Status = State::Ready;
    ++PC;
  }

  // Calls.
  Outcome call(const Function &Callee, const Instruction &I,
               llvm::ArrayRef<Bits> Arguments);
  Outcome returnFrom(const Instruction &I);
  void end();

  // Memory.
  /// The host's place of \p Size bytes that may be read or written, or null
  /// after a fault.
  uint8_t *access(ptxir::Space Space, uint64_t Address, uint64_t Size,
                  uint64_t Align, bool IsWrite);
  /// Address of \p Size new bytes in local memory, or none after a fault.
  std::optional<uint64_t> allocateLocal(uint64_t Size, uint64_t Align);
  /// A string of the kernel's; none after a fault.
  std::optional<std::string> readString(uint64_t Address);

  // Variables of the source (InterpretControl.cpp).
  size_t calls() const { return Frames.size(); }
  void followVariable(FollowedVariable V);
  /// Something was stored.
  void noteStore() {
    if (!Followed.empty())
      tellStored();
  }

  Outcome fault(rt::FaultKind Kind, const llvm::Twine &Message,
                std::optional<uint64_t> Address = std::nullopt);

  CTA &Owner;
  Warp &W;
  uint32_t Number; ///< In the CTA.
  uint32_t Lane;
  rt::Dim3 Index;
  State Status = State::Ready;
  uint32_t Mask = 0;    ///< While it waits in its warp: the lanes.
  uint32_t Awaited = 0; ///< While it waits at a barrier: its number.
  bool Arrived = false; ///< While it waits at a barrier: its warp has arrived.
  const Function *F = nullptr;
  uint32_t PC = 0;
  uint64_t StackTop = 0;
  uint64_t Steps = 0;           ///< Instructions so far.
  uint64_t ClusterArrivals = 0; ///< Phases of the cluster's barrier.

private:
  uint8_t *generic(uint64_t Address, uint64_t Size, bool IsWrite);
  uint8_t *local(uint64_t Address, uint64_t Size);
  void compute(const Instruction &I);
  void enter(const Function &Callee);
  void tellStored();

  uint32_t Top = 0; ///< The current function's first register.
  std::vector<Bits> Registers;
  std::vector<Frame> Frames;
  std::vector<uint8_t> Local;
  std::vector<FollowedVariable> Followed;
};

/// Up to 32 threads with consecutive numbers.
class Warp {
public:
  Warp(CTA &Owner, uint32_t Number) : Owner(Owner), Number(Number) {}

  /// Carries out the operation that lanes wait at, if all that take part have
  /// come.
  void tryTogether(Thread &Newcomer);
  /// A lane ended, which others may have waited for.
  void laneEnded();
  uint32_t live() const;
  Thread &lane(unsigned N) const { return *Lanes[N]; }

  CTA &Owner;
  uint32_t Number;
  std::array<Thread *, WarpSize> Lanes{};
};

/// One of the sixteen barriers of a CTA.
struct Barrier {
  /// Threads that wait until their warp or all warps have arrived.
  std::vector<Thread *> Waiting;
  uint64_t Arrivals = 0;        ///< Warps since the last completion.
  uint64_t Expected = 0;        ///< Threads; 0: all.
  uint64_t True = 0, False = 0; ///< Predicates of .red.
};

class CTA {
public:
  CTA(LaunchState &Launch, Cluster &Group, rt::Dim3 Index, uint32_t Rank);

  /// A thread has come to the barrier instruction that it is at.
  Outcome atBarrier(Thread &T, const Instruction &I);
  /// A thread ended, which barriers may have waited for.
  void threadEnded(Thread &T);

  LaunchState &Launch;
  Cluster &Group;
  rt::Dim3 Index; ///< In the grid.
  uint32_t Rank;  ///< In the cluster.
  std::vector<uint8_t> Shared;
  std::vector<std::unique_ptr<Warp>> Warps;
  std::vector<std::unique_ptr<Thread>> Threads;
  uint64_t LiveThreads = 0;

private:
  void update(unsigned Id);

  std::array<Barrier, NumBarriers> Barriers;
};

/// CTAs that are launched together. A launch without clusters has one CTA in
/// each.
class Cluster {
public:
  enum class Progress : uint8_t { Running, Done, Faulted };

  Cluster(LaunchState &Launch, uint64_t Number);
  /// Gives every thread time slices until about \p Count instructions have run.
  Progress run(uint64_t Count);

  /// barrier.cluster.arrive and .wait.
  Outcome arrive(Thread &T);
  Outcome wait(Thread &T);
  /// A thread ended, which the cluster's barrier may have waited for.
  void threadEnded(Thread &T);

  LaunchState &Launch;
  rt::Dim3 Index; ///< Among the clusters.
  std::vector<std::unique_ptr<CTA>> CTAs;
  uint64_t LiveThreads = 0;

private:
  void updateBarrier();
  void reportDeadlock();

  uint64_t Arrivals = 0;    ///< Live threads that arrived in this phase.
  uint64_t Completions = 0; ///< Phases of the cluster's barrier.
};

} // namespace heddle::interp

#endif // HEDDLE_LIB_INTERPRETER_MACHINE_H
