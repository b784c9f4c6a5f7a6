//===- InlinedCode.h - Where an instruction was inlined ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The line of an instruction may be in a header that its author has never seen;
// the line that matters is the one that called it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLING_INLINEDCODE_H
#define HEDDLE_TOOLING_INLINEDCODE_H

#include "heddle/Tooling/LoadedCompiler.h"

namespace heddle {

/// A file and a line, by the name of an instruction's section and the offset
/// in it.
using InlinedPlaces = std::map<std::pair<std::string, uint64_t>,
                               std::pair<std::string, uint32_t>>;

/// For each instruction of \p Object, disassembled as \p Text, whose line is
/// in another file than the function that it was inlined in: the innermost line
/// in that function's own file.
llvm::Expected<InlinedPlaces> findInlinedPlaces(llvm::ArrayRef<uint8_t> Object,
                                                const Disassembly &Text);

} // namespace heddle

#endif // HEDDLE_TOOLING_INLINEDCODE_H
