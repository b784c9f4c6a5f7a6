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
      Halves(Chip.L2FarCycles ? 2 : 1), Peers(Blocks, Chip) {
  for (Half &H : Halves)
    H.Lines =
        SectorCache(Chip.L2Bytes / Halves.size(), Chip.LineBytes, Chip.L2Ways);
  // The bandwidth is shared evenly: a transfer takes as many times longer as
  // there are units.
  Slices.assign(Chip.L2Slices,
                Channel(uint64_t(Chip.SectorBytes) * Chip.L2Slices,
                        Chip.L2BytesPerCycle));
  if (Chip.CoresPerPort > 1)
    Reads.resize(llvm::divideCeil(Chip.Cores, Chip.CoresPerPort) *
                 PendingOfPort);
  MemoryChannel Memory;
  Memory.Way = Channel(uint64_t(Chip.SectorBytes) * Chip.DRAMChannels * 100,
                       uint64_t(Chip.DRAMBytesPerCycle) * Chip.DRAMPercent);
  Channels.assign(Chip.DRAMChannels, Memory);
  TurnTicks =
      uint64_t(Chip.DRAMTurnPs) * Chip.ClockMHz * Channel::Ticks / 1'000'000;
}

/// Consecutive lines go to different units, and so do lines at a distance that
/// is a power of two.
static uint64_t spread(uint64_t Line) {
  return Line + (Line >> 7) + (Line >> 13) + (Line >> 19);
}

/// Neighbours are as often in the same half as in different ones.
unsigned ChipMemory::homeOf(uint64_t Sector) const {
  constexpr uint64_t Mix = 0x9E3779B97F4A7C15; // Of Fibonacci hashing.
  return Halves.size() == 1 ? 0 : (Sector / SectorsPerLine * Mix) >> 63;
}

Channel &ChipMemory::sliceOf(uint64_t Sector, unsigned Number) {
  size_t OfHalf = Slices.size() / Halves.size();
  return Slices[Number * OfHalf + spread(Sector / SectorsPerLine) % OfHalf];
}

ChipMemory::MemoryChannel &ChipMemory::channelOf(uint64_t Sector) {
  return Channels[spread(Sector / SectorsPerLine) % Channels.size()];
}

/// Turns a channel to what is to be done.
void ChipMemory::turn(MemoryChannel &Memory, bool Writes) {
  if (std::exchange(Memory.WroteLast, Writes) != Writes)
    Memory.Way.pause(TurnTicks);
}

/// What is to be written waits until it is worth a turn of the channel.
void ChipMemory::writeBack(MemoryChannel &Memory, unsigned Sectors,
                           Cycle When) {
  Profile.DRAMWriteBytes += uint64_t(Sectors) * Chip.SectorBytes;
  Memory.Waiting += Sectors;
  if (Memory.Waiting < Chip.DRAMWriteSectors)
    return;
  turn(Memory, /*Writes=*/true);
  unsigned Written = std::exchange(Memory.Waiting, 0);
  Activity.moveDRAM(Memory.Way.take(When, Written),
                    uint64_t(Written) * Chip.SectorBytes);
}

/// Finds a sector's line in a half or makes room for it. What has to be written
/// back for that is written to the channel of the new line, as good as any.
ChipMemory::Lookup ChipMemory::lookUp(uint64_t Sector, Cycle When,
                                      unsigned Number) {
  unsigned Evicted = 0;
  unsigned Index = Sector % SectorsPerLine;
  SectorCache::Line &Line =
      Halves[Number].Lines.findOrReplace(Sector / SectorsPerLine, Evicted);
  if (Evicted) {
    MemoryChannel &Memory = channelOf(Sector);
    writeBack(Memory, Evicted, When);
    // Until the buffer of what is to be written has room.
    if (Memory.Way.end() > When + Chip.DRAMLatency) {
      When = Memory.Way.end() - Chip.DRAMLatency;
      sliceOf(Sector, Number).hold(When);
    }
  }
  return {&Line, Index, bool(Line.Valid >> Index & 1), When};
}

