//===- StateFile.cpp - Sizes and statistics of a store ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes the file described in StateFile.h.
//
//===----------------------------------------------------------------------===//

#include "StateFile.h"

#include "heddle-cache/Bytes.h"
#include "heddle-cache/Key.h"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

namespace heddle::cache {

static constexpr unsigned NumLanes = 16;
static constexpr uint64_t LaneSize = 4096;
static constexpr std::string_view LaneMagic = "HDLSTAT\1";
static constexpr size_t LaneBytes = 8 + size_t(8) * NumCounters + 16;
static_assert(LaneBytes <= LaneSize && size_t(8) * NumShards <= LaneSize);

Descriptor StateFile::open(int Flags) {
  return openOwn(Directory, "state", Flags);
}

void StateFile::addToShard(unsigned Shard, int64_t Bytes) {
  Descriptor File = open(O_RDWR | O_CREAT);
  uint64_t Offset = 8 * uint64_t(Shard);
  if (!File || !tryLock(File.get(), Offset, 8))
    return;
  char Old[8];
  size_t Read;
  if (!readAllAt(File.get(), Old, sizeof(Old), Offset, Read))
    return;
  int64_t Size = Read == 8 ? numberAt<int64_t>({Old, 8}, 0) : 0;
  std::string New;
  appendNumber<uint64_t>(New, std::max<int64_t>(0, Size + Bytes));
  writeAllAt(File.get(), New, Offset);
}

void StateFile::setShard(unsigned Shard, uint64_t Bytes) {
  Descriptor File = open(O_RDWR | O_CREAT);
  std::string New;
  appendNumber<uint64_t>(New, Bytes);
  if (File)
    writeAllAt(File.get(), New, 8 * uint64_t(Shard));
}

uint64_t StateFile::totalSize() {
  char Sizes[8 * NumShards];
  size_t Read = 0;
  Descriptor File = open(O_RDONLY);
  if (!File || !readAllAt(File.get(), Sizes, sizeof(Sizes), 0, Read))
    return 0;
  uint64_t Total = 0;
  for (size_t At = 0; At + 8 <= Read; At += 8)
    Total += numberAt<uint64_t>({Sizes, sizeof(Sizes)}, At) &
             ((uint64_t(1) << 48) - 1); // a damaged number must not overflow
  return Total;
}

/// False if the lane is damaged; one that was never written is all zeros.
bool StateFile::readLane(int FD, unsigned Lane, CounterValues &Values) {
  Values = {};
  char Bytes[LaneBytes];
  size_t Read = 0;
  if (!readAllAt(FD, Bytes, sizeof(Bytes), LaneSize * (Lane + 1), Read))
    return false;
  if (Read == 0 || std::all_of(Bytes, Bytes + Read, [](char C) { return !C; }))
    return true;
  std::string_view View(Bytes, Read);
  if (Read != LaneBytes || !View.starts_with(LaneMagic))
    return false;
  Hash128 Sum = fastHash(View.substr(0, LaneBytes - 16));
  if (!std::equal(Sum.Bytes.begin(), Sum.Bytes.end(),
                  reinterpret_cast<const uint8_t *>(Bytes) + LaneBytes - 16))
    return false;
  for (size_t I = 0; I != NumCounters; ++I)
    Values[I] = numberAt<uint64_t>(View, 8 + 8 * I);
  return true;
}

static std::string encodeLane(const CounterValues &Values) {
  std::string Out(LaneMagic);
  for (uint64_t V : Values)
    appendNumber<uint64_t>(Out, V);
  Hash128 Sum = fastHash(Out);
  Out.append(reinterpret_cast<const char *>(Sum.Bytes.data()),
             Sum.Bytes.size());
  return Out;
}

void StateFile::addCounters(const CounterValues &Added) {
  Descriptor File = open(O_RDWR | O_CREAT);
  if (!File)
    return;
  unsigned First = static_cast<unsigned>(::getpid());
  for (unsigned I = 0; I != NumLanes; ++I) {
    unsigned Lane = (First + I) % NumLanes;
    if (!tryLock(File.get(), LaneSize * (Lane + 1), LaneSize))
      continue;
    CounterValues Values;
    if (!readLane(File.get(), Lane, Values))
      ++Values[static_cast<size_t>(Counter::StatisticsReset)];
    for (size_t C = 0; C != NumCounters; ++C)
      Values[C] += Added[C];
    writeAllAt(File.get(), encodeLane(Values), LaneSize * (Lane + 1));
    return; // closing the file gives the lock back
  }
}

CounterValues StateFile::counters() {
  CounterValues Sum{};
  Descriptor File = open(O_RDONLY);
  for (unsigned Lane = 0; File && Lane != NumLanes; ++Lane) {
    CounterValues Values;
    if (!readLane(File.get(), Lane, Values))
      continue;
    for (size_t C = 0; C != NumCounters; ++C)
      Sum[C] += Values[C];
  }
  return Sum;
}

void StateFile::reset() { ::unlinkat(Directory, "state", 0); }

} // namespace heddle::cache
