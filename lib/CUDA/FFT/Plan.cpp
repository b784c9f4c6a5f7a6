//===- Plan.cpp - A plan of cuFFT -------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts what a recipe names on the device, and launches its steps.
//
//===----------------------------------------------------------------------===//

#include "FFT/Plan.h"
#include "FFT/Kernels.h"
#include "FFT/Tables.h"
#include "Runtime/Launch.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <memory>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;
using namespace heddle::cuda::fft;

/// As cudaMalloc aligns what it gives.
constexpr size_t RegionAlignment = 256;

DeviceBytes::~DeviceBytes() {
  if (Data)
    cudaFree(Data);
}

Result DeviceBytes::allocate(size_t Count) {
  if (Data)
    cudaFree(Data);
  void *Pointer = nullptr;
  if (Count != 0 && cudaMalloc(&Pointer, Count) != cudaSuccess)
    return AllocFailed;
  Data = static_cast<char *>(Pointer);
  return Success;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static Result copyToDevice(char *To, const void *From, size_t Bytes) {
  return cudaMemcpy(To, From, Bytes, cudaMemcpyHostToDevice) == cudaSuccess
             ? Success
             : SetupFailed;
}

/// Transforms a line in double precision, on the device.
static Result transformLine(std::vector<std::complex<double>> &Line) {
  Request Wanted;
  Wanted.Extents[0] = Line.size();
  Wanted.IsDouble = true;
  Plan Transform;
  DeviceBytes Copy;
  size_t Bytes = Line.size() * sizeof(Line[0]);
  if (Result R = Transform.make(Wanted))
    return R;
  if (Result R = Copy.allocate(Bytes))
    return R;
  if (Result R = copyToDevice(Copy.data(), Line.data(), Bytes))
    return R;
  if (Result R = Transform.run(Copy.data(), Copy.data(), false))
    return R;
  return cudaMemcpy(Line.data(), Copy.data(), Bytes, cudaMemcpyDeviceToHost) ==
                 cudaSuccess
             ? Success
             : SetupFailed;
}

static Result fill(const Table &T, std::vector<std::complex<double>> &Numbers) {
  switch (T.Numbers) {
  case Table::Content::Roots:
    Numbers = rootsOfOne(T.Length);
    return Success;
  case Table::Content::Chirp:
    Numbers = chirp(T.Length);
    return Success;
  case Table::Content::Spectrum:
    Numbers = convolvedChirp(T.Length, T.Padded);
    return transformLine(Numbers);
  }
  return InternalError;
}

static Result uploadTable(const Table &T, bool IsDouble, char *To) {
  std::vector<std::complex<double>> Numbers;
  if (Result R = fill(T, Numbers))
    return R;
  if (IsDouble)
    return copyToDevice(To, Numbers.data(),
                        Numbers.size() * sizeof(Numbers[0]));
  std::vector<std::complex<float>> Rounded(Numbers.begin(), Numbers.end());
  return copyToDevice(To, Rounded.data(), Rounded.size() * sizeof(Rounded[0]));
}

/// Puts the tables and, behind them, the parameters of all steps on the device.
Result Plan::upload(const std::vector<Table> &Tables) {
  size_t Element = 2 * Wanted.numberBytes(), Bytes = 0;
  std::vector<size_t> Offsets;
  for (const Table &T : Tables) {
    Offsets.push_back(Bytes);
    Bytes += alignTo(T.size() * Element, RegionAlignment);
  }
  size_t NumSteps = Apart.Steps.size() + InPlace.Steps.size();
  if (Result R = Data.allocate(Bytes + NumSteps * sizeof(Step)))
    return R;
  for (size_t I = 0; I != Tables.size(); ++I)
    if (Result R =
            uploadTable(Tables[I], Wanted.IsDouble, Data.data() + Offsets[I]))
      return R;
  std::vector<Step> Steps;
  for (const Recipe *Made : {&Apart, &InPlace}) {
    for (const PlannedStep &P : Made->Steps) {
      Step S = P.Parameters;
      for (uint64_t *Number : {&S.Roots, &S.In.Factors, &S.Out.Factors})
        if (*Number != 0)
          *Number =
              reinterpret_cast<uint64_t>(Data.data() + Offsets[*Number - 1]);
      Steps.push_back(S);
    }
  }
  Parameters = Data.data() + Bytes;
  return copyToDevice(Parameters, Steps.data(), Steps.size() * sizeof(Step));
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static size_t bytesOf(const Recipe &Made, size_t Element, unsigned Regions) {
  size_t Bytes = 0;
  for (unsigned I = 0; I != Regions; ++I)
    Bytes += alignTo(Made.WorkElements[I] * Element, RegionAlignment);
  return Bytes;
}

/// The steps for both ways to call a plan, and the larger work area of the two.
static Result makeBoth(const Request &Wanted, Recipe &Apart, Recipe &InPlace,
                       std::vector<Table> &Tables, size_t &WorkBytes) {
  if (Result R = makeRecipe(Wanted, false, Apart, Tables))
    return R;
  if (Result R = makeRecipe(Wanted, true, InPlace, Tables))
    return R;
  size_t Element = 2 * Wanted.numberBytes();
  WorkBytes = std::max(bytesOf(Apart, Element, NumWorkRegions),
                       bytesOf(InPlace, Element, NumWorkRegions));
  return Success;
}

Result Plan::measure(const Request &Wanted, size_t &Bytes) {
  Recipe Apart, InPlace;
  std::vector<Table> Tables;
  return makeBoth(Wanted, Apart, InPlace, Tables, Bytes);
}

Result Plan::make(const Request &Asked) {
  Wanted = Asked;
  std::vector<Table> Tables;
  if (Result R = makeBoth(Wanted, Apart, InPlace, Tables, WorkBytes))
    return R;
  if (Result R = upload(Tables))
    return R;
  if (AllocatesWork) {
    if (Result R = OwnWork.allocate(WorkBytes))
      return R;
    Work = OwnWork.data();
  }
  IsMade = true;
  return Success;
}

Result Plan::run(const void *In, void *Out, bool IsInverse) const {
  if (WorkBytes != 0 && !Work)
    return NoWorkspace;
  KernelHandle *Kernel = stepKernel(Wanted.IsDouble);
  if (!Kernel)
    return SetupFailed;
  const Recipe &Made = In == Out ? InPlace : Apart;
  size_t Element = 2 * Wanted.numberBytes();
  auto AddressOf = [&](Region Where) {
    if (isWork(Where))
      return Work + bytesOf(Made, Element, workIndex(Where));
    return static_cast<char *>(Where == Region::In ? const_cast<void *>(In)
                                                   : Out);
  };
  char *Next = Parameters;
  if (In == Out)
    Next += Apart.Steps.size() * sizeof(Step);
  for (const PlannedStep &P : Made.Steps) {
    char *From = AddressOf(P.From), *To = AddressOf(P.To);
    uint32_t Direction = IsInverse;
    void *Arguments[] = {&Next, &From, &To, &Direction};
    rt::LaunchShape Shape = {
        {P.Blocks, 1, 1}, {P.Threads, 1, 1}, P.SharedBytes};
    if (launchKernel(Kernel, Shape, Arguments, Stream) != cudaSuccess)
      return ExecFailed;
    Next += sizeof(Step);
  }
  return Success;
}
