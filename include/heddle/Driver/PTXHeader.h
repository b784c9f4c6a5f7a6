//===- PTXHeader.h - What PTX says of itself --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The directives that PTX begins with, read without the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DRIVER_PTXHEADER_H
#define HEDDLE_DRIVER_PTXHEADER_H

#include <string_view>

namespace heddle {

/// The GPU that PTX, or the first of a bundle, is for: 90 for sm_90a. 0 if it
/// does not say so.
unsigned targetOfPTX(std::string_view Input);

/// Whether PTX, or one text of a bundle, is of a later version than is known
/// here.
bool isNewerPTX(std::string_view Input);

} // namespace heddle

#endif // HEDDLE_DRIVER_PTXHEADER_H
