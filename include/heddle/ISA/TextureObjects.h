//===- TextureObjects.h - Handles, descriptors, formats ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What isa-defs/HeddleTextureObjects.td says about the objects of the texture
// unit, for C++. docs/isa/texture-objects.md has their meaning.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ISA_TEXTUREOBJECTS_H
#define HEDDLE_ISA_TEXTUREOBJECTS_H

#include "heddle/ISA/ISA.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::texture {

/// A field of a descriptor: its offset and size in bytes.
struct FieldPlace {
  uint8_t Offset, Bytes;
};

/// The fields, named after their object (ImageBase, SamplerFilter), and the
/// numbers of class TextureConstant.
#define GET_ISA_TEXTURE_CONSTANTS
#include "heddle/ISA/ISATable.inc"

/// How a component stands in memory; the value is the descriptor's.
enum class TexelFormat : uint8_t {
#define GET_ISA_TEXEL_FORMAT_ENUM
#include "heddle/ISA/ISATable.inc"
};

struct TexelFormatInfo {
  std::string_view Name; ///< In launch manifests.
  uint8_t Bits;
  uint16_t DataType; ///< What a query returns: OpenCL's number.
};

/// All formats, by the value of TexelFormat.
std::span<const TexelFormatInfo> texelFormats();

using Geometry = isa::ImageGeometry;
using Query = isa::ImageQuery;

/// The values of the fields Address0 to Address2 and Filter of samplers.
enum class AddressMode : uint8_t { Wrap, Mirror, ClampOGL, Clamp, Border };
enum class FilterMode : uint8_t { Nearest, Linear };

/// Parts of a handle.
constexpr uint32_t imageIndex(uint64_t Handle) {
  return static_cast<uint32_t>(Handle);
}
constexpr uint32_t samplerIndex(uint64_t Handle) {
  return Handle >> SamplerShift & ((1u << SamplerBits) - 1);
}
constexpr unsigned handleKind(uint64_t Handle) { return Handle >> KindShift; }
constexpr uint64_t makeHandle(unsigned Kind, uint32_t Image, uint32_t Sampler) {
  return uint64_t(Kind) << KindShift | uint64_t(Sampler) << SamplerShift |
         Image;
}

} // namespace heddle::texture

#endif // HEDDLE_ISA_TEXTUREOBJECTS_H
