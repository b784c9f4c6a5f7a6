//===- DebugFile.h - Debug information for other programs -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that read DWARF do not know the relocations of our code objects.
// This makes an ELF file of one in which nothing is left to relocate.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OBJECT_DEBUGFILE_H
#define HEDDLE_OBJECT_DEBUGFILE_H

#include "heddle/Object/ObjectFile.h"

namespace heddle {

/// \p Bytes, from which \p Object was made, as an executable whose code
/// sections stand one behind the other from address 0 on and whose debug
/// sections and symbols say so. Only code has addresses in it.
llvm::Expected<std::vector<uint8_t>>
makeDebugFile(const ObjectFile &Object, llvm::ArrayRef<uint8_t> Bytes);

} // namespace heddle

#endif // HEDDLE_OBJECT_DEBUGFILE_H
