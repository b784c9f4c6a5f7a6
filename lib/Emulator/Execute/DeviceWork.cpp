//===- DeviceWork.cpp - What kernels launch ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The queue, and the system calls that fill it.
//
//===----------------------------------------------------------------------===//

#include "Execute/DeviceWork.h"
#include "CTA.h"
#include "heddle/Runtime/Occupancy.h"
#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace llvm;

namespace heddle::emu {

using isa::DeviceError;
using isa::DeviceQuery;
using isa::DeviceStream;

WorkRunner::~WorkRunner() = default;

//===----------------------------------------------------------------------===//
// The queue
//===----------------------------------------------------------------------===//

void DeviceWorkQueue::add(uint64_t CTA, Work W) {
  std::lock_guard Lock(Mutex);
  (W.Stream == DeviceStream::End ? AtEnd : Ordered)[CTA].push_back(
      std::move(W));
}

std::vector<Work> DeviceWorkQueue::take() {
  std::lock_guard Lock(Mutex);
  std::vector<Work> All;
  for (auto *Lists : {&Ordered, &AtEnd}) {
    for (auto &[CTA, List] : *Lists)
      std::move(List.begin(), List.end(), std::back_inserter(All));
    Lists->clear();
  }
  return All;
}

std::optional<rt::Fault> DeviceWorkQueue::synchronize(uint64_t CTA) {
  std::vector<Work> Now;
  {
    std::lock_guard Lock(Mutex);
    Now = std::exchange(Ordered[CTA], {});
  }
  return Now.empty() ? std::nullopt : Runner.run(std::move(Now));
}

uint64_t DeviceWorkQueue::swapError(uint64_t CTA, uint64_t Thread,
                                    uint64_t Code) {
  std::lock_guard Lock(Mutex);
  auto Place = Errors.try_emplace({CTA, Thread}, 0).first;
  uint64_t Before = std::exchange(Place->second, Code);
  if (!Code)
    Errors.erase(Place);
  return Before;
}

uint64_t DeviceWorkQueue::newHandle() {
  // Small numbers are streams with a meaning.
  constexpr uint64_t First = 0x100;
  std::lock_guard Lock(Mutex);
  return First + Handles++;
}

//===----------------------------------------------------------------------===//
// System calls
//===----------------------------------------------------------------------===//

static constexpr unsigned Arg0 = isa::abi::FirstArgument;

/// The kernel that a pointer leads to; none if that is no kernel's.
static std::optional<unsigned> kernelAt(const LoadedCode &Code,
                                        uint64_t Pointer) {
  auto F = find_if(Code.Functions, [&](const LoadedFunction &F) {
    return F.Pointer == Pointer;
  });
  if (F == Code.Functions.end())
    return std::nullopt;
  StringRef Name = F->Section;
  auto Kernel =
      Name.consume_front(".text.")
          ? find_if(Code.Kernels, [&](const auto &K) { return K.Name == Name; })
          : Code.Kernels.end();
  return Kernel == Code.Kernels.end()
             ? std::nullopt
             : std::optional<unsigned>(Kernel - Code.Kernels.begin());
}

/// The most threads that a CTA of a kernel can have.
static uint32_t blockLimit(const rt::DeviceProperties &P,
                           const rt::KernelInfo &Kernel) {
  uint64_t Threads = P.ThreadsPerCTA;
  if (Kernel.MaxBlock)
    Threads = std::min(Threads, Kernel.MaxBlock->count());
  while (Threads && !rt::computeOccupancy(P, Kernel, Threads, 0).CTAsPerCore)
    Threads -= std::min<uint64_t>(Threads, P.WarpSize);
  return Threads;
}

/// What is asked of a kernel.
static uint64_t queryKernel(const LaunchContext &Launch, DeviceQuery What,
                            uint64_t Pointer, uint64_t A, uint64_t B) {
  std::optional<unsigned> Index = kernelAt(Launch.Code, Pointer);
  if (!Index)
    return ~uint64_t(0);
  const rt::KernelInfo &Kernel = Launch.Code.Kernels[*Index];
  rt::DeviceProperties P = rt::chipProperties(Launch.Chip);
  switch (What) {
  case DeviceQuery::ParamBytes:
    return Kernel.ParamBytes;
  case DeviceQuery::Registers:
    return Kernel.Registers;
  case DeviceQuery::SharedBytes:
    return Launch.Code.SharedBytes[*Index];
  case DeviceQuery::LocalBytes:
    return Kernel.LocalBytes;
  case DeviceQuery::ConstantBytes:
    return Launch.Code.Constants ? Launch.Code.Constants->Size : 0;
  case DeviceQuery::BlockLimit:
    return blockLimit(P, Kernel);
  default: // ResidentCTAs
    return rt::computeOccupancy(P, Kernel, A, B).CTAsPerCore;
  }
}

static uint64_t queryChip(const isa::ChipInfo &Chip, DeviceQuery What) {
  rt::DeviceProperties P = rt::chipProperties(Chip);
  switch (What) {
  case DeviceQuery::Cores:
    return P.Cores;
  case DeviceQuery::ThreadsPerCTA:
    return P.ThreadsPerCTA;
  case DeviceQuery::ThreadsPerCore:
    return uint64_t(P.WarpsPerCore) * P.WarpSize;
  case DeviceQuery::SharedBytesPerCTA:
    return P.SharedBytesPerCTA;
  case DeviceQuery::SharedBytesPerCore:
    return P.SharedBytesPerCore;
  case DeviceQuery::RegistersPerCore:
    return P.RegistersPerCore;
  default: // ClockKHz
    return uint64_t(P.ClockMHz) * 1000;
  }
}

/// Runs what the CTA has enqueued inside of this call. Other warps of the CTA
/// wait meanwhile.
static void synchronize(Warp &W) {
  W.Owner->flushReductions();
  std::optional<rt::Fault> Fault = W.Launch->Work->synchronize(W.Owner->Number);
  if (Fault)
    W.fault(std::move(*Fault));
}

/// Where a member has what is at a multimem address; nowhere if there is no
/// such member.
static uint64_t memberAt(const DeviceMemory &Memory, uint64_t Address,
                         uint64_t Number) {
  SmallVector<uint64_t, 8> Members = Memory.membersAt(Address);
  return Number < Members.size() ? Members[Number] : 0;
}

void callDeviceQuery(Warp &W, unsigned Lane) {
  auto What = static_cast<DeviceQuery>(W.R[Arg0][Lane]);
  uint64_t A = W.reg64(Arg0 + 2, Lane), B = W.reg64(Arg0 + 4, Lane),
           C = W.reg64(Arg0 + 6, Lane);
  uint64_t Answer = 0;
  if (What <= DeviceQuery::ResidentCTAs)
    Answer = queryKernel(*W.Launch, What, A, B, C);
  else if (What <= DeviceQuery::ClockKHz)
    Answer = queryChip(W.Launch->Chip, What);
  else if (What == DeviceQuery::NewHandle)
    Answer = W.Launch->Work->newHandle();
  else if (What == DeviceQuery::SwapError)
    Answer = W.Launch->Work->swapError(W.Owner->Number,
                                       W.Index * WarpSize + Lane, A);
  else if (What == DeviceQuery::Synchronize)
    synchronize(W);
  else if (What == DeviceQuery::MultiGridRecord)
    Answer = W.Launch->Config.MultiGrid;
  else if (What == DeviceQuery::MulticastMembers)
    Answer = W.Launch->Memory.membersAt(A).size();
  else if (What == DeviceQuery::MulticastMember)
    Answer = memberAt(W.Launch->Memory, A, B);
  else
    W.fault(rt::FaultKind::IllegalInstruction, Lane,
            "a question that the device does not know");
  W.setReg64(Arg0, Lane, Answer);
}

/// The work that a block of memory describes, or what is wrong with it.
static DeviceError readWork(const LaunchContext &Launch,
                            const isa::DeviceWork &From,
                            const Allocation &Block, Work &To) {
  To.Stream = From.Stream;
  if (From.Kind == isa::DeviceWorkKind::Copy) {
    To.What = rt::RowCopy{{From.To, false, From.ToPitch},
                          {From.From, false, From.FromPitch},
                          From.RowBytes,
                          From.Rows};
    return DeviceError::None;
  }
  if (From.Kind == isa::DeviceWorkKind::Fill) {
    To.What = FillWork{From.To, static_cast<uint8_t>(From.Value), From.RowBytes,
                       From.Rows, From.ToPitch};
    return DeviceError::None;
  }
  std::optional<unsigned> Kernel = kernelAt(Launch.Code, From.Function);
  if (From.Kind != isa::DeviceWorkKind::Grid || !Kernel)
    return DeviceError::InvalidFunction;
  GridWork Grid;
  Grid.Kernel = *Kernel;
  Grid.Shape.Grid = {From.Grid[0], From.Grid[1], From.Grid[2]};
  Grid.Shape.Block = {From.Block[0], From.Block[1], From.Block[2]};
  Grid.Shape.DynamicSharedBytes = From.DynamicSharedBytes;
  uint64_t Bytes = Launch.Code.Kernels[*Kernel].ParamBytes;
  // Buffers of the older interface have the size that their maker asked for.
  Grid.Params.resize(Bytes);
  std::memcpy(Grid.Params.data(), Block.Host + sizeof(From),
              std::min(Bytes, Block.Size - sizeof(From)));
  DeviceError Wrong = Launch.Work->Runner.check(Grid);
  To.What = std::move(Grid);
  return Wrong;
}

void callDeviceEnqueue(Warp &W, unsigned Lane) {
  uint64_t Address = W.reg64(Arg0, Lane);
  W.Owner->flushReductions();
  const Allocation *Block = W.Owner->findBlock(Address);
  if (!Block || Block->Base != Address || !Block->FromKernel ||
      Block->Size < sizeof(isa::DeviceWork)) {
    W.R[Arg0][Lane] = static_cast<uint32_t>(DeviceError::InvalidValue);
    return;
  }
  isa::DeviceWork Described;
  std::memcpy(&Described, Block->Host, sizeof(Described));
  Work Made;
  DeviceError Wrong = readWork(*W.Launch, Described, *Block, Made);
  if (Wrong == DeviceError::None)
    W.Launch->Work->add(W.Owner->Number, std::move(Made));
  W.Launch->Memory.heapFree(Address);
  W.R[Arg0][Lane] = static_cast<uint32_t>(Wrong);
}

} // namespace heddle::emu
