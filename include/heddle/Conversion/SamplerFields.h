//===- SamplerFields.h - Initial values of samplers -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `.samplerref s = { filter_mode = linear }`: the initial value of such a
// variable, in the ptx dialect and in code objects, is the first half of a
// sampler's descriptor (docs/isa/texture-objects.md). The loader of the module
// makes a sampler of it and puts its handle there.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CONVERSION_SAMPLERFIELDS_H
#define HEDDLE_CONVERSION_SAMPLERFIELDS_H

#include "heddle/ISA/TextureObjects.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace heddle {

/// What PTX's words for addressing and filtering stand for, by number.
inline constexpr llvm::StringLiteral AddressModeWords[] = {
    "wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"};
inline constexpr llvm::StringLiteral FilterModeWords[] = {"nearest", "linear"};

/// A field that PTX can give a value.
struct SamplerField {
  llvm::StringLiteral Name;
  unsigned Byte; ///< Of the descriptor.
  /// Its values; none: 0 and 1.
  llvm::ArrayRef<llvm::StringLiteral> Words;
};

inline const SamplerField SamplerFields[] = {
    {"addr_mode_0", texture::SamplerAddress0.Offset, AddressModeWords},
    {"addr_mode_1", texture::SamplerAddress1.Offset, AddressModeWords},
    {"addr_mode_2", texture::SamplerAddress2.Offset, AddressModeWords},
    {"filter_mode", texture::SamplerFilter.Offset, FilterModeWords},
    {"force_unnormalized_coords", texture::SamplerUnnormalized.Offset, {}}};

/// The initial value of a sampler whose initializer says nothing: clamp to
/// edge, nearest, depths that are less or equal pass; and that it is one.
inline constexpr unsigned char DefaultSampler[8] = {3, 3, 3, 0, 0, 3, 0, 1};

} // namespace heddle

#endif // HEDDLE_CONVERSION_SAMPLERFIELDS_H
