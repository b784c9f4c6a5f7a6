//===- ProbeCounter.cpp - Counts threads at probes --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A probe belongs to the instruction behind it: it counts the threads whose
// program counter comes there, whatever the instruction's guard is.
//
//===----------------------------------------------------------------------===//

#include "ProbeCounter.h"

#include "CTA.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MD5.h"

#include <map>

using namespace llvm;
using heddle::pgo::ProbeKind;

namespace heddle::emu {

//===----------------------------------------------------------------------===//
// Probes of a code object
//===----------------------------------------------------------------------===//

/// No function has more edges, branches or loops: what a file says shall not
/// make counts of any size.
static constexpr uint32_t MaxIndex = 1 << 24;

static pgo::ProbeRecord readRecord(const uint8_t *Bytes) {
  using namespace support::endian;
  return {read64le(Bytes),      read64le(Bytes + 8),  read32le(Bytes + 16),
          read32le(Bytes + 20), read32le(Bytes + 24), read32le(Bytes + 28)};
}

/// Where functions of an object are, by the hashes of their names.
static DenseMap<uint64_t, uint64_t> findCode(const ObjectFile &Object,
                                             ArrayRef<uint64_t> Addresses) {
  DenseMap<uint64_t, uint64_t> Code;
  for (const Symbol &S : Object.symbols())
    if (S.Section && Object.sections()[*S.Section].Kind == LoadKind::Text)
      Code[MD5Hash(S.Name)] = Addresses[*S.Section] + S.Value;
  return Code;
}

Error ProbeTable::add(ArrayRef<uint8_t> Bytes,
                      const DenseMap<uint64_t, uint64_t> &Code,
                      const CodeImage &Image) {
  constexpr size_t RecordBytes = sizeof(pgo::ProbeRecord);
  for (; Bytes.size() >= RecordBytes; Bytes = Bytes.drop_front(RecordBytes)) {
    pgo::ProbeRecord R = readRecord(Bytes.data());
    auto Symbol = Code.find(R.Code);
    if (Symbol == Code.end())
      continue; // a linker has dropped the function
    uint32_t PC = Image.indexOf(Symbol->second + R.Offset);
    if (PC >= Image.Insts.size() || R.Index > MaxIndex ||
        R.Kind > static_cast<uint32_t>(ProbeKind::Straight))
      return createStringError("section " + Twine(pgo::ProbeSectionName) +
                               ": a probe is at no instruction");
    Probe P{PC, static_cast<ProbeKind>(R.Kind), R.Index, R.Function, 0};
    if (P.Kind == ProbeKind::Iteration || P.Kind == ProbeKind::Leave)
      P.Loop =
          Loops.try_emplace({P.Function, P.Index}, Loops.size()).first->second;
    Probes.push_back(P);
  }
  return Error::success();
}

Error ProbeTable::load(const ObjectFile &Object, ArrayRef<uint64_t> Addresses,
                       const CodeImage &Image) {
  // A linked program has a section of each object.
  for (const Section &S : Object.sections())
    if (S.Name == pgo::ProbeSectionName)
      if (Error E = add(S.Contents, findCode(Object, Addresses), Image))
        return E;
  // Probes of one instruction keep the order of their section.
  std::multimap<uint32_t, Probe> ByPC;
  for (const Probe &P : Probes)
    ByPC.emplace(P.PC, P);
  llvm::copy(make_second_range(ByPC), Probes.begin());
  if (!Probes.empty())
    First.assign(Image.Insts.size(), None);
  for (size_t I = Probes.size(); I-- > 0;)
    First[Probes[I].PC] = I;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

namespace {

class ProbeCounter final : public Checker {
public:
  ProbeCounter(const ProbeTable &Table, pgo::ProbeSink &Sink)
      : Table(Table), Sink(Sink) {}
  ~ProbeCounter() override { Sink.add(Counts); }

  void reach(Warp &W, const DecodedInst &I, LaneMask Exec) override {
    for (const Probe &P : Table.at(W.Current))
      count(P, W, I, Exec);
  }

private:
  /// Iterations of each lane of a warp in each loop.
  using TripsOfWarp = std::vector<std::array<uint64_t, WarpSize>>;

  void count(const Probe &P, Warp &W, const DecodedInst &I, LaneMask Exec);
  void countBranch(const Probe &P, LaneMask Group, LaneMask Taken);
  TripsOfWarp &tripsOf(const Warp &W) {
    TripsOfWarp &Trips = TripsOf[&W];
    Trips.resize(Table.loops());
    return Trips;
  }
  template <typename T> static T &place(std::vector<T> &In, uint32_t Index) {
    if (Index >= In.size())
      In.resize(Index + 1);
    return In[Index];
  }

  const ProbeTable &Table;
  pgo::ProbeSink &Sink;
  pgo::ProbeCounts Counts;
  DenseMap<const Warp *, TripsOfWarp> TripsOf;
};

} // namespace

void ProbeCounter::countBranch(const Probe &P, LaneMask Group, LaneMask Taken) {
  std::array<uint64_t, 3> &B = place(Counts[P.Function].Branches, P.Index);
  ++B[0];
  B[1] += Taken != 0 && Taken != Group;
  B[2] += std::popcount(Group);
}

void ProbeCounter::count(const Probe &P, Warp &W, const DecodedInst &I,
                         LaneMask Exec) {
  switch (P.Kind) {
  case ProbeKind::Edge:
    place(Counts[P.Function].Edges, P.Index) += std::popcount(W.Group);
    return;
  case ProbeKind::Branch:
    return countBranch(P, W.Group, Exec);
  case ProbeKind::Straight:
    return countBranch(P, W.Group, 0);
  case ProbeKind::Iteration:
    for (unsigned L : lanes(W.Group))
      ++tripsOf(W)[P.Loop][L];
    return;
  case ProbeKind::Leave:
    for (unsigned L : lanes(W.Group))
      if (uint64_t Trips = std::exchange(tripsOf(W)[P.Loop][L], 0))
        ++place(Counts[P.Function].Loops, P.Index)[pgo::bucketOfTrips(Trips)];
    return;
  case ProbeKind::Call:
    for (unsigned L : lanes(Exec))
      ++place(Counts[P.Function].Calls, P.Index)[W.reg64(I.A, L)];
    return;
  }
}

std::unique_ptr<Checker> makeProbeCounter(const ProbeTable &Table,
                                          pgo::ProbeSink &Sink) {
  return std::make_unique<ProbeCounter>(Table, Sink);
}

} // namespace heddle::emu
