//===- Functions.cpp - The interface of cuFFT -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA's library keeps its kernels as machine code for its own GPUs, so ours
// has its names. Plans are numbers, as there.
//
//===----------------------------------------------------------------------===//

#include "FFT/Plan.h"
#include "Process.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

using namespace heddle::cuda;
using namespace heddle::cuda::fft;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

namespace {

/// A plan must not be used while it is destroyed, so it is handed out without a
/// lock.
struct PlanTable {
  std::mutex Mutex;
  std::map<int, std::unique_ptr<Plan>> Plans;
  int Next = 1;
};

} // namespace

/// Never destroyed, since programs call from static destructors too.
static PlanTable &plans() {
  static PlanTable &Table = *new PlanTable;
  return Table;
}

static int addPlan() {
  std::lock_guard Lock(plans().Mutex);
  int Handle = plans().Next++;
  plans().Plans[Handle] = std::make_unique<Plan>();
  return Handle;
}

static std::unique_ptr<Plan> removePlan(int Handle) {
  std::lock_guard Lock(plans().Mutex);
  auto Found = plans().Plans.find(Handle);
  if (Found == plans().Plans.end())
    return nullptr;
  std::unique_ptr<Plan> Removed = std::move(Found->second);
  plans().Plans.erase(Found);
  return Removed;
}

