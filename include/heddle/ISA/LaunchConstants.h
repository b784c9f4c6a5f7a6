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
// A bank of their own have the functions of a module whose code may be replaced
// while pointers to them are in use. Such a pointer is the address of an entry:
// two instructions, which load an address from the bank and go there. The bank
// is that of the code launched, so that a launch has functions of one kind.
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
/// The bank can be read up to the next multiple of so many bytes behind the
/// parameters; what is behind them is zero.
inline constexpr uint32_t ParameterGroupBytes = 16;

/// The bank with an address for each entry, and the first of two registers that
/// an entry writes: no function keeps them for its caller.
inline constexpr unsigned FunctionBank = 4;
inline constexpr unsigned EntryRegister = 32;

} // namespace heddle::isa

#endif // HEDDLE_ISA_LAUNCHCONSTANTS_H
