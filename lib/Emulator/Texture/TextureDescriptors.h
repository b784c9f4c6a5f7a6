//===- TextureDescriptors.h - Descriptors in memory -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of isa-defs/HeddleTextureObjects.td to and from the structures of
// the device interface, and the tables of them in device memory.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TEXTUREDESCRIPTORS_H
#define HEDDLE_LIB_EMULATOR_TEXTUREDESCRIPTORS_H

#include "Memory.h"
#include "heddle/Runtime/Device.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <vector>

namespace heddle::emu {

/// Descriptors of one size in a block of device memory. Entry 0 is never used,
/// so that no handle is zero. The block moves when it gets too small.
class DescriptorTable {
public:
  explicit DescriptorTable(size_t EntryBytes) : EntryBytes(EntryBytes) {}

  /// Fills a free entry; its index.
  llvm::Expected<uint32_t> add(DeviceMemory &Memory,
                               llvm::ArrayRef<uint8_t> Bytes);
  /// Empties an entry; false if it is empty.
  bool remove(uint32_t Index);
  /// The bytes of an entry, or none if it is empty or beyond the table.
  llvm::ArrayRef<uint8_t> operator[](uint32_t Index) const;

private:
  llvm::Error grow(DeviceMemory &Memory);

  size_t EntryBytes;
  Allocation *Block = nullptr;
  std::vector<bool> Used;
};

/// The tables of a device.
struct TextureTables {
  DescriptorTable Images, Samplers;

  TextureTables();
  std::optional<rt::ImageDesc> image(uint64_t Handle) const;
  std::optional<rt::SamplerDesc> sampler(uint64_t Handle) const;
};

std::vector<uint8_t> encode(const rt::ImageDesc &Image);
std::vector<uint8_t> encode(const rt::SamplerDesc &Sampler);
/// What the first eight bytes of a descriptor say that nothing is known of.
llvm::Expected<rt::SamplerDesc>
decodeSamplerStart(llvm::ArrayRef<uint8_t> Bytes);

/// Whether the texture unit can read such an image; the reason if not.
llvm::Error checkImage(const rt::ImageDesc &Image);

/// The bytes of a texel.
unsigned texelBytes(const rt::ImageDesc &Image);

/// Where a level stands.
struct ImageLevel {
  uint64_t Base; ///< Device address.
  uint64_t RowPitch, SlicePitch;
  uint32_t Width, Height, Depth;
};
ImageLevel levelOf(const rt::ImageDesc &Image, unsigned Level);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TEXTUREDESCRIPTORS_H
