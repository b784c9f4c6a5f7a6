//===- DebugLayout.h - Addresses in debug information -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that read DWARF do not know the relocations of our code objects.
// This writes an object again without any in its debug sections that they could
// see.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OBJECT_DEBUGLAYOUT_H
#define HEDDLE_OBJECT_DEBUGLAYOUT_H

#include "heddle/Object/ObjectFile.h"

namespace heddle {

/// \p Object with its debug sections relocated: the sections of code have
/// addresses one behind the other from 0 on (Section::Address), and the debug
/// information is of these. Only code has addresses in it. The object can be
/// loaded and linked as before: if it is relocatable, the relocations are kept
/// where only we look for them (DebugRelocationsType).
llvm::Expected<std::string> layOutDebugInfo(const ObjectFile &Object);
/// The same of an object that has not been read.
llvm::Expected<std::string> layOutDebugInfo(llvm::ArrayRef<uint8_t> Object);

} // namespace heddle

#endif // HEDDLE_OBJECT_DEBUGLAYOUT_H