static Plan *findPlan(int Handle) {
  std::lock_guard Lock(plans().Mutex);
  auto Found = plans().Plans.find(Handle);
  return Found == plans().Plans.end() ? nullptr : Found->second.get();
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

namespace {

/// cufftType.
enum class Type : int {
  C2C = 0x29,
  R2C = 0x2a,
  C2R = 0x2c,
  Z2Z = 0x69,
  D2Z = 0x6a,
  Z2D = 0x6c,
};

/// cudaDataType, as far as there are transforms of it.
enum class DataType : int {
  R32F = 0,
  R64F = 1,
  R16F = 2,
  C32F = 4,
  C64F = 5,
  C16F = 6,
  R16BF = 14,
  C16BF = 15,
};

/// What a program says of one side of a transform in several dimensions.
struct LayoutArguments {
  const long long *Embed;
  long long Stride, Distance;
};

} // namespace

static Result setType(Type T, Request &R) {
  R.IsDouble = T == Type::Z2Z || T == Type::D2Z || T == Type::Z2D;
  switch (T) {
  case Type::C2C:
  case Type::Z2Z:
    return Success;
  case Type::R2C:
  case Type::D2Z:
    R.In.Elements = Real;
    R.Out.Elements = Hermitian;
    return Success;
  case Type::C2R:
  case Type::Z2D:
    R.In.Elements = Hermitian;
    R.Out.Elements = Real;
    return Success;
  }
  return InvalidType;
}

/// Says of a data type whether it is real, and how its numbers are stored.
static bool describe(DataType T, Side &S, bool &IsDouble) {
  IsDouble = T == DataType::R64F || T == DataType::C64F;
  S.Elements = Complex;
  S.Numbers = Native;
  switch (T) {
  case DataType::R16F:
    S.Numbers = Half;
    S.Elements = Real;
    return true;
  case DataType::R16BF:
    S.Numbers = BFloat;
    S.Elements = Real;
    return true;
  case DataType::R32F:
  case DataType::R64F:
    S.Elements = Real;
    return true;
  case DataType::C16F:
    S.Numbers = Half;
    return true;
  case DataType::C16BF:
    S.Numbers = BFloat;
    return true;
  case DataType::C32F:
  case DataType::C64F:
    return true;
  }
  return false;
}

static Result setTypes(int In, int Out, Request &R) {
  bool IsOutDouble = false;
  if (!describe(DataType(In), R.In, R.IsDouble) ||
      !describe(DataType(Out), R.Out, IsOutDouble) ||
      R.IsDouble != IsOutDouble ||
      (R.In.Elements == Real && R.Out.Elements == Real))
    return InvalidType;
  if (R.In.Elements == Real)
    R.Out.Elements = Hermitian;
  else if (R.Out.Elements == Real)
    R.In.Elements = Hermitian;
  return Success;
}

template <typename Int>
static Result setExtents(int Rank, const Int *Extents, long long Batch,
                         Request &R) {
  if (Rank < 1 || Rank > int(MaxRank) || !Extents)
    return InvalidValue;
  R.Rank = Rank;
  R.Batch = Batch;
  if (Batch < 1)
    return InvalidSize;
  for (int I = 0; I != Rank; ++I) {
    R.Extents[I] = Extents[I];
    if (Extents[I] < 1)
      return InvalidSize;
  }
  return Success;
}

/// Without extents in memory the elements are dense, whatever else is said.
static Result setLayout(const LayoutArguments &L, unsigned Rank, Side &S) {
  if (!L.Embed)
    return Success;
  if (L.Stride < 1 || L.Distance < 0)
    return InvalidValue;
  S.IsDense = false;
  S.Stride = L.Stride;
  S.Distance = L.Distance;
  for (unsigned I = 0; I != Rank; ++I) {
    S.Embed[I] = L.Embed[I];
    if (I != 0 && L.Embed[I] < 1)
      return InvalidSize;
  }
  return Success;
}

static Result setLayouts(const LayoutArguments &In, const LayoutArguments &Out,
                         Request &R) {
  if (Result Code = setLayout(In, R.Rank, R.In))
    return Code;
  return setLayout(Out, R.Rank, R.Out);
}

static Result basicRequest(std::initializer_list<int> Extents, int T, int Batch,
                           Request &R) {
  if (Result Code = setType(Type(T), R))
    return Code;
  return setExtents(int(Extents.size()), Extents.begin(), Batch, R);
}

/// Extents of cufftPlanMany as those of cufftMakePlanMany64.
static const long long *widened(const int *Values, int Rank,
                                long long (&Wide)[MaxRank]) {
  if (!Values || Rank < 1 || Rank > int(MaxRank))
    return nullptr;
  std::copy(Values, Values + Rank, Wide);
  return Wide;
}

static Result manyRequest(int Rank, const long long *N,
                          const LayoutArguments &In, const LayoutArguments &Out,
                          int T, long long Batch, Request &R) {
  if (Result Code = setType(Type(T), R))
    return Code;
  if (Result Code = setExtents(Rank, N, Batch, R))
    return Code;
  return setLayouts(In, Out, R);
}

static Result manyRequest(int Rank, const int *N, const int *InEmbed,
                          int InStride, int InDistance, const int *OutEmbed,
                          int OutStride, int OutDistance, int T, int Batch,
                          Request &R) {
  long long In[MaxRank], Out[MaxRank];
  if (Result Code = setType(Type(T), R))
    return Code;
  if (Result Code = setExtents(Rank, N, Batch, R))
    return Code;
  return setLayouts({widened(InEmbed, Rank, In), InStride, InDistance},
                    {widened(OutEmbed, Rank, Out), OutStride, OutDistance}, R);
}

//===----------------------------------------------------------------------===//
// Plans and their sizes
//===----------------------------------------------------------------------===//

/// What programs are told of a work area. Some, such as BART, allocate what
/// they are told and cannot do with memory of no bytes.
static size_t areaOf(size_t Bytes) {
  constexpr size_t Smallest = 16;
  return std::max(Bytes, Smallest);
}

/// Makes the plan of a handle, unless the request is wrong.
static Result makePlan(int Handle, Result Code, const Request &R,
                       size_t *WorkSize) {
  Plan *P = findPlan(Handle);
  if (!P || P->isMade())
    return InvalidPlan;
  if (Code == Success)
    Code = P->make(R);
  if (Code == Success && WorkSize)
    *WorkSize = areaOf(P->workBytes());
  return Code;
}

/// Makes a plan with a new handle.
static Result newPlan(int *Handle, Result Code, const Request &R) {
  if (!Handle)
    return InvalidValue;
  *Handle = -1;
  if (Code != Success)
    return Code;
  int Added = addPlan();
  Code = makePlan(Added, Success, R, nullptr);
  if (Code == Success)
    *Handle = Added;
  else
    removePlan(Added);
  return Code;
}

static Result measure(Result Code, const Request &R, size_t *Bytes) {
  if (!Bytes)
    return InvalidValue;
  if (Code == Success)
    Code = Plan::measure(R, *Bytes);
  if (Code == Success)
    *Bytes = areaOf(*Bytes);
  return Code;
}

static Result measure(int Handle, Result Code, const Request &R,
                      size_t *Bytes) {
  return findPlan(Handle) ? measure(Code, R, Bytes) : InvalidPlan;
}

extern "C" {

Result cufftCreate(int *Handle) {
  if (!Handle)
    return InvalidValue;
  *Handle = addPlan();
  return Success;
}

Result cufftDestroy(int Handle) {
  return removePlan(Handle) ? Success : InvalidPlan;
}

Result cufftPlan1d(int *Handle, int N, int T, int Batch) {
  Request R;
  Result Code = basicRequest({N}, T, Batch, R);
  return newPlan(Handle, Code, R);
}

Result cufftPlan2d(int *Handle, int N0, int N1, int T) {
  Request R;
  Result Code = basicRequest({N0, N1}, T, 1, R);
  return newPlan(Handle, Code, R);
}

Result cufftPlan3d(int *Handle, int N0, int N1, int N2, int T) {
  Request R;
  Result Code = basicRequest({N0, N1, N2}, T, 1, R);
  return newPlan(Handle, Code, R);
}

Result cufftPlanMany(int *Handle, int Rank, int *N, int *InEmbed, int InStride,
                     int InDistance, int *OutEmbed, int OutStride,
                     int OutDistance, int T, int Batch) {
  Request R;
  Result Code = manyRequest(Rank, N, InEmbed, InStride, InDistance, OutEmbed,
                            OutStride, OutDistance, T, Batch, R);
  return newPlan(Handle, Code, R);
}

Result cufftMakePlan1d(int Handle, int N, int T, int Batch, size_t *WorkSize) {
  Request R;
  Result Code = basicRequest({N}, T, Batch, R);
  return makePlan(Handle, Code, R, WorkSize);
}

Result cufftMakePlan2d(int Handle, int N0, int N1, int T, size_t *WorkSize) {
  Request R;
  Result Code = basicRequest({N0, N1}, T, 1, R);
  return makePlan(Handle, Code, R, WorkSize);
}

Result cufftMakePlan3d(int Handle, int N0, int N1, int N2, int T,
                       size_t *WorkSize) {
  Request R;
  Result Code = basicRequest({N0, N1, N2}, T, 1, R);
  return makePlan(Handle, Code, R, WorkSize);
}

Result cufftMakePlanMany(int Handle, int Rank, int *N, int *InEmbed,
                         int InStride, int InDistance, int *OutEmbed,
                         int OutStride, int OutDistance, int T, int Batch,
                         size_t *WorkSize) {
  Request R;
  Result Code = manyRequest(Rank, N, InEmbed, InStride, InDistance, OutEmbed,
                            OutStride, OutDistance, T, Batch, R);
  return makePlan(Handle, Code, R, WorkSize);
}

Result cufftMakePlanMany64(int Handle, int Rank, long long *N,
                           long long *InEmbed, long long InStride,
                           long long InDistance, long long *OutEmbed,
                           long long OutStride, long long OutDistance, int T,
                           long long Batch, size_t *WorkSize) {
  Request R;
  Result Code = manyRequest(Rank, N, {InEmbed, InStride, InDistance},
                            {OutEmbed, OutStride, OutDistance}, T, Batch, R);
  return makePlan(Handle, Code, R, WorkSize);
}

static Result typedRequest(int Rank, const long long *N,
                           const LayoutArguments &In, int InType,
                           const LayoutArguments &Out, int OutType,
                           long long Batch, Request &R) {
  if (Result Code = setTypes(InType, OutType, R))
    return Code;
  if (Result Code = setExtents(Rank, N, Batch, R))
    return Code;
  return setLayouts(In, Out, R);
}

/// The transform is computed in single or double precision, whichever the
/// program asks for: ExecutionType may not be wider than the numbers.
Result cufftXtMakePlanMany(int Handle, int Rank, long long *N,
                           long long *InEmbed, long long InStride,
                           long long InDistance, int InType,
                           long long *OutEmbed, long long OutStride,
                           long long OutDistance, int OutType, long long Batch,
                           size_t *WorkSize, int /*ExecutionType*/) {
  Request R;
  Result Code =
      typedRequest(Rank, N, {InEmbed, InStride, InDistance}, InType,
                   {OutEmbed, OutStride, OutDistance}, OutType, Batch, R);
  return makePlan(Handle, Code, R, WorkSize);
}

Result cufftXtGetSizeMany(int Handle, int Rank, long long *N,
                          long long *InEmbed, long long InStride,
                          long long InDistance, int InType, long long *OutEmbed,
                          long long OutStride, long long OutDistance,
                          int OutType, long long Batch, size_t *WorkSize,
                          int /*ExecutionType*/) {
  Request R;
  Result Code =
      typedRequest(Rank, N, {InEmbed, InStride, InDistance}, InType,
                   {OutEmbed, OutStride, OutDistance}, OutType, Batch, R);
  return measure(Handle, Code, R, WorkSize);
}

Result cufftEstimate1d(int N, int T, int Batch, size_t *WorkSize) {
  Request R;
  Result Code = basicRequest({N}, T, Batch, R);
  return measure(Code, R, WorkSize);
}

Result cufftEstimate2d(int N0, int N1, int T, size_t *WorkSize) {
  Request R;
  Result Code = basicRequest({N0, N1}, T, 1, R);
  return measure(Code, R, WorkSize);
}

Result cufftEstimate3d(int N0, int N1, int N2, int T, size_t *WorkSize) {
  Request R;
  Result Code = basicRequest({N0, N1, N2}, T, 1, R);
  return measure(Code, R, WorkSize);
}

Result cufftEstimateMany(int Rank, int *N, int *InEmbed, int InStride,
                         int InDistance, int *OutEmbed, int OutStride,
                         int OutDistance, int T, int Batch, size_t *WorkSize) {
  Request R;
  Result Code = manyRequest(Rank, N, InEmbed, InStride, InDistance, OutEmbed,
                            OutStride, OutDistance, T, Batch, R);
  return measure(Code, R, WorkSize);
}

Result cufftGetSize1d(int Handle, int N, int T, int Batch, size_t *WorkSize) {
  return findPlan(Handle) ? cufftEstimate1d(N, T, Batch, WorkSize)
                          : InvalidPlan;
}

Result cufftGetSize2d(int Handle, int N0, int N1, int T, size_t *WorkSize) {
  return findPlan(Handle) ? cufftEstimate2d(N0, N1, T, WorkSize) : InvalidPlan;
}

Result cufftGetSize3d(int Handle, int N0, int N1, int N2, int T,
                      size_t *WorkSize) {
  return findPlan(Handle) ? cufftEstimate3d(N0, N1, N2, T, WorkSize)
                          : InvalidPlan;
}

Result cufftGetSizeMany(int Handle, int Rank, int *N, int *InEmbed,
                        int InStride, int InDistance, int *OutEmbed,
                        int OutStride, int OutDistance, int T, int Batch,
                        size_t *WorkSize) {
  return findPlan(Handle) ? cufftEstimateMany(Rank, N, InEmbed, InStride,
                                              InDistance, OutEmbed, OutStride,
                                              OutDistance, T, Batch, WorkSize)
                          : InvalidPlan;
}

Result cufftGetSizeMany64(int Handle, int Rank, long long *N,
                          long long *InEmbed, long long InStride,
                          long long InDistance, long long *OutEmbed,
                          long long OutStride, long long OutDistance, int T,
                          long long Batch, size_t *WorkSize) {
  Request R;
  Result Code = manyRequest(Rank, N, {InEmbed, InStride, InDistance},
                            {OutEmbed, OutStride, OutDistance}, T, Batch, R);
  return measure(Handle, Code, R, WorkSize);
}

Result cufftGetSize(int Handle, size_t *WorkSize) {
  Plan *P = findPlan(Handle);
  if (!P)
    return InvalidPlan;
  if (!WorkSize)
    return InvalidValue;
  *WorkSize = areaOf(P->workBytes());
  return Success;
}

//===----------------------------------------------------------------------===//
// What a plan works with
//===----------------------------------------------------------------------===//

Result cufftSetStream(int Handle, cudaStream_t Stream) {
  Plan *P = findPlan(Handle);
  if (!P)
    return InvalidPlan;
  P->Stream = Stream;
  return Success;
}

Result cufftSetWorkArea(int Handle, void *Area) {
  Plan *P = findPlan(Handle);
  if (!P)
    return InvalidPlan;
  P->setWork(Area);
  return Success;
}

Result cufftXtSetWorkArea(int Handle, void **Areas) {
  return Areas ? cufftSetWorkArea(Handle, Areas[0]) : InvalidValue;
}

Result cufftSetAutoAllocation(int Handle, int AllocatesWork) {
  Plan *P = findPlan(Handle);
  if (!P)
    return InvalidPlan;
  P->AllocatesWork = AllocatesWork != 0;
  return Success;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// Runs a plan, or says that it is none of that type.
static Result run(int Handle, Type T, const void *In, void *Out,
                  int Direction) {
  constexpr int Forward = -1, Inverse = 1;
  Plan *P = findPlan(Handle);
  if (!P || !P->isMade())
    return InvalidPlan;
  Request Wanted;
  setType(T, Wanted);
  const Request &Made = P->request();
  if (Wanted.IsDouble != Made.IsDouble ||
      Wanted.In.Elements != Made.In.Elements ||
      Wanted.Out.Elements != Made.Out.Elements)
    return InvalidPlan;
  if (!In || !Out || (Direction != Forward && Direction != Inverse))
    return InvalidValue;
  return P->run(In, Out, Direction == Inverse);
}

Result cufftExecC2C(int Handle, void *In, void *Out, int Direction) {
  return run(Handle, Type::C2C, In, Out, Direction);
}

Result cufftExecZ2Z(int Handle, void *In, void *Out, int Direction) {
  return run(Handle, Type::Z2Z, In, Out, Direction);
}

Result cufftExecR2C(int Handle, void *In, void *Out) {
  return run(Handle, Type::R2C, In, Out, -1);
}

Result cufftExecD2Z(int Handle, void *In, void *Out) {
  return run(Handle, Type::D2Z, In, Out, -1);
}

Result cufftExecC2R(int Handle, void *In, void *Out) {
  return run(Handle, Type::C2R, In, Out, 1);
}

Result cufftExecZ2D(int Handle, void *In, void *Out) {
  return run(Handle, Type::Z2D, In, Out, 1);
}

/// The direction counts for complex transforms alone.
Result cufftXtExec(int Handle, void *In, void *Out, int Direction) {
  Plan *P = findPlan(Handle);
  if (!P || !P->isMade())
    return InvalidPlan;
  if (!In || !Out)
    return InvalidValue;
  const Request &Made = P->request();
  bool IsInverse = Made.Out.Elements == Real ||
                   (Made.In.Elements == Complex && Direction == 1);
  return P->run(In, Out, IsInverse);
}

//===----------------------------------------------------------------------===//
// Versions and properties
//===----------------------------------------------------------------------===//

static Result giveVersion(int Number, int *Version) {
  if (!Version)
    return InvalidValue;
  *Version = Number;
  return Success;
}

/// libraryPropertyType: the version's three parts.
static Result giveProperty(int Number, int Property, int *Value) {
  if (!Value || Property < 0 || Property > 2)
    return InvalidValue;
  int Parts[] = {Number / 1000, Number / 100 % 10, Number % 100};
  *Value = Parts[Property];
  return Success;
}

// Of CUDA 13, 12 and 11.
constexpr int Version12 = 12500, Version11 = 11403, Version10 = 10900;

Result cufftGetVersion(int *Version) { return giveVersion(Version12, Version); }
Result cufft11GetVersion(int *Version) {
  return giveVersion(Version11, Version);
}
Result cufft10GetVersion(int *Version) {
  return giveVersion(Version10, Version);
}
Result cufftGetProperty(int Property, int *Value) {
  return giveProperty(Version12, Property, Value);
}
Result cufft11GetProperty(int Property, int *Value) {
  return giveProperty(Version11, Property, Value);
}
Result cufft10GetProperty(int Property, int *Value) {
  return giveProperty(Version10, Property, Value);
}

/// Properties are about how plans are made, and change no result; none is kept.
Result cufftSetPlanPropertyInt64(int Handle, int, long long) {
  return findPlan(Handle) ? NotSupported : InvalidPlan;
}
Result cufftGetPlanPropertyInt64(int Handle, int, long long *Value) {
  if (!Value)
    return InvalidValue;
  *Value = 0;
  return findPlan(Handle) ? Success : InvalidPlan;
}
Result cufftResetPlanProperty(int Handle, int) {
  return findPlan(Handle) ? Success : InvalidPlan;
}

#define HEDDLE_FFT_UNSUPPORTED(Name)                                           \
  Result Name() {                                                              \
    log(#Name " of cuFFT is not supported");                                   \
    return NotSupported;                                                       \
  }
#include "FFT/Unsupported.def"

} // extern "C"
