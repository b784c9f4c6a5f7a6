//===- SourceFrames.h - Functions of a code object's source -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells which functions of the source an instruction is in, inlined ones too,
// and where functions begin, from a code object's .debug_info.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OBJECT_SOURCEFRAMES_H
#define HEDDLE_OBJECT_SOURCEFRAMES_H

#include "heddle/Object/ObjectFile.h"
#include "llvm/DebugInfo/DWARF/DWARFDie.h"

#include <memory>

namespace heddle {

/// A function's name for people: demangled, and without what is only there to
/// tell versions of it apart.
std::string functionName(llvm::StringRef LinkageName);

/// A function that an instruction is in, and where in it.
struct SourceFrame {
  std::string Function; ///< For people; empty if unknown.
  std::string File;     ///< As the line table has it; empty if unknown.
  uint32_t Line = 0;
  uint32_t Column = 0;
  /// Where the function's code, or this copy of it, begins. Equal for two
  /// instructions of one copy.
  uint64_t Begin = 0;
};

/// Where a function begins, or a copy of it that was inlined.
struct FunctionStart {
  std::string Name;        ///< For people: `ns::f(int)`.
  std::string LinkageName; ///< `_ZN2ns1fEi`; empty if unknown.
  uint32_t Section = 0;    ///< Index in the code object.
  uint64_t Offset = 0;     ///< In bytes.
  bool IsInlined = false;
};

class SourceFrames {
public:
  SourceFrames();
  ~SourceFrames();
  SourceFrames(SourceFrames &&);
  SourceFrames &operator=(SourceFrames &&);

  /// Reads .debug_info, with less to tell if there is none. The object has to
  /// outlive it.
  static llvm::Expected<SourceFrames> create(const ObjectFile &Object);

  /// The functions that the instruction at \p Offset of a section is in,
  /// innermost first; empty if nothing is known.
  std::vector<SourceFrame> lookup(uint32_t Section, uint64_t Offset) const;
  /// All functions, in no particular order.
  std::vector<FunctionStart> functions() const;

  /// The entries of the functions that lookup() tells of, in the same order.
  std::vector<llvm::DWARFDie> entries(uint32_t Section, uint64_t Offset) const;
  /// The address that debug information has for an instruction.
  uint64_t addressOf(uint32_t Section, uint64_t Offset) const;
  /// Whether the frame of the function of an instruction is not made yet.
  bool isInPrologue(uint32_t Section, uint64_t Offset) const;
  /// All units; null if nothing is known.
  llvm::DWARFContext *dwarf() const;

private:
  struct Content;
  std::unique_ptr<Content> C;
};

} // namespace heddle

#endif // HEDDLE_OBJECT_SOURCEFRAMES_H
