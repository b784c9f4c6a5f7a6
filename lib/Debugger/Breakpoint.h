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

#include "Expressions/Expression.h"
#include "Module.h"
#include "ThreadReader.h"
#include "WarpCondition.h"

namespace heddle::debug {

/// What is evaluated behind each step of a thread, since no memory has it.
struct FollowedValue {
  Focus Of;
  Expression What;
  size_t Calls = 0; ///< That the frame is in.
  /// The frame's number from the outermost one on; 0: whichever is innermost.
  size_t Level = 0;
  std::string Function;      ///< Of that frame.
  std::optional<Value> Last; ///< If it was somewhere.
};

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
  /// The same for warps at the place where it was tested last, if it can be had
  /// so.
  struct {
    std::unique_ptr<WarpCondition> Test;
    const Module *In = nullptr; ///< Null: it was not tested.
    uint32_t PC = 0;
    uint64_t Kernel = 0;
  } Quick;
  std::vector<std::string> Commands; ///< Carried out where it stops.

  /// Whether nothing is said where it stops.
  bool isSilent() const {
    return !Commands.empty() && Commands.front() == "silent";
  }

  std::vector<CodePlace> Places; ///< Of a location, in all modules.

  emu::WatchRange Range;                 ///< Of a watchpoint on memory,
  const Type *Of = nullptr;              ///< of such a value.
  std::optional<FollowedValue> Followed; ///< Of any other watchpoint.
};

} // namespace heddle::debug

#endif // HEDDLE_LIB_DEBUGGER_BREAKPOINT_H