/// Brings a sector from memory if it is not there. Returns when it is at its
/// home's cores.
Cycle ChipMemory::fetch(const Lookup &L, uint64_t Sector) {
  if (L.Hit)
    return std::max(L.Start + Chip.L2Latency, L.Line->ReadyAt[L.Index]);
  MemoryChannel &Memory = channelOf(Sector);
  turn(Memory, /*Writes=*/false);
  Cycle Start = Memory.Way.take(L.Start);
  // DRAMLatency is the mean over both halves.
  Cycle Done = Start + Chip.DRAMLatency - Chip.L2FarCycles / 2;
  Activity.moveDRAM(Start, Chip.SectorBytes);
  Profile.DRAMReadBytes += Chip.SectorBytes;
  L.Line->Valid |= 1 << L.Index;
  L.Line->ReadyAt[L.Index] = Done;
  return Done;
}

/// Brings a copy of a sector from its home to the half that misses it.
Cycle ChipMemory::readFar(uint64_t Sector, const Lookup &Near, unsigned Home) {
  // A queue takes what comes in the order of time, so the way there counts with
  // the way back.
  Cycle Start = sliceOf(Sector, Home).take(Near.Start);
  Activity.moveL2(Start, 1);
  Lookup Far = lookUp(Sector, Start, Home);
  Profile.L2ReadHits += Far.Hit;
  Cycle Done = fetch(Far, Sector) + Chip.L2FarCycles;
  Near.Line->Valid |= 1 << Near.Index;
  Near.Line->ReadyAt[Near.Index] = Done;
  return Done;
}

/// What is written at its home is no longer what the other half has.
void ChipMemory::dropCopy(uint64_t Sector, unsigned Home) {
  if (Halves.size() == 1)
    return;
  if (auto *Copy = Halves[!Home].Lines.find(Sector / SectorsPerLine))
    Copy->Valid &= ~(1 << Sector % SectorsPerLine);
}

Cycle ChipMemory::read(uint64_t Sector, Cycle When, unsigned Core) {
  if (PeerRoute *Peer = Peers.of(Sector))
    return Peer->read(When);
  unsigned Near = nearOf(Core);
  if (Reads.empty())
    return readL2(Sector, When, Near);
  Pending &P =
      Reads[Core / Chip.CoresPerPort * PendingOfPort + Sector % PendingOfPort];
  // What a core reads again past L1 is a transfer of its own.
  if (P.Sector != Sector || P.Core == Core || P.Done <= When)
    P = {Sector, Core, readL2(Sector, When, Near)};
  return P.Done;
}

Cycle ChipMemory::readL2(uint64_t Sector, Cycle When, unsigned Near) {
  Cycle Start = sliceOf(Sector, Near).take(When);
  Activity.moveL2(Start, 1);
  Lookup L = lookUp(Sector, Start, Near);
  ++Profile.L2Reads;
  if (unsigned Home = homeOf(Sector); Home != Near && !L.Hit)
    return readFar(Sector, L, Home);
  Profile.L2ReadHits += L.Hit;
  return fetch(L, Sector);
}

ChipMemory::Times ChipMemory::write(uint64_t Sector, Cycle When,
                                    unsigned Core) {
  if (PeerRoute *Peer = Peers.of(Sector)) {
    Cycle Start = Peer->send(When);
    return {Start, Peer->arrival(Start)};
  }
  unsigned Home = homeOf(Sector);
  Cycle Start = sliceOf(Sector, Home).take(When);
  Activity.moveL2(Start, 1);
  Lookup L = lookUp(Sector, Start, Home);
  ++Profile.L2Writes;
  Profile.L2WriteHits += L.Hit;
  Cycle Done = L.Start + Chip.L2Latency + farCycles(Home, Core);
  if (!L.Hit)
    L.Line->ReadyAt[L.Index] = Done;
  L.Line->Valid |= 1 << L.Index;
  L.Line->Dirty |= 1 << L.Index;
  dropCopy(Sector, Home);
  return {L.Start, Done};
}

