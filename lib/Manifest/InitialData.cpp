//===- InitialData.cpp - The data that a manifest describes -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generators for every way to initialise an array. An element depends on its
// index alone, so arrays of any size are made in pieces.
//
//===----------------------------------------------------------------------===//

#include "heddle/Manifest/Manifest.h"
#include "heddle/Manifest/Random.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace llvm;

namespace heddle::rt {

InitialData::InitialData(const ArraySpec &Spec) : Spec(&Spec) {}
InitialData::InitialData(InitialData &&) = default;
InitialData::~InitialData() = default;

Expected<InitialData> InitialData::open(const ArraySpec &Spec,
                                        bool MayBeLonger) {
  InitialData Data(Spec);
  const auto *FromFile = std::get_if<FileInit>(&Spec.Init);
  if (!FromFile)
    return Data;
  auto Buffer = MemoryBuffer::getFile(FromFile->Path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return createStringError("%s: cannot read '%s': %s", Spec.Place.c_str(),
                             FromFile->Path.c_str(),
                             Buffer.getError().message().c_str());
  uint64_t Size = (*Buffer)->getBufferSize();
  if (Size < Spec.bytes() || (Size > Spec.bytes() && !MayBeLonger))
    return createStringError(
        "%s: '%s' has %llu bytes, but %llu elements of %s need %llu",
        Spec.Place.c_str(), FromFile->Path.c_str(), (unsigned long long)Size,
        (unsigned long long)Spec.Count, elementName(Spec.Type).data(),
        (unsigned long long)Spec.bytes());
  Data.File = std::move(*Buffer);
  return Data;
}

bool InitialData::any() const {
  return !std::holds_alternative<std::monostate>(Spec->Init);
}

/// The bits of element \p Index.
static uint64_t element(const ArraySpec &Spec, uint64_t Index) {
  ElementType Type = Spec.Type;
  if (const auto *Fill = std::get_if<FillInit>(&Spec.Init))
    return Fill->Bits;
  if (const auto *List = std::get_if<ListInit>(&Spec.Init))
    return List->Bits[Index];
  if (const auto *Iota = std::get_if<IotaInit>(&Spec.Init)) {
    const NumberPair &N = Iota->StartAndStep;
    if (!isFloat(Type))
      return N.Integer[0] + N.Integer[1] * Index;
    return floatBits(Type, iotaReal(Index, N.Real[0], N.Real[1]));
  }
  if (const auto *Random = std::get_if<RandomInit>(&Spec.Init)) {
    const NumberPair &N = Random->LowAndHigh;
    if (!isFloat(Type))
      return randomInteger(Random->Seed, Index, N.Integer[0], N.Integer[1]);
    return floatBits(Type,
                     randomReal(Random->Seed, Index, N.Real[0], N.Real[1]));
  }
  return 0;
}

void InitialData::generate(uint64_t First, MutableArrayRef<uint8_t> Out) const {
  unsigned Size = elementSize(Spec->Type);
  if (Out.empty())
    return;
  if (std::holds_alternative<ZeroInit>(Spec->Init)) {
    std::memset(Out.data(), 0, Out.size());
    return;
  }
  if (File) {
    std::memcpy(Out.data(), File->getBufferStart() + First * Size, Out.size());
    return;
  }
  for (size_t At = 0; At < Out.size(); At += Size)
    storeElement(Spec->Type, element(*Spec, First + At / Size),
                 Out.data() + At);
}

} // namespace heddle::rt
