//===- DebugState.cpp - The state of a grid that stands still ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What debuggers read and write of a grid: its CTAs, warps, registers and
// memories.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Async/AsyncUnit.h"
#include "Debugging/DebugGrid.h"
#include "Matrix/TensorMemory.h"
#include "SharedAddress.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

using namespace llvm;

namespace heddle::emu {

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

const CodeBlock *CodeDescription::blockOf(uint32_t PC) const {
  auto It = std::upper_bound(
      Blocks.begin(), Blocks.end(), PC,
      [](uint32_t PC, const CodeBlock &B) { return PC < B.First; });
  if (It == Blocks.begin())
    return nullptr;
  --It;
  return PC - It->First < It->Count ? &*It : nullptr;
}

uint64_t CodeDescription::offsetOf(uint32_t PC) const {
  const CodeBlock *B = blockOf(PC);
  return B ? Offsets[PC] - Offsets[B->First] : 0;
}

std::optional<uint32_t> CodeDescription::pcAt(const CodeBlock &Block,
                                              uint64_t Offset) const {
  auto First = Offsets.begin() + Block.First, Last = First + Block.Count;
  auto It = std::lower_bound(First, Last, *First + Offset);
  if (It == Last || *It != *First + Offset)
    return std::nullopt;
  return uint32_t(It - Offsets.begin());
}

std::shared_ptr<const CodeDescription> describeCode(const LoadedCode &Code,
                                                    ArrayRef<uint8_t> Object,
                                                    const isa::ChipInfo &Chip) {
  auto D = std::make_shared<CodeDescription>();
  D->Object.assign(Object.begin(), Object.end());
  D->Chip = std::string(Chip.Name);
  for (const CodeSection &S : Code.Image.Sections)
    D->Blocks.push_back({S.Name, S.First, S.Count, S.ObjectSection});
  D->Offsets = Code.Image.Offsets;
  D->Symbols = Code.Symbols;
  return D;
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

CTA *DebugGrid::findCTA(uint64_t Number) const {
  for (const std::unique_ptr<Cluster> &C : Resident)
    for (const std::unique_ptr<CTA> &Block : C->CTAs)
      if (Block->Number == Number)
        return Block.get();
  return nullptr;
}

Warp *DebugGrid::findWarp(WarpPlace W) const {
  CTA *Block = findCTA(W.CTA);
  return Block && W.Warp < Block->warps().size() ? Block->warps()[W.Warp].get()
                                                 : nullptr;
}

std::vector<CTAView> DebugGrid::ctas() const {
  std::vector<CTAView> Result;
  for (const std::unique_ptr<Cluster> &C : Resident)
    for (const std::unique_ptr<CTA> &Block : C->CTAs) {
      CTAView V{Block->Number, Block->Coordinates,
                unsigned(Block->warps().size())};
      V.Running = Block->status() == CTA::Status::Running;
      V.Core = Block->Core;
      Result.push_back(V);
    }
  std::sort(Result.begin(), Result.end(),
            [](auto &A, auto &B) { return A.Number < B.Number; });
  return Result;
}

rt::Dim3 DebugGrid::coordinates(uint64_t CTA) const {
  return findCTA(CTA)->Coordinates;
}

rt::Dim3 DebugGrid::threadOf(WarpPlace W, unsigned Lane) const {
  return findCTA(W.CTA)->threadCoordinates(W.Warp, Lane);
}

LaneView DebugGrid::lane(WarpPlace W, unsigned Lane) const {
  return findWarp(W)->view(Lane);
}

ArrayRef<uint32_t> DebugGrid::calls(WarpPlace W, unsigned Lane) const {
  auto It = Warps.find(W);
  if (It == Warps.end())
    return {};
  return It->second.Calls[Lane];
}

RegisterView DebugGrid::registersAt(WarpPlace W, unsigned Lane,
                                    size_t Call) const {
  return Warps.at(W).AtCalls[Lane][Call]->view();
}

std::string DebugGrid::barriers(uint64_t CTA) const {
  return findCTA(CTA)->describeBarriers();
}

RegisterView DebugGrid::registers(WarpPlace Place) const {
  const Warp &W = *findWarp(Place);
  RegisterView V;
  V.Vectors = std::min<unsigned>(Launch.Used.Rows, ZeroRow);
  V.Uniforms = std::min<unsigned>(Launch.Used.Uniform, UniformZeroRow);
  V.Convergences = Launch.Used.Convergence;
  V.Vector = W.R;
  V.Convergence = W.B;
  V.Predicates = W.P;
  V.Uniform = W.UR;
  V.UniformPredicates = W.UP;
  return V;
}

void DebugGrid::setRegister(WarpPlace Place, uint32_t Lanes, RegisterFile File,
                            unsigned Number, uint32_t Value) {
  Warp &W = *findWarp(Place);
  RegisterView V = registers(Place);
  switch (File) {
  case RegisterFile::Vector:
    if (Number >= V.Vectors)
      return;
    for (unsigned L : lanes(Lanes))
      W.R[Number][L] = Value;
    break;
  case RegisterFile::Predicate:
    if (Number >= TruePredicate)
      return;
    W.P[Number] = Value ? W.P[Number] | Lanes : W.P[Number] & ~Lanes;
    break;
  case RegisterFile::Uniform:
    if (Number >= V.Uniforms)
      return;
    W.UR[Number] = Value;
    break;
  case RegisterFile::UniformPredicate:
    if (Number >= TruePredicate)
      return;
    W.UP[Number] = Value != 0;
    break;
  }
  Edits.push_back({Steps, [=](DebugGrid &G) {
                     if (G.findWarp(Place))
                       G.setRegister(Place, Lanes, File, Number, Value);
                   }});
}

//===----------------------------------------------------------------------===//
// Copies of registers
//===----------------------------------------------------------------------===//

RegisterCopy::RegisterCopy(const RegisterView &V)
    : Vector(&V.Vector[0][0], &V.Vector[0][0] + size_t(V.Vectors) * WarpSize),
      Convergence(&V.Convergence[0][0],
                  &V.Convergence[0][0] + size_t(V.Convergences) * WarpSize),
      Predicates(V.Predicates, V.Predicates + TruePredicate),
      Uniform(V.Uniform, V.Uniform + V.Uniforms) {
  std::copy_n(V.UniformPredicates, TruePredicate, UniformPredicates.begin());
}

RegisterView RegisterCopy::view() const {
  RegisterView V;
  V.Vectors = Vector.size() / WarpSize;
  V.Uniforms = Uniform.size();
  V.Convergences = Convergence.size() / WarpSize;
  V.Vector = reinterpret_cast<const uint32_t (*)[WarpSize]>(Vector.data());
  V.Convergence =
      reinterpret_cast<const uint32_t (*)[WarpSize]>(Convergence.data());
  V.Predicates = Predicates.data();
  V.Uniform = Uniform.data();
  V.UniformPredicates = UniformPredicates.data();
  return V;
}

//===----------------------------------------------------------------------===//
// Mbarriers and tensor memory
//===----------------------------------------------------------------------===//

std::optional<MBarrierState> readMBarrier(uint64_t Bits) {
  std::optional<MBarrier> B = MBarrier::unpack(Bits);
  if (!B)
    return std::nullopt;
  MBarrierState S{B->Phase, B->Pending,   B->Expected,
                  B->Bytes, B->IsLayout1, {}};
  if (B->Current.Something)
    S.Report = B->Current.Value;
  return S;
}

std::vector<MBarrierUse> DebugGrid::mbarriers(uint64_t CTA) const {
  std::vector<MBarrierUse> Result;
  auto End = MBarriers.lower_bound({CTA + 1, 0});
  for (auto It = MBarriers.lower_bound({CTA, 0}); It != End; ++It) {
    MBarrierUse U{It->first.second, It->second.PC, {}};
    for (auto [Place, Lanes] : It->second.Waiting)
      if (const Warp *W = findWarp(Place); W && (Lanes & W->live()))
        U.Waiting.push_back({Place, Lanes & W->live()});
    Result.push_back(std::move(U));
  }
  return Result;
}

std::vector<TensorAllocation> DebugGrid::tensorMemory(uint64_t CTA) const {
  std::vector<TensorAllocation> Result;
  if (const TensorMemory *T = findCTA(CTA)->Tensor.get())
    for (const auto &[First, A] : T->allocations())
      Result.push_back({First, A.Columns, A.PC, A.IsExclusive});
  return Result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The place of \p Bytes bytes in the \p Size bytes at \p Host; null if they
/// are not all in it.
static uint8_t *within(const uint8_t *Host, uint64_t Size, uint64_t Offset,
                       uint64_t Bytes) {
  if (Offset > Size || Bytes > Size - Offset)
    return nullptr;
  return const_cast<uint8_t *>(Host) + Offset; // Who writes has asked for it.
}

/// Cells of one lane, in columns that belong to somebody.
static uint8_t *locateTensor(CTA *Block, uint64_t Address, uint64_t Bytes) {
  constexpr unsigned LaneShift = 16, CellBytes = 4;
  uint64_t Lane = Address >> LaneShift,
           First = Address & maskTrailingOnes<uint64_t>(LaneShift);
  if (!Block || !Block->Tensor || Lane >= tensor::Lanes)
    return nullptr;
  for (uint64_t N = 0; N == 0 || N * CellBytes < Bytes; ++N)
    if (First + N >= tensor::ExclusiveColumns ||
        !Block->Tensor->isAllocated(First + N))
      return nullptr;
  return reinterpret_cast<uint8_t *>(&Block->Tensor->cell(Lane, First));
}

uint8_t *DebugGrid::locate(MemorySpace Space, WarpPlace Place, unsigned Lane,
                           uint64_t Address, uint64_t Bytes, bool Write) const {
  CTA *Block = findCTA(Place.CTA);
  switch (Space) {
  case MemorySpace::Shared: {
    SharedAddress A(static_cast<uint32_t>(Address));
    if (Block && A.hasRank())
      Block = Block->Owner.find(A.rank());
    return !Block || Address >> 32
               ? nullptr
               : within(Block->Shared.data(), Block->Shared.size(), A.offset(),
                        Bytes);
  }
  case MemorySpace::Local:
    if (!findWarp(Place) || Address >> 32)
      return nullptr;
    return within(Block->localOf(Place.Warp, Lane), Launch.LocalBytes, Address,
                  Bytes);
  case MemorySpace::Constant: {
    const Allocation *A = Launch.Code.Constants;
    return !A || Write ? nullptr : within(A->Host, A->Size, Address, Bytes);
  }
  case MemorySpace::Param:
    return Write ? nullptr
                 : within(Launch.Config.Params.data(),
                          Launch.Config.Params.size(), Address, Bytes);
  case MemorySpace::Tensor:
    return locateTensor(Block, Address, Bytes);
  case MemorySpace::Generic:
    break;
  }
  auto Low = static_cast<uint32_t>(Address);
  switch (Address >> 32) {
  case isa::abi::SharedWindow:
    return locate(MemorySpace::Shared, Place, Lane, Low, Bytes, Write);
  case isa::abi::LocalWindow:
    return locate(MemorySpace::Local, Place, Lane, Low, Bytes, Write);
  case isa::abi::ConstWindow:
    return locate(MemorySpace::Constant, Place, Lane, Low, Bytes, Write);
  case isa::abi::ParamWindow:
    return locate(MemorySpace::Param, Place, Lane, Low, Bytes, Write);
  default:
    break;
  }
  const Allocation *A = Launch.Memory.find(Address);
  if (!A || !A->Live || !A->Host)
    return nullptr;
  return within(A->Host, A->Size, Address - A->Base, Bytes);
}

bool DebugGrid::read(MemorySpace Space, WarpPlace W, unsigned Lane,
                     uint64_t Address, MutableArrayRef<uint8_t> Out) {
  const uint8_t *Host =
      locate(Space, W, Lane, Address, Out.size(), /*Write=*/false);
  if (Host && !Out.empty())
    std::memcpy(Out.data(), Host, Out.size());
  return Host != nullptr;
}

std::vector<MemoryBlock> DebugGrid::memory() const {
  std::vector<MemoryBlock> Result;
  for (const Allocation *A : Launch.Memory.liveBlocks())
    Result.push_back({A->Base, ArrayRef<uint8_t>(A->Host, A->Size)});
  return Result;
}

bool DebugGrid::write(MemorySpace Space, WarpPlace W, unsigned Lane,
                      uint64_t Address, ArrayRef<uint8_t> Bytes) {
  uint8_t *Host = locate(Space, W, Lane, Address, Bytes.size(), /*Write=*/true);
  if (!Host)
    return false;
  std::memcpy(Host, Bytes.data(), Bytes.size());
  Edits.push_back({Steps, [=, Copy = Bytes.vec()](DebugGrid &G) {
                     G.write(Space, W, Lane, Address, Copy);
                   }});
  return true;
}

//===----------------------------------------------------------------------===//
// Watching memory
//===----------------------------------------------------------------------===//

std::vector<DebugGrid::Watched>
DebugGrid::beginWatching(ArrayRef<WatchRange> Ranges) {
  std::vector<Watched> Result;
  for (const WatchRange &R : Ranges) {
    Watched W;
    W.Host = locate(R.Space, R.Of, R.Lane, R.Address, R.Bytes, false);
    if (W.Host)
      W.Bytes.assign(W.Host, W.Host + R.Bytes);
    Result.push_back(std::move(W));
  }
  return Result;
}

/// The lanes of \p Exec that access a byte at \p Host in the given way.
LaneMask DebugGrid::accessing(Warp &W, const DecodedInst &I,
                              const WatchRange &Range, LaneMask Exec,
                              unsigned Access) const {
  AccessInfo Info = accessInfo(I);
  bool IsWanted =
      Info.Kind == AccessKind::Atomic ||
      (Info.Kind == AccessKind::Load) == (Access == WatchRange::Read);
  if (!Info.IsAccess || !IsWanted || !Exec)
    return 0;
  const uint8_t *Watched = locate(Range.Space, Range.Of, Range.Lane,
                                  Range.Address, Range.Bytes, false);
  LaneMask Result = 0;
  for (const LaneAccess &A : accessesOf(W, I, Info, Exec)) {
    MemorySpace Space = A.Space == AccessSpace::Global  ? MemorySpace::Generic
                        : A.Space == AccessSpace::Local ? MemorySpace::Local
                                                        : MemorySpace::Shared;
    const uint8_t *Host =
        locate(Space, placeOf(W), A.Lane, A.Address, Info.Bytes, false);
    if (Host && Host < Watched + Range.Bytes && Watched < Host + Info.Bytes)
      Result |= LaneMask(1) << A.Lane;
  }
  return Result;
}

void DebugGrid::stepWatched(Warp &W, const ResumeRequest &Request,
                            std::vector<Watched> &All,
                            std::vector<WatchHit> &Hits) {
  const CodeImage &Image = Launch.Code.Image;
  const DecodedInst *I =
      W.nextPC() < Image.Insts.size() ? &Image.Insts[W.nextPC()] : nullptr;
  LaneMask Exec = I && I->Info ? W.execOf(*I) : 0;
  // The operands that say what is accessed may be overwritten.
  std::vector<std::pair<LaneMask, LaneMask>> ReadsWrites(All.size());
  for (size_t N = 0; N < All.size(); ++N)
    if (Exec && All[N].Host) {
      const WatchRange &R = Request.Watches[N];
      ReadsWrites[N] = {accessing(W, *I, R, Exec, WatchRange::Read),
                        accessing(W, *I, R, Exec, WatchRange::Write)};
    }
  uint64_t DoneBefore = Done;
  execute(W);
  // With a CTA its memories are gone; what ends one writes nothing.
  if (Done != DoneBefore) {
    All = beginWatching(Request.Watches);
    return;
  }
  for (size_t N = 0; N < All.size(); ++N) {
    Watched &R = All[N];
    if (!R.Host)
      continue;
    bool Changed = !std::equal(R.Bytes.begin(), R.Bytes.end(), R.Host);
    unsigned On = Request.Watches[N].On;
    auto [Reads, Writes] = ReadsWrites[N];
    if (!(Changed && On & WatchRange::Write) &&
        !(Reads && On & WatchRange::Read))
      continue;
    Hits.push_back({unsigned(N), Changed ? Writes : Reads, Changed, R.Bytes});
    R.Bytes.assign(R.Host, R.Host + R.Bytes.size());
  }
}

} // namespace heddle::emu
