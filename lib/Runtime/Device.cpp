//===- Device.cpp - What all devices share ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Look-up by name and the wording of faults.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/Device.h"
#include "heddle/Runtime/Queue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <cstring>

using namespace llvm;

namespace heddle::rt {

Expected<FreshMemory> parseFreshMemory(StringRef Name) {
  if (Name == "zero")
    return FreshMemory::Zero;
  if (Name == "poison")
    return FreshMemory::Poison;
  return createStringError(inconvertibleErrorCode(),
                           "fresh memory is 'zero' or 'poison', not '" + Name +
                               "'");
}

Expected<MemoryBounds> parseMemoryBounds(StringRef Name) {
  if (Name == "exact")
    return MemoryBounds::Exact;
  if (Name == "page")
    return MemoryBounds::Page;
  return createStringError(inconvertibleErrorCode(),
                           "bounds are 'exact' or 'page', not '" + Name + "'");
}

static std::atomic<uint64_t> NumModules{0};

Module::Module() : Id(++NumModules) {}
Module::~Module() = default;
Device::~Device() = default;

Expected<std::unique_ptr<Module>> Device::loadSharing(ArrayRef<uint8_t>,
                                                      const Module &, bool) {
  return createStringError(inconvertibleErrorCode(),
                           "the device shares no variables with others");
}

Expected<std::unique_ptr<Module>> Device::loadReplacement(ArrayRef<uint8_t>,
                                                          const Module &) {
  return createStringError(inconvertibleErrorCode(),
                           "the device cannot replace code");
}

Error Device::allocateAt(DeviceAddress, uint64_t) {
  return createStringError(inconvertibleErrorCode(),
                           "the device chooses addresses itself");
}

Expected<const MemoryFile &> Device::share(DeviceAddress) {
  return createStringError(inconvertibleErrorCode(),
                           "the device's memory belongs to one process");
}

Error Device::setPeerAccess(unsigned, bool) {
  return createStringError(inconvertibleErrorCode(), "the device has no peers");
}

Error Device::setPeerAccess(DeviceAddress, unsigned Peer, bool Reaches) {
  return setPeerAccess(Peer, Reaches);
}

Error Device::mapHost(MutableArrayRef<uint8_t>) {
  return createStringError(inconvertibleErrorCode(),
                           "the device cannot reach memory of the host");
}

Error Device::unmapHost(const void *) {
  return createStringError(inconvertibleErrorCode(),
                           "no memory of the host is mapped");
}

Error Device::copyRows(const RowCopy &C) {
  auto Host = [](uint64_t Address) {
    return reinterpret_cast<uint8_t *>(static_cast<uintptr_t>(Address));
  };
  for (uint64_t Row = 0; Row != C.Rows; ++Row) {
    uint64_t To = C.To.Address + Row * C.To.Pitch;
    uint64_t From = C.From.Address + Row * C.From.Pitch;
    if (C.To.IsHost && C.From.IsHost)
      std::memmove(Host(To), Host(From), C.RowBytes);
    else if (Error E =
                 C.To.IsHost     ? copyFromDevice({Host(To), C.RowBytes}, From)
                 : C.From.IsHost ? copyToDevice(To, {Host(From), C.RowBytes})
                                 : copyOnDevice(To, From, C.RowBytes))
      return E;
  }
  return Error::success();
}

Expected<uint64_t> Device::loadNumber(DeviceAddress Address, uint32_t Bytes) {
  uint64_t Number = 0;
  if (Error E = copyFromDevice({reinterpret_cast<uint8_t *>(&Number), Bytes},
                               Address))
    return std::move(E);
  return Number;
}

Error Device::storeNumber(DeviceAddress Address, uint64_t Value,
                          uint32_t Bytes) {
  return copyToDevice(Address,
                      {reinterpret_cast<const uint8_t *>(&Value), Bytes});
}

Error Device::fillRows(const RowFill &F) {
  for (uint64_t Row = 0; Row != F.Rows; ++Row)
    if (Error E = fill(F.To + Row * F.Pitch, F.Pattern, F.Count))
      return E;
  return Error::success();
}

std::unique_ptr<Queue> Device::createQueue() { return createHostQueue(*this); }

static Error noTextures() {
  return createStringError(inconvertibleErrorCode(),
                           "the device has no texture unit");
}
Expected<TextureHandle> Device::createTexture(const ImageDesc &,
                                              const SamplerDesc &) {
  return noTextures();
}
Expected<TextureHandle> Device::createSampler(const SamplerDesc &) {
  return noTextures();
}
Expected<TextureHandle> Device::createSurface(const ImageDesc &) {
  return noTextures();
}
Error Device::destroyTextureObject(TextureHandle) { return noTextures(); }

static Error noMulticast() {
  return createStringError(inconvertibleErrorCode(),
                           "the device has no multicast ranges");
}
Error Device::setMulticast(DeviceAddress, uint64_t, ArrayRef<MulticastPart>) {
  return noMulticast();
}
Error Device::removeMulticast(DeviceAddress) { return noMulticast(); }

static Error noFabric() {
  return createStringError(inconvertibleErrorCode(),
                           "the device is at no fabric");
}
Error Device::setEndpoint(uint32_t, const EndpointDesc &) { return noFabric(); }
Error Device::removeEndpoint(uint32_t) { return noFabric(); }

std::optional<unsigned> Module::findKernel(StringRef Name) const {
  for (auto [Index, Kernel] : enumerate(kernels()))
    if (Kernel.Name == Name)
      return Index;
  return std::nullopt;
}

const SymbolInfo *Module::findSymbol(StringRef Name) const {
  for (const SymbolInfo &Symbol : symbols())
    if (Symbol.Name == Name)
      return &Symbol;
  return nullptr;
}

static constexpr StringLiteral FaultNames[] = {
#define HEDDLE_FAULT(Enumerator, Name, Meaning) Name,
#include "heddle/Runtime/Faults.def"
};

StringRef faultKindName(FaultKind Kind) {
  return FaultNames[static_cast<size_t>(Kind)];
}

std::optional<FaultKind> parseFaultKind(StringRef Name) {
  for (auto [Index, Known] : enumerate(FaultNames))
    if (Known == Name)
      return static_cast<FaultKind>(Index);
  return std::nullopt;
}

static void printCoordinates(raw_ostream &OS, const char *What, const Dim3 &D) {
  OS << ", " << What << " (" << D.X << ", " << D.Y << ", " << D.Z << ")";
}

std::string Fault::str() const {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << faultKindName(Kind) << " in kernel '" << Kernel << "' at PC "
     << format_hex(PC, 6);
  if (!Section.empty())
    OS << " of " << Section;
  if (SourceLine)
    OS << " (" << SourceFile << ":" << SourceLine << ")";
  if (Block)
    printCoordinates(OS, "CTA", *Block);
  if (Thread)
    printCoordinates(OS, "thread", *Thread);
  if (Warp && Lane)
    OS << ", lane " << *Lane << " of warp " << *Warp;
  if (Address)
    OS << ", address " << format_hex(*Address, 18);
  if (!Message.empty())
    OS << ": " << Message;
  return Text;
}

} // namespace heddle::rt
