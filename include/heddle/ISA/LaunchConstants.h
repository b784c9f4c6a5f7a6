//===- LaunchConstants.h - What a launch puts among constants ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behind the parameters of a kernel, in the same bank, are the extents of its
// launch: three words each. They are those of the special registers, which take
// longer to read.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ISA_LAUNCHCONSTANTS_H
#define HEDDLE_ISA_LAUNCHCONSTANTS_H

#include <cstdint>

namespace heddle::isa {

/// Where they stand in the bank of the parameters, in bytes; the parameters of
/// a kernel end before.
inline constexpr uint32_t BlockConstants = 0x8000; ///< ntid: x, y, z.
inline constexpr uint32_t GridConstants = 0x8010;  ///< nctaid: x, y, z.
inline constexpr uint32_t ExtentsBytes = 12;       ///< Of each.

} // namespace heddle::isa

#endif // HEDDLE_ISA_LAUNCHCONSTANTS_H
