//===- LateCode.h - Code that is decoded when it is reached -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library may be one module of thousands of functions, which are called by
// pointers, and of which a program calls few. Decoded code is many times larger
// than the code, and each device has its own. So sections of such a module are
// decoded when something leads to them: a launch, or a branch to an address in
// a register. What direct branches lead to is decoded with what they are in.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_LATECODE_H
#define HEDDLE_LIB_EMULATOR_LATECODE_H

#include "Decoder.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

namespace heddle::emu {

/// Any thread may call any of it once all sections are added.
class LateCode {
public:
  /// \p Image, whose sections these are, stays where it is.
  LateCode(CodeImage &Image, const isa::ChipInfo &Chip, HostVectors Vectors)
      : Image(Image), Chip(Chip), Vectors(Vectors) {}

  /// Adds a section to the image, to be decoded later.
  void add(std::string Name, std::vector<uint8_t> Bytes);

  /// How many were added, in front of all others of the image.
  size_t sections() const { return Parts.size(); }

  /// Decodes the section in which a PC is, unless it is.
  void reach(uint32_t PC);
  void reachAll();

private:
  struct Part {
    explicit Part(std::vector<uint8_t> Bytes) : Bytes(std::move(Bytes)) {}
    std::vector<uint8_t> Bytes; ///< Relocated; none once it is decoded.
    bool IsDecoded = false;
    /// It and what it leads to; see reach.
    std::atomic<bool> IsThere{false};
  };

  size_t indexOf(uint32_t PC) const;
  void decode(size_t Index, std::vector<size_t> &Next);
  void reachSection(size_t Index);

  CodeImage &Image;
  const isa::ChipInfo &Chip;
  HostVectors Vectors;
  std::mutex Mutex;       ///< Of what follows, but for IsThere.
  std::deque<Part> Parts; ///< Of the image's first sections.
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_LATECODE_H
