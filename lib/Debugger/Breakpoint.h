//===- Breakpoint.h - Breakpoints, watchpoints, catchpoints -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stops a grid, by the number that commands name it by.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEBUGGER_BREAKPOINT_H
#define HEDDLE_LIB_DEBUGGER_BREAKPOINT_H

#include "Expression.h"
#include "Module.h"

namespace heddle::debug {

struct Breakpoint {
  enum KindType : uint8_t {
    Location, ///< A place in the code.
    Watch,    ///< Bytes of memory.
    Launch,   ///< The start of a grid.
  };

  unsigned Number = 0;
  KindType Kind = Location;
  std::string Spec; ///< As the command had it.
  bool Enabled = true;
  bool Temporary = false;
  uint64_t Ignore = 0; ///< Hits that do not stop any more.
  uint64_t Hits = 0;
  std::optional<Expression> Condition;
  std::vector<std::string> Commands; ///< Carried out where it stops.

  std::vector<CodePlace> Places; ///< Of a location, in all modules.

  emu::WatchRange Range;    ///< Of a watchpoint,
  const Type *Of = nullptr; ///< of such a value.
};

} // namespace heddle::debug

#endif // HEDDLE_LIB_DEBUGGER_BREAKPOINT_H
