//===- SystemCalls.h - What kernels ask of the device -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which system calls leave something behind that a launch which runs once more
// would find.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_SYSTEMCALLS_H
#define HEDDLE_LIB_EMULATOR_SYSTEMCALLS_H

#include "Decoder.h"
#include "llvm/ADT/StringRef.h"

namespace heddle::emu {

/// The function that \p I calls if it would not do the same a second time, like
/// malloc, which gives other memory then; else empty.
llvm::StringRef unrepeatableCall(const DecodedInst &I);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_SYSTEMCALLS_H
