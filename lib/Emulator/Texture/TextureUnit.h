//===- TextureUnit.h - Addressing and filtering -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of docs/isa/texture-objects.md for one thread: from
// coordinates to texels, from texels to the filtered value.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TEXTUREUNIT_H
#define HEDDLE_LIB_EMULATOR_TEXTUREUNIT_H

#include "Texture/TextureDescriptors.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <cstdint>
#include <optional>

namespace heddle::emu {

/// Four components as a lookup returns them.
using Texel = std::array<uint32_t, 4>;

/// Whether lookups return integers.
bool isIntegerFormat(texture::TexelFormat F);

/// The components of a texel from its bytes; absent ones are 0, 0, 0, 1.
Texel decodeTexel(const rt::ImageDesc &Image, const uint8_t *Bytes);
/// The bytes of a texel with these components, converted to its format.
std::array<uint8_t, 16> encodeTexel(const rt::ImageDesc &Image,
                                    const Texel &Components);

/// What one thread asks of TEX or TLD4.
struct TextureRequest {
  texture::Geometry Geometry = texture::Geometry::D1;
  bool IntCoords = false;
  isa::LodMode Lod = isa::LodMode::Base;
  bool HasOffset = false, HasDepth = false;
  /// The operands b, c and e.
  std::array<uint32_t, 4> Coords{}, C{}, E{};
};

/// Reads \p Bytes at a device address into \p Out; false after a fault.
using FetchTexel =
    llvm::function_ref<bool(uint64_t Address, unsigned Bytes, uint8_t *Out)>;

/// A lookup; none after a fault.
std::optional<Texel> lookUp(const rt::ImageDesc &Image,
                            const rt::SamplerDesc &Sampler,
                            const TextureRequest &Request, FetchTexel Fetch);
/// A gather of component \p Component.
std::optional<Texel> gather(const rt::ImageDesc &Image,
                            const rt::SamplerDesc &Sampler,
                            const TextureRequest &Request, unsigned Component,
                            FetchTexel Fetch);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TEXTUREUNIT_H
