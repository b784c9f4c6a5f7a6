//===- Options.h - The command line of ptx-objdump --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the user asks to see.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_OBJDUMP_OPTIONS_H
#define HEDDLE_TOOLS_PTX_OBJDUMP_OPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace heddle::objdump {

struct Options {
  std::string Input;
  std::string Function; ///< Only this one; all if empty.
  bool Disassemble = false;
  bool Assembly = false;
  bool Source = false;
  bool Bytes = false;
  bool Metadata = false;
  bool Relocations = false;
  bool Symbols = false;
  bool JSON = false;
  bool Help = false;
};

/// Parses a command line without the program's name.
llvm::Expected<Options> parseOptions(llvm::ArrayRef<const char *> Args);

void printHelp(llvm::raw_ostream &OS);

} // namespace heddle::objdump

#endif // HEDDLE_TOOLS_PTX_OBJDUMP_OPTIONS_H
