//===- Unit.h - The code that is translated together ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel may execute: basic blocks, which registers live where, and
// which of them may differ from the warp's register file.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_NATIVE_UNIT_H
#define HEDDLE_LIB_NATIVE_UNIT_H

#include "Code/LiveRegisters.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace heddle::native {

using emu::RegSet;

/// How translated code carries out an instruction.
enum class Kind : uint8_t {
  Plain,    ///< An operation on registers, of which host code is made.
  Access,   ///< A load or store: host code for common cases, else a call.
  Call,     ///< A call of the emulator.
  MayFault, ///< The same, which may end the launch.
  MayStop,  ///< The same, after which the group may not be able to go on.
  Branch,   ///< BRA and UBRA.
  CallTo,   ///< CALL.
  Indirect, ///< Goes where a register says.
  Exit,
  Illegal, ///< No instruction.
};

Kind kindOf(const emu::DecodedInst &I);

/// How many whole words \p I loads from a constant bank; 0 if it does not.
unsigned parameterWords(const emu::DecodedInst &I);

/// Whether \p I loads parameters of the kernel from a place that it names.
bool isParameter(const emu::DecodedInst &I);

/// Whether \p I is a conversion to or from half precision.
bool isHalf(const emu::DecodedInst &I);

/// Whether the counts of instructions and time have to be right at \p I.
bool needsCounts(const emu::DecodedInst &I);

struct Block {
  uint32_t First = 0, Last = 0;
  std::vector<uint32_t> Successors; ///< By PC.
  bool EndsTurn = false; ///< Begins where a warp's turn behind a barrier ends.
  RegSet DirtyIn;        ///< Of hot ones: what others of them may have changed.
  int32_t Entry = -1;    ///< Its number; -1 if none.
  /// Worth much code: some jump leads backwards across it and few others, or
  /// the unit is small.
  bool IsHot = false;
};

/// The blocks that a kernel's code may reach without a register's help.
class Unit {
public:
  Unit(const emu::CodeImage &Image, uint32_t Entry);

  const emu::CodeImage &Image;
  std::map<uint32_t, Block> Blocks; ///< By the PC of the first instruction.
  uint32_t NumEntries = 0;

  const emu::DecodedInst &at(uint32_t PC) const { return Image.Insts[PC]; }
  bool contains(uint32_t PC) const { return Blocks.count(PC) != 0; }
  /// The registers that may be read from \p PC on, or where the unit knows
  /// nothing, all that it names.
  RegSet liveAt(uint32_t PC) const { return Live.at(PC); }
  /// The rows that may be read, from the unit's entry on, before they are
  /// written; nothing if code that is not in the unit may read some.
  std::optional<std::vector<uint32_t>> readFirst() const;
  /// Whether a warp that has executed nothing needs no registers, and does
  /// nothing that looks at other warps.
  bool isAlone() const;
  uint32_t entry() const { return Entry; }
  /// Whether some instruction does.
  bool names(emu::RegId R) const { return Live.named()[R]; }
  /// Those that are live behind instruction \p PC.
  RegSet liveBehind(uint32_t PC) const { return Live.behind(PC); }

private:
  void findBlocks(uint32_t Entry);
  std::set<uint32_t> findTurns(const std::set<uint32_t> &Seen) const;
  void findHot();
  void findDirtyRegisters();

  uint32_t Entry;
  emu::LiveRegisters Live;
};

} // namespace heddle::native

#endif // HEDDLE_LIB_NATIVE_UNIT_H
