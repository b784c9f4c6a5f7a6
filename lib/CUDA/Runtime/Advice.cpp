//===- Advice.cpp - Hints about ranges of managed memory --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cudaMemAdvise, prefetches, and what programs ask of ranges.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Advice.h"
#include "Driver/Driver.h"
#include "PerThread.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

AdviceTable::Iterator AdviceTable::split(uint64_t At) {
  auto It = std::prev(Pieces.upper_bound(At));
  return It->first == At ? It : Pieces.emplace(At, It->second).first;
}

std::vector<Advice> AdviceTable::find(uint64_t Begin, uint64_t Size) {
  std::lock_guard Lock(Mutex);
  std::vector<Advice> Result;
  for (auto It = std::prev(Pieces.upper_bound(Begin));
       It != Pieces.end() && It->first < Begin + Size; ++It)
    Result.push_back(It->second);
  return Result;
}

/// Numbers of cudaMemLocationType.
constexpr int NoPlace = 0, OnDevice = 1, OnHost = 2;
/// What stands for no device.
constexpr int NoDevice = -2;

//===----------------------------------------------------------------------===//
// Advice
//===----------------------------------------------------------------------===//

extern "C" cudaError_t cudaMemPrefetchAsync(const void *Pointer, size_t Size,
                                            cudaMemLocation Place, unsigned,
                                            cudaStream_t) {
  if (!Process::get().Pointers.find(Pointer))
    return finish(cudaErrorInvalidValue);
  Process::get().Advice.update(addressOf(Pointer), Size,
                               [&](Advice &A) { A.Prefetched = Place; });
  return cudaSuccess;
}

extern "C" cudaError_t cudaMemAdvise(const void *Pointer, size_t Size,
                                     int Number, cudaMemLocation Place) {
  enum { ReadMostly = 1, Written, Prefer, NoPreference, By, NotBy };
  if (!Process::get().Pointers.find(Pointer) || Number < ReadMostly ||
      Number > NotBy)
    return finish(cudaErrorInvalidValue);
  Process::get().Advice.update(addressOf(Pointer), Size, [&](Advice &A) {
    if (Number <= Written)
      A.IsReadMostly = Number == ReadMostly;
    else if (Number <= NoPreference)
      A.Preferred = Number == Prefer ? std::optional(Place) : std::nullopt;
    else
      (Place.type == OnDevice ? A.ByDevice : A.ByHost) = Number == By;
  });
  return cudaSuccess;
}

HEDDLE_PER_THREAD(cudaMemPrefetchAsync, _ptsz)

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// The place that all pieces have; of no type if they have not the same.
static cudaMemLocation
commonPlace(ArrayRef<Advice> Pieces,
            std::optional<cudaMemLocation> Advice::*Member) {
  const cudaMemLocation None = {NoPlace, NoDevice};
  std::optional<cudaMemLocation> First = Pieces.front().*Member;
  for (const Advice &A : Pieces) {
    const std::optional<cudaMemLocation> &Other = A.*Member;
    if (!First || !Other || Other->type != First->type ||
        Other->id != First->id)
      return None;
  }
  return First.value_or(None);
}

/// A place as it was numbered before version 12.
static int deviceOf(cudaMemLocation Place) {
  return Place.type == OnHost ? cudaCpuDeviceId : Place.id;
}

/// The processors that all pieces are accessed by, and none behind them.
static std::vector<int> accessors(ArrayRef<Advice> Pieces, size_t Count) {
  std::vector<int> Result;
  if (all_of(Pieces, [](const Advice &A) { return A.ByDevice; }))
    Result.push_back(0);
  if (all_of(Pieces, [](const Advice &A) { return A.ByHost; }))
    Result.push_back(cudaCpuDeviceId);
  Result.resize(Count, NoDevice);
  return Result;
}

/// One attribute as words; none if there is no such attribute.
static std::vector<int> attributeOf(ArrayRef<Advice> Pieces, int Attribute,
                                    size_t Count) {
  enum {
    ReadMostly = 1,
    Preferred,
    AccessedBy,
    Prefetched,
    PreferredType,
    PreferredId,
    PrefetchedType,
    PrefetchedId
  };
  switch (Attribute) {
  case ReadMostly:
    return {all_of(Pieces, [](const Advice &A) { return A.IsReadMostly; })};
  case Preferred:
    return {deviceOf(commonPlace(Pieces, &Advice::Preferred))};
  case AccessedBy:
    return accessors(Pieces, Count);
  case Prefetched:
    return {deviceOf(commonPlace(Pieces, &Advice::Prefetched))};
  case PreferredType:
    return {commonPlace(Pieces, &Advice::Preferred).type};
  case PreferredId:
    return {commonPlace(Pieces, &Advice::Preferred).id};
  case PrefetchedType:
    return {commonPlace(Pieces, &Advice::Prefetched).type};
  case PrefetchedId:
    return {commonPlace(Pieces, &Advice::Prefetched).id};
  default:
    return {};
  }
}

