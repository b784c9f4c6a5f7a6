//===- Translator.h - Microcode as code of the host -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the emulator asks of a translator, and what translated code asks of the
// emulator (docs/native.md). The emulator itself generates no code.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_EMULATOR_TRANSLATOR_H
#define HEDDLE_EMULATOR_TRANSLATOR_H

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace heddle::emu {

struct Allocation;
struct CodeImage;
struct DecodedInst;
class Warp;

/// Where translated code finds what it needs of a warp, in bytes from the
/// warp's start, and of what the warp points to.
struct WarpLayout {
  // In the warp.
  uint32_t Registers = 0; ///< Rows of 32 words.
  uint32_t Predicates = 0, Uniforms = 0, UniformPredicates = 0;
  uint32_t Group = 0, Current = 0, Next = 0, Stop = 0;
  uint32_t Issued = 0; ///< Two 64-bit numbers: Issued and Time.
  uint32_t SliceEnd = 0, IsExact = 0;
  uint32_t Owner = 0;       ///< A pointer to the CTA.
  uint32_t Index = 0;       ///< In the CTA.
  uint32_t Apart = 0;       ///< Lanes that exchange with lanes elsewhere.
  uint32_t Convergence = 0; ///< Rows of 32 masks.
  uint32_t Exist = 0, Exited = 0;
  uint32_t State = 0, StateBytes = 0; ///< All but registers.
  uint32_t Following = 0;             ///< A pointer to the CTA's next warp.
  // In the CTA.
  uint32_t Counts = 0;        ///< Pairs of 64-bit numbers.
  uint32_t StretchCounts = 0; ///< A pointer to such pairs.
  uint32_t SharedHost = 0, SharedSize = 0;
  uint32_t AccessBlocks = 0; ///< Pointers to allocations, or null.
  uint32_t Reductions = 0;   ///< A pointer to the buffer of reductions.
  uint32_t Shape = 0;        ///< %ntid, %ctaid and %nctaid.
  uint32_t Threads = 0;      ///< A pointer to rows of %tid, by warp.
  uint32_t Parameters = 0, ParameterBytes = 0; ///< A pointer, and a size.
  uint32_t StateAtFirst = 0;                   ///< Of each warp that begins.
  uint32_t LiveWarps = 0, WarpsToBegin = 0;
  // In the buffer: the allocation that it is for, which is not accessed then.
  uint32_t ReducedBlock = 0;
  // In an allocation.
  uint32_t BlockBase = 0, BlockReach = 0, BlockHost = 0, BlockLive = 0;

  bool operator==(const WarpLayout &) const = default;
};

/// Of the warps of this emulator.
WarpLayout warpLayout();

/// What translated code calls.
struct EmulatorFunctions {
  /// The lanes of \p Exec, not all of the group, branch to \p Target.
  void (*Diverge)(Warp &W, uint32_t Exec, uint32_t Target);
  /// Executes the instructions \p First to \p Last, none of which goes
  /// elsewhere, of those to \p Counted that are counted already but for the
  /// threads behind guards. False if one has stopped the group; what is behind
  /// it is not counted then.
  bool (*Execute)(Warp &W, uint32_t First, uint32_t Last, uint32_t Counted);
  /// Keeps the live block in which a global address lies for access
  /// \p Number; false if there is none.
  bool (*FindBlock)(Warp &W, uint64_t Address, uint32_t Number);
};

/// Instructions that follow each other and are counted together: the code
/// counts how often they run, and for how many threads.
struct CountedStretch {
  struct Class {
    uint32_t Number;    ///< Of the latency class.
    uint32_t Warp = 0;  ///< All instructions of it.
    uint32_t Group = 0; ///< Those that all threads of the group execute.
  };
  std::vector<Class> Classes;
};

/// Host code for some instructions of an image.
struct TranslatedCode {
  static constexpr int32_t NoEntry = -1;

  /// Runs the group of \p W from an entry on, until the group has to stop, has
  /// used up its time, or has come to an instruction that is no entry.
  void (*Run)(Warp *W, const DecodedInst *Insts, const EmulatorFunctions *Calls,
              uint32_t Entry) = nullptr;
  uint32_t First = 0;           ///< The PC of Entries[0].
  std::vector<int32_t> Entries; ///< By PC.
  std::vector<CountedStretch> Stretches;
  /// The rows of registers that the kernel may read before it writes them;
  /// nothing if these may be any.
  std::optional<std::vector<uint32_t>> ReadFirst;
  /// Whether Run begins the CTA's next warp where all lanes of one that lives
  /// exit, while the CTA has warps to begin (CTA::WarpsToBegin).
  bool BeginsWarps = false;

  /// By PC, whether the code that starts there stops behind the instructions of
  /// a warp's turn, if the time slice is one.
  std::vector<bool> Turns;

  int32_t entryOf(uint32_t PC) const {
    return PC - First < Entries.size() ? Entries[PC - First] : NoEntry;
  }
  bool hasTurn(uint32_t PC) const {
    return PC - First < Turns.size() && Turns[PC - First];
  }
  virtual ~TranslatedCode() = default;
};

/// Makes host code of microcode. May be called from any thread.
class Translator {
public:
  virtual ~Translator() = default;
  /// What a kernel may execute that starts at \p Entry; null if the translator
  /// can make nothing of it.
  virtual std::shared_ptr<const TranslatedCode>
  translate(const CodeImage &Image, uint32_t Entry) = 0;
};

/// How a launch is executed.
enum class Execution : uint8_t {
  Emulate,   ///< Instruction by instruction.
  Translate, ///< As host code, from the first CTA on.
  Auto,      ///< As host code once a kernel has run for long enough.
  Compare,   ///< In both ways; a difference is the fault `mismatch`.
};

} // namespace heddle::emu

#endif // HEDDLE_EMULATOR_TRANSLATOR_H
