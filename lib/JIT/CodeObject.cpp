//===- CodeObject.cpp - Code objects of the C API ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of heddle-c/Compiler.h that asks what a code object holds.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "heddle/Runtime/Occupancy.h"

#include <cstdlib>

using namespace heddle;
using namespace heddle::jit;

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static constexpr size_t ResultAlign = 16;

static void *allocateByDefault(void *, size_t Size, size_t Align) {
  return std::aligned_alloc(Align, (Size + Align - 1) / Align * Align);
}

static void releaseByDefault(void *, void *Memory) { std::free(Memory); }

ResultBytes::ResultBytes(std::string_view Text, const HeddleAllocator *A)
    : Size(Text.size()), Allocator{sizeof(HeddleAllocator), allocateByDefault,
                                   releaseByDefault, nullptr} {
  if (A && A->Allocate)
    Allocator = *A;
  Data = static_cast<char *>(Allocator.Allocate(
      Allocator.Context, std::max<size_t>(Size, 1), ResultAlign));
  if (Data)
    std::memcpy(Data, Text.data(), Size);
}

ResultBytes::ResultBytes(ResultBytes &&Other)
    : Data(std::exchange(Other.Data, nullptr)), Size(Other.Size),
      Allocator(Other.Allocator) {}

ResultBytes &ResultBytes::operator=(ResultBytes &&Other) {
  std::swap(Data, Other.Data);
  std::swap(Size, Other.Size);
  std::swap(Allocator, Other.Allocator);
  return *this;
}

ResultBytes::~ResultBytes() {
  if (Data)
    Allocator.Release(Allocator.Context, Data);
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

void heddleCodeObjectDestroy(HeddleCodeObject Code) { delete Code; }

const void *heddleCodeObjectGetData(HeddleCodeObject Code) {
  return Code ? Code->Bytes.data() : nullptr;
}

size_t heddleCodeObjectGetSize(HeddleCodeObject Code) {
  return Code ? Code->Bytes.size() : 0;
}

const char *heddleCodeObjectGetChip(HeddleCodeObject Code) {
  return Code ? Code->Metadata.Chip.c_str() : "";
}

const char *heddleCodeObjectGetOrigin(HeddleCodeObject Code) {
  return Code ? Code->Origin.c_str() : "";
}

size_t heddleCodeObjectGetNumDiagnostics(HeddleCodeObject Code) {
  return Code ? Code->Diagnostics.size() : 0;
}

int heddleCodeObjectGetDiagnostic(HeddleCodeObject Code, size_t Index,
                                  HeddleDiagnostic *OutDiagnostic) {
  return Code ? copyDiagnostic(Code->Diagnostics, Index, OutDiagnostic) : 0;
}

size_t heddleCodeObjectGetNumKernels(HeddleCodeObject Code) {
  return Code ? Code->Metadata.Kernels.size() : 0;
}

static const KernelMetadata *kernelAt(HeddleCodeObject Code, size_t Index) {
  if (!Code || Index >= Code->Metadata.Kernels.size())
    return nullptr;
  return &Code->Metadata.Kernels[Index];
}

static uint32_t maxThreadsOf(const KernelMetadata &K) {
  const std::optional<Extents> &E =
      K.RequiredBlock ? K.RequiredBlock : K.MaxBlock;
  return E ? E->X * E->Y * E->Z : 0;
}

int heddleCodeObjectGetKernel(HeddleCodeObject Code, size_t Index,
                              HeddleKernelInfo *OutInfo) {
  const KernelMetadata *K = kernelAt(Code, Index);
  if (!K)
    return 0;
  HeddleKernelInfo Info = {};
  Info.Name = K->Name.c_str();
  Info.Registers = K->Registers;
  Info.UniformRegisters = K->UniformRegisters;
  Info.SharedBytes = K->SharedBytes;
  Info.LocalBytes = K->LocalBytes;
  Info.SpillStoreBytes = K->SpillStoreBytes;
  Info.SpillLoadBytes = K->SpillLoadBytes;
  Info.Barriers = K->Barriers;
  Info.ParamBytes = K->ParamBytes;
  Info.NumParams = K->Params.size();
  Info.MaxThreads = maxThreadsOf(*K);
  return writeStruct(OutInfo, Info);
}

int heddleCodeObjectGetParam(HeddleCodeObject Code, size_t Kernel, size_t Index,
                             HeddleParamInfo *OutInfo) {
  const KernelMetadata *K = kernelAt(Code, Kernel);
  if (!K || Index >= K->Params.size())
    return 0;
  const ParamMetadata &P = K->Params[Index];
  return writeStruct(
      OutInfo, {0, P.Name.c_str(), P.Type.c_str(), P.Offset, P.Size, P.Align});
}

HeddleError heddleCodeObjectGetOccupancy(HeddleCodeObject Code, size_t Kernel,
                                         uint32_t ThreadsPerCTA,
                                         uint32_t DynamicSharedBytes,
                                         uint32_t *OutCTAsPerCore,
                                         const char **OutLimiter) {
  const KernelMetadata *K = kernelAt(Code, Kernel);
  if (!K)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT, "there is no such kernel");
  const isa::ChipInfo *Chip = isa::findChip(Code->Metadata.Chip);
  if (!Chip)
    return makeError(HEDDLE_ERROR_NOT_SUPPORTED,
                     "the chip '" + Code->Metadata.Chip + "' is not known");
  rt::KernelInfo Info;
  Info.Registers = K->Registers;
  Info.SharedBytes = K->SharedBytes;
  rt::Occupancy O = rt::computeOccupancy(rt::chipProperties(*Chip), Info,
                                         ThreadsPerCTA, DynamicSharedBytes);
  if (OutCTAsPerCore)
    *OutCTAsPerCore = O.CTAsPerCore;
  if (OutLimiter)
    *OutLimiter = rt::occupancyLimitName(O.Limit).data();
  return nullptr;
}