extern "C" cudaError_t cudaMemRangeGetAttribute(void *Data, size_t Bytes,
                                                int Attribute,
                                                const void *Pointer,
                                                size_t Size) {
  std::optional<Block> B = Process::get().Pointers.find(Pointer);
  if (!Data || !Bytes || Bytes % sizeof(int) || !B || !Size ||
      B->Type != cudaMemoryTypeManaged)
    return finish(cudaErrorInvalidValue);
  std::vector<int> Words =
      attributeOf(Process::get().Advice.find(addressOf(Pointer), Size),
                  Attribute, Bytes / sizeof(int));
  if (Words.empty() || Bytes != Words.size() * sizeof(int))
    return finish(cudaErrorInvalidValue);
  std::memcpy(Data, Words.data(), Bytes);
  return cudaSuccess;
}

extern "C" cudaError_t
cudaMemRangeGetAttributes(void **Data, const size_t *Bytes,
                          const int *Attributes, size_t Count,
                          const void *Pointer, size_t Size) {
  if (!Data || !Bytes || !Attributes || !Count)
    return finish(cudaErrorInvalidValue);
  for (size_t I = 0; I != Count; ++I)
    if (cudaError_t Code = cudaMemRangeGetAttribute(
            Data[I], Bytes[I], Attributes[I], Pointer, Size);
        Code != cudaSuccess)
      return Code;
  return cudaSuccess;
}

/// Where most samples of a range are. Managed memory is the host's, unless it
/// was last prefetched elsewhere.
static cudaMemLocation commonestPlace(uint64_t Begin, uint64_t Size,
                                      uint64_t Step) {
  std::map<std::pair<int, int>, size_t> Counts;
  for (uint64_t At = 0; At < Size; At += Step ? Step : Size) {
    Advice Here = Process::get().Advice.find(Begin + At, 1).front();
    cudaMemLocation Place =
        Here.Prefetched.value_or(cudaMemLocation{OnHost, 0});
    ++Counts[{Place.type, Place.id}];
  }
  auto Most = std::max_element(
      Counts.begin(), Counts.end(),
      [](const auto &A, const auto &B) { return A.second < B.second; });
  return {Most->first.first, Most->first.second};
}

extern "C" cudaError_t cudaMemGetLocationInfo(void *Pointer, size_t Size,
                                              size_t Part, size_t Sampling,
                                              cudaMemLocation *Places) {
  std::optional<Block> B = Process::get().Pointers.find(Pointer);
  if (!Places || !Part || Part > Size || Sampling > Part || !B ||
      B->Type != cudaMemoryTypeManaged ||
      addressOf(Pointer) + Size > B->Address + B->Size)
    return finish(cudaErrorInvalidValue);
  for (size_t At = 0; At < Size; At += Part)
    *Places++ = commonestPlace(addressOf(Pointer) + At,
                               std::min(Part, Size - At), Sampling);
  return cudaSuccess;
}

HEDDLE_SAME(cuMemGetLocationInfo,
            (CUdeviceptr Address, size_t Size, size_t Part, size_t Sampling,
             cudaMemLocation *Places),
            cudaMemGetLocationInfo(pointerOf(Address), Size, Part, Sampling,
                                   Places))
HEDDLE_SAME(cuMemRangeGetAttribute,
            (void *Data, size_t Bytes, int Attribute, CUdeviceptr Address,
             size_t Size),
            cudaMemRangeGetAttribute(Data, Bytes, Attribute, pointerOf(Address),
                                     Size))
HEDDLE_SAME(cuMemRangeGetAttributes,
            (void **Data, const size_t *Bytes, const int *Attributes,
             size_t Count, CUdeviceptr Address, size_t Size),
            cudaMemRangeGetAttributes(Data, Bytes, Attributes, Count,
                                      pointerOf(Address), Size))
