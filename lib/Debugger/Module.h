//===- Module.h - Names and lines of loaded code ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the debugger knows of a module's code: functions, source lines, inlined
// frames, the text of instructions, and the PTX that it was made of.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEBUGGER_MODULE_H
#define HEDDLE_LIB_DEBUGGER_MODULE_H

#include "Source/SourceVariables.h"
#include "Source/TypeIndex.h"
#include "heddle/Debugger/Debugger.h"
#include "heddle/Emulator/Debug.h"
#include "heddle/Object/LineTable.h"
#include "heddle/Object/SourceFrames.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::debug {

/// An instruction of a module.
struct CodePlace {
  const class Module *In = nullptr;
  uint32_t PC = 0;
  bool operator==(const CodePlace &) const = default;
};

class Module {
public:
  Module(std::shared_ptr<const emu::CodeDescription> Code,
         const CodeTools &Tools);

  const emu::CodeDescription &code() const { return *Code; }

  /// The line of an instruction; none if it has none. That of the PTX, where
  /// showPTX wants that and it is known.
  std::optional<SourceLine> lineOf(uint32_t PC) const;
  /// The same in \p File, if that is the PTX; else as lineOf.
  std::optional<SourceLine> lineIn(llvm::StringRef File, uint32_t PC) const;
  void showPTX(bool Wanted) { ShowsPTX = Wanted; }
  /// The functions that an instruction is in, innermost first. The last one is
  /// the function that the code is in, even if nothing else is known.
  std::vector<SourceFrame> framesOf(uint32_t PC) const;
  /// How many functions that is.
  size_t depthOf(uint32_t PC) const;
  /// The function that a block of code is: `saxpy`.
  std::string functionOf(uint32_t PC) const;
  /// A PC for people: `saxpy+0x40`.
  std::string describe(uint32_t PC) const;
  /// Bytes from the module's first instruction: what expressions have for the
  /// address of code.
  uint64_t addressOf(uint32_t PC) const { return Code->Offsets[PC]; }
  std::optional<uint32_t> pcAt(uint64_t Address) const;

  /// Whether there is code of a function of this name, by itself.
  bool hasFunction(llvm::StringRef Name) const;
  /// Where functions of this name begin, or their inlined copies.
  std::vector<uint32_t> findFunction(llvm::StringRef Name) const;
  /// Where a function that begins at \p PC has put its arguments where its
  /// variables are, if it does so within its first line.
  uint32_t behindPrologue(uint32_t PC) const;
  /// Whether an instruction is in front of that, or is the function's first.
  bool isPrologue(uint32_t PC) const;
  /// Where a line begins, once for each function and each inlined copy. \p Line
  /// becomes the next one that has code.
  std::vector<uint32_t> findLine(llvm::StringRef File, uint32_t &Line) const;
  /// Whether \p File is the PTX that the code was made of. A text that was in
  /// a program's memory goes by the name of each of its functions: `saxpy.ptx`.
  bool isPTX(llvm::StringRef File) const;
  /// Why the lines of that PTX are not known; empty if they are.
  const std::string &whyNoPTXLines() const;
  /// All lines of that PTX; empty if they cannot be read.
  llvm::ArrayRef<std::string> ptxText() const;
  /// The names of all functions.
  std::vector<std::string> functions() const;

  /// The variables that a frame of an instruction sees, innermost first.
  const std::vector<SourceVariable> &variablesOf(uint32_t PC,
                                                 size_t Frame) const;
  /// Those of the module that an instruction's function may mean, the ones of
  /// its own unit first. In shared memory others have places of their own.
  const std::vector<SourceVariable> &globals(uint32_t PC) const;
  /// All of the module.
  const std::vector<SourceVariable> &allGlobals() const;
  std::vector<VariablePart> locate(const SourceVariable &V, uint32_t PC,
                                   PlaceReader &Reader) const;
  const Type *typeOf(const SourceVariable &V, TypePool &Types) const {
    return Variables.typeOf(V, Types);
  }

  /// A type of the source; null if it has none of the name.
  const Type *findType(llvm::StringRef Name, TypePool &Types) const;
  /// An enumerator of the source.
  std::optional<Value> findEnumerator(llvm::StringRef Name,
                                      TypePool &Types) const;
  const TypeIndex &types() const;

  /// The text of an instruction, or why there is none.
  std::string instruction(uint32_t PC) const;

private:
  /// What is known of the PTX that the code was made of.
  struct PTXCode {
    std::optional<PTXSource> Source;
    std::string Name; ///< For people.
    /// By PC, 0 where there is none; none: nobody has asked.
    std::optional<std::vector<uint32_t>> Lines;
    std::string WhyNoLines;
    std::optional<std::vector<std::string>> Text;
  };
  struct PlacedArguments {
    unsigned Count = 0;
    bool InFrame = false; ///< Some are in the function's frame.
  };
  PlacedArguments placedArguments(uint32_t PC) const;
  PTXCode &ptx() const;
  llvm::ArrayRef<uint32_t> ptxLines() const;
  std::optional<SourceLine> ptxLineOf(uint32_t PC) const;
  std::vector<uint32_t> findPTXLine(uint32_t &Line) const;

  std::shared_ptr<const emu::CodeDescription> Code;
  const CodeTools &Tools;
  std::optional<ObjectFile> Object;
  LineTable Lines;
  SourceFrames Frames;
  mutable SourceVariables Variables; ///< With the types that were asked for.
  // What conditions of breakpoints ask for, time and again.
  mutable std::optional<TypeIndex> Index;
  mutable std::optional<std::vector<SourceVariable>> Globals;
  mutable std::map<uint32_t, std::vector<SourceVariable>> GlobalsAt;
  mutable std::map<std::pair<uint32_t, size_t>, std::vector<SourceVariable>>
      VariablesAt;
  mutable std::vector<uint8_t> Depths; ///< By PC; 0 if it is not known yet.
  mutable std::optional<Disassembly> Text;
  mutable std::string NoText; ///< Why there is none.
  mutable std::optional<PTXCode> PTX;
  bool ShowsPTX = false;
};

/// Whether a file of a line table is the one that \p Wanted means: all of its
/// path, or the end of it.
bool isFile(llvm::StringRef Path, llvm::StringRef Wanted);

} // namespace heddle::debug

#endif // HEDDLE_LIB_DEBUGGER_MODULE_H
