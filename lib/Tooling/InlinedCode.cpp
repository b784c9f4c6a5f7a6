//===- InlinedCode.cpp - Where an instruction was inlined -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The outermost frame is the function whose code it is.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tooling/InlinedCode.h"
#include "heddle/Object/SourceFrames.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle {

Expected<InlinedPlaces> findInlinedPlaces(ArrayRef<uint8_t> Bytes,
                                          const Disassembly &Text) {
  InlinedPlaces Result;
  Expected<ObjectFile> Object = ObjectFile::create(Bytes);
  if (!Object)
    return Object.takeError();
  Expected<SourceFrames> Frames = SourceFrames::create(*Object);
  if (!Frames)
    return Frames.takeError();
  if (!Frames->dwarf())
    return Result;
  for (const auto &[Place, Instruction] : Text) {
    std::optional<uint32_t> Section = Object->findSection(Place.first);
    if (!Section)
      continue;
    std::vector<SourceFrame> In = Frames->lookup(*Section, Place.second);
    if (In.size() < 2 || In.front().File == In.back().File)
      continue;
    auto Own = find_if(In, [&](const SourceFrame &F) {
      return F.File == In.back().File && F.Line;
    });
    if (Own != In.end())
      Result[Place] = {Own->File, Own->Line};
  }
  return Result;
}

} // namespace heddle
