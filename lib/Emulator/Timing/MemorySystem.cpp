//===- MemorySystem.cpp - Caches and memory in time -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// L1 is written through and holds no stores of its own; L2 is written back, and
// a store to it needs nothing from memory, since sectors know their bytes.
//
//===----------------------------------------------------------------------===//

#include "MemorySystem.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <utility>

namespace heddle::emu {

//===----------------------------------------------------------------------===//
// L2 and DRAM
//===----------------------------------------------------------------------===//

ChipMemory::ChipMemory(const isa::ChipInfo &Chip, rt::MemoryProfile &Profile,
                       ActivityLog &Activity, const DeviceMemory &Blocks)
    : Chip(Chip), Profile(Profile), Activity(Activity),
      SectorsPerLine(Chip.LineBytes / Chip.SectorBytes),
      L2(Chip.L2Bytes, Chip.LineBytes, Chip.L2Ways), Peers(Blocks, Chip) {
  // The bandwidth is shared evenly: a transfer takes as many times longer as
  // there are units.
  Slices.assign(Chip.L2Slices,
                Channel(uint64_t(Chip.SectorBytes) * Chip.L2Slices,
                        Chip.L2BytesPerCycle));
  Channels.assign(Chip.DRAMChannels,
                  Channel(uint64_t(Chip.SectorBytes) * Chip.DRAMChannels * 100,
                          uint64_t(Chip.DRAMBytesPerCycle) * Chip.DRAMPercent));
  WroteLast.assign(Chip.DRAMChannels, false);
  TurnTicks =
      uint64_t(Chip.DRAMTurnPs) * Chip.ClockMHz * Channel::Ticks / 1'000'000;
}

/// Consecutive lines go to different units, and so do lines at a distance that
/// is a power of two.
static uint64_t spread(uint64_t Line) {
  return Line + (Line >> 7) + (Line >> 13) + (Line >> 19);
}

Channel &ChipMemory::sliceOf(uint64_t Sector) {
  return Slices[spread(Sector / SectorsPerLine) % Slices.size()];
}

/// The channel of a sector, turned to what is to be done.
Channel &ChipMemory::memoryFor(uint64_t Sector, bool Writes) {
  size_t Number = spread(Sector / SectorsPerLine) % Channels.size();
  if (std::exchange(WroteLast[Number], Writes) != Writes)
    Channels[Number].pause(TurnTicks);
  return Channels[Number];
}

/// Finds a sector's line or makes room for it. What has to be written back for
/// that is written to the channel of the new line, as good as any.
ChipMemory::Lookup ChipMemory::lookUp(uint64_t Sector, Cycle When) {
  unsigned Evicted = 0;
  unsigned Index = Sector % SectorsPerLine;
  SectorCache::Line &Line = L2.findOrReplace(Sector / SectorsPerLine, Evicted);
  if (Evicted) {
    Channel &Memory = memoryFor(Sector, /*Writes=*/true);
    uint64_t Bytes = uint64_t(Evicted) * Chip.SectorBytes;
    Activity.moveDRAM(Memory.take(When, Evicted), Bytes);
    Profile.DRAMWriteBytes += Bytes;
    // Until the buffer of what is to be written has room.
    if (Memory.end() > When + Chip.DRAMLatency) {
      When = Memory.end() - Chip.DRAMLatency;
      sliceOf(Sector).hold(When);
    }
  }
  return {&Line, Index, bool(Line.Valid >> Index & 1), When};
}

/// Brings a sector from memory if it is not there. Returns when it is.
Cycle ChipMemory::fetch(const Lookup &L, uint64_t Sector) {
  if (L.Hit)
    return std::max(L.Start + Chip.L2Latency, L.Line->ReadyAt[L.Index]);
  Cycle Start = memoryFor(Sector, /*Writes=*/false).take(L.Start);
  Cycle Done = Start + Chip.DRAMLatency;
  Activity.moveDRAM(Start, Chip.SectorBytes);
  Profile.DRAMReadBytes += Chip.SectorBytes;
  L.Line->Valid |= 1 << L.Index;
  L.Line->ReadyAt[L.Index] = Done;
  return Done;
}

Cycle ChipMemory::read(uint64_t Sector, Cycle When) {
  if (PeerRoute *Peer = Peers.of(Sector))
    return Peer->read(When);
  Cycle Start = sliceOf(Sector).take(When);
  Activity.moveL2(Start, 1);
  Lookup L = lookUp(Sector, Start);
  ++Profile.L2Reads;
  Profile.L2ReadHits += L.Hit;
  return fetch(L, Sector);
}

ChipMemory::Times ChipMemory::write(uint64_t Sector, Cycle When) {
  if (PeerRoute *Peer = Peers.of(Sector)) {
    Cycle Start = Peer->send(When);
    return {Start, Peer->arrival(Start)};
  }
  Cycle Start = sliceOf(Sector).take(When);
  Activity.moveL2(Start, 1);
  Lookup L = lookUp(Sector, Start);
  ++Profile.L2Writes;
  Profile.L2WriteHits += L.Hit;
  Cycle Done = L.Start + Chip.L2Latency;
  if (!L.Hit)
    L.Line->ReadyAt[L.Index] = Done;
  L.Line->Valid |= 1 << L.Index;
  L.Line->Dirty |= 1 << L.Index;
  return {L.Start, Done};
}

ChipMemory::Times ChipMemory::atomic(uint64_t Sector, unsigned Repeats,
                                     Cycle When) {
  if (PeerRoute *Peer = Peers.of(Sector)) {
    Cycle Start = Peer->send(When);
    return {Start, Peer->answer(Peer->arrival(Start) + Repeats - 1)};
  }
  Channel &Slice = sliceOf(Sector);
  // A slice does one operation on a word in a cycle; transfers are shorter.
  uint64_t SectorsPerCycle = std::max<uint64_t>(
      1, Chip.L2BytesPerCycle / (uint64_t(Chip.L2Slices) * Chip.SectorBytes));
  Cycle Start = Slice.take(When, Repeats * SectorsPerCycle);
  Activity.moveL2(Start, 1);
  Lookup L = lookUp(Sector, Start);
  ++Profile.L2Writes;
  Profile.L2WriteHits += L.Hit;
  Cycle Done = fetch(L, Sector) + Repeats - 1;
  L.Line->Dirty |= 1 << L.Index;
  return {L.Start, Done};
}

void ChipMemory::warm(uint64_t Sector, bool IsWritten) {
  if (Peers.of(Sector))
    return;
  unsigned Evicted = 0;
  uint8_t Bit = 1 << Sector % SectorsPerLine;
  SectorCache::Line &Line = L2.findOrReplace(Sector / SectorsPerLine, Evicted);
  if (!(Line.Valid & Bit))
    Line.ReadyAt[Sector % SectorsPerLine] = 0;
  Line.Valid |= Bit;
  if (IsWritten)
    Line.Dirty |= Bit;
}

void ChipMemory::endGap() {
  for (const SectorCache::Line &Old : Kept) {
    unsigned Evicted = 0;
    SectorCache::Line &Line = L2.findOrReplace(Old.Tag - 1, Evicted);
    for (unsigned N = 0; N < SectorsPerLine; ++N)
      if (!(Line.Valid >> N & 1))
        Line.ReadyAt[N] = Old.ReadyAt[N];
    Line.Valid |= Old.Valid;
    Line.Dirty |= Old.Dirty;
  }
  Kept.clear();
  LastGap = L2.uses();
}

Cycle ChipMemory::end() const {
  Cycle Last = Peers.end();
  for (const std::vector<Channel> *List : {&Slices, &Channels})
    for (const Channel &C : *List)
      Last = std::max(Last, C.end());
  return Last;
}

//===----------------------------------------------------------------------===//
// A core
//===----------------------------------------------------------------------===//

CoreMemory::CoreMemory(const isa::ChipInfo &Chip, ChipMemory &Behind,
                       rt::MemoryProfile &Profile, uint64_t L1Bytes)
    : Chip(Chip), Behind(Behind), Profile(Profile),
      SectorsPerLine(Chip.LineBytes / Chip.SectorBytes),
      L1(L1Bytes, Chip.LineBytes, Chip.L1Ways),
      FromL2(Chip.SectorBytes, Chip.CoreL2BytesPerCycle),
      ToL2(Chip.SectorBytes, Chip.CoreL2BytesPerCycle) {}

/// Where the profile counts requests of this kind.
static rt::AccessProfile &rowOf(rt::MemoryProfile &P, const Request &R) {
  switch (R.Space) {
  case AccessSpace::Global:
    return R.Kind == AccessKind::Load    ? P.GlobalLoads
           : R.Kind == AccessKind::Store ? P.GlobalStores
           : R.IsReduction               ? P.GlobalReductions
                                         : P.GlobalAtomics;
  case AccessSpace::Local:
    return R.Kind == AccessKind::Load ? P.LocalLoads : P.LocalStores;
  default:
    return R.Kind == AccessKind::Load    ? P.SharedLoads
           : R.Kind == AccessKind::Store ? P.SharedStores
                                         : P.SharedAtomics;
  }
}

/// Cycles of the data path: a wavefront each, or what looking up lines takes.
/// The first line of a request costs the time of three.
unsigned CoreMemory::cyclesOf(const Request &R) {
  if (R.Lines == 0)
    return R.Wavefronts;
  unsigned PerCycle = Chip.L1LinesPerCycle;
  Lookups += std::max(R.Wavefronts * PerCycle, R.Lines + 2);
  unsigned Cycles = Lookups / PerCycle;
  Lookups %= PerCycle;
  return Cycles;
}

CoreMemory::Times CoreMemory::access(const Request &R, Cycle Now, bool Coherent,
                                     unsigned HitLatency,
                                     rt::AccessProfile &Counts) {
  rt::AccessProfile One;
  One.Requests = 1;
  One.Wavefronts = R.Wavefronts;
  One.Sectors = R.Sectors.size();
  One.IdealSectors = R.IdealSectors;
  One.Conflicts = R.Wavefronts - std::min(R.Wavefronts, R.Ideal);
  Cycle Start = std::max(Now, FreeAt);
  unsigned Cycles = cyclesOf(R);
  FreeAt = Start + Cycles;
  Cycle Done;
  if (R.Space == AccessSpace::Shared)
    Done = FreeAt - 1 + HitLatency;
  else if (R.Space == AccessSpace::OtherShared)
    Done = FreeAt - 1 + Chip.ClusterLatency;
  else if (R.Kind == AccessKind::Load)
    Done = load(R, Start, Cycles, Coherent, HitLatency, One);
  else
    Done = send(R, Start);
  rowOf(Profile, R) += One;
  Counts += One;
  return {FreeAt, Done};
}

Cycle CoreMemory::load(const Request &R, Cycle Start, unsigned Cycles,
                       bool Coherent, unsigned HitLatency,
                       rt::AccessProfile &Counts) {
  Cycle Done = Start + Cycles - 1 + HitLatency;
  for (size_t N = 0; N < R.Sectors.size(); ++N)
    Done = std::max(Done, loadSector(R.Sectors[N],
                                     Start + N * Cycles / R.Sectors.size(),
                                     Coherent, HitLatency, Counts));
  return Done;
}

Cycle CoreMemory::loadSector(uint64_t Sector, Cycle When, bool Coherent,
                             unsigned HitLatency, rt::AccessProfile &Counts) {
  unsigned Index = Sector % SectorsPerLine, Evicted = 0;
  if (Coherent)
    return Behind.read(Sector, FromL2.take(When));
  SectorCache::Line &Line = L1.findOrReplace(Sector / SectorsPerLine, Evicted);
  if (Line.Valid >> Index & 1) {
    ++Counts.Hits;
    return std::max(When + HitLatency, Line.ReadyAt[Index]);
  }
  return bringToL1(Sector, Line, When);
}

Cycle CoreMemory::bringToL1(uint64_t Sector, SectorCache::Line &Line,
                            Cycle When) {
  unsigned Index = Sector % SectorsPerLine;
  Cycle Done = Behind.read(Sector, FromL2.take(When));
  Line.Valid |= 1 << Index;
  Line.ReadyAt[Index] = Done;
  return Done;
}

void CoreMemory::prefetch(llvm::ArrayRef<uint64_t> Lines, Cycle Now,
                          bool IntoL1) {
  Cycle Start = std::max(Now, FreeAt), Done = Start;
  FreeAt = Start + llvm::divideCeil(Lines.size(), Chip.L1LinesPerCycle);
  for (size_t N = 0; N < Lines.size(); ++N) {
    Cycle When = Start + N / Chip.L1LinesPerCycle;
    unsigned Evicted = 0;
    SectorCache::Line *Line =
        IntoL1 ? &L1.findOrReplace(Lines[N], Evicted) : nullptr;
    for (unsigned S = 0; S < SectorsPerLine; ++S) {
      uint64_t Sector = Lines[N] * SectorsPerLine + S;
      if (!Line)
        Done = std::max(Done, Behind.read(Sector, When));
      else if (!(Line->Valid >> S & 1))
        Done = std::max(Done, bringToL1(Sector, *Line, When));
    }
  }
  // Until the buffer of what is to be fetched has room.
  Cycle Held = Cycle(2) * Chip.DRAMLatency;
  if (Done > FreeAt + Held)
    FreeAt = Done - Held;
}

/// Stores and atomic operations, which L2 carries out. A line in L1 would be
/// updated by a store, and an atomic operation makes it invalid.
Cycle CoreMemory::send(const Request &R, Cycle Start) {
  Cycle Done = Start;
  for (size_t N = 0; N < R.Sectors.size(); ++N) {
    uint64_t Sector = R.Sectors[N];
    Cycle When = ToL2.take(Start + N * R.Wavefronts / R.Sectors.size());
    if (R.Kind == AccessKind::Store) {
      Done = std::max(Done, accepted(Behind.write(Sector, When), When));
      continue;
    }
    if (SectorCache::Line *Line = L1.find(Sector / SectorsPerLine))
      Line->Valid &= ~(1 << Sector % SectorsPerLine);
    Done = std::max(Done,
                    accepted(Behind.atomic(Sector, R.Repeats[N], When), When));
  }
  // Until the buffer of what is to be sent has room.
  if (ToL2.end() > FreeAt + Chip.MemoryQueueCycles)
    FreeAt = ToL2.end() - Chip.MemoryQueueCycles;
  return Done;
}

/// What was sent in \p Sent stops what comes after it until the slice has room.
/// Returns when it is done.
Cycle CoreMemory::accepted(ChipMemory::Times T, Cycle Sent) {
  if (T.Start > Sent + Chip.L2Latency)
    ToL2.hold(T.Start - Chip.L2Latency);
  return T.Done;
}

} // namespace heddle::emu