ChipMemory::Times ChipMemory::atomic(uint64_t Sector, unsigned Repeats,
                                     Cycle When, unsigned Core) {
  if (PeerRoute *Peer = Peers.of(Sector)) {
    Cycle Start = Peer->send(When);
    return {Start, Peer->answer(Peer->arrival(Start) + Repeats - 1)};
  }
  unsigned Home = homeOf(Sector);
  // A slice does one operation on a word in a cycle; transfers are shorter.
  uint64_t SectorsPerCycle = std::max<uint64_t>(
      1, Chip.L2BytesPerCycle / (uint64_t(Chip.L2Slices) * Chip.SectorBytes));
  Cycle Start = sliceOf(Sector, Home).take(When, Repeats * SectorsPerCycle);
  Activity.moveL2(Start, 1);
  Lookup L = lookUp(Sector, Start, Home);
  ++Profile.L2Writes;
  Profile.L2WriteHits += L.Hit;
  Cycle Done = fetch(L, Sector) + Repeats - 1 + farCycles(Home, Core);
  L.Line->Dirty |= 1 << L.Index;
  dropCopy(Sector, Home);
  return {L.Start, Done};
}

void ChipMemory::warm(uint64_t Sector, bool IsWritten) {
  if (Peers.of(Sector))
    return;
  unsigned Evicted = 0, Home = homeOf(Sector);
  uint8_t Bit = 1 << Sector % SectorsPerLine;
  SectorCache::Line &Line =
      Halves[Home].Lines.findOrReplace(Sector / SectorsPerLine, Evicted);
  if (!(Line.Valid & Bit))
    Line.ReadyAt[Sector % SectorsPerLine] = 0;
  Line.Valid |= Bit;
  if (!IsWritten)
    return;
  Line.Dirty |= Bit;
  dropCopy(Sector, Home);
}

void ChipMemory::beginGap() {
  for (Half &H : Halves)
    H.Kept = H.Lines.usedSince(H.LastGap);
}

void ChipMemory::endGap() {
  for (Half &H : Halves) {
    for (const SectorCache::Line &Old : H.Kept) {
      unsigned Evicted = 0;
      SectorCache::Line &Line = H.Lines.findOrReplace(Old.Tag - 1, Evicted);
      for (unsigned N = 0; N < SectorsPerLine; ++N)
        if (!(Line.Valid >> N & 1))
          Line.ReadyAt[N] = Old.ReadyAt[N];
      Line.Valid |= Old.Valid;
      Line.Dirty |= Old.Dirty;
    }
    H.Kept.clear();
    H.LastGap = H.Lines.uses();
  }
}

Cycle ChipMemory::end() const {
  Cycle Last = Peers.end();
  for (const Channel &C : Slices)
    Last = std::max(Last, C.end());
  for (const MemoryChannel &C : Channels)
    Last = std::max(Last, C.Way.end());
  return Last;
}

//===----------------------------------------------------------------------===//
// A core
//===----------------------------------------------------------------------===//

CoreMemory::CoreMemory(const isa::ChipInfo &Chip, unsigned Number,
                       ChipMemory &Behind, rt::MemoryProfile &Profile,
                       uint64_t L1Bytes)
    : Chip(Chip), Behind(Behind), Profile(Profile), Number(Number),
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
    return Behind.read(Sector, FromL2.take(When), Number);
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
  Cycle Done = Behind.read(Sector, FromL2.take(When), Number);
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
        Done = std::max(Done, Behind.read(Sector, When, Number));
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
      Done = std::max(Done, accepted(Behind.write(Sector, When, Number), When));
      continue;
    }
    if (SectorCache::Line *Line = L1.find(Sector / SectorsPerLine))
      Line->Valid &= ~(1 << Sector % SectorsPerLine);
    Done = std::max(
        Done,
        accepted(Behind.atomic(Sector, R.Repeats[N], When, Number), When));
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
