//===- LiveRegisters.h - What code may still read ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registers that a lane's code may read before it writes them, from an
// instruction on. The translator keeps no others, and the emulator looks at no
// others where it asks whether a warp does the same again and again.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_LIVEREGISTERS_H
#define HEDDLE_LIB_EMULATOR_LIVEREGISTERS_H

#include "Decoder.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <bitset>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace heddle::emu {

using RegSet = std::bitset<NumRegIds>;

/// Where the lanes that execute \p I at \p PC together may go on without a
/// register's help.
std::vector<uint32_t> successorsOf(const DecodedInst &I, uint32_t PC);

/// Whether \p I goes where a register says, to code that may read all.
bool leadsAnywhere(const DecodedInst &I);

/// What direct branches lead to from an entry, by PC.
struct ReachedCode {
  std::set<uint32_t> Leaders; ///< Where blocks begin.
  std::set<uint32_t> Seen;    ///< All instructions.

  /// Blocks end at those instructions for which \p EndsBlock holds.
  ReachedCode(const CodeImage &Image, uint32_t Entry,
              llvm::function_ref<bool(const DecodedInst &)> EndsBlock);
  /// The last instruction of the block that begins at \p Leader.
  uint32_t
  lastOf(uint32_t Leader, const CodeImage &Image,
         llvm::function_ref<bool(const DecodedInst &)> EndsBlock) const;
};

/// Of the code that direct branches lead to from an entry.
class LiveRegisters {
public:
  LiveRegisters(const CodeImage &Image, uint32_t Entry);

  /// Whether the entry leads to \p PC.
  bool reaches(uint32_t PC) const;
  /// What may be read from \p PC on; where the entry does not lead, all that
  /// its code names.
  RegSet at(uint32_t PC) const;
  /// The same behind \p PC, wherever its lanes go on.
  RegSet behind(uint32_t PC) const;
  /// Those that some instruction names.
  const RegSet &named() const { return Named; }

private:
  struct Block {
    uint32_t Last = 0;
    RegSet LiveIn;
  };

  void findBlocks(uint32_t Entry);
  void solve();
  void stepBack(RegSet &Live, uint32_t PC) const;

  const CodeImage &Image;
  std::map<uint32_t, Block> Blocks; ///< By the PC of the first instruction.
  RegSet Named;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_LIVEREGISTERS_H
