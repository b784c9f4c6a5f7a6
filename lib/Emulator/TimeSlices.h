//===- TimeSlices.h - What emulator and translator know of both -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time slices that end at an instruction, whatever it is. Translated code has a
// place to stop there, and an entry.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMESLICES_H
#define HEDDLE_LIB_EMULATOR_TIMESLICES_H

#include <cstdint>

namespace heddle::emu {

/// Instructions in a warp's first time slice behind a barrier: what a warp
/// reads there it has read before another warp is far behind the barrier, as on
/// a chip whose warps take turns. Programs that lack a barrier often get by
/// with that.
constexpr uint64_t FirstSlice = 16;

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMESLICES_H
